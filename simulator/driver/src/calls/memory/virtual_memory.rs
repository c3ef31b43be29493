//! Virtual memory management: `cuMemAddressReserve`, `cuMemCreate`, `cuMemMap` and what belongs to them.
use crate::executor::wait_for_device;
use crate::interface::{Cause, Outcome, forward, out};
use crate::objects::memory::virtual_memory::{Mapping, Physical, Reserved};
use crate::state::{self, Driver};
use cuda::layout::{AccessDescription, AllocationProperties, Raw};
use machine::memory::Backing;
use std::ffi::{c_int, c_uint, c_ulonglong};

/// Sizes and addresses are multiples of this, as on cards.
const GRANULARITY: u64 = 2 << 20;
/// `CU_MEM_LOCATION_TYPE_DEVICE`
const DEVICE: u32 = 1;
/// `CU_MEM_ALLOCATION_TYPE_PINNED`
const PINNED: u32 = 1;
/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`
const FILE_DESCRIPTOR: u32 = 1;
const READ_WRITE: u32 = 3;

fn whole(what: &'static str, bytes: u64) -> Result<u64, Cause> {
    if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) {
        return Err(Cause::OutOfRange(what, bytes, format!("multiples of {GRANULARITY}")));
    }
    Ok(bytes)
}

/// The device that the properties name.
fn device_of(driver: &mut Driver, properties: &AllocationProperties) -> Result<usize, Cause> {
    refuse_if!(properties.kind != PINNED, Cause::NoSuchValue("type", properties.kind.into()));
    match properties.location.kind {
        DEVICE => driver.device(properties.location.id).map(|_| properties.location.id as usize),
        2..=4 => Err(Cause::NotModelled("memory of the host by cuMemCreate (CU_MEM_LOCATION_TYPE_HOST…)")),
        other => Err(Cause::NoSuchValue("location", other.into())),
    }
}

/// The least and the recommended one are the same.
pub unsafe fn cuMemGetAllocationGranularity(
    bytes: *mut usize,
    properties: *const AllocationProperties,
    option: c_uint,
) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(option > 1, Cause::NoSuchValue("option", option.into()));
    let properties = unsafe { properties.as_ref() }.ok_or(Cause::Null("prop"))?;
    device_of(&mut driver, properties)?;
    unsafe { out("granularity", bytes, GRANULARITY as usize) }
}

/// The wished address is a hint, which the interface allows to be ignored.
pub unsafe fn cuMemAddressReserve(
    pointer: *mut u64,
    bytes: usize,
    alignment: usize,
    _wish: u64,
    flags: c_ulonglong,
) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(flags != 0, Cause::NoSuchValue("flags", flags as i64));
    let bytes = whole("size", bytes as u64)?;
    let alignment = (alignment as u64).max(GRANULARITY);
    refuse_if!(!alignment.is_power_of_two(), Cause::OutOfRange("alignment", alignment, "powers of two".into()));
    // The current device's, where there is one.
    let arena = driver.current_device().map_or(0, |(device, _)| device);
    let machine = &driver.devices[arena];
    let address = machine.memory.reserve(bytes, alignment).ok_or(Cause::NoAddresses(bytes))?;
    driver.reserved.insert(address, Reserved { arena, bytes, mappings: Default::default() });
    unsafe { out("ptr", pointer, address) }
}

/// A whole range is freed, in which nothing is mapped any more.
pub fn cuMemAddressFree(address: u64, bytes: usize) -> Outcome {
    let mut driver = state::started()?;
    let (base, range) = driver.reserved_at(address, bytes as u64)?;
    if base != address || range.bytes != bytes as u64 || !range.mappings.is_empty() {
        let whole = format!("{} bytes from {base:#x} on, with nothing mapped in them", range.bytes);
        return Err(Cause::OutOfRange("size", bytes as u64, whole));
    }
    let arena = range.arena;
    driver.reserved.remove(&address);
    driver.devices[arena].memory.give_back(address);
    Ok(())
}

pub unsafe fn cuMemCreate(
    handle: *mut u64,
    bytes: usize,
    properties: *const AllocationProperties,
    flags: c_ulonglong,
) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(flags != 0, Cause::NoSuchValue("flags", flags as i64));
    let properties = unsafe { properties.as_ref() }.ok_or(Cause::Null("prop"))?;
    let device = device_of(&mut driver, properties)?;
    refuse_if!(properties.handle_kinds & !FILE_DESCRIPTOR != 0, Cause::NotModelled(Cause::OTHER_SHAREABLE_HANDLES));
    let bytes = whole("size", bytes as u64)?;
    let machine = &driver.devices[device];
    machine.memory.take_bytes(bytes).map_err(|refused| Cause::OutOfMemory {
        asked: bytes,
        free: refused.free_bytes,
        total: machine.memory.total_bytes(),
        card: machine.card.name,
    })?;
    let backing = Backing::new(bytes).map_err(|error| {
        driver.devices[device].memory.give_bytes(bytes);
        Cause::OfHost("memory without an address", error.to_string())
    })?;
    let handle_kinds = properties.handle_kinds;
    let made = driver.physical.insert(Physical { backing, device, handle_kinds, references: 1 });
    unsafe { out("handle", handle, made as u64) }
}

/// The memory that is mapped at an address.
pub unsafe fn cuMemRetainAllocationHandle(handle: *mut u64, address: Raw) -> Outcome {
    let mut driver = state::started()?;
    let physical = mapping(&mut driver, address as u64)?.physical;
    driver.physical.get_mut(physical)?.references += 1;
    unsafe { out("handle", handle, physical as u64) }
}

fn mapping(driver: &mut Driver, address: u64) -> Result<&Mapping, Cause> {
    let (_, range) = driver.reserved_at(address, 0)?;
    let found = range.mappings.range(..=address).next_back();
    let found = found.filter(|(base, mapping)| address - **base < mapping.bytes);
    found.map(|(_, mapping)| mapping).ok_or(Cause::NotMapped(address))
}

/// Nobody may use it before [`set_access`].
pub fn cuMemMap(address: u64, bytes: usize, offset: usize, handle: u64, flags: c_ulonglong) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(flags != 0 || offset != 0, Cause::OutOfRange("offset or flags", offset as u64, "0".into()));
    let bytes = whole("size", bytes as u64)?;
    let physical = driver.physical.get(handle as usize)?.backing.bytes();
    refuse_if!(bytes > physical, Cause::OutOfRange("size", bytes, format!("up to {physical}, the size of the memory")));
    let (base, range) = driver.reserved_at(address, bytes)?;
    let taken = range.mappings.range(..address + bytes).next_back();
    if taken.is_some_and(|(&start, mapping)| start + mapping.bytes > address)
        || !(address - base).is_multiple_of(GRANULARITY)
    {
        return Err(Cause::AlreadyMapped(address));
    }
    let arena = range.arena;
    let backing = &driver.physical.get(handle as usize)?.backing;
    let shown = driver.devices[arena].memory.show(address, bytes, backing);
    shown.map_err(|error| Cause::OfHost("a mapping", error.to_string()))?;
    driver.physical.get_mut(handle as usize)?.references += 1;
    let mapping = Mapping { bytes, physical: handle as usize, devices: 0 };
    driver.reserved_at(address, bytes)?.1.mappings.insert(address, mapping);
    Ok(())
}

/// First addresses of the mappings that `bytes` from `address` on consist of.
fn mapped(driver: &mut Driver, address: u64, bytes: u64) -> Result<(u64, Vec<u64>), Cause> {
    let (base, range) = driver.reserved_at(address, bytes)?;
    let mut next = address;
    let mut parts = Vec::new();
    while next < address + bytes {
        let mapping = range.mappings.get(&next).ok_or(Cause::NotMapped(next))?;
        parts.push(next);
        next += mapping.bytes;
    }
    if next == address + bytes { Ok((base, parts)) } else { Err(Cause::NotMapped(address + bytes)) }
}

/// Whole mappings. Waits for the devices, as freeing does.
pub fn cuMemUnmap(address: u64, bytes: usize) -> Outcome {
    let mut driver = state::started()?;
    mapped(&mut driver, address, bytes as u64)?;
    for device in 0..driver.devices.len() {
        driver = wait_for_device(driver, device);
    }
    let (base, parts) = mapped(&mut driver, address, bytes as u64)?;
    for part in parts {
        let (_, range) = driver.reserved_at(part, 0)?;
        let arena = range.arena;
        let Some(gone) = range.mappings.remove(&part) else { continue };
        driver.enter_mappings(base)?;
        let hidden = driver.devices[arena].memory.hide(part, gone.bytes);
        hidden.map_err(|error| Cause::OfHost("a mapping", error.to_string()))?;
        driver.release_physical(gone.physical)?;
    }
    Ok(())
}

/// Read-only access is not told from reading and writing.
pub unsafe fn cuMemSetAccess(address: u64, bytes: usize, list: *const AccessDescription, count: usize) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(list.is_null(), Cause::Null("desc"));
    let (mut given, mut taken) = (0, 0);
    for at in 0..count {
        // SAFETY: the caller's array holds `count` elements.
        let AccessDescription { location, flags } = unsafe { list.add(at).read_unaligned() };
        refuse_if!(location.kind != DEVICE, Cause::NoSuchValue("location", location.kind.into()));
        driver.device(location.id)?;
        match flags {
            0 => taken |= 1 << location.id,
            1 | READ_WRITE => given |= 1 << location.id,
            other => return Err(Cause::NoSuchValue("flags", other.into())),
        }
    }
    let (base, parts) = mapped(&mut driver, address, bytes as u64)?;
    for part in parts {
        if let Some(mapping) = driver.reserved_at(part, 0)?.1.mappings.get_mut(&part) {
            mapping.devices = (mapping.devices | given) & !taken;
        }
    }
    driver.enter_mappings(base)
}

pub unsafe fn cuMemGetAccess(flags: *mut c_ulonglong, location: *const AccessDescription, address: u64) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(location.is_null(), Cause::Null("location"));
    // SAFETY: not null; the caller's location, which is the beginning of a description.
    let location = unsafe { (&raw const (*location).location).read_unaligned() };
    driver.device(location.id)?;
    let value = if mapping(&mut driver, address)?.devices & (1 << location.id) == 0 { 0 } else { READ_WRITE };
    unsafe { out("flags", flags, value.into()) }
}

/// A file descriptor, which the caller closes.
pub unsafe fn cuMemExportToShareableHandle(shared: Raw, handle: u64, kind: c_uint, flags: c_ulonglong) -> Outcome {
    let driver = state::started()?;
    refuse_if!(flags != 0, Cause::NoSuchValue("flags", flags as i64));
    refuse_if!(kind != FILE_DESCRIPTOR, Cause::NotModelled(Cause::OTHER_SHAREABLE_HANDLES));
    let found = driver.physical.get(handle as usize)?;
    refuse_if!(found.handle_kinds & FILE_DESCRIPTOR == 0, Cause::NoSuchValue("handleType", kind.into()));
    let number = found.backing.duplicate().map_err(|error| Cause::OfHost("a file descriptor", error.to_string()))?;
    // SAFETY: the caller's pointer, of a file descriptor.
    unsafe { out("shareableHandle", shared.cast::<c_int>(), number) }
}

/// The memory is this process's or another's. The descriptor stays the caller's.
pub unsafe fn cuMemImportFromShareableHandle(handle: *mut u64, shared: Raw, kind: c_uint) -> Outcome {
    let mut driver = state::lock();
    refuse_if!(kind != FILE_DESCRIPTOR, Cause::NotModelled(Cause::OTHER_SHAREABLE_HANDLES));
    let (device, _) = driver.current_device()?;
    let told = |error: std::io::Error| Cause::OfHost("a shareable handle", error.to_string());
    // The descriptor is passed in the pointer's place.
    let backing = Backing::of_process(std::process::id(), shared as usize as c_int).map_err(told)?;
    whole("size of the file", backing.bytes())?;
    // The memory was counted where it was made.
    let references = 1;
    let made = driver.physical.insert(Physical { backing, device, handle_kinds: FILE_DESCRIPTOR, references });
    unsafe { out("handle", handle, made as u64) }
}

fn properties(handle: u64) -> Result<AllocationProperties, Cause> {
    let driver = state::started()?;
    let found = driver.physical.get(handle as usize)?;
    Ok(AllocationProperties::pinned(found.device as c_int, found.handle_kinds))
}

cuda::forward_mappings!(forward);
