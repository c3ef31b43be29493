//! Events.
use crate::context::enter;
use crate::driver::Raw;
use crate::interface::out;
use crate::status::Outcome;
use std::ffi::c_uint;
use std::ptr::null_mut;

/// `cudaEventCreate`, `cudaEventCreateWithFlags`: the flags are the driver's.
pub unsafe fn create(event: *mut Raw, flags: c_uint) -> Outcome {
    let mut made = null_mut();
    // SAFETY: a place for a handle, then the caller's pointer.
    unsafe {
        enter()?.0.cuEventCreate(&mut made, flags)?;
        out(event, made)
    }
}

/// `cudaEventRecord`, `cudaEventRecordWithFlags`
pub unsafe fn record(event: Raw, stream: Raw, flags: c_uint) -> Outcome {
    let driver = enter()?.0;
    // SAFETY: handles, which the driver looks up.
    unsafe { driver.cuEventRecordWithFlags(event, stream, flags) }
}

/// `cudaEventElapsedTime`, in milliseconds.
pub unsafe fn elapsed(milliseconds: *mut f32, start: Raw, end: Raw) -> Outcome {
    let mut found = 0.0;
    // SAFETY: a place for a number, then the caller's pointer.
    unsafe {
        enter()?.0.cuEventElapsedTime(&mut found, start, end)?;
        out(milliseconds, found)
    }
}
