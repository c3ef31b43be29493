//! Memory pools: names for sets of allocations in stream order, with their counters.
use crate::driver::interface::cause::Cause;
use crate::driver::interface::handles::Raw;
use crate::driver::interface::layout::PoolProperties;
use crate::driver::interface::pointers::out;
use crate::driver::objects::pool::Pool;
use crate::driver::state;
use std::ffi::{c_int, c_uint, c_void};

/// `cuDeviceGetDefaultMemPool`
pub unsafe fn default_pool(pool: *mut Raw, device: c_int) -> Result<(), Cause> {
    let mut driver = state::lock();
    let value = driver.device(device)?.default_pool;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pool_out", pool, value as Raw) }
}

/// `cuDeviceGetMemPool`
pub unsafe fn current_pool(pool: *mut Raw, device: c_int) -> Result<(), Cause> {
    let mut driver = state::lock();
    let value = driver.device(device)?.current_pool;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pool", pool, value as Raw) }
}

/// `cuDeviceSetMemPool`
pub fn set_current_pool(device: c_int, pool: Raw) -> Result<(), Cause> {
    let mut driver = state::lock();
    driver.device(device)?;
    let of = driver.pools.get(pool as usize)?.device;
    if of != device as usize {
        return Err(Cause::NoHandle("memory pool of this device"));
    }
    driver.device(device)?.current_pool = pool as usize;
    Ok(())
}

/// `cuMemPoolCreate`
pub unsafe fn create(pool: *mut Raw, properties: *const PoolProperties) -> Result<(), Cause> {
    // SAFETY: the caller's promise.
    let properties = unsafe { properties.as_ref() }.ok_or(Cause::Null("poolProps"))?;
    let mut driver = state::lock();
    let (kind, id) = (properties.location_kind, properties.location_id);
    if kind != 1 {
        return Err(Cause::NoSuchValue("location", kind.into()));
    }
    driver.device(id)?;
    if properties.handle_kinds != 0 {
        return Err(Cause::NotModelled("memory shared between processes"));
    }
    let handle = driver.pools.insert(Pool::new(id as usize, false));
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pool", pool, handle as Raw) }
}

/// `cuMemPoolDestroy`
pub fn destroy(pool: Raw) -> Result<(), Cause> {
    let mut driver = state::lock();
    driver.started()?;
    if driver.pools.get(pool as usize)?.is_default {
        return Err(Cause::NoHandle("memory pool that can be destroyed"));
    }
    let gone = driver.pools.remove(pool as usize)?;
    let machine = &mut driver.devices[gone.device];
    if machine.current_pool == pool as usize {
        machine.current_pool = machine.default_pool;
    }
    Ok(())
}

/// `cuMemPoolTrimTo`: nothing is held back.
pub fn trim(pool: Raw) -> Result<(), Cause> {
    let driver = state::lock();
    driver.started()?;
    driver.pools.get(pool as usize).map(|_| ())
}

/// `cuMemPoolGetAttribute`: 1 to 3 are flags of 4 bytes, the others 8 bytes: threshold, reserved now and at most, used now
/// and at most.
pub unsafe fn get_attribute(pool: Raw, attribute: c_uint, value: *mut c_void) -> Result<(), Cause> {
    let mut driver = state::lock();
    driver.started()?;
    let used: u64 = driver.allocations.values().filter(|a| a.pool == pool as usize).map(|a| a.bytes).sum();
    let found = driver.pools.get_mut(pool as usize)?;
    found.high = found.high.max(used);
    match attribute {
        // SAFETY: the caller's pointer, 4 bytes for these.
        1..=3 => unsafe { out("value", value.cast::<u32>(), found.settings[attribute as usize - 1] as u32) },
        // SAFETY: the caller's pointer, 8 bytes for these.
        4 => unsafe { out("value", value.cast::<u64>(), found.settings[3]) },
        // SAFETY: as above.
        5 | 7 => unsafe { out("value", value.cast::<u64>(), used) },
        // SAFETY: as above.
        6 | 8 => unsafe { out("value", value.cast::<u64>(), found.high) },
        other => Err(Cause::NoSuchValue("attr", other.into())),
    }
}

/// `cuMemPoolSetAttribute`: the marks of the most can be set to 0.
pub unsafe fn set_attribute(pool: Raw, attribute: c_uint, value: *const c_void) -> Result<(), Cause> {
    if value.is_null() {
        return Err(Cause::Null("value"));
    }
    let mut driver = state::lock();
    driver.started()?;
    let found = driver.pools.get_mut(pool as usize)?;
    match attribute {
        // SAFETY: not null; 4 bytes for these.
        1..=3 => found.settings[attribute as usize - 1] = u64::from(unsafe { value.cast::<u32>().read_unaligned() }),
        // SAFETY: not null; 8 bytes for this.
        4 => found.settings[3] = unsafe { value.cast::<u64>().read_unaligned() },
        6 | 8 => found.high = 0,
        other => return Err(Cause::NoSuchValue("attr", other.into())),
    }
    Ok(())
}

/// `cuMemPoolSetAccess`: every device may use what it can reach.
pub fn set_access(pool: Raw, count: usize) -> Result<(), Cause> {
    let driver = state::lock();
    driver.started()?;
    driver.pools.get(pool as usize)?;
    let _ = count;
    Ok(())
}

/// `cuMemPoolGetAccess`: 3 is reading and writing.
pub unsafe fn get_access(flags: *mut c_uint, pool: Raw) -> Result<(), Cause> {
    let driver = state::lock();
    driver.started()?;
    driver.pools.get(pool as usize)?;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("flags", flags, 3) }
}
