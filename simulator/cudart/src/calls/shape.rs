//! An array's description, asked of the driver: copies and descriptions need it.
use crate::context::enter;
use crate::driver::Raw;
use crate::status::Failure;
use cuda::layout::ArrayDescriptor;

/// `CU_MEMORYTYPE_ARRAY`
pub const ARRAY: u32 = 3;

/// The driver's description of an array.
pub(crate) fn described(array: Raw) -> Result<ArrayDescriptor, Failure> {
    let mut found = ArrayDescriptor::default();
    // SAFETY: a place for the struct, and a handle, which the driver looks up.
    unsafe { enter()?.0.cuArray3DGetDescriptor_v2(&mut found, array)? };
    Ok(found)
}

/// Bytes of an element of an array: what copies of arrays count positions and widths in.
pub(crate) fn element_bytes(array: Raw) -> Result<usize, Failure> {
    let found = described(array)?;
    let bytes = match found.format {
        0x01 | 0x08 => 1,
        0x02 | 0x09 | 0x10 => 2,
        _ => 4,
    };
    Ok(bytes * found.channels as usize)
}
