//! Contexts: what is current on a thread, waiting for all of one, and their limits.
use crate::executor::{wait_for_context, wait_for_device};
use crate::interface::{Cause, Outcome, forward, out, out_if_wanted};
use crate::objects::context::Context;
use crate::state::{self, Guard, current};
use cuda::layout::Raw;
use std::ffi::{c_int, c_uint};

pub unsafe fn cuDevicePrimaryCtxRetain(context: *mut Raw, device: c_int) -> Outcome {
    let mut driver = state::lock();
    let machine = driver.device(device)?;
    machine.primary_references += 1;
    let handle = match machine.primary {
        Some(handle) => handle,
        None => {
            let flags = machine.primary_flags;
            let handle = driver.new_context(device as usize, flags, true);
            driver.device(device)?.primary = Some(handle);
            handle
        }
    };
    unsafe { out("pctx", context, handle as Raw) }
}

/// The last release ends the context, once its work is done.
pub fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> Outcome {
    let mut driver = state::lock();
    let machine = driver.device(device)?;
    let Some(handle) = machine.primary.filter(|_| machine.primary_references > 0) else {
        return Err(Cause::NoHandle("context"));
    };
    machine.primary_references -= 1;
    if machine.primary_references > 0 {
        return Ok(());
    }
    end_primary(driver, device, handle)
}

pub fn cuDevicePrimaryCtxReset_v2(device: c_int) -> Outcome {
    let mut driver = state::lock();
    let machine = driver.device(device)?;
    let Some(handle) = machine.primary else { return Ok(()) };
    machine.primary_references = 0;
    end_primary(driver, device, handle)
}

/// The handle of a primary context outlives it: a later retain answers the same one, fresh.
fn end_primary(driver: Guard, device: c_int, handle: usize) -> Outcome {
    let mut driver = wait_for_device(driver, device as usize);
    driver.empty_context(handle);
    let flags = driver.device(device)?.primary_flags;
    if let Ok(context) = driver.contexts.get_mut(handle) {
        context.fault = None;
        context.ends = context.ends.wrapping_add(1);
        context.flags = flags;
        context.limits.clear();
        context.peers.clear();
    }
    Ok(())
}

pub unsafe fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) -> Outcome {
    let mut driver = state::lock();
    let machine = driver.device(device)?;
    unsafe {
        out("flags", flags, machine.primary_flags)?;
        out("active", active, c_int::from(machine.primary_references > 0))
    }
}

pub fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) -> Outcome {
    let mut driver = state::lock();
    let machine = driver.device(device)?;
    check_flags(flags)?;
    machine.primary_flags = flags;
    if let Some(handle) = machine.primary
        && let Ok(context) = driver.contexts.get_mut(handle)
    {
        context.flags = flags;
    }
    Ok(())
}

/// `cuCtxCreate` in all its versions: a new context becomes current.
pub unsafe fn cuCtxCreate_v2(context: *mut Raw, flags: c_uint, device: c_int) -> Outcome {
    let mut driver = state::lock();
    driver.device(device)?;
    check_flags(flags)?;
    let handle = driver.new_context(device as usize, flags, false);
    current::push_current(handle);
    unsafe { out("pctx", context, handle as Raw) }
}

pub fn cuCtxDestroy_v2(context: Raw) -> Outcome {
    let handle = context as usize;
    let driver = state::started()?;
    let found = driver.contexts.get(handle).map_err(Cause::into_argument)?;
    refuse_if!(found.primary, Cause::NoHandle("context"));
    let device = found.device;
    let mut driver = wait_for_device(driver, device);
    driver.empty_context(handle);
    driver.contexts.remove(handle)?;
    if current::current_handle() == handle {
        current::pop_current();
    }
    Ok(())
}

/// One more user of the current context, which its own creation made.
pub unsafe fn cuCtxAttach(context: *mut Raw, flags: c_uint) -> Outcome {
    refuse_if!(flags != 0, Cause::NoSuchValue("flags", flags.into()));
    let mut driver = state::lock();
    let handle = driver.current()?;
    let found = driver.contexts.get_mut(handle)?;
    refuse_if!(found.primary, Cause::NoHandle("context"));
    found.users += 1;
    unsafe { out("pctx", context, handle as Raw) }
}

/// One user less; the last one destroys it.
pub fn cuCtxDetach(context: Raw) -> Outcome {
    {
        let mut driver = state::started()?;
        let found = driver.contexts.get_mut(context as usize).map_err(Cause::into_argument)?;
        refuse_if!(found.primary, Cause::NoHandle("context"));
        found.users -= 1;
        if found.users > 0 {
            return Ok(());
        }
    }
    cuCtxDestroy_v2(context)
}

/// Asked before everything else, so without the lock where there is a context.
pub unsafe fn cuCtxGetCurrent(context: *mut Raw) -> Outcome {
    if current::current_handle() == 0 {
        state::lock().started()?;
    }
    unsafe { out("pctx", context, current::current_handle() as Raw) }
}

pub fn cuCtxSetCurrent(context: Raw) -> Outcome {
    let driver = state::started()?;
    if !context.is_null() {
        driver.contexts.get(context as usize).map_err(Cause::into_argument)?;
    }
    current::set_current(context as usize);
    Ok(())
}

pub fn cuCtxPushCurrent_v2(context: Raw) -> Outcome {
    let driver = state::started()?;
    driver.contexts.get(context as usize).map_err(Cause::into_argument)?;
    current::push_current(context as usize);
    Ok(())
}

pub unsafe fn cuCtxPopCurrent_v2(context: *mut Raw) -> Outcome {
    let popped = current::pop_current().ok_or(Cause::NoContext)?;
    if context.is_null() {
        return Ok(());
    }
    unsafe { out("pctx", context, popped as Raw) }
}

pub unsafe fn cuCtxGetDevice(device: *mut c_int) -> Outcome {
    let driver = state::started()?;
    let handle = current::current_handle();
    refuse_if!(handle == 0, Cause::NoContext);
    let ordinal = driver.contexts.get(handle)?.device;
    unsafe { out("device", device, ordinal as c_int) }
}

pub unsafe fn cuCtxGetDevice_v2(device: *mut c_int, context: Raw) -> Outcome {
    let driver = state::lock();
    let ordinal = driver.contexts.get(if context.is_null() { driver.current()? } else { context as usize })?.device;
    unsafe { out("device", device, ordinal as c_int) }
}

pub fn cuCtxSynchronize() -> Outcome {
    let mut driver = state::lock();
    let context = driver.current()?;
    driver.refuse_in_capture("cuCtxSynchronize")?;
    wait_for_context(driver, context).map(|_| ())
}

pub fn cuCtxSynchronize_v2(context: Raw) -> Outcome {
    let driver = state::lock();
    let context = if context.is_null() { driver.current()? } else { context as usize };
    driver.healthy(context)?;
    wait_for_context(driver, context).map(|_| ())
}

pub fn cuCtxSetFlags(flags: c_uint) -> Outcome {
    let mut driver = state::lock();
    let context = driver.current()?;
    check_flags(flags)?;
    driver.contexts.get_mut(context)?.flags = flags;
    Ok(())
}

/// A primary context that has begun anew is another one, by the same handle.
pub unsafe fn cuCtxGetId(context: Raw, id: *mut u64) -> Outcome {
    let driver = state::lock();
    let handle = if context.is_null() { driver.current()? } else { context as usize };
    // Handles are addresses, which leave these bits.
    let ends = u64::from(driver.contexts.get(handle)?.ends) << 48;
    unsafe { out("ctxId", id, handle as u64 | ends) }
}

pub unsafe fn cuCtxGetApiVersion(context: Raw, version: *mut c_uint) -> Outcome {
    let driver = state::started()?;
    if !context.is_null() {
        driver.contexts.get(context as usize)?;
    }
    unsafe { out("version", version, 3020) }
}

/// Scheduling policies 0, 1, 2 and 4 with the flags beside them; a policy changes nothing here.
fn check_flags(flags: c_uint) -> Outcome {
    refuse_if!(flags & !0xff != 0 || !matches!(flags & 7, 0 | 1 | 2 | 4), Cause::NoSuchValue("flags", flags.into()));
    Ok(())
}

/// Limits by number, and what they are before they are set: stack, printf buffer, heap, launch depth, pending launches, L2
/// fetch granularity, persisting L2, shared carve-out for CIG, CIG state.
const LIMITS: &[(u32, usize)] =
    &[(0, 1024), (1, 1 << 20), (2, 8 << 20), (3, 2), (4, 2048), (5, 64), (6, 0), (7, 0), (8, 0)];

pub unsafe fn cuCtxGetLimit(value: *mut usize, limit: c_uint) -> Outcome {
    let driver = state::lock();
    let context = driver.contexts.get(driver.current()?)?;
    let default =
        LIMITS.iter().find(|(number, _)| *number == limit).ok_or(Cause::NoSuchValue("limit", limit.into()))?.1;
    unsafe { out("pvalue", value, context.limits.get(&limit).copied().unwrap_or(default)) }
}

pub fn cuCtxSetLimit(limit: c_uint, value: usize) -> Outcome {
    let mut driver = state::lock();
    let context = driver.current()?;
    refuse_if!(!LIMITS.iter().any(|(number, _)| *number == limit), Cause::NoSuchValue("limit", limit.into()));
    driver.contexts.get_mut(context)?.limits.insert(limit, value);
    Ok(())
}

/// A preference.
pub fn cuCtxSetCacheConfig(config: c_uint) -> Outcome {
    let mut driver = state::lock();
    let context = driver.current()?;
    refuse_if!(config > 3, Cause::NoSuchValue("config", config.into()));
    driver.contexts.get_mut(context)?.cache_config = config;
    Ok(())
}

pub fn cuCtxSetSharedMemConfig(config: c_uint) -> Outcome {
    let mut driver = state::lock();
    let context = driver.current()?;
    refuse_if!(config > 2, Cause::NoSuchValue("config", config.into()));
    driver.contexts.get_mut(context)?.shared_config = config;
    Ok(())
}

/// The least and the greatest of stream priorities.
pub const PRIORITIES: (c_int, c_int) = (0, -5);

pub unsafe fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> Outcome {
    let driver = state::lock();
    driver.current()?;
    unsafe {
        out_if_wanted(least, PRIORITIES.0);
        out_if_wanted(greatest, PRIORITIES.1);
    }
    Ok(())
}

/// The peer's memory is shown to the current device.
pub fn cuCtxEnablePeerAccess(peer: Raw, flags: c_uint) -> Outcome {
    let mut driver = state::lock();
    let context = driver.current()?;
    let device = driver.contexts.get(context)?.device;
    let from = driver.contexts.get(peer as usize)?.device;
    refuse_if!(flags != 0, Cause::NoSuchValue("Flags", flags.into()));
    refuse_if!(from == device, Cause::NoDevice(from as i32, driver.devices.len()));
    refuse_if!(!driver.contexts.get_mut(context)?.peers.insert(from), Cause::PeerAlreadyOn);
    driver.share(from, device, true);
    Ok(())
}

pub fn cuCtxDisablePeerAccess(peer: Raw) -> Outcome {
    let driver = state::lock();
    let context = driver.current()?;
    let device = driver.contexts.get(context)?.device;
    let from = driver.contexts.get(peer as usize)?.device;
    let mut driver = wait_for_device(driver, device);
    refuse_if!(!driver.contexts.get_mut(context)?.peers.remove(&from), Cause::PeerNotOn);
    driver.share(from, device, false);
    Ok(())
}

fn of_current<T>(of: impl FnOnce(&Context) -> T) -> Result<T, Cause> {
    let driver = state::lock();
    driver.contexts.get(driver.current()?).map(of)
}

cuda::forward_contexts!(forward);
