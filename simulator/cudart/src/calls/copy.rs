//! Copies and fills.
use crate::calls::shape::{ARRAY, described, element_bytes};
use crate::context::enter;
use crate::driver::{Driver, Raw};
use crate::layout::{Extent, Pitched, RuntimeCopy3d};
use crate::registry;
use crate::status::{Failure, INVALID_DIRECTION, INVALID_VALUE, Outcome};
use cuda::layout::{Copy2d, Copy2dSide, Copy3d, Copy3dSide};
use std::ffi::{c_int, c_void};
use std::ptr::null;

/// How a call ends: when it is done, or before.
#[derive(Clone, Copy)]
pub enum Order {
    /// In the legacy default stream.
    Done,
    /// In a stream, and done.
    DoneIn(Raw),
    /// In a stream.
    Begun(Raw),
}

impl Order {
    pub(super) fn stream(self) -> Option<Raw> {
        match self {
            Order::Done => None,
            Order::DoneIn(stream) | Order::Begun(stream) => Some(stream),
        }
    }

    /// Waits where the caller wants it done.
    pub(super) fn end(self, driver: &Driver) -> Outcome {
        match self {
            // SAFETY: a handle, which the driver looks up.
            Order::DoneIn(stream) => unsafe { driver.cuStreamSynchronize(stream) },
            Order::Done | Order::Begun(_) => Ok(()),
        }
    }
}

/// `cudaMemcpyKind`: which sides are the host's, or that addresses tell.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    WithinHost,
    ToDevice,
    ToHost,
    WithinDevice,
    Default,
}

impl Direction {
    pub(super) fn of(kind: c_int) -> Result<Direction, Failure> {
        use Direction::*;
        let found = [WithinHost, ToDevice, ToHost, WithinDevice, Default].get(kind as usize);
        found.copied().ok_or(INVALID_DIRECTION)
    }

    /// `CUmemorytype` of the source and of the destination.
    pub(super) fn kinds(self) -> (u32, u32) {
        const HOST: u32 = 1;
        const DEVICE: u32 = 2;
        const UNIFIED: u32 = 4;
        match self {
            Direction::WithinHost => (HOST, HOST),
            Direction::ToDevice => (HOST, DEVICE),
            Direction::ToHost => (DEVICE, HOST),
            Direction::WithinDevice => (DEVICE, DEVICE),
            Direction::Default => (UNIFIED, UNIFIED),
        }
    }
}

/// `cudaMemcpy`, `cudaMemcpyAsync`
///
/// # Safety
/// The host's sides hold `bytes`.
pub unsafe fn linear(to: Raw, from: Raw, bytes: usize, kind: c_int, order: Order) -> Outcome {
    let driver = enter()?.0;
    let direction = Direction::of(kind)?;
    if bytes == 0 {
        return Ok(());
    }
    unsafe {
        match (direction, order.stream()) {
            (Direction::ToDevice, None) => driver.cuMemcpyHtoD_v2(to as u64, from, bytes)?,
            (Direction::ToDevice, Some(stream)) => driver.cuMemcpyHtoDAsync_v2(to as u64, from, bytes, stream)?,
            (Direction::ToHost, None) => driver.cuMemcpyDtoH_v2(to, from as u64, bytes)?,
            (Direction::ToHost, Some(stream)) => driver.cuMemcpyDtoHAsync_v2(to, from as u64, bytes, stream)?,
            (Direction::WithinDevice, None) => driver.cuMemcpyDtoD_v2(to as u64, from as u64, bytes)?,
            (Direction::WithinDevice, Some(stream)) => {
                driver.cuMemcpyDtoDAsync_v2(to as u64, from as u64, bytes, stream)?;
            }
            (Direction::WithinHost | Direction::Default, None) => driver.cuMemcpy(to as u64, from as u64, bytes)?,
            (Direction::WithinHost | Direction::Default, Some(stream)) => {
                driver.cuMemcpyAsync(to as u64, from as u64, bytes, stream)?;
            }
        }
    }
    order.end(driver)
}

/// `cudaMemcpyPeer`, `cudaMemcpyPeerAsync`: an address tells its device.
///
/// # Safety
/// As [`linear`].
pub unsafe fn peer(to: Raw, from: Raw, bytes: usize, order: Order) -> Outcome {
    // SAFETY: the pointer is as this function's caller has to give it. 4: addresses tell.
    unsafe { linear(to, from, bytes, 4, order) }
}

/// `cudaMemcpyToSymbol` and its like: a copy whose one side is a variable.
///
/// # Safety
/// As [`linear`].
pub unsafe fn symbol(
    shadow: Raw,
    other: Raw,
    bytes: usize,
    offset: usize,
    kind: c_int,
    is_from: bool,
    order: Order,
) -> Outcome {
    let (address, length) = registry::symbol(shadow)?;
    refuse_if!(offset.checked_add(bytes).is_none_or(|end| end > length), INVALID_VALUE);
    let direction = Direction::of(kind)?;
    let wrong = if is_from { Direction::ToDevice } else { Direction::ToHost };
    refuse_if!(direction == wrong || direction == Direction::WithinHost, INVALID_DIRECTION);
    let inside = (address + offset as u64) as Raw;
    let (to, from) = if is_from { (other, inside) } else { (inside, other) };
    // SAFETY: the caller gives pointers as the interface asks, and within the variable.
    unsafe { linear(to, from, bytes, kind, order) }
}

/// Rows that begin a pitch apart.
#[derive(Clone, Copy)]
pub struct Rows {
    pub at: Raw,
    pub pitch: usize,
}

/// `cudaMemcpy2D`, `cudaMemcpy2DAsync`
///
/// # Safety
/// The host's sides hold the rows.
pub unsafe fn rows(to: Rows, from: Rows, width: usize, height: usize, kind: c_int, order: Order) -> Outcome {
    let driver = enter()?.0;
    let (from_kind, to_kind) = Direction::of(kind)?.kinds();
    const INVALID_PITCH: Failure = Failure(12);
    refuse_if!(width > to.pitch || width > from.pitch, INVALID_PITCH);
    if width == 0 || height == 0 {
        return Ok(());
    }
    let side = |rows: Rows, kind| Copy2dSide {
        x_bytes: 0,
        y: 0,
        kind,
        host: rows.at,
        device: rows.at as u64,
        array: null(),
        pitch: rows.pitch,
    };
    let copy = Copy2d { from: side(from, from_kind), to: side(to, to_kind), width_bytes: width, height };
    unsafe {
        match order.stream() {
            None => driver.cuMemcpy2DUnaligned_v2(&copy)?,
            Some(stream) => driver.cuMemcpy2DAsync_v2(&copy, stream)?,
        }
    }
    order.end(driver)
}

/// The same copy, as the driver reads it.
pub fn driver_copy(copy: &RuntimeCopy3d) -> Result<Copy3d, Failure> {
    let (from_kind, to_kind) = Direction::of(copy.kind)?.kinds();
    // With an array among them, widths and the arrays' positions count elements, else bytes.
    let element = match [copy.from_array, copy.to_array].into_iter().find(|array| !array.is_null()) {
        Some(array) => element_bytes(&described(array)?),
        None => 1,
    };
    let side = |at: Pitched, in_array: *mut c_void, position: Extent, kind| Copy3dSide {
        x_bytes: position.width * if in_array.is_null() { 1 } else { element },
        y: position.height,
        z: position.depth,
        level: 0,
        kind: if in_array.is_null() { kind } else { ARRAY },
        host: at.pointer,
        device: at.pointer as u64,
        array: in_array,
        context: null(),
        pitch: at.pitch,
        height: at.height,
    };
    Ok(Copy3d {
        from: side(copy.from, copy.from_array, copy.from_position, from_kind),
        to: side(copy.to, copy.to_array, copy.to_position, to_kind),
        width_bytes: copy.extent.width * element,
        height: copy.extent.height,
        depth: copy.extent.depth,
    })
}

/// `cudaMemcpy3D`, `cudaMemcpy3DAsync`
///
/// # Safety
/// `copy` is null or the caller's struct, and the host's sides hold what it says.
pub unsafe fn slices(copy: *const RuntimeCopy3d, order: Order) -> Outcome {
    unsafe { driver_slices(&driver_copy(copy.as_ref().ok_or(INVALID_VALUE)?)?, order) }
}

/// The same, of a copy as the driver reads it.
///
/// # Safety
/// The host's sides hold what the copy says.
pub(super) unsafe fn driver_slices(copy: &Copy3d, order: Order) -> Outcome {
    let driver = enter()?.0;
    unsafe {
        match order.stream() {
            None => driver.cuMemcpy3D_v2(copy)?,
            Some(stream) => driver.cuMemcpy3DAsync_v2(copy, stream)?,
        }
    }
    order.end(driver)
}

/// `cudaMemset` and its like: `depth` slices of `height` rows of `width` bytes.
///
/// # Safety
/// It has the driver write there.
pub unsafe fn fill(to: Pitched, value: c_int, extent: Extent, order: Order) -> Outcome {
    let driver = enter()?.0;
    let value = value as u8;
    let is_whole = extent.height == 1 && extent.depth == 1;
    if extent.width == 0 || extent.height == 0 || extent.depth == 0 {
        return Ok(());
    }
    let slice = to.pitch.checked_mul(to.height.max(extent.height)).ok_or(INVALID_VALUE)?;
    for z in 0..extent.depth {
        let at = to.pointer as u64 + (z * slice) as u64;
        // SAFETY: an address, which the driver looks up.
        unsafe {
            match order.stream() {
                None if is_whole => driver.cuMemsetD8_v2(at, value, extent.width)?,
                None => driver.cuMemsetD2D8_v2(at, to.pitch, value, extent.width, extent.height)?,
                Some(stream) if is_whole => driver.cuMemsetD8Async(at, value, extent.width, stream)?,
                Some(stream) => {
                    driver.cuMemsetD2D8Async(at, to.pitch, value, extent.width, extent.height, stream)?;
                }
            }
        }
    }
    // A fill of device memory returns before it is done, in each of its forms.
    Ok(())
}

pub fn row(at: Raw, bytes: usize) -> (Pitched, Extent) {
    (Pitched { pointer: at, pitch: bytes, width: bytes, height: 1 }, Extent { width: bytes, height: 1, depth: 1 })
}
