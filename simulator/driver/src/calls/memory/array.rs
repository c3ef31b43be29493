//! CUDA arrays: `cuArray*`, `cuMipmappedArray*`, and copies by offset.
use super::copy::{FROM_DEVICE, TO_DEVICE, WITHIN, submit};
use crate::executor::wait_for_device;
use crate::interface::{Cause, LEGACY, Outcome, forward, out};
use crate::objects::graphs::Transfer;
use crate::objects::memory::allocation::MemoryKind;
use crate::objects::memory::array::{Array, MipmappedArray};
use crate::state;
use cuda::layout::{ArrayDescriptor, ArrayDescriptor2d, Raw};
use machine::exec::texture_object::{Format, Level};
use std::ffi::{c_uint, c_void};

/// Flags of arrays; those for surfaces and gathers mean nothing more here.
pub const LAYERED: c_uint = 0x01;
const CUBE: c_uint = 0x04;
const KNOWN: c_uint = LAYERED | 0x02 | CUBE | 0x08;

pub unsafe fn cuArrayCreate_v2(array: *mut Raw, descriptor: *const ArrayDescriptor2d) -> Outcome {
    let d = unsafe { descriptor.as_ref() }.ok_or(Cause::Null("pAllocateArray"))?;
    let (width, height, format, channels) = (d.width, d.height, d.format, d.channels);
    unsafe { create(array, ArrayDescriptor { width, height, depth: 0, format, channels, flags: 0, unused: 0 }) }
}

pub unsafe fn cuArray3DCreate_v2(array: *mut Raw, descriptor: *const ArrayDescriptor) -> Outcome {
    let descriptor = unsafe { descriptor.as_ref() }.ok_or(Cause::Null("pAllocateArray"))?;
    unsafe { create(array, *descriptor) }
}

unsafe fn create(array: *mut Raw, descriptor: ArrayDescriptor) -> Outcome {
    let (format, place) = planned(&descriptor)?;
    let mut driver = state::lock();
    let (device, _) = driver.current_device()?;
    let context = driver.current()?;
    driver.refuse_in_capture("cuArrayCreate")?;
    let address = driver.allocate(device, context, place.bytes(), MemoryKind::Device, 0, 0)?;
    let made = driver.arrays.insert(Array::new(descriptor, format, Level { address, ..place }, false));
    unsafe { out("pHandle", array, made as Raw) }
}

impl Array {
    fn new(descriptor: ArrayDescriptor, format: Format, place: Level, is_level: bool) -> Array {
        let row_bytes = descriptor.width * (format.bytes() * descriptor.channels) as usize;
        Array { descriptor, format, place, row_bytes, is_level }
    }
}

/// The kind of an array's elements, and the place of its texels, if there is such an array.
fn planned(descriptor: &ArrayDescriptor) -> Result<(Format, Level), Cause> {
    let ArrayDescriptor { width, height, depth, format, channels, flags, .. } = *descriptor;
    refuse_if!(flags & !KNOWN != 0, Cause::NotModelled("an array for depth, graphics, sparse or deferred memory"));
    let format = Format::of(format).ok_or(Cause::NotModelled("an array of planes, compressed or packed elements"))?;
    refuse_if!(!matches!(channels, 1 | 2 | 4), Cause::OutOfRange("NumChannels", channels.into(), "1, 2 and 4".into()));
    if width == 0 || depth > 0 && height == 0 && flags & LAYERED == 0 {
        return Err(Cause::OutOfRange("Width or Height", 0, "1 and more".into()));
    }
    if flags & CUBE != 0 && width != height {
        return Err(Cause::OutOfRange("Height", height as u64, format!("{width}, the width, of a cube")));
    }
    if flags & CUBE != 0 && (depth == 0 || !depth.is_multiple_of(6) || flags & LAYERED == 0 && depth != 6) {
        return Err(Cause::OutOfRange(
            "Depth",
            depth as u64,
            "6 of a cube, and multiples of 6 of layers of cubes".into(),
        ));
    }
    refuse_if!(flags & LAYERED != 0 && depth == 0, Cause::OutOfRange("Depth", 0, "1 and more layers".into()));
    let too_large = || Cause::OutOfRange("Width", width as u64, "a product that fits".into());
    let [Ok(x), Ok(y), Ok(z)] = [width, height, depth].map(u32::try_from) else { return Err(too_large()) };
    let place = Level::of_array(0, [x, y, z], format.bytes() * channels).ok_or_else(too_large)?;
    Ok((format, place))
}

pub unsafe fn cuMipmappedArrayCreate(array: *mut Raw, descriptor: *const ArrayDescriptor, levels: c_uint) -> Outcome {
    let descriptor = *unsafe { descriptor.as_ref() }.ok_or(Cause::Null("pMipmappedArrayDesc"))?;
    let (format, first) = planned(&descriptor)?;
    refuse_if!(levels == 0, Cause::OutOfRange("numMipmapLevels", 0, "1 and more".into()));
    let is_layered = is_layered(&descriptor);
    let [width, height, depth] = first.extents;
    let longest = width.max(height).max(if is_layered { 0 } else { depth });
    // As the interface says: no more than down to one texel.
    let count = levels.min(1 + longest.ilog2());
    let next = |level: &Level| Some(level.next(format.bytes() * descriptor.channels, is_layered));
    let bytes = std::iter::successors(Some(first), next).take(count as usize).map(|level| level.bytes()).sum();
    let mut driver = state::lock();
    let (device, _) = driver.current_device()?;
    let context = driver.current()?;
    driver.refuse_in_capture("cuMipmappedArrayCreate")?;
    let address = driver.allocate(device, context, bytes, MemoryKind::Device, 0, 0)?;
    let first = Level { address, ..first };
    let levels = std::iter::successors(Some(first), next).take(count as usize).map(|place| {
        let [width, height, depth] = place.extents.map(|extent| extent as usize);
        driver.arrays.insert(Array::new(ArrayDescriptor { width, height, depth, ..descriptor }, format, place, true))
    });
    let levels = levels.collect();
    let made = driver.mipmapped_arrays.insert(MipmappedArray { descriptor, format, levels, first });
    unsafe { out("pHandle", array, made as Raw) }
}

/// True if an array's slices are layers or faces, of which its levels have as many.
pub fn is_layered(descriptor: &ArrayDescriptor) -> bool {
    descriptor.flags & (LAYERED | CUBE) != 0
}

pub unsafe fn cuMipmappedArrayGetLevel(array: *mut Raw, mipmapped: Raw, level: c_uint) -> Outcome {
    let driver = state::started()?;
    let levels = &driver.mipmapped_arrays.get(mipmapped as usize)?.levels;
    let allowed = || Cause::OutOfRange("level", level.into(), format!("0 to {}", levels.len() - 1));
    let found = *levels.get(level as usize).ok_or_else(allowed)?;
    unsafe { out("pLevelArray", array, found as Raw) }
}

/// Waits for the device, as freeing does.
pub fn cuMipmappedArrayDestroy(array: Raw) -> Outcome {
    let driver = state::started()?;
    let address = driver.mipmapped_arrays.get(array as usize)?.first.address;
    let Some(device) = driver.allocations.get(&address).map(|found| found.device) else {
        return Err(Cause::DestroyedHandle("mipmapped array"));
    };
    let mut driver = wait_for_device(driver, device);
    for level in driver.mipmapped_arrays.remove(array as usize)?.levels {
        driver.arrays.remove(level)?;
    }
    driver.release(address)
}

/// Waits for the device, as freeing does.
pub fn cuArrayDestroy(array: Raw) -> Outcome {
    let driver = state::started()?;
    let found = driver.arrays.get(array as usize)?;
    refuse_if!(found.is_level, Cause::NoHandle("array of its own: a level goes with its mipmapped array"));
    let address = found.place.address;
    // Gone with its context.
    let Some(device) = driver.allocations.get(&address).map(|found| found.device) else {
        return Err(Cause::DestroyedHandle("array"));
    };
    let mut driver = wait_for_device(driver, device);
    driver.arrays.remove(array as usize)?;
    driver.release(address)
}

pub unsafe fn cuArrayGetDescriptor_v2(descriptor: *mut ArrayDescriptor2d, array: Raw) -> Outcome {
    let driver = state::started()?;
    let ArrayDescriptor { width, height, format, channels, .. } = driver.arrays.get(array as usize)?.descriptor;
    unsafe { out("pArrayDescriptor", descriptor, ArrayDescriptor2d { width, height, format, channels }) }
}

pub unsafe fn cuArray3DGetDescriptor_v2(descriptor: *mut ArrayDescriptor, array: Raw) -> Outcome {
    let driver = state::started()?;
    let found = driver.arrays.get(array as usize)?.descriptor;
    unsafe { out("pArrayDescriptor", descriptor, found) }
}

/// `cuMemcpyAtoH`, `cuMemcpyAtoHAsync`
pub fn to_host(to: Raw, from: Raw, offset: usize, bytes: usize, stream: Raw, wait: bool) -> Outcome {
    submit(Transfer::line(to as u64, line("srcArray", from, offset, bytes)?, bytes, FROM_DEVICE), stream, wait)
}

/// `cuMemcpyHtoA`, `cuMemcpyHtoAAsync`
pub fn from_host(to: Raw, offset: usize, from: *const c_void, bytes: usize, stream: Raw, wait: bool) -> Outcome {
    submit(Transfer::line(line("dstArray", to, offset, bytes)?, from as u64, bytes, TO_DEVICE), stream, wait)
}

/// `cuMemcpyAtoD`
pub fn to_device(to: u64, from: Raw, offset: usize, bytes: usize, stream: Raw) -> Outcome {
    submit(Transfer::line(to, line("srcArray", from, offset, bytes)?, bytes, WITHIN), stream, true)
}

/// `cuMemcpyDtoA`
pub fn from_device(to: Raw, offset: usize, from: u64, bytes: usize, stream: Raw) -> Outcome {
    submit(Transfer::line(line("dstArray", to, offset, bytes)?, from, bytes, WITHIN), stream, true)
}

/// `cuMemcpyAtoA`
pub fn to_array(
    (to, to_offset): (Raw, usize),
    (from, from_offset): (Raw, usize),
    bytes: usize,
    stream: Raw,
) -> Outcome {
    let to = line("dstArray", to, to_offset, bytes)?;
    let from = line("srcArray", from, from_offset, bytes)?;
    submit(Transfer::line(to, from, bytes, WITHIN), stream, true)
}

/// Where so many bytes of an array lie, counted from its first, row after row. These copies are for arrays of one dimension; of others they take
/// what lies in one row.
fn line(name: &'static str, array: Raw, offset: usize, bytes: usize) -> Result<u64, Cause> {
    let driver = state::started()?;
    let array = driver.arrays.get(array as usize)?;
    let rows = array.descriptor.height.max(1) * array.descriptor.depth.max(1);
    let (row, at) = (offset / array.row_bytes, offset % array.row_bytes);
    if row >= rows || bytes > array.row_bytes - at {
        let room = if row < rows { array.row_bytes - at } else { 0 };
        return Err(Cause::OutOfRange(name, bytes as u64, format!("up to {room} bytes, to the end of a row")));
    }
    Ok(array.place.address + row as u64 * array.place.pitch + at as u64)
}

cuda::forward_arrays!(forward);
