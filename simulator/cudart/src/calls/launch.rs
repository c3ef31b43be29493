//! Launches. `f<<<grid, block, shared, stream>>>(…)` pushes a configuration and calls the kernel's stand-in, which takes the
//! configuration back and launches.
use crate::context;
use crate::driver::{Driver, Raw};
use crate::interface::{out, per_thread};
use crate::layout::{Dim3, RuntimeLaunchConfig};
use crate::registry;
use crate::status::{Failure, INVALID_CONFIGURATION, INVALID_VALUE, MISSING_CONFIGURATION, Outcome};
use cuda::layout::LaunchConfig;
use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::null_mut;

/// The configuration between `<<<` and `>>>`.
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared_bytes: usize,
    stream: Raw,
}

thread_local! {
    static PUSHED: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// `__cudaPushCallConfiguration`: 0, so that the stand-in is called.
pub fn push(grid: Dim3, block: Dim3, shared_bytes: usize, stream: Raw) -> u32 {
    PUSHED.with_borrow_mut(|pushed| pushed.push(Configuration { grid, block, shared_bytes, stream }));
    0
}

/// `__cudaPopCallConfiguration`
pub unsafe fn pop(grid: *mut Dim3, block: *mut Dim3, shared_bytes: *mut usize, stream: *mut Raw) -> Outcome {
    let found = PUSHED.with_borrow_mut(Vec::pop).ok_or(MISSING_CONFIGURATION)?;
    // SAFETY: the generated code's places.
    unsafe {
        out(grid, found.grid)?;
        out(block, found.block)?;
        out(shared_bytes, found.shared_bytes)?;
        out(stream, found.stream)
    }
}

/// A launch by the stand-in's address or a handle.
#[derive(Clone, Copy)]
pub struct Request {
    pub function: *const c_void,
    pub grid: Dim3,
    pub block: Dim3,
    pub shared_bytes: usize,
    pub stream: Raw,
    pub parameters: *mut Raw,
    pub cooperative: bool,
}

/// `cudaLaunchKernel`, `cudaLaunchCooperativeKernel`
///
/// # Safety
/// The parameters are the kernel's.
pub unsafe fn launch(request: Request) -> Outcome {
    let (driver, function) = registry::function(request.function)?;
    let shared = u32::try_from(request.shared_bytes).map_err(|_| INVALID_VALUE)?;
    let Request { grid: g, block: b, stream, parameters, .. } = request;
    let launched = unsafe {
        if request.cooperative {
            driver.cuLaunchCooperativeKernel(function, g.x, g.y, g.z, b.x, b.y, b.z, shared, stream, parameters)
        } else {
            driver.cuLaunchKernel(function, g.x, g.y, g.z, b.x, b.y, b.z, shared, stream, parameters, null_mut())
        }
    };
    launched.map_err(|failure| refine(driver, failure, g, b))
}

/// `cudaLaunchKernelExC`
///
/// # Safety
/// The pointers are as the interface defines them for this kernel.
pub unsafe fn launch_ex(
    config: *const RuntimeLaunchConfig,
    function: *const c_void,
    parameters: *mut Raw,
    is_per_thread: bool,
) -> Outcome {
    let config = unsafe { config.as_ref() }.ok_or(INVALID_VALUE)?;
    let (driver, function) = registry::function(function)?;
    let driver_config = driver_config(config, is_per_thread)?;
    let launched = unsafe { driver.cuLaunchKernelEx(&driver_config, function, parameters, null_mut()) };
    launched.map_err(|failure| refine(driver, failure, config.grid, config.block))
}

/// The same configuration, as the driver reads it.
pub fn driver_config(config: &RuntimeLaunchConfig, is_per_thread: bool) -> Result<LaunchConfig, Failure> {
    Ok(LaunchConfig {
        grid: config.grid.array(),
        block: config.block.array(),
        shared_bytes: u32::try_from(config.shared_bytes).map_err(|_| INVALID_VALUE)?,
        stream: if is_per_thread { per_thread(config.stream) } else { config.stream },
        attributes: config.attributes,
        attribute_count: config.attribute_count,
    })
}

/// Where the driver says "invalid value", this interface tells grids and blocks beyond the device's limits apart.
fn refine(driver: &Driver, failure: Failure, grid: Dim3, block: Dim3) -> Failure {
    const MAX_THREADS: u32 = 1;
    if failure != INVALID_VALUE {
        return failure;
    }
    let Ok(device) = context::device() else { return failure };
    let limit = |attribute: u32| {
        let mut value = 0;
        // SAFETY: a place for a number.
        let found = unsafe { driver.cuDeviceGetAttribute(&mut value, attribute, device) };
        found.map_or(u64::MAX, |()| value as u64)
    };
    let extents = block.array().into_iter().chain(grid.array());
    // The limits of a block's and a grid's extents follow in this order.
    let beyond =
        extents.zip(MAX_THREADS + 1..).any(|(extent, attribute)| extent == 0 || u64::from(extent) > limit(attribute));
    let threads: u64 = block.array().into_iter().map(u64::from).product();
    if beyond || threads > limit(MAX_THREADS) { INVALID_CONFIGURATION } else { failure }
}
