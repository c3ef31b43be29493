//! Copies and fills: which way they go, when they run, and the bytes themselves.
//!
//! The interface's chapter "API synchronization behavior" says which calls return when they are done. Of the plain ones, all
//! copies but those within device memory, and fills of page-locked and managed memory. Of those with a stream, copies from or
//! to pageable memory, and from host to host. All others wait in their stream, even where a real card would long have begun:
//! the caller was promised nothing.
use crate::executor;
use crate::interface::{Cause, LEGACY, Outcome, forward};
use crate::objects::graphs::{Fill, Seq, Sides, Step, Transfer, Work};
use crate::objects::memory::allocation::{Location, MemoryKind};
use crate::state::host_time::{self, Call};
use crate::state::{self, Guard};
use cuda::layout::{Copy2d, Copy2dSide, Copy3d, Copy3dSide, Raw};

pub const TO_DEVICE: Sides = Sides { to_device: Some(true), from_device: Some(false) };
pub const FROM_DEVICE: Sides = Sides { to_device: Some(false), from_device: Some(true) };
pub const WITHIN: Sides = Sides { to_device: Some(true), from_device: Some(true) };
/// Nothing was said: addresses tell.
const UNIFIED: Sides = Sides { to_device: None, from_device: None };

/// True if the call of an asynchronous copy returns before the copy ran: nothing of it is pageable, and it does not go from
/// host to host.
fn may_wait(to: &Location, from: &Location) -> bool {
    both(to, from, |_| true) && !both(to, from, MemoryKind::is_host)
}

fn both(to: &Location, from: &Location, lie: fn(MemoryKind) -> bool) -> bool {
    matches!((to, from), (Location::Known(to), Location::Known(from)) if lie(to.kind) && lie(from.kind))
}

/// Memory that only the device has: what waits does not wait for copies within it.
fn is_device(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::Device | MemoryKind::Global)
}

/// Puts a copy on a stream; `wait` for the calls that return when it is done.
pub fn submit(transfer: Transfer, stream: Raw, wait: bool) -> Outcome {
    submit_after(transfer, stream, wait, &[])
}

/// As [`submit`]. A copy that waits comes after all that is pending in `contexts` as well, and what is submitted there later comes after
/// it, because it is done then.
fn submit_after(transfer: Transfer, stream: Raw, wait: bool, contexts: &[usize]) -> Outcome {
    let mut driver = state::lock();
    let stream = driver.stream_of(stream)?;
    let (to, from) = driver.sides(&transfer)?;
    host_time::spend(Call::Copy);
    if driver.streams.get(stream)?.capture.is_some() {
        if wait {
            return driver.spoil_capture(stream, "a copy that waits");
        }
        return driver.capture_work(stream, Step::Copy(transfer));
    }
    if wait {
        driver.refuse_in_capture("a copy that waits")?;
    }
    if transfer.bytes() == 0 {
        return Ok(());
    }
    let at_once = if wait { !contexts.is_empty() || !both(&to, &from, is_device) } else { !may_wait(&to, &from) };
    let theirs = driver.streams.iter().filter(|(_, other)| contexts.contains(&other.context));
    let before: Vec<Seq> = theirs.filter_map(|(_, other)| other.tail).collect();
    let seq = driver.submit(stream, Work::Copy(transfer), &before)?;
    go_on(driver, stream, seq.filter(|_| at_once))
}

/// Runs an operation that is waited for and what it needs, and answers the fault it met.
fn go_on(driver: Guard, stream: usize, waited_for: Option<Seq>) -> Outcome {
    let Some(seq) = waited_for else {
        drop(executor::make_room(driver));
        return Ok(());
    };
    let driver = executor::finish(driver, &[seq]);
    let stream = driver.streams.get(stream)?;
    host_time::wait_until_ns(stream.ended.at_ns);
    driver.healthy(stream.context).map(|_| ())
}

/// `cuMemcpyPeer`, `cuMemcpyPeerAsync`. The one without a stream is serialised with all work of both contexts, as its description says;
/// the host waits for it here, which a card's driver need not do.
pub fn peer(to: u64, to_context: Raw, from: u64, from_context: Raw, bytes: usize, stream: Raw, wait: bool) -> Outcome {
    {
        let driver = state::started()?;
        driver.healthy(to_context as usize)?;
        driver.healthy(from_context as usize)?;
    }
    let contexts = [to_context as usize, from_context as usize];
    submit_after(Transfer::line(to, from, bytes, WITHIN), stream, wait, if wait { &contexts } else { &[] })
}

/// `cuMemcpy2D` and its relatives: one slice.
pub unsafe fn copy_2d(copy: *const Copy2d, stream: Raw, wait: bool) -> Outcome {
    let c = unsafe { copy.as_ref() }.ok_or(Cause::Null("pCopy"))?;
    let side = |&Copy2dSide { x_bytes, y, kind, host, device, array, pitch }: &Copy2dSide| {
        let context = std::ptr::null();
        Copy3dSide { x_bytes, y, z: 0, level: 0, kind, host, device, array, context, pitch, height: 0 }
    };
    let slice = Copy3d { from: side(&c.from), to: side(&c.to), width_bytes: c.width_bytes, height: c.height, depth: 1 };
    submit(Transfer { to_slice: 0, from_slice: 0, ..transfer_3d(&slice)? }, stream, wait)
}

/// `cuMemcpy3D`, `cuMemcpy3DPeer` and their asynchronous sisters.
pub unsafe fn copy_3d(copy: *const Copy3d, stream: Raw, wait: bool) -> Outcome {
    let c = unsafe { copy.as_ref() }.ok_or(Cause::Null("pCopy"))?;
    submit(transfer_3d(c)?, stream, wait)
}

/// The transfer that a three-dimensional description means.
pub fn transfer_3d(c: &Copy3d) -> Result<Transfer, Cause> {
    let from = side("srcMemoryType", &c.from, c.width_bytes)?;
    let to = side("dstMemoryType", &c.to, c.width_bytes)?;
    let from_pitch = pitch("srcPitch", &from, c.from.pitch, c.width_bytes, c.height)?;
    let to_pitch = pitch("dstPitch", &to, c.to.pitch, c.width_bytes, c.height)?;
    let slice = |side: &Rows, pitch: usize, height: usize| match side.of_array {
        Some((_, slice)) => slice,
        None => pitch.saturating_mul(if height == 0 { c.height } else { height }),
    };
    let (from_slice, to_slice) = (slice(&from, from_pitch, c.from.height), slice(&to, to_pitch, c.to.height));
    Ok(Transfer {
        to: start(to.base, &[(c.to.z, to_slice), (c.to.y, to_pitch), (c.to.x_bytes, 1)]),
        from: start(from.base, &[(c.from.z, from_slice), (c.from.y, from_pitch), (c.from.x_bytes, 1)]),
        width: c.width_bytes,
        height: c.height,
        depth: c.depth,
        to_pitch,
        from_pitch,
        to_slice,
        from_slice,
        sides: Sides { to_device: to.is_device, from_device: from.is_device },
    })
}

/// An address and its offsets; one that wraps lies in no allocation.
fn start(base: u64, offsets: &[(usize, usize)]) -> u64 {
    offsets.iter().fold(base, |at, &(count, bytes)| at.wrapping_add(count.wrapping_mul(bytes) as u64))
}

/// One side of a copy of rows.
struct Rows {
    base: u64,
    is_device: Option<bool>,
    /// An array's bytes from a row to the next, and from a slice to the next. For other memory the caller tells them.
    of_array: Option<(usize, usize)>,
}

/// A side by its kind.
fn side(name: &'static str, side: &Copy3dSide, width_bytes: usize) -> Result<Rows, Cause> {
    let plain = |base, is_device| Ok(Rows { base, is_device, of_array: None });
    match side.kind {
        1 => plain(side.host as u64, Some(false)),
        2 => plain(side.device, Some(true)),
        4 => plain(side.device, None),
        3 => {
            let driver = state::lock();
            let array = driver.arrays.get(side.array as usize)?;
            let reach = side.x_bytes.saturating_add(width_bytes);
            if reach > array.row_bytes {
                return Err(Cause::OutOfRange("WidthInBytes", reach as u64, format!("up to {}", array.row_bytes)));
            }
            let (pitch, slice) = (array.place.pitch as usize, array.place.slice as usize);
            Ok(Rows { base: array.place.address, is_device: Some(true), of_array: Some((pitch, slice)) })
        }
        other => Err(Cause::NoSuchValue(name, other.into())),
    }
}

fn pitch(name: &'static str, side: &Rows, pitch: usize, width: usize, height: usize) -> Result<usize, Cause> {
    if let Some((pitch, _)) = side.of_array {
        return Ok(pitch);
    }
    match pitch {
        0 => Ok(width),
        pitch if pitch < width && height > 1 => Err(Cause::OutOfRange(name, pitch as u64, format!("{width} and more"))),
        pitch => Ok(pitch),
    }
}

/// `cuMemsetD8` … `cuMemsetD2D32Async`: stream order for all; those without a stream go to the legacy default stream, and
/// `wait` where the host could see what they leave.
pub fn fill(fill: Fill, stream: Raw, wait: bool) -> Outcome {
    let width = fill.count.saturating_mul(fill.element);
    if fill.height > 1 && fill.pitch < width {
        return Err(Cause::OutOfRange("dstPitch", fill.pitch as u64, format!("{width} and more")));
    }
    let mut driver = state::lock();
    let stream = driver.stream_of(stream)?;
    if !fill.at.is_multiple_of(fill.element as u64) {
        return Err(Cause::OutOfRange("dstDevice", fill.at, format!("multiples of {}", fill.element)));
    }
    let place = driver.device_location("dstDevice", fill.at, fill.reach())?;
    let at_once = wait && place.is_some_and(|allocation| !is_device(allocation.kind));
    if at_once {
        driver.refuse_in_capture("a memset that waits")?;
    }
    host_time::spend(Call::Copy);
    if driver.streams.get(stream)?.capture.is_some() {
        return driver.capture_work(stream, Step::Fill(fill));
    }
    if fill.count == 0 || fill.height == 0 {
        return Ok(());
    }
    let seq = driver.submit(stream, Work::Fill(fill), &[])?;
    go_on(driver, stream, seq.filter(|_| at_once))
}

cuda::forward_copies!(forward);
