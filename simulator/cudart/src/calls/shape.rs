//! An array's description, asked of the driver: copies and descriptions need it.
use crate::context::enter;
use crate::driver::Raw;
use crate::layout::ChannelFormat;
use crate::status::Failure;
use cuda::layout::ArrayDescriptor;
use std::ffi::c_int;

/// `CU_MEMORYTYPE_ARRAY`
pub const ARRAY: u32 = 3;

/// The driver's numbers of formats of 8, 16 and 32 bits, by the runtime's kinds: signed, unsigned, float. There is no float of 8 bits.
pub(super) const FORMATS: [[u32; 3]; 3] = [[0x08, 0x09, 0x0a], [0x01, 0x02, 0x03], [0, 0x10, 0x20]];

/// The driver's description of an array.
pub(crate) fn described(array: Raw) -> Result<ArrayDescriptor, Failure> {
    let mut found = ArrayDescriptor::default();
    // SAFETY: a place for the struct, and a handle, which the driver looks up.
    unsafe { enter()?.0.cuArray3DGetDescriptor_v2(&mut found, array)? };
    Ok(found)
}

/// The answer of [`format`](super::array::format), as the runtime writes it.
pub(super) fn channels(format: u32, count: u32) -> ChannelFormat {
    let place = FORMATS.iter().flatten().position(|&other| other == format).unwrap_or(8);
    ChannelFormat {
        bits: std::array::from_fn(|at| if at < count as usize { 8 << (place % 3) } else { 0 }),
        kind: place as c_int / 3,
    }
}

/// Bytes of an element of an array: what copies of arrays count positions and widths in.
pub(crate) fn element_bytes(array: &ArrayDescriptor) -> usize {
    let bits: c_int = channels(array.format, array.channels).bits.iter().sum();
    bits as usize / 8
}
