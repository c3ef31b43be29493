//! Managed memory: one address for host and devices. It is host memory here, so that nothing ever moves.
use super::allocation::ALLOCATE_NS;
use crate::interface::{Cause, Outcome, forward, out};
use crate::objects::memory::advice::{Advice, NOWHERE, Place};
use crate::objects::memory::allocation::{MemoryKind, words};
use crate::state::{self, Driver, host_time};
use cuda::layout::{MemoryLocation, Raw};
use std::ffi::{c_int, c_uint, c_void};

pub unsafe fn cuMemAllocManaged(pointer: *mut u64, bytes: usize, flags: c_uint) -> Outcome {
    let mut driver = state::lock();
    let (device, _) = driver.current_device()?;
    let context = driver.current()?;
    refuse_if!(bytes == 0, Cause::OutOfRange("bytesize", 0, "1 and more".into()));
    refuse_if!(!matches!(flags, 1 | 2), Cause::NoSuchValue("flags", flags.into()));
    host_time::spend_ns(ALLOCATE_NS);
    let address = driver.allocate(device, context, bytes as u64, MemoryKind::Managed, 0, flags)?;
    unsafe { out("dptr", pointer, address) }
}

/// The place that the newer forms of the calls name: a kind of location (1 a device, 2 to 4 the host), and its number.
fn place(location: MemoryLocation) -> Place {
    const DEVICE: u32 = 1;
    const HOST: Place = -1;
    if location.kind == DEVICE { location.id } else { HOST }
}

/// `cuMemPrefetchAsync`, both versions: managed memory is host memory here, so nothing moves.
pub fn cuMemPrefetchAsync(address: u64, bytes: usize, to: Place, stream: Raw) -> Outcome {
    let mut driver = state::lock();
    driver.stream_of(stream)?;
    check_place(&mut driver, to)?;
    note(&mut driver, address, bytes, Advice::Prefetched(to))
}

/// `cuMemAdvise`, both versions: advice changes no result.
pub fn advise(address: u64, bytes: usize, advice: c_int, place: Place) -> Outcome {
    let mut driver = state::started()?;
    let advice = match advice {
        1 => Advice::ReadMostly(true),
        2 => Advice::ReadMostly(false),
        3 => Advice::Preferred(place),
        4 => Advice::Preferred(NOWHERE),
        5 => Advice::AccessedBy(place, true),
        6 => Advice::AccessedBy(place, false),
        other => return Err(Cause::NoSuchValue("advice", other.into())),
    };
    if matches!(advice, Advice::AccessedBy(..)) || advice == Advice::Preferred(place) {
        check_place(&mut driver, place)?;
    }
    note(&mut driver, address, bytes, advice)
}

fn check_place(driver: &mut Driver, place: Place) -> Outcome {
    if place == -1 { Ok(()) } else { driver.device(place).map(|_| ()) }
}

fn note(driver: &mut Driver, address: u64, bytes: usize, advice: Advice) -> Outcome {
    managed(driver, address, bytes)?;
    let found = driver.allocation_at(address).map(|allocation| allocation.address);
    if let Some(allocation) = found.and_then(|base| driver.allocations.get_mut(&base)) {
        allocation.advised.note(address..address + bytes as u64, advice);
    }
    Ok(())
}

/// The advice that holds for all of a range of managed memory. Numbers are those of `CUmem_range_attribute`.
pub unsafe fn cuMemRangeGetAttribute(
    data: *mut c_void,
    room: usize,
    attribute: c_int,
    address: u64,
    bytes: usize,
) -> Outcome {
    let driver = state::started()?;
    refuse_if!(data.is_null(), Cause::Null("data"));
    refuse_if!(bytes == 0, Cause::OutOfRange("count", 0, "1 and more".into()));
    managed(&driver, address, bytes)?;
    let found = driver.allocation_at(address).ok_or_else(|| driver.no_allocation("devPtr", address))?;
    let (advised, range) = (&found.advised, address..address + bytes as u64);
    let kind = |place: Place| match place {
        NOWHERE => 0,
        -1 => 2,
        _ => 1,
    };
    let value = match attribute {
        1 => c_int::from(advised.is_read_mostly(&range)),
        2 => advised.preferred(&range),
        3 => {
            if room == 0 || !room.is_multiple_of(size_of::<c_int>()) {
                return Err(Cause::OutOfRange("dataSize", room as u64, "a multiple of 4".into()));
            }
            let places = (-1..driver.devices.len() as Place).filter(|&place| advised.is_accessed_by(&range, place));
            let slots = data.cast::<c_int>();
            for (at, place) in places.chain(std::iter::repeat(NOWHERE)).take(room / size_of::<c_int>()).enumerate() {
                // SAFETY: the caller's array has `room` bytes.
                unsafe { slots.add(at).write_unaligned(place) };
            }
            return Ok(());
        }
        4 => advised.prefetched(&range),
        5 => kind(advised.preferred(&range)),
        6 => advised.preferred(&range),
        7 => kind(advised.prefetched(&range)),
        8 => advised.prefetched(&range),
        other => return Err(Cause::NoSuchValue("attribute", other.into())),
    };
    refuse_if!(room != size_of::<c_int>(), Cause::OutOfRange("dataSize", room as u64, "4".into()));
    // SAFETY: not null, and the caller said that it has room for this.
    unsafe { data.cast::<c_int>().write_unaligned(value) };
    Ok(())
}

pub unsafe fn cuMemRangeGetAttributes(
    data: *mut Raw,
    rooms: *const usize,
    attributes: *const c_int,
    count: usize,
    address: u64,
    bytes: usize,
) -> Outcome {
    refuse_if!(data.is_null() || rooms.is_null() || attributes.is_null(), Cause::Null("data"));
    for at in 0..count {
        // SAFETY: the caller's arrays hold `count` elements, each place with the room that it names.
        unsafe { cuMemRangeGetAttribute(*data.add(at), *rooms.add(at), *attributes.add(at), address, bytes)? };
    }
    Ok(())
}

pub fn cuStreamAttachMemAsync(stream: Raw, address: u64, bytes: usize, flags: c_uint) -> Outcome {
    let mut driver = state::lock();
    driver.stream_of(stream)?;
    refuse_if!(!matches!(flags, 1 | 2 | 4), Cause::NoSuchValue("flags", flags.into()));
    managed(&driver, address, bytes)?;
    if let Some(allocation) = driver.allocations.get_mut(&address) {
        allocation.flags = flags;
    }
    Ok(())
}

fn managed(driver: &Driver, address: u64, bytes: usize) -> Outcome {
    match driver.device_location("devPtr", address, bytes as u64)? {
        Some(found) if found.kind == MemoryKind::Managed => Ok(()),
        Some(found) => Err(Cause::OtherMemory("managed memory", words(found.kind))),
        None => Ok(()),
    }
}

cuda::forward_managed!(forward);
