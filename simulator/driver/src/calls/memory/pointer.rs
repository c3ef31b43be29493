//! Facts about an address: `cuPointer*`.
use crate::interface::{Cause, Outcome};
use crate::objects::memory::allocation::{Allocation, MemoryKind, words};
use crate::state;
use std::ffi::{c_uint, c_void};

pub unsafe fn cuPointerGetAttribute(data: *mut c_void, attribute: c_uint, address: u64) -> Outcome {
    let driver = state::started()?;
    refuse_if!(data.is_null(), Cause::Null("data"));
    let found = driver.allocation_at(address).ok_or_else(|| driver.no_allocation("ptr", address))?;
    // SAFETY: not null, and of the type that the interface defines for this attribute.
    unsafe { write_attribute(data, attribute, address, found) }
}

/// Unknown pointers have zeros.
pub unsafe fn cuPointerGetAttributes(
    count: c_uint,
    attributes: *mut c_uint,
    data: *mut *mut c_void,
    address: u64,
) -> Outcome {
    let driver = state::started()?;
    refuse_if!(attributes.is_null() || data.is_null(), Cause::Null("attributes"));
    for i in 0..count as usize {
        // SAFETY: the caller's arrays hold `count` elements.
        let (attribute, slot) = unsafe { (*attributes.add(i), *data.add(i)) };
        if slot.is_null() {
            continue;
        }
        // SAFETY: not null, and of the type that the interface defines for this attribute.
        unsafe {
            match driver.allocation_at(address) {
                Some(found) => write_attribute(slot, attribute, address, found)?,
                None if matches!(attribute, 1 | 3 | 4 | 10 | 12) => slot.cast::<u64>().write_unaligned(0),
                None => slot.cast::<u32>().write_unaligned(if attribute == 9 { u32::MAX - 1 } else { 0 }),
            }
        }
    }
    Ok(())
}

/// Numbers are those of `CUpointer_attribute`.
unsafe fn write_attribute(data: *mut c_void, attribute: c_uint, address: u64, found: &Allocation) -> Outcome {
    let small = |value: u32| {
        // SAFETY: this attribute is 4 bytes wide.
        unsafe { data.cast::<u32>().write_unaligned(value) };
        Ok(())
    };
    let wide = |value: u64| {
        // SAFETY: this attribute is 8 bytes wide.
        unsafe { data.cast::<u64>().write_unaligned(value) };
        Ok(())
    };
    match attribute {
        1 => wide(found.context as u64),
        2 => small(if found.kind.is_host() { 1 } else { 2 }),
        3 => wide(address),
        4 if found.kind.is_host() || found.kind == MemoryKind::Managed => wide(address),
        4 => Err(Cause::OtherMemory("host memory", words(found.kind))),
        6 => small(1),
        7 => wide(found.id),
        8 => {
            // SAFETY: this attribute is one byte wide.
            unsafe { data.cast::<u8>().write(u8::from(found.kind == MemoryKind::Managed)) };
            Ok(())
        }
        9 => small(found.device as u32),
        11 => wide(found.address),
        12 => wide(found.bytes),
        13 => {
            // SAFETY: this attribute is one byte wide.
            unsafe { data.cast::<u8>().write(1) };
            Ok(())
        }
        16 => small(3),
        17 => wide(found.pool as u64),
        10 | 14 | 15 | 18..=21 => small(0),
        other => Err(Cause::NoSuchValue("attribute", other.into())),
    }
}

/// Only the synchronisation of memory operations can be set, and they synchronise anyway.
pub fn cuPointerSetAttribute(_value: *const c_void, attribute: c_uint, address: u64) -> Outcome {
    let driver = state::started()?;
    refuse_if!(attribute != 6, Cause::NoSuchValue("attribute", attribute.into()));
    driver.device_location("ptr", address, 1).map(|_| ())
}
