//! Memory pools: names for sets of allocations in stream order, with their counters.
use crate::interface::{Cause, Outcome, forward, out};
use crate::objects::memory::allocation::MemoryKind;
use crate::objects::memory::pool::Pool;
use crate::state::{self, Driver};
use cuda::layout::{MemoryLocation, NewPool, Raw};
use std::ffi::{c_int, c_uint, c_void};

/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`
pub const FILE_DESCRIPTOR: u32 = 1;

pub fn cuDeviceSetMemPool(device: c_int, pool: Raw) -> Outcome {
    let mut driver = state::lock();
    driver.device(device)?;
    let of = driver.pools.get(pool as usize)?;
    if of.device != device as usize || of.kind != MemoryKind::Device {
        return Err(Cause::NoHandle("memory pool of this device"));
    }
    driver.device(device)?.current_pool = pool as usize;
    Ok(())
}

pub unsafe fn cuMemPoolCreate(pool: *mut Raw, properties: *const NewPool) -> Outcome {
    let NewPool { properties, most_bytes, .. } = unsafe { properties.as_ref() }.ok_or(Cause::Null("poolProps"))?;
    let mut driver = state::lock();
    let location = MemoryLocation { kind: properties.location_kind, id: properties.location_id };
    let (kind, device) = place(&mut driver, properties.allocation_kind, location)?;
    let (handle_kinds, most) = (properties.handle_kinds, *most_bytes as u64);
    refuse_if!(handle_kinds & !FILE_DESCRIPTOR != 0, Cause::NotModelled(Cause::OTHER_SHAREABLE_HANDLES));
    if kind == MemoryKind::Managed && handle_kinds != 0 {
        return Err(Cause::NoSuchValue("handleTypes", handle_kinds.into()));
    }
    let handle = driver.pools.insert(Pool { kind, handle_kinds, most, ..Pool::new(device, false) });
    unsafe { out("pool", pool, handle as Raw) }
}

/// The kind of memory of a pool, and its device: `CUmemAllocationType` (1 stays where it is, 2 is managed) and a place.
fn place(driver: &mut Driver, allocation: u32, location: MemoryLocation) -> Result<(MemoryKind, usize), Cause> {
    const DEVICE: u32 = 1;
    const NODE_OF_HOST: u32 = 3;
    let device = match location.kind {
        DEVICE => driver.device(location.id).map(|_| location.id as usize)?,
        // The host's memory is told to be of one node.
        NODE_OF_HOST if location.id != 0 => return Err(Cause::OutOfRange("id", location.id as u64, "0".into())),
        0 | 2..=4 => 0,
        other => return Err(Cause::NoSuchValue("location", other.into())),
    };
    match (allocation, location.kind) {
        (1, DEVICE) => Ok((MemoryKind::Device, device)),
        (1, 2..=4) => Ok((MemoryKind::Pinned, device)),
        (2, _) => Ok((MemoryKind::Managed, device)),
        (1, other) => Err(Cause::NoSuchValue("location", other.into())),
        (other, _) => Err(Cause::NoSuchValue("allocType", other.into())),
    }
}

/// The pools of a place and a kind of memory, the default one and the current one, made where nobody asked before.
unsafe fn pools_of(
    driver: &mut Driver,
    location: *const MemoryLocation,
    allocation: u32,
) -> Result<&mut (usize, usize), Cause> {
    driver.started()?;
    let location = *unsafe { location.as_ref() }.ok_or(Cause::Null("location"))?;
    let (kind, device) = place(driver, allocation, location)?;
    let key = (allocation, location.kind, location.id.max(0));
    let known = driver.pools_of_places.get(&key).copied();
    let pools = known.unwrap_or_else(|| {
        let made = driver.pools.insert(Pool { kind, ..Pool::new(device, true) });
        (made, made)
    });
    Ok(driver.pools_of_places.entry(key).or_insert(pools))
}

/// True if a place's pools are those that a device has anyway.
unsafe fn of_device(location: *const MemoryLocation, allocation: u32) -> Option<c_int> {
    let location = unsafe { location.as_ref() }?;
    (allocation == 1 && location.kind == 1).then_some(location.id)
}

/// `cuMemGetDefaultMemPool`, `cuMemGetMemPool`
pub unsafe fn pool_of(
    pool: *mut Raw,
    location: *const MemoryLocation,
    allocation: c_uint,
    is_default: bool,
) -> Outcome {
    // SAFETY: the caller's struct, and the caller's pointer, as the interface defines it.
    unsafe {
        if let Some(device) = of_device(location, allocation) {
            return if is_default { cuDeviceGetDefaultMemPool(pool, device) } else { cuDeviceGetMemPool(pool, device) };
        }
        let mut driver = state::lock();
        let &mut (default, current) = pools_of(&mut driver, location, allocation)?;
        out("pool", pool, if is_default { default } else { current } as Raw)
    }
}

pub unsafe fn cuMemSetMemPool(location: *const MemoryLocation, allocation: c_uint, pool: Raw) -> Outcome {
    // SAFETY: the caller's struct.
    unsafe {
        if let Some(device) = of_device(location, allocation) {
            return cuDeviceSetMemPool(device, pool);
        }
        let mut driver = state::lock();
        let kind = driver.pools.get(pool as usize)?.kind;
        let &mut (default, _) = pools_of(&mut driver, location, allocation)?;
        refuse_if!(driver.pools.get(default)?.kind != kind, Cause::NoHandle("memory pool of this kind"));
        pools_of(&mut driver, location, allocation)?.1 = pool as usize;
    }
    Ok(())
}

pub fn cuMemPoolDestroy(pool: Raw) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(driver.pools.get(pool as usize)?.is_default, Cause::NoHandle("memory pool that can be destroyed"));
    let gone = driver.pools.remove(pool as usize)?;
    let machine = &mut driver.devices[gone.device];
    if machine.current_pool == pool as usize {
        machine.current_pool = machine.default_pool;
    }
    for (default, current) in driver.pools_of_places.values_mut().filter(|(_, current)| *current == pool as usize) {
        *current = *default;
    }
    Ok(())
}

/// 1 to 3 are flags of 4 bytes, the others 8 bytes: threshold, reserved now and at most, used now
/// and at most.
pub unsafe fn cuMemPoolGetAttribute(pool: Raw, attribute: c_uint, value: *mut c_void) -> Outcome {
    let mut driver = state::started()?;
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

/// The marks of the most can be set to 0.
pub unsafe fn cuMemPoolSetAttribute(pool: Raw, attribute: c_uint, value: *const c_void) -> Outcome {
    refuse_if!(value.is_null(), Cause::Null("value"));
    let mut driver = state::started()?;
    let found = driver.pools.get_mut(pool as usize)?;
    match attribute {
        // SAFETY: not null; 4 bytes for these.
        1..=3 => found.settings[attribute as usize - 1] = u64::from(unsafe { value.cast::<u32>().read_unaligned() }),
        // SAFETY: not null; 8 bytes for this.
        4 => found.settings[3] = unsafe { value.cast::<u64>().read_unaligned() },
        // SAFETY: as above.
        6 | 8 => match unsafe { value.cast::<u64>().read_unaligned() } {
            0 => found.high = 0,
            other => return Err(Cause::NoSuchValue("value", other as i64)),
        },
        other => return Err(Cause::NoSuchValue("attr", other.into())),
    }
    Ok(())
}

cuda::forward_pools!(forward);
