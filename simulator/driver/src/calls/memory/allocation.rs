//! Memory that programs ask for: whose it is, where it lies, and the `cuMem*` functions that make and free it.
//!
//! Bytes live in [`machine::memory`], one arena per device; page-locked host memory and memory of peers is made known to the
//! other devices' arenas, so that one address means the same everywhere.
use crate::executor::wait_for_device;
use crate::interface::{Cause, Outcome, out, out_if_wanted};
use crate::objects::graphs::{Step, Work};
use crate::objects::memory::allocation::MemoryKind;
use crate::state::{self, Driver, host_time};
use cuda::layout::Raw;
use std::ffi::c_uint;

/// Time that calls take on the host, measured on an H200, or else estimated.
pub(crate) const ALLOCATE_NS: u64 = 2_000;
const ALLOCATE_ASYNC_NS: u64 = 400;

pub unsafe fn cuMemAlloc_v2(pointer: *mut u64, bytes: usize) -> Outcome {
    let mut driver = state::lock();
    let (device, _) = driver.current_device()?;
    let context = driver.current()?;
    refuse_if!(bytes == 0, Cause::OutOfRange("bytesize", 0, "1 and more".into()));
    driver.refuse_in_capture("cuMemAlloc")?;
    host_time::spend_ns(ALLOCATE_NS);
    let address = driver.allocate(device, context, bytes as u64, MemoryKind::Device, 0, 0)?;
    unsafe { out("dptr", pointer, address) }
}

/// Rows padded to the alignment that coalesced access likes.
pub unsafe fn cuMemAllocPitch_v2(
    pointer: *mut u64,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element: c_uint,
) -> Outcome {
    refuse_if!(!matches!(element, 4 | 8 | 16), Cause::NoSuchValue("ElementSizeBytes", element.into()));
    let row = width.next_multiple_of(512);
    let bytes =
        row.checked_mul(height).ok_or(Cause::OutOfRange("Height", height as u64, "a product that fits".into()))?;
    unsafe {
        cuMemAlloc_v2(pointer, bytes)?;
        out("pPitch", pitch, row)
    }
}

/// Waits for the device, as the real one does.
pub fn cuMemFree_v2(address: u64) -> Outcome {
    let mut driver = state::lock();
    driver.current()?;
    if address == 0 {
        return Ok(());
    }
    driver.refuse_in_capture("cuMemFree")?;
    let device = driver.freeable("dptr", address, false)?;
    if driver.close_one_of_several(address) {
        return Ok(());
    }
    // Memory of a pool is not waited for.
    let is_pooled = driver.allocations.get(&address).is_some_and(|allocation| allocation.pool != 0);
    let seq = is_pooled.then(|| driver.note_beside_host());
    let mut driver = wait_for_device(driver, device);
    // Another thread may have freed it meanwhile.
    driver.freeable("dptr", address, false)?;
    seq.iter().for_each(|&seq| driver.tell_of_free(seq, "cuMemFree", None, address));
    host_time::spend_ns(ALLOCATE_NS);
    driver.release(address)
}

/// The address is known at once.
pub unsafe fn cuMemAllocAsync(pointer: *mut u64, bytes: usize, stream: Raw) -> Outcome {
    let mut driver = state::lock();
    let number = driver.stream_of(stream)?;
    let device = driver.contexts.get(driver.streams.get(number)?.context)?.device;
    let pool = driver.devices[device].current_pool;
    unsafe { alloc_on(&mut driver, pointer, bytes, pool, stream) }
}

pub unsafe fn cuMemAllocFromPoolAsync(pointer: *mut u64, bytes: usize, pool: Raw, stream: Raw) -> Outcome {
    let mut driver = state::lock();
    driver.pools.get(pool as usize)?;
    unsafe { alloc_on(&mut driver, pointer, bytes, pool as usize, stream) }
}

unsafe fn alloc_on(driver: &mut Driver, pointer: *mut u64, bytes: usize, pool: usize, stream: Raw) -> Outcome {
    let stream = driver.stream_of(stream)?;
    let found = driver.pools.get(pool)?;
    let (device, kind, most) = (found.device, found.kind, found.most);
    if found.origin.is_some() {
        return Err(Cause::NoSuchArgument("memory pool of this process, which alone allocates from it"));
    }
    let context = driver.streams.get(stream)?.context;
    if !driver.devices[device].card.has_pools() {
        return Err(Cause::DeviceLacks(driver.devices[device].card.name, "memory pools"));
    }
    host_time::spend_ns(ALLOCATE_ASYNC_NS);
    let used = || driver.allocations.values().filter(|a| a.pool == pool).map(|a| a.bytes).sum::<u64>();
    if most > 0 && used() + bytes as u64 > most {
        let card = driver.devices[device].card.name;
        return Err(Cause::OutOfMemory { asked: bytes as u64, free: most - used().min(most), total: most, card });
    }
    let address = if driver.streams.get(stream)?.capture.is_some() {
        if kind != MemoryKind::Device {
            return Err(Cause::NotModelled("memory of the host, or managed memory, that a graph allocates"));
        }
        let address = driver.allocate_for_graph(device, context, bytes as u64)?;
        driver.capture_work(stream, Step::Allocate(address))?;
        address
    } else {
        // Managed memory is every stream's.
        let flags = u32::from(kind == MemoryKind::Managed);
        let at = driver.allocate(device, context, bytes as u64, kind, pool, flags)?;
        if driver.settings.sanitize {
            driver.submit(stream, Work::Allocate { at, bytes: bytes as u64 }, &[])?;
        }
        at
    };
    unsafe { out("dptr", pointer, address) }
}

/// In stream order, so as late as anything else.
pub fn cuMemFreeAsync(address: u64, stream: Raw) -> Outcome {
    let mut driver = state::lock();
    let stream = driver.stream_of(stream)?;
    refuse_if!(address == 0, Cause::Null("dptr"));
    host_time::spend_ns(ALLOCATE_ASYNC_NS);
    if driver.streams.get(stream)?.capture.is_some() {
        if !driver.is_graph_memory(address) {
            driver.freeable("dptr", address, false)?;
        }
        return driver.capture_work(stream, Step::Free(address));
    }
    driver.freeable("dptr", address, false)?;
    if driver.close_one_of_several(address) {
        return Ok(());
    }
    if let Some(allocation) = driver.allocations.get_mut(&address) {
        allocation.being_freed = true;
    }
    driver.submit(stream, Work::Free(address), &[]).map(|_| ())
}

pub unsafe fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Outcome {
    let driver = state::lock();
    let (device, _) = driver.current_device()?;
    let memory = &driver.devices[device].memory;
    unsafe {
        out("free", free, memory.free_bytes() as usize)?;
        out("total", total, memory.total_bytes() as usize)
    }
}

pub unsafe fn cuMemGetAddressRange_v2(base: *mut u64, bytes: *mut usize, address: u64) -> Outcome {
    let driver = state::lock();
    driver.current()?;
    let found = driver.allocation_at(address).ok_or(Cause::NoSymbol {
        name: format!("{address:#x}"),
        known: format!("{} allocations", driver.allocations.len()),
    })?;
    unsafe {
        out_if_wanted(base, found.address);
        out_if_wanted(bytes, found.bytes as usize);
    }
    Ok(())
}
