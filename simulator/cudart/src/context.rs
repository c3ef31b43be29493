//! The device of a thread. The runtime works in the primary context of a device, which becomes current when a call first needs
//! one; where a program made another context current by the driver's interface, the runtime works in that.
use crate::driver::{Driver, Raw, driver};
use crate::interface::out;
use crate::status::{Failure, INVALID_DEVICE, Outcome};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

thread_local! {
    static DEVICE: Cell<c_int> = const { Cell::new(0) };
}

/// Primary contexts that this runtime holds, by device. Each is retained once.
static PRIMARY: Mutex<BTreeMap<c_int, usize>> = Mutex::new(BTreeMap::new());

/// The driver, and the context that is current on this thread from now on.
pub fn enter() -> Result<(&'static Driver, Raw), Failure> {
    let driver = driver()?;
    let mut context = null_mut();
    // SAFETY: a place for a handle.
    unsafe { driver.cuCtxGetCurrent(&mut context)? };
    if context.is_null() {
        context = bind(driver, DEVICE.get())?;
    }
    Ok((driver, context))
}

/// An answer of the driver, written where the caller wants it once the call has succeeded. An address is as wide as a pointer.
///
/// # Safety
/// `to` is null or the caller's place for a `T`: a handle, or a number, of which 0 is one.
pub unsafe fn answer<T>(to: *mut T, call: impl FnOnce(&Driver, *mut T) -> Outcome) -> Outcome {
    let mut found = MaybeUninit::zeroed();
    call(enter()?.0, found.as_mut_ptr())?;
    // SAFETY: zero, or what the driver has written; the caller's promise.
    unsafe { out(to, found.assume_init()) }
}

/// Has the driver take something back; null is nothing, and no error.
pub fn unless_null(pointer: Raw, call: impl FnOnce(&Driver) -> Outcome) -> Outcome {
    let driver = enter()?.0;
    if pointer.is_null() { Ok(()) } else { call(driver) }
}

/// A number that tells a context from others, also from that of the same handle before a reset: another copy of this library, or the program,
/// may have ended it. A driver that does not know has the handle.
pub(crate) fn id(driver: &Driver, context: Raw) -> u64 {
    let mut id = 0;
    // SAFETY: the driver's handle, and a place for a number.
    unsafe { driver.cuCtxGetId(context, &mut id) }.map_or(context as u64, |()| id)
}

/// Makes a device's primary context current.
fn bind(driver: &Driver, device: c_int) -> Result<Raw, Failure> {
    let mut primary = PRIMARY.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut flags, mut is_active) = (0, 0);
    // SAFETY: places for two numbers.
    unsafe { driver.cuDevicePrimaryCtxGetState(device, &mut flags, &mut is_active)? };
    let context = match primary.get(&device) {
        Some(&context) if is_active != 0 => context as Raw,
        _ => {
            let mut context = null_mut();
            // SAFETY: a place for a handle.
            unsafe { driver.cuDevicePrimaryCtxRetain(&mut context, device)? };
            primary.insert(device, context as usize);
            context
        }
    };
    // SAFETY: the driver's own handle.
    unsafe { driver.cuCtxSetCurrent(context)? };
    Ok(context)
}

/// `cudaSetDevice`: since CUDA 12 the device's context begins here.
pub fn set_device(device: c_int) -> Outcome {
    let driver = driver()?;
    refuse_if!(!(0..count()?).contains(&device), INVALID_DEVICE);
    DEVICE.set(device);
    bind(driver, device).map(|_| ())
}

/// The number of devices.
pub fn count() -> Result<c_int, Failure> {
    let mut count = 0;
    // SAFETY: a place for a number.
    unsafe { driver()?.cuDeviceGetCount(&mut count)? };
    Ok(count)
}

/// The device that this thread works on.
pub fn device() -> Result<c_int, Failure> {
    let driver = driver()?;
    let (mut context, mut device) = (null_mut(), DEVICE.get());
    // SAFETY: places for a handle and a number.
    unsafe {
        driver.cuCtxGetCurrent(&mut context)?;
        if !context.is_null() {
            driver.cuCtxGetDevice(&mut device)?;
        }
    }
    Ok(device)
}

/// Ends the primary context of this thread's device; the next call begins it anew. Returns what was held, by its number.
pub fn end() -> Result<Option<u64>, Failure> {
    let (driver, device) = (driver()?, device()?);
    let mut primary = PRIMARY.lock().unwrap_or_else(PoisonError::into_inner);
    let held = primary.get(&device).map(|context| id(driver, *context as Raw));
    // SAFETY: it has no conditions beyond a device's number; no context is a context.
    unsafe {
        driver.cuDevicePrimaryCtxReset_v2(device)?;
        driver.cuCtxSetCurrent(null_mut())?;
    }
    primary.remove(&device);
    Ok(held)
}
