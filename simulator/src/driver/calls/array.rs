//! CUDA arrays: `cuArray*`.
use crate::driver::calls::copy::{FROM_DEVICE, TO_DEVICE, WITHIN, submit};
use crate::driver::executor::wait_for_device;
use crate::driver::interface::cause::Cause;
use crate::driver::interface::handles::Raw;
use crate::driver::interface::layout::{ArrayDescriptor, ArrayDescriptor2d};
use crate::driver::interface::pointers::out;
use crate::driver::objects::allocation::MemoryKind;
use crate::driver::objects::array::Array;
use crate::driver::objects::work::Transfer;
use crate::driver::state;
use crate::exec::texture_object::Format;
use std::ffi::{c_uint, c_void};

/// Flags of three-dimensional arrays: layers, surfaces, gathers mean nothing more here.
const LAYERED: c_uint = 1;
const KNOWN: c_uint = 0x0b;
/// Rows begin at multiples of this.
const ROW_ALIGN: usize = 64;

/// `cuArrayCreate`
pub unsafe fn create_2d(array: *mut Raw, descriptor: *const ArrayDescriptor2d) -> Result<(), Cause> {
    // SAFETY: null, or the caller's struct.
    let d = unsafe { descriptor.as_ref() }.ok_or(Cause::Null("pAllocateArray"))?;
    let (width, height, format, channels) = (d.width, d.height, d.format, d.channels);
    // SAFETY: the caller's pointer, as `create` asks.
    unsafe { create(array, ArrayDescriptor { width, height, depth: 0, format, channels, flags: 0, unused: 0 }) }
}

/// `cuArray3DCreate`
pub unsafe fn create_3d(array: *mut Raw, descriptor: *const ArrayDescriptor) -> Result<(), Cause> {
    // SAFETY: null, or the caller's struct.
    let descriptor = unsafe { descriptor.as_ref() }.ok_or(Cause::Null("pAllocateArray"))?;
    // SAFETY: the caller's pointer, as `create` asks.
    unsafe { create(array, *descriptor) }
}

unsafe fn create(array: *mut Raw, descriptor: ArrayDescriptor) -> Result<(), Cause> {
    let ArrayDescriptor { width, height, depth, format, channels, flags, .. } = descriptor;
    if flags & !KNOWN != 0 {
        return Err(Cause::NotModelled("an array for cubes, depth, graphics or sparse memory"));
    }
    let format = Format::of(format).ok_or(Cause::NotModelled("an array of planes, compressed or packed elements"))?;
    if !matches!(channels, 1 | 2 | 4) {
        return Err(Cause::OutOfRange("NumChannels", channels.into(), "1, 2 and 4".into()));
    }
    if width == 0 || depth > 0 && height == 0 && flags & LAYERED == 0 {
        return Err(Cause::OutOfRange("Width or Height", 0, "1 and more".into()));
    }
    let extent = |extent: usize| extent.max(1);
    let sizes = width.checked_mul((format.bytes() * channels) as usize).and_then(|row_bytes| {
        let pitch = row_bytes.checked_next_multiple_of(ROW_ALIGN)?;
        let slice = pitch.checked_mul(extent(height))?;
        Some((row_bytes, pitch, slice, slice.checked_mul(extent(depth))?))
    });
    let (row_bytes, pitch, slice, bytes) =
        sizes.ok_or(Cause::OutOfRange("Width", width as u64, "a product that fits".into()))?;
    let mut driver = state::lock();
    let (device, _) = driver.current_device()?;
    let context = driver.current()?;
    driver.refuse_in_capture("cuArrayCreate")?;
    let address = driver.allocate(device, context, bytes as u64, MemoryKind::Device, 0, 0)?;
    let made = driver.arrays.insert(Array { address, descriptor, format, row_bytes, pitch, slice });
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pHandle", array, made as Raw) }
}

/// `cuArrayDestroy`: waits for the device, as freeing does.
pub fn destroy(array: Raw) -> Result<(), Cause> {
    let driver = state::lock();
    driver.started()?;
    let address = driver.arrays.get(array as usize)?.address;
    // Gone with its context.
    let Some(device) = driver.allocations.get(&address).map(|found| found.device) else {
        return Err(Cause::DestroyedHandle("array"));
    };
    let mut driver = wait_for_device(driver, device);
    driver.arrays.remove(array as usize)?;
    driver.release(address)
}

/// `cuArrayGetDescriptor`
pub unsafe fn descriptor_2d(descriptor: *mut ArrayDescriptor2d, array: Raw) -> Result<(), Cause> {
    let driver = state::lock();
    driver.started()?;
    let ArrayDescriptor { width, height, format, channels, .. } = driver.arrays.get(array as usize)?.descriptor;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pArrayDescriptor", descriptor, ArrayDescriptor2d { width, height, format, channels }) }
}

/// `cuArray3DGetDescriptor`
pub unsafe fn descriptor_3d(descriptor: *mut ArrayDescriptor, array: Raw) -> Result<(), Cause> {
    let driver = state::lock();
    driver.started()?;
    let found = driver.arrays.get(array as usize)?.descriptor;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pArrayDescriptor", descriptor, found) }
}

/// `cuMemcpyAtoH`, `cuMemcpyAtoHAsync`
pub fn to_host(to: Raw, from: Raw, offset: usize, bytes: usize, stream: Raw, wait: bool) -> Result<(), Cause> {
    submit(Transfer::line(to as u64, line("srcArray", from, offset, bytes)?, bytes, FROM_DEVICE), stream, wait)
}

/// `cuMemcpyHtoA`, `cuMemcpyHtoAAsync`
pub fn from_host(
    to: Raw,
    offset: usize,
    from: *const c_void,
    bytes: usize,
    stream: Raw,
    wait: bool,
) -> Result<(), Cause> {
    submit(Transfer::line(line("dstArray", to, offset, bytes)?, from as u64, bytes, TO_DEVICE), stream, wait)
}

/// `cuMemcpyAtoD`
pub fn to_device(to: u64, from: Raw, offset: usize, bytes: usize, stream: Raw) -> Result<(), Cause> {
    submit(Transfer::line(to, line("srcArray", from, offset, bytes)?, bytes, WITHIN), stream, true)
}

/// `cuMemcpyDtoA`
pub fn from_device(to: Raw, offset: usize, from: u64, bytes: usize, stream: Raw) -> Result<(), Cause> {
    submit(Transfer::line(line("dstArray", to, offset, bytes)?, from, bytes, WITHIN), stream, true)
}

/// `cuMemcpyAtoA`
pub fn to_array(
    (to, to_offset): (Raw, usize),
    (from, from_offset): (Raw, usize),
    bytes: usize,
    stream: Raw,
) -> Result<(), Cause> {
    let to = line("dstArray", to, to_offset, bytes)?;
    let from = line("srcArray", from, from_offset, bytes)?;
    submit(Transfer::line(to, from, bytes, WITHIN), stream, true)
}

/// Where so many bytes of an array lie, counted from its first, row after row. These copies are for arrays of one dimension; of others they take
/// what lies in one row.
fn line(name: &'static str, array: Raw, offset: usize, bytes: usize) -> Result<u64, Cause> {
    let driver = state::lock();
    driver.started()?;
    let array = driver.arrays.get(array as usize)?;
    let rows = array.descriptor.height.max(1) * array.descriptor.depth.max(1);
    let (row, at) = (offset / array.row_bytes, offset % array.row_bytes);
    if row >= rows || bytes > array.row_bytes - at {
        let room = if row < rows { array.row_bytes - at } else { 0 };
        return Err(Cause::OutOfRange(name, bytes as u64, format!("up to {room} bytes, to the end of a row")));
    }
    Ok(array.address + (row * array.pitch + at) as u64)
}
