//! `cudaDeviceProp`: its layout differs between the versions, so each version's fields are a list in the header's order.
use crate::driver::{Driver, driver};
use crate::status::{INVALID_VALUE, Outcome};
use std::ffi::{c_int, c_void};

/// A field: what it holds.
#[derive(Clone, Copy)]
pub enum Field {
    /// Text of 256 bytes.
    Name,
    /// 16 bytes.
    Uuid,
    /// `size_t`, the device's memory.
    Memory,
    /// An `int` for each of these attributes of the driver's.
    Ints(&'static [u32]),
    /// A `size_t`, of this attribute.
    Size(u32),
    /// So many zero bytes.
    Zero(usize),
}
use Field::{Ints, Memory, Name, Size, Uuid, Zero};

/// CUDA 11.8: 728 bytes. A LUID and its mask are Windows'. Those of CUDA 12 are the same fields and more.
pub const FIELDS_OF_CUDA_11: &[Field] = match FIELDS_OF_CUDA_12.split_at_checked(FIELDS_OF_CUDA_12.len() - 2) {
    Some((same, _)) => same,
    None => FIELDS_OF_CUDA_12,
};

/// CUDA 12: 1032 bytes.
pub const FIELDS_OF_CUDA_12: &[Field] = include!("properties/cuda_12.txt");

/// CUDA 13: 1008 bytes.
pub const THIRTEEN: &[Field] = include!("properties/cuda_13.txt");

impl Field {
    /// Bytes, and what they begin at a multiple of.
    fn room(self) -> (usize, usize) {
        match self {
            Name => (256, 1),
            Uuid => (16, 1),
            Ints(numbers) => (4 * numbers.len(), 4),
            Memory | Size(_) => (8, 8),
            Zero(bytes) => (bytes, 1),
        }
    }
}

/// `cudaGetDeviceProperties`. What the driver does not know of a device is 0.
///
/// # Safety
/// `to` is null or has room for the fields.
pub unsafe fn fill(to: *mut c_void, fields: &[Field], device: c_int) -> Outcome {
    refuse_if!(to.is_null(), INVALID_VALUE);
    let bytes = bytes(driver()?, fields, device)?;
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(())
}

fn bytes(driver: &Driver, fields: &[Field], device: c_int) -> Result<Vec<u8>, crate::status::Failure> {
    let attribute = |number: u32| {
        let mut value = 0;
        // SAFETY: a place for a number.
        unsafe { driver.cuDeviceGetAttribute(&mut value, number, device) }.map_or(0, |()| value)
    };
    let mut bytes = Vec::new();
    for &field in fields {
        let (room, multiple) = field.room();
        bytes.resize(bytes.len().next_multiple_of(multiple), 0);
        let at = bytes.len();
        bytes.resize(at + room, 0);
        let slot = &mut bytes[at..];
        match field {
            // SAFETY: room for the name.
            Name => unsafe { driver.cuDeviceGetName(slot.as_mut_ptr().cast(), room as c_int, device)? },
            // SAFETY: room for the number.
            Uuid => unsafe { driver.cuDeviceGetUuid_v2(slot.as_mut_ptr().cast(), device)? },
            Memory => {
                let mut memory = 0usize;
                // SAFETY: a place for a number.
                unsafe { driver.cuDeviceTotalMem_v2(&mut memory, device)? };
                slot.copy_from_slice(&memory.to_le_bytes());
            }
            Ints(numbers) => {
                for (slot, &number) in slot.chunks_exact_mut(4).zip(numbers) {
                    slot.copy_from_slice(&attribute(number).to_le_bytes());
                }
            }
            Size(number) => slot.copy_from_slice(&(attribute(number) as u64).to_le_bytes()),
            Zero(_) => {}
        }
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of all fields, and where the first of an attribute begins.
    fn laid_out(fields: &[Field], number: u32) -> (usize, usize) {
        let (mut end, mut found) = (0usize, None);
        for field in fields {
            let (room, multiple) = field.room();
            let at = end.next_multiple_of(multiple);
            let place = match field {
                Ints(numbers) => numbers.iter().position(|of| *of == number).map(|index| at + 4 * index),
                Size(of) => (*of == number).then_some(at),
                _ => None,
            };
            found = found.or(place);
            end = at + room;
        }
        (end.next_multiple_of(8), found.expect("a field"))
    }

    /// The numbers are the answers of `sizeof` and `offsetof` with the headers of CUDA 11.8, 12.9 and 13.0.
    #[test]
    fn layouts_are_those_of_the_headers() {
        const SURFACE_ALIGNMENT: u32 = 30;
        const CLUSTER_LAUNCH: u32 = 120;
        const RESERVED_SHARED: u32 = 111;
        assert_eq!(laid_out(FIELDS_OF_CUDA_11, RESERVED_SHARED), (728, 720));
        assert_eq!(laid_out(FIELDS_OF_CUDA_12, SURFACE_ALIGNMENT), (1032, 568));
        assert_eq!(laid_out(FIELDS_OF_CUDA_12, CLUSTER_LAUNCH), (1032, 772));
        assert_eq!(laid_out(THIRTEEN, SURFACE_ALIGNMENT), (1008, 552));
        assert_eq!(laid_out(THIRTEEN, CLUSTER_LAUNCH), (1008, 748));
    }
}
