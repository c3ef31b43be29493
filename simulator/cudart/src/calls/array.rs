//! Arrays, and mipmapped arrays.
use crate::calls::copy::{Direction, Order, Rows, driver_slices};
use crate::calls::shape::{ARRAY, FORMATS, channels, described, element_bytes};
use crate::context::answer;
use crate::driver::Raw;
use crate::interface::out_if_wanted;
use crate::layout::{ChannelFormat, Extent};
use crate::status::{Failure, INVALID_VALUE, Outcome};
use cuda::layout::{ArrayDescriptor, Copy3d, Copy3dSide};
use std::ffi::{c_int, c_uint};
use std::ptr::null;

/// `cudaErrorInvalidChannelDescriptor`
const INVALID_CHANNELS: Failure = Failure(20);

/// The driver's number of an element's format, and how many there are.
pub(super) fn format(channels: &ChannelFormat) -> Result<(u32, u32), Failure> {
    let count = channels.bits.iter().take_while(|&&bits| bits != 0).count();
    let bits = channels.bits[0];
    let is_uniform = channels.bits[..count].iter().all(|&other| other == bits);
    if !is_uniform || !matches!(count, 1 | 2 | 4) || channels.bits[count..].iter().any(|&bits| bits != 0) {
        return Err(INVALID_CHANNELS);
    }
    let width = [8, 16, 32].iter().position(|&width| width == bits).ok_or(INVALID_CHANNELS)?;
    let format = FORMATS.get(channels.kind as usize).map_or(0, |formats| formats[width]);
    if format == 0 { Err(INVALID_CHANNELS) } else { Ok((format, count as u32)) }
}

/// An array as the driver describes it: flags are the driver's.
unsafe fn description(wanted: *const ChannelFormat, extent: Extent, flags: c_uint) -> Result<ArrayDescriptor, Failure> {
    let (format, count) = format(unsafe { wanted.as_ref() }.ok_or(INVALID_VALUE)?)?;
    let Extent { width, height, depth } = extent;
    Ok(ArrayDescriptor { width, height, depth, format, channels: count, flags, unused: 0 })
}

/// `cudaMallocArray`, `cudaMalloc3DArray`
pub unsafe fn create(array: *mut Raw, wanted: *const ChannelFormat, extent: Extent, flags: c_uint) -> Outcome {
    unsafe {
        let descriptor = description(wanted, extent, flags)?;
        answer(array, |driver, made| driver.cuArray3DCreate_v2(made, &descriptor))
    }
}

/// `cudaMallocMipmappedArray`
pub unsafe fn create_mipmapped(
    array: *mut Raw,
    wanted: *const ChannelFormat,
    extent: Extent,
    levels: c_uint,
    flags: c_uint,
) -> Outcome {
    unsafe {
        let descriptor = description(wanted, extent, flags)?;
        answer(array, |driver, made| driver.cuMipmappedArrayCreate(made, &descriptor, levels))
    }
}

/// `cudaArrayGetInfo`, `cudaGetChannelDesc`
pub unsafe fn info(format: *mut ChannelFormat, extent: *mut Extent, flags: *mut c_uint, array: Raw) -> Outcome {
    let found = described(array)?;
    let ArrayDescriptor { width, height, depth, .. } = found;
    unsafe {
        out_if_wanted(format, channels(found.format, found.channels));
        out_if_wanted(extent, Extent { width, height, depth });
        out_if_wanted(flags, found.flags);
    }
    Ok(())
}

/// A corner of an array: bytes along a row, and rows.
#[derive(Clone, Copy)]
pub struct Corner {
    pub array: Raw,
    pub x_bytes: usize,
    pub y: usize,
}

/// `cudaMemcpy2DToArray`, `cudaMemcpy2DFromArray`: `width` bytes of `height` rows between an array and memory.
///
/// # Safety
/// The host's side holds the rows.
pub unsafe fn rows(
    corner: Corner,
    other: Rows,
    (width, height): (usize, usize),
    kind: c_int,
    is_from: bool,
    order: Order,
) -> Outcome {
    let (from_kind, to_kind) = Direction::of(kind)?.kinds();
    let side = |kind, array: Option<Corner>| Copy3dSide {
        x_bytes: array.map_or(0, |corner| corner.x_bytes),
        y: array.map_or(0, |corner| corner.y),
        z: 0,
        level: 0,
        kind: if array.is_some() { ARRAY } else { kind },
        host: other.at,
        device: other.at as u64,
        array: array.map_or(null(), |corner| corner.array.cast_const()),
        context: null(),
        pitch: other.pitch,
        height,
    };
    let (from, to) = if is_from {
        (side(from_kind, Some(corner)), side(to_kind, None))
    } else {
        (side(from_kind, None), side(to_kind, Some(corner)))
    };
    // SAFETY: the host's side is the caller's.
    unsafe { driver_slices(&Copy3d { from, to, width_bytes: width, height, depth: 1 }, order) }
}

/// `cudaMemcpyToArray`, `cudaMemcpyFromArray`: bytes between memory and an array's rows, one row's after the other's.
///
/// # Safety
/// The host's side holds the bytes.
pub unsafe fn line(corner: Corner, at: Raw, bytes: usize, kind: c_int, is_from: bool, order: Order) -> Outcome {
    let found = described(corner.array)?;
    let row_bytes = found.width * element_bytes(&found);
    refuse_if!(corner.x_bytes >= row_bytes, INVALID_VALUE);
    let (mut done, mut to) = (0, corner);
    while done < bytes {
        let left = bytes - done;
        // The rest of a row, or as many whole ones as there are.
        let (width, height) = match to.x_bytes {
            0 if left >= row_bytes => (row_bytes, left / row_bytes),
            x => (left.min(row_bytes - x), 1),
        };
        let memory = Rows { at: at.wrapping_byte_add(done), pitch: width };
        unsafe { rows(to, memory, (width, height), kind, is_from, order)? };
        done += width * height;
        to = Corner { x_bytes: 0, y: to.y + height, ..to };
    }
    Ok(())
}
