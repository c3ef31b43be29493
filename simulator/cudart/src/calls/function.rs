//! Kernels: their attributes, names, and occupancy.
use crate::calls::launch;
use crate::driver::{Driver, Raw};
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

/// Has the driver do something with a kernel.
pub fn of(stand_in: *const c_void, call: impl FnOnce(&Driver, Raw) -> Outcome) -> Outcome {
    let (driver, function) = registry::function(stand_in)?;
    call(driver, function)
}

/// `cudaFuncGetName`
pub unsafe fn name(name: *mut *const c_char, function: *const c_void) -> Outcome {
    if let Ok(kernel) = registry::find(function) {
        return unsafe { out(name, kernel.name().as_ptr()) };
    }
    let (driver, function) = registry::function(function)?;
    unsafe { driver.cuFuncGetName(name, function) }
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
