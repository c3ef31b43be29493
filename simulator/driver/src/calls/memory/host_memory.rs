//! Page-locked memory of the host: made, or registered where the program has it already.
use super::allocation::ALLOCATE_NS;
use crate::executor::wait_for_device;
use crate::interface::{Cause, Outcome, out};
use crate::objects::memory::allocation::MemoryKind;
use crate::state::{self, Driver, host_time};
use std::ffi::{c_uint, c_void};

/// Page-locking 256 MiB takes 101 ms, registering as much that is touched already 10 ms.
const PIN_NS_PER_BYTE: f64 = 0.376;
const REGISTER_NS_PER_BYTE: f64 = 0.037;

pub unsafe fn cuMemHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint) -> Outcome {
    refuse_if!(flags & !0b111 != 0, Cause::NoSuchValue("Flags", flags.into()));
    let mut driver = state::lock();
    let (device, _) = driver.current_device()?;
    let context = driver.current()?;
    if bytes == 0 {
        // The real driver answers null for nothing.
        return unsafe { out("pp", pointer, std::ptr::null_mut()) };
    }
    host_time::spend_ns(ALLOCATE_NS + (bytes as f64 * PIN_NS_PER_BYTE) as u64);
    let address = driver
        .allocate(device, context, bytes as u64, MemoryKind::Pinned, 0, flags)
        .map_err(|_| Cause::OutOfHostMemory(bytes as u64))?;
    unsafe { out("pp", pointer, address as *mut c_void) }
}

pub unsafe fn cuMemAllocHost_v2(pointer: *mut *mut c_void, bytes: usize) -> Outcome {
    unsafe { cuMemHostAlloc(pointer, bytes, 0) }
}

pub fn cuMemFreeHost(pointer: *mut c_void) -> Outcome {
    match pointer.is_null() {
        true => state::lock().started(),
        false => give_back("cuMemFreeHost", pointer as u64, |driver| driver.freeable("p", pointer as u64, true)),
    }
}

/// Waits for the device of memory, as `device` finds it, and gives the memory back.
fn give_back(name: &str, address: u64, device: impl Fn(&Driver) -> Result<usize, Cause>) -> Outcome {
    let mut driver = state::started()?;
    let found = device(&driver)?;
    let seq = driver.note_beside_host();
    let mut driver = wait_for_device(driver, found);
    // Another thread may have given it back meanwhile.
    device(&driver)?;
    driver.tell_of_free(seq, name, None, address);
    driver.release(address)
}

pub fn cuMemHostRegister_v2(pointer: *mut c_void, bytes: usize, flags: c_uint) -> Outcome {
    refuse_if!(flags & !0b1111 != 0, Cause::NoSuchValue("Flags", flags.into()));
    let mut driver = state::lock();
    let (device, _) = driver.current_device()?;
    let context = driver.current()?;
    refuse_if!(pointer.is_null(), Cause::Null("p"));
    refuse_if!(bytes == 0, Cause::OutOfRange("bytesize", 0, "1 and more".into()));
    host_time::spend_ns(ALLOCATE_NS + (bytes as f64 * REGISTER_NS_PER_BYTE) as u64);
    driver.register(device, context, pointer as u64, bytes as u64, flags)
}

pub fn cuMemHostUnregister(pointer: *mut c_void) -> Outcome {
    give_back("cuMemHostUnregister", pointer as u64, |driver| driver.registered(pointer as u64))
}

/// The same address on both sides.
pub unsafe fn cuMemHostGetDevicePointer_v2(device: *mut u64, host: *mut c_void, flags: c_uint) -> Outcome {
    refuse_if!(flags != 0, Cause::NoSuchValue("Flags", flags.into()));
    let driver = state::lock();
    driver.current()?;
    match driver.allocation_at(host as u64) {
        Some(found) if found.kind.is_host() => unsafe { out("pdptr", device, host as u64) },
        _ => Err(driver.no_allocation("p", host as u64)),
    }
}

pub unsafe fn cuMemHostGetFlags(flags: *mut c_uint, host: *mut c_void) -> Outcome {
    let driver = state::lock();
    driver.current()?;
    match driver.allocation_at(host as u64) {
        // Under unified addressing, memory is mapped whether asked or not.
        Some(found) if found.kind.is_host() => unsafe { out("pFlags", flags, found.flags | 2) },
        _ => Err(driver.no_allocation("p", host as u64)),
    }
}
