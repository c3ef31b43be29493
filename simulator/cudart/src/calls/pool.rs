//! Memory pools: their structs and numbers are the driver's.
use crate::context::enter;
use crate::driver::{Raw, driver};
use crate::interface::out;
use crate::status::Outcome;
use cuda::layout::NewPool;
use std::ffi::c_int;
use std::ptr::null_mut;

/// `cudaMemPoolCreate`
pub unsafe fn create(pool: *mut Raw, properties: *const NewPool) -> Outcome {
    let mut made = null_mut();
    // SAFETY: a place for a handle and the caller's struct, then the caller's pointer.
    unsafe {
        enter()?.0.cuMemPoolCreate(&mut made, properties)?;
        out(pool, made)
    }
}

/// `cudaDeviceGetDefaultMemPool`, and with `is_current` `cudaDeviceGetMemPool`
pub unsafe fn of_device(pool: *mut Raw, device: c_int, is_current: bool) -> Outcome {
    let driver = driver()?;
    unsafe {
        if is_current {
            driver.cuDeviceGetMemPool(pool, device)
        } else {
            driver.cuDeviceGetDefaultMemPool(pool, device)
        }
    }
}
