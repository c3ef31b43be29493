//! Kernels: their attributes, names, and occupancy.
use crate::calls::launch;
use crate::driver::Raw;
use crate::interface::out;
use crate::layout::{FunctionAttributes, RuntimeLaunchConfig};
use crate::registry;
use crate::status::{INVALID_VALUE, Outcome};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// The driver's numbers of [`FunctionAttributes::rest`], in its order.
const REST: [c_uint; 13] = [0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14];

/// `cudaFuncGetAttributes`
pub unsafe fn attributes(to: *mut FunctionAttributes, function: *const c_void) -> Outcome {
    let (driver, function) = registry::function(function)?;
    let ask = |attribute: c_uint| {
        let mut value = 0;
        // SAFETY: a place for a number.
        unsafe { driver.cuFuncGetAttribute(&mut value, attribute, function) }.map(|()| value)
    };
    let mut found = FunctionAttributes {
        shared_bytes: ask(1)? as usize,
        constant_bytes: ask(2)? as usize,
        local_bytes: ask(3)? as usize,
        ..FunctionAttributes::default()
    };
    for (slot, attribute) in found.rest.iter_mut().zip(REST) {
        // A driver older than clusters does not know the last ones.
        *slot = ask(attribute).unwrap_or_default();
    }
    unsafe { out(to, found) }
}

/// `cudaFuncSetAttribute`: the numbers are the driver's.
pub fn set_attribute(function: *const c_void, attribute: c_uint, value: c_int) -> Outcome {
    let (driver, function) = registry::function(function)?;
    // SAFETY: the driver's function.
    unsafe { driver.cuFuncSetAttribute(function, attribute, value) }
}

/// `cudaFuncSetCacheConfig`: the numbers are the driver's.
pub fn set_cache_config(function: *const c_void, config: c_uint) -> Outcome {
    let (driver, function) = registry::function(function)?;
    // SAFETY: the driver's function.
    unsafe { driver.cuFuncSetCacheConfig(function, config) }
}

/// `cudaFuncSetSharedMemConfig`: the numbers are the driver's.
pub fn set_shared_config(function: *const c_void, config: c_uint) -> Outcome {
    let (driver, function) = registry::function(function)?;
    // SAFETY: the driver's function.
    unsafe { driver.cuFuncSetSharedMemConfig(function, config) }
}

/// `cudaFuncGetName`
pub unsafe fn name(name: *mut *const c_char, function: *const c_void) -> Outcome {
    if let Ok(kernel) = registry::find(function) {
        return unsafe { out(name, kernel.name().as_ptr()) };
    }
    let (driver, function) = registry::function(function)?;
    unsafe { driver.cuFuncGetName(name, function) }
}

/// `cudaFuncGetParamInfo`
pub unsafe fn parameter(function: *const c_void, index: usize, offset: *mut usize, bytes: *mut usize) -> Outcome {
    let (driver, function) = registry::function(function)?;
    unsafe { driver.cuFuncGetParamInfo(function, index, offset, bytes) }
}

/// `cudaGetFuncBySymbol`: the driver's function.
pub unsafe fn by_symbol(function: *mut Raw, stand_in: *const c_void) -> Outcome {
    registry::find(stand_in)?;
    let found = registry::function(stand_in)?.1;
    registry::given(found);
    unsafe { out(function, found) }
}

/// `__cudaGetKernel`, `cudaGetKernel`: a handle that serves in every context.
pub unsafe fn kernel(kernel: *mut Raw, stand_in: *const c_void) -> Outcome {
    let found = registry::find(stand_in)?;
    unsafe { out(kernel, std::ptr::from_ref(found).cast_mut().cast()) }
}

/// `cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags`
pub unsafe fn active_blocks(
    count: *mut c_int,
    function: *const c_void,
    threads: c_int,
    dynamic: usize,
    flags: c_uint,
) -> Outcome {
    let (driver, function) = registry::function(function)?;
    unsafe { driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, function, threads, dynamic, flags) }
}

/// `cudaOccupancyAvailableDynamicSMemPerBlock`
pub unsafe fn available_shared(bytes: *mut usize, function: *const c_void, blocks: c_int, threads: c_int) -> Outcome {
    let (driver, function) = registry::function(function)?;
    unsafe { driver.cuOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads) }
}

/// `cudaOccupancyMaxPotentialClusterSize`, or with `active` `cudaOccupancyMaxActiveClusters`
pub unsafe fn clusters(
    count: *mut c_int,
    function: *const c_void,
    config: *const RuntimeLaunchConfig,
    active: bool,
) -> Outcome {
    let config = launch::driver_config(unsafe { config.as_ref() }.ok_or(INVALID_VALUE)?, false)?;
    let (driver, function) = registry::function(function)?;
    unsafe {
        if active {
            driver.cuOccupancyMaxActiveClusters(count, function, &config)
        } else {
            driver.cuOccupancyMaxPotentialClusterSize(count, function, &config)
        }
    }
}
