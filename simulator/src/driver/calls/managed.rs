//! Managed memory: one address for host and devices. It is host memory here, so that nothing ever moves.
use crate::driver::calls::memory::ALLOCATE_NS;
use crate::driver::interface::cause::Cause;
use crate::driver::interface::handles::Raw;
use crate::driver::interface::pointers::out;
use crate::driver::objects::allocation::{MemoryKind, words};
use crate::driver::state;
use crate::driver::state::{Driver, clock};
use std::ffi::{c_int, c_uint};

/// `cuMemAllocManaged`
pub unsafe fn alloc_managed(pointer: *mut u64, bytes: usize, flags: c_uint) -> Result<(), Cause> {
    let mut driver = state::lock();
    let (device, _) = driver.current_device()?;
    let context = driver.current()?;
    if bytes == 0 {
        return Err(Cause::OutOfRange("bytesize", 0, "1 and more".into()));
    }
    if !matches!(flags, 1 | 2) {
        return Err(Cause::NoSuchValue("flags", flags.into()));
    }
    clock::spend_ns(ALLOCATE_NS);
    let address = driver.allocate(device, context, bytes as u64, MemoryKind::Managed, 0, flags)?;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("dptr", pointer, address) }
}

/// `cuMemPrefetchAsync`, both versions: managed memory is host memory here, so nothing moves.
pub fn prefetch(address: u64, bytes: usize, stream: Raw) -> Result<(), Cause> {
    let mut driver = state::lock();
    driver.stream_of(stream)?;
    managed(&driver, address, bytes)
}

/// `cuMemAdvise`, both versions: advice changes no result.
pub fn advise(address: u64, bytes: usize, advice: c_int) -> Result<(), Cause> {
    let driver = state::lock();
    driver.started()?;
    if !(1..=6).contains(&advice) {
        return Err(Cause::NoSuchValue("advice", advice.into()));
    }
    managed(&driver, address, bytes)
}

/// `cuStreamAttachMemAsync`
pub fn attach(stream: Raw, address: u64, bytes: usize, flags: c_uint) -> Result<(), Cause> {
    let mut driver = state::lock();
    driver.stream_of(stream)?;
    if !matches!(flags, 1 | 2 | 4) {
        return Err(Cause::NoSuchValue("flags", flags.into()));
    }
    managed(&driver, address, bytes)?;
    if let Some(allocation) = driver.allocations.get_mut(&address) {
        allocation.flags = flags;
    }
    Ok(())
}

fn managed(driver: &Driver, address: u64, bytes: usize) -> Result<(), Cause> {
    match driver.device_location("devPtr", address, bytes as u64)? {
        Some(found) if found.kind == MemoryKind::Managed => Ok(()),
        Some(found) => Err(Cause::OtherMemory("managed memory", words(found.kind))),
        None => Ok(()),
    }
}
