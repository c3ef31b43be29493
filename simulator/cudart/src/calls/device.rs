//! Devices: which are there, which one a thread works on, and its settings.
use crate::context::{self, enter};
use crate::driver::{Raw, driver};
use crate::interface::out;
use crate::registry;
use crate::status::{INVALID_DEVICE, INVALID_VALUE, NO_DEVICE, NOT_SUPPORTED, Outcome};
use std::ffi::{c_char, c_int, c_uint};
use std::ptr::null_mut;

/// `cudaGetDeviceCount`
pub unsafe fn count(count: *mut c_int) -> Outcome {
    let found = context::count()?;
    unsafe { out(count, found)? };
    if found == 0 { Err(NO_DEVICE) } else { Ok(()) }
}

/// `cudaGetDevice`
pub unsafe fn current(device: *mut c_int) -> Outcome {
    unsafe { out(device, context::device()?) }
}

/// `cudaInitDevice`
pub fn init(device: c_int) -> Outcome {
    let before = context::device()?;
    context::set_device(device)?;
    context::set_device(before)
}

/// `cudaSetValidDevices`
pub unsafe fn set_valid(devices: *const c_int, count: c_int) -> Outcome {
    for at in 0..count.max(0) as usize {
        // SAFETY: the caller's array holds `count`.
        let device = unsafe { devices.add(at).read() };
        refuse_if!(!(0..context::count()?).contains(&device), INVALID_DEVICE);
    }
    Ok(())
}

/// `cudaDriverGetVersion`: 0 where there is no driver.
pub unsafe fn driver_version(version: *mut c_int) -> Outcome {
    let mut found = 0;
    if let Ok(driver) = driver() {
        // SAFETY: a place for a number.
        unsafe { driver.cuDriverGetVersion(&mut found)? };
    }
    unsafe { out(version, found) }
}

/// `cudaGetDeviceFlags`
pub unsafe fn flags(flags: *mut c_uint) -> Outcome {
    let (mut found, mut active) = (0, 0);
    // SAFETY: places for two numbers.
    unsafe { driver()?.cuDevicePrimaryCtxGetState(context::device()?, &mut found, &mut active)? };
    // SAFETY: the caller's pointer. Host memory can always be mapped.
    unsafe { out(flags, found | MAP_HOST) }
}

/// Host memory can always be mapped.
pub const MAP_HOST: c_uint = 8;

/// `cudaDeviceEnablePeerAccess`, `cudaDeviceDisablePeerAccess`
pub fn peer(device: c_int, flags: Option<c_uint>) -> Outcome {
    let own = context::device()?;
    refuse_if!(own == device, INVALID_DEVICE);
    context::set_device(device)?;
    let (driver, other): (_, Raw) = enter()?;
    context::set_device(own)?;
    // SAFETY: the driver's own handle.
    unsafe {
        match flags {
            Some(0) => driver.cuCtxEnablePeerAccess(other, 0),
            Some(_) => Err(INVALID_VALUE),
            None => driver.cuCtxDisablePeerAccess(other),
        }
    }
}

/// `cudaDeviceReset`: all that the device's primary context holds goes, what images were loaded into it too.
pub fn reset() -> Outcome {
    if let Some(context) = context::end()? {
        registry::forget(context);
    }
    Ok(())
}

/// The entry points of the driver by name: `cudaGetDriverEntryPoint`, which asks for the variant of a version.
pub unsafe fn entry_point(
    symbol: *const c_char,
    function: *mut Raw,
    version: c_uint,
    flags: u64,
    status: *mut c_uint,
) -> Outcome {
    let (mut found, mut answer) = (null_mut(), 0);
    // SAFETY: the caller's text, and two places.
    unsafe {
        enter()?.0.cuGetProcAddress_v2(symbol, &mut found, version as i32, flags, &mut answer)?;
        out(function, found)?;
    }
    if status.is_null() {
        return if answer == 0 { Ok(()) } else { Err(NOT_SUPPORTED) };
    }
    // SAFETY: the caller's pointer. 0 found, 1 not found, 2 not in this version.
    unsafe { out(status, answer) }
}
