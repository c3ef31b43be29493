//! Memory and events of other processes: `cuIpc*`.
//!
//! An allocation that a handle was asked for lies in an anonymous file of the host from then on, which the other process shows
//! among its own addresses. Each process has its own virtual clock. An event between processes has passed when its record
//! returns: the work before it is done by then, which a stream is free to do.
use crate::executor::wait_for_device;
use crate::interface::{Cause, Outcome, out};
use crate::objects::event::{DISABLE_TIMING, Event, EventState, INTERPROCESS};
use crate::objects::memory::allocation::{Allocation, MemoryKind, Owner, words};
use crate::objects::memory::interprocess::{EVENT_MARK, EventHandle, MEMORY_MARK, MemoryHandle, Opened};
use crate::state::{self, Driver, Guard};
use cuda::layout::{IpcHandle, Raw};
use machine::memory::Backing;
use std::ffi::c_uint;

/// The only flag, and it must be given: `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`.
const LAZY_PEER_ACCESS: c_uint = 1;

/// Any address in an allocation names it.
pub unsafe fn cuIpcGetMemHandle(handle: *mut IpcHandle, address: u64) -> Outcome {
    let driver = state::lock();
    driver.current()?;
    let no_allocation = || driver.no_allocation("dptr", address);
    let found = driver.allocation_at(address).ok_or_else(no_allocation)?;
    if found.kind != MemoryKind::Device || found.pool != 0 || found.owner != Owner::Program {
        return Err(Cause::OtherMemory("memory of cuMemAlloc", words(found.kind)));
    }
    let answer = share(driver, "dptr", address, MEMORY_MARK, 0)?;
    unsafe { out("pHandle", handle.cast(), answer) }
}

/// Moves an allocation to a file, and tells what another process needs to show it.
pub(crate) fn share(
    driver: Guard,
    what: &'static str,
    address: u64,
    mark: [u8; 8],
    pool: u64,
) -> Result<MemoryHandle, Cause> {
    let found = driver.allocation_at(address).ok_or_else(|| driver.no_allocation(what, address))?;
    let (base, device) = (found.address, found.device);
    // Nobody may write it while it moves to a file.
    let driver = wait_for_device(driver, device);
    let shared = driver.devices[device].memory.share(base);
    let shared = shared.map_err(|error| Cause::OfHost("memory for two processes", error.to_string()))?;
    let (file, file_bytes, offset) = shared.ok_or_else(|| driver.no_allocation(what, address))?;
    let bytes = driver.allocations.get(&base).map_or(0, |found| found.bytes);
    let process = std::process::id();
    Ok(MemoryHandle { mark, process, file, file_bytes, offset, bytes, pool, unused: [0; 2] })
}

/// Memory of another process that is opened again has the same address.
pub unsafe fn cuIpcOpenMemHandle_v2(pointer: *mut u64, handle: IpcHandle, flags: c_uint) -> Outcome {
    let handle = MemoryHandle::from(handle);
    let mut driver = state::lock();
    let (device, _) = driver.current_device()?;
    let context = driver.current()?;
    refuse_if!(flags != LAZY_PEER_ACCESS, Cause::NoSuchValue("Flags", flags.into()));
    refuse_if!(handle.mark != MEMORY_MARK, Cause::NoHandle("memory of another process"));
    refuse_if!(handle.process == std::process::id(), Cause::OwnHandle);
    let allocation = Allocation::new(device, context, MemoryKind::Device, 0, handle.bytes);
    let address = show(&mut driver, handle, allocation)?;
    unsafe { out("pdptr", pointer, address) }
}

/// Shows another process's memory at an address of this one, as an allocation of that kind; shown again it has the same address.
pub(crate) fn show(driver: &mut Driver, handle: MemoryHandle, allocation: Allocation) -> Result<u64, Cause> {
    let device = allocation.device;
    let known = driver.opened.iter_mut().find(|(_, opened)| opened.handle == handle && opened.device == device);
    if let Some((&address, opened)) = known {
        opened.times += 1;
        return Ok(address);
    }
    let told = |error: std::io::Error| Cause::NotShown(handle.process, error.to_string());
    let backing = Backing::of_process(handle.process, handle.file).map_err(told)?;
    let end = handle.offset.checked_add(handle.bytes).ok_or(Cause::NoHandle("memory of another process"))?;
    if backing.bytes() != handle.file_bytes || end > handle.file_bytes {
        return Err(Cause::NotShown(handle.process, "the memory was freed".into()));
    }
    let memory = driver.devices[device].memory.clone();
    let place = memory.reserve(handle.file_bytes, 1).ok_or(Cause::NoAddresses(handle.file_bytes))?;
    memory.show(place, handle.file_bytes, &backing).map_err(told)?;
    let address = place + handle.offset;
    memory.open(address, handle.bytes);
    driver.allocations_made += 1;
    let id = driver.allocations_made;
    driver.allocations.insert(address, Allocation { id, address, owner: Owner::Process, ..allocation });
    driver.opened.insert(address, Opened { handle, place, device, times: 1 });
    Ok(address)
}

/// Once for each time that it was opened.
pub fn cuIpcCloseMemHandle(address: u64) -> Outcome {
    let mut driver = state::lock();
    driver.current()?;
    let not_opened = || Cause::NotAnAllocation("dptr", "no memory of another process is open there".into());
    let opened = driver.opened.get(&address).ok_or_else(not_opened)?;
    let device = opened.device;
    if driver.close_one_of_several(address) {
        return Ok(());
    }
    let mut driver = wait_for_device(driver, device);
    driver.release(address)
}

pub unsafe fn cuIpcGetEventHandle(handle: *mut IpcHandle, event: Raw) -> Outcome {
    let driver = state::started()?;
    if driver.events.get(event as usize)?.flags & INTERPROCESS == 0 {
        return Err(Cause::NoHandle("event made with CU_EVENT_INTERPROCESS"));
    }
    let process = std::process::id();
    let answer = EventHandle { mark: EVENT_MARK, process, unused: 0, event: event as u64, rest: [0; 5] };
    unsafe { out("pHandle", handle.cast(), answer) }
}

/// The other process's record has passed already, so this event has.
pub unsafe fn cuIpcOpenEventHandle(event: *mut Raw, handle: IpcHandle) -> Outcome {
    let handle = EventHandle::from(handle);
    let mut driver = state::lock();
    let context = driver.current()?;
    refuse_if!(handle.mark != EVENT_MARK, Cause::NoHandle("event of another process"));
    let flags = DISABLE_TIMING | INTERPROCESS;
    let made = driver.events.insert(Event { context, flags, state: EventState::Never, polled: None });
    unsafe { out("phEvent", event, made as Raw) }
}
