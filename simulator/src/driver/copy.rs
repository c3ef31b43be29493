//! Copies and fills: which way they go, when they run, and the bytes themselves.
//!
//! The interface's chapter "API synchronization behavior" says which calls return when they are done. Of the plain ones, all
//! copies but those within device memory, and fills of page-locked and managed memory. Of those with a stream, copies from or
//! to pageable memory, and from host to host. All others wait in their stream, even where a real card would long have begun:
//! the caller was promised nothing.
use super::capture::Step;
use super::cause::Cause;
use super::layout::{Plane, Solid};
use super::memory::{Home, Place};
use super::queue::{Patience, Work, demand};
use super::records::Activity;
use super::state::{self, Driver, Guard};
use crate::timeline::{Route, Span};
use std::ffi::c_void;

use super::handles::Raw;

/// A box of bytes to copy: `height` rows of `width` bytes in `depth` slices. A plain copy has one row.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub to: u64,
    pub from: u64,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub to_pitch: usize,
    pub from_pitch: usize,
    pub to_slice: usize,
    pub from_slice: usize,
    /// Whether the caller named the sides: such addresses must lie where it said.
    pub sides: Sides,
}

/// What a caller said of the two sides of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    pub to_device: Option<bool>,
    pub from_device: Option<bool>,
}

/// Nothing was said: addresses tell.
const UNIFIED: Sides = Sides { to_device: None, from_device: None };
const TO_DEVICE: Sides = Sides { to_device: Some(true), from_device: Some(false) };
const FROM_DEVICE: Sides = Sides { to_device: Some(false), from_device: Some(true) };
const WITHIN: Sides = Sides { to_device: Some(true), from_device: Some(true) };

/// A pattern to repeat over `height` rows of `count` elements.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    pub at: u64,
    pub value: u32,
    /// Bytes of an element: 1, 2 or 4.
    pub element: usize,
    pub count: usize,
    pub height: usize,
    pub pitch: usize,
}

/// Host time of a call that starts a copy, or a fill. Measured beside an H200.
const CALL_NS: u64 = 2_700;

impl Transfer {
    /// A plain copy.
    pub fn line(to: u64, from: u64, bytes: usize, sides: Sides) -> Self {
        Transfer {
            to,
            from,
            width: bytes,
            height: 1,
            depth: 1,
            to_pitch: bytes,
            from_pitch: bytes,
            to_slice: bytes,
            from_slice: bytes,
            sides,
        }
    }
    /// Bytes that move.
    pub fn bytes(&self) -> u64 {
        (self.width as u64).saturating_mul(self.height as u64).saturating_mul(self.depth as u64)
    }
    /// Bytes from the first to behind the last, on a side with this pitch and slice.
    fn reach(&self, pitch: usize, slice: usize) -> u64 {
        if self.bytes() == 0 {
            return 0;
        }
        let slices = (self.depth as u64 - 1).saturating_mul(slice as u64);
        let rows = (self.height as u64 - 1).saturating_mul(pitch as u64);
        slices.saturating_add(rows).saturating_add(self.width as u64)
    }
}

impl Driver {
    /// Where both sides lie; an error where they lie nowhere, too short, or elsewhere than the call says.
    fn sides(&self, transfer: &Transfer) -> Result<(Place, Place), Cause> {
        let side = |what, address, reach, device: Option<bool>| match device {
            Some(true) => match self.device_place(what, address, reach)? {
                Some(allocation) => Ok(Place::Known(allocation)),
                None => Ok(Place::Pageable),
            },
            _ => self.place(what, address, reach),
        };
        let to = side(
            "destination",
            transfer.to,
            transfer.reach(transfer.to_pitch, transfer.to_slice),
            transfer.sides.to_device,
        )?;
        let from = side(
            "source",
            transfer.from,
            transfer.reach(transfer.from_pitch, transfer.from_slice),
            transfer.sides.from_device,
        )?;
        Ok((to, from))
    }

    /// The bytes, now; the time, on the clock of `device`.
    pub fn copy_now(
        &mut self,
        device: usize,
        transfer: &Transfer,
        ready_ns: u64,
    ) -> Result<Option<(Span, Activity)>, Cause> {
        let bytes = transfer.bytes();
        if bytes == 0 {
            return Ok(None);
        }
        // Looked up again: it may have been freed since the call.
        let (to_side, from_side) = self.sides(transfer)?;
        let (route, kind) = route(&to_side, &from_side);
        for slice in 0..transfer.depth {
            for row in 0..transfer.height {
                let to = transfer.to + (slice * transfer.to_slice + row * transfer.to_pitch) as u64;
                let from = transfer.from + (slice * transfer.from_slice + row * transfer.from_pitch) as u64;
                self.copy_row(&to_side, to, &from_side, from, transfer.width)?;
            }
        }
        let span = self.machines[device].timeline.copy(route, bytes, ready_ns);
        Ok(Some((span, Activity { kind, name: kind.to_owned(), stream: 0, span, bytes })))
    }

    /// One row, through the arenas where it touches them: they note what was written.
    fn copy_row(&self, to_side: &Place, to: u64, from_side: &Place, from: u64, width: usize) -> Result<(), Cause> {
        let memory = |side: &Place| match side {
            Place::Known(allocation) => Some((allocation.device, &self.machines[allocation.device].memory)),
            Place::Pageable => None,
        };
        let lost = |_| Cause::Defect("an allocation without memory".into());
        match (memory(to_side), memory(from_side)) {
            (Some((a, memory)), Some((b, _))) if a == b => memory.copy(to, from, width as u64).map_err(lost),
            (Some((_, memory)), _) => {
                // SAFETY: the source lies in another device's live allocation, or the application vouches for it, as it
                // does with the real driver.
                memory.write(to, unsafe { std::slice::from_raw_parts(from as *const u8, width) }).map_err(lost)
            }
            (None, Some((_, memory))) => {
                // SAFETY: the application vouches for its own memory.
                memory.read(from, unsafe { std::slice::from_raw_parts_mut(to as *mut u8, width) }).map_err(lost)
            }
            (None, None) => {
                // SAFETY: the application vouches for both; they may overlap.
                unsafe { std::ptr::copy(from as *const u8, to as *mut u8, width) };
                Ok(())
            }
        }
    }

    /// A fill, now.
    pub fn fill_now(&mut self, device: usize, fill: &Fill, ready_ns: u64) -> Result<Option<(Span, Activity)>, Cause> {
        let width = fill.count * fill.element;
        let bytes = (width * fill.height) as u64;
        if bytes == 0 {
            return Ok(None);
        }
        let pattern = fill.value.to_le_bytes();
        let Some(allocation) = self.device_place("destination", fill.at, fill.reach())? else { return Ok(None) };
        for row in 0..fill.height {
            self.machines[allocation.device]
                .memory
                .fill(fill.at + (row * fill.pitch) as u64, width as u64, &pattern[..fill.element])
                .map_err(|_| Cause::Defect("an allocation without memory".into()))?;
        }
        // A fill writes only, so it takes half the time of a copy within the device.
        let span = self.machines[device].timeline.copy(Route::Within, bytes / 2, ready_ns);
        Ok(Some((span, Activity { kind: "memset", name: "memset".to_owned(), stream: 0, span, bytes })))
    }
}

impl Fill {
    /// One row of `count` elements of `element` bytes.
    pub fn row(at: u64, value: u32, element: usize, count: usize) -> Fill {
        Fill { at, value, element, count, height: 1, pitch: 0 }
    }
    fn reach(&self) -> u64 {
        if self.count == 0 || self.height == 0 {
            return 0;
        }
        ((self.height as u64 - 1).saturating_mul(self.pitch as u64))
            .saturating_add((self.count as u64).saturating_mul(self.element as u64))
    }
}

fn route(to: &Place, from: &Place) -> (Route, &'static str) {
    let on_device = |place: &Place| match place {
        Place::Known(allocation) if !allocation.home.is_host() => Some(allocation.device),
        _ => None,
    };
    let pinned = |place: &Place| matches!(place, Place::Known(_));
    match (on_device(to), on_device(from)) {
        (Some(a), Some(b)) if a != b => (Route::Peer, "memcpy PtoP"),
        (Some(_), Some(_)) => (Route::Within, "memcpy DtoD"),
        (Some(_), None) => (Route::ToDevice { pinned: pinned(from) }, "memcpy HtoD"),
        (None, Some(_)) => (Route::FromDevice { pinned: pinned(to) }, "memcpy DtoH"),
        (None, None) => (Route::Host, "memcpy HtoH"),
    }
}

/// Whether the call of an asynchronous copy returns before the copy ran: nothing of it is pageable, and it does not go from
/// host to host.
fn may_wait(to: &Place, from: &Place) -> bool {
    both(to, from, |_| true) && !both(to, from, Home::is_host)
}

fn both(to: &Place, from: &Place, lie: fn(Home) -> bool) -> bool {
    matches!((to, from), (Place::Known(to), Place::Known(from)) if lie(to.home) && lie(from.home))
}

/// Memory that only the device has: what waits does not wait for copies within it.
fn is_device(home: Home) -> bool {
    matches!(home, Home::Device | Home::Global)
}

/// Puts a copy on a stream; `wait` for the calls that return when it is done.
pub fn submit(transfer: Transfer, stream: Raw, wait: bool) -> Result<(), Cause> {
    let mut driver = state::lock();
    let stream = driver.stream_of(stream)?;
    let (to, from) = driver.sides(&transfer)?;
    state::spend_ns(CALL_NS);
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
    let at_once = if wait { !both(&to, &from, is_device) } else { !may_wait(&to, &from) };
    let seq = driver.submit(stream, Work::Copy(transfer), &[])?;
    match seq {
        Some(seq) if at_once => finish(driver, stream, seq),
        _ => Ok(()),
    }
}

/// Runs one operation and what it needs, and answers the fault it met.
fn finish(driver: Guard, stream: usize, seq: super::queue::Seq) -> Result<(), Cause> {
    let (driver, _) = demand(driver, &[seq], Patience::Wait);
    let stream = driver.streams.get(stream)?;
    state::wait_until_ns(stream.tail_ns);
    driver.healthy(stream.context).map(|_| ())
}

/// `cuMemcpyHtoD`, `cuMemcpyHtoDAsync`
pub fn host_to_device(to: u64, from: *const c_void, bytes: usize, stream: Raw, wait: bool) -> Result<(), Cause> {
    submit(Transfer::line(to, from as u64, bytes, TO_DEVICE), stream, wait)
}

/// `cuMemcpyDtoH`, `cuMemcpyDtoHAsync`
pub fn device_to_host(to: *mut c_void, from: u64, bytes: usize, stream: Raw, wait: bool) -> Result<(), Cause> {
    submit(Transfer::line(to as u64, from, bytes, FROM_DEVICE), stream, wait)
}

/// `cuMemcpyDtoD`, `cuMemcpyDtoDAsync`
pub fn within(to: u64, from: u64, bytes: usize, stream: Raw, wait: bool) -> Result<(), Cause> {
    submit(Transfer::line(to, from, bytes, WITHIN), stream, wait)
}

/// `cuMemcpy`, `cuMemcpyAsync`: the addresses tell which way.
pub fn unified(to: u64, from: u64, bytes: usize, stream: Raw, wait: bool) -> Result<(), Cause> {
    submit(Transfer::line(to, from, bytes, UNIFIED), stream, wait)
}

/// `cuMemcpyPeer`, `cuMemcpyPeerAsync`
pub fn peer(
    to: u64,
    to_context: Raw,
    from: u64,
    from_context: Raw,
    bytes: usize,
    stream: Raw,
    wait: bool,
) -> Result<(), Cause> {
    {
        let driver = state::lock();
        driver.started()?;
        driver.healthy(to_context as usize)?;
        driver.healthy(from_context as usize)?;
    }
    submit(Transfer::line(to, from, bytes, WITHIN), stream, wait)
}

/// `cuMemcpy2D` and its relatives.
///
/// # Safety
/// `copy` is null or points to the struct.
pub unsafe fn plane(copy: *const Plane, stream: Raw, wait: bool) -> Result<(), Cause> {
    // SAFETY: the caller's promise.
    let c = unsafe { copy.as_ref() }.ok_or(Cause::Null("pCopy"))?;
    let (from, from_device) = side("srcMemoryType", c.from.kind, c.from.host, c.from.device)?;
    let (to, to_device) = side("dstMemoryType", c.to.kind, c.to.host, c.to.device)?;
    let from_pitch = pitch("srcPitch", c.from.pitch, c.width_bytes, c.height)?;
    let to_pitch = pitch("dstPitch", c.to.pitch, c.width_bytes, c.height)?;
    let transfer = Transfer {
        to: start(to, &[(c.to.y, to_pitch), (c.to.x_bytes, 1)]),
        from: start(from, &[(c.from.y, from_pitch), (c.from.x_bytes, 1)]),
        width: c.width_bytes,
        height: c.height,
        depth: 1,
        to_pitch,
        from_pitch,
        to_slice: 0,
        from_slice: 0,
        sides: Sides { to_device, from_device },
    };
    submit(transfer, stream, wait)
}

/// `cuMemcpy3D`, `cuMemcpy3DPeer` and their asynchronous sisters.
///
/// # Safety
/// `copy` is null or points to the struct.
pub unsafe fn solid(copy: *const Solid, stream: Raw, wait: bool) -> Result<(), Cause> {
    // SAFETY: the caller's promise.
    let c = unsafe { copy.as_ref() }.ok_or(Cause::Null("pCopy"))?;
    submit(solid_transfer(c)?, stream, wait)
}

/// The transfer that a three-dimensional description means.
pub fn solid_transfer(c: &Solid) -> Result<Transfer, Cause> {
    let (from, from_device) = side("srcMemoryType", c.from.kind, c.from.host, c.from.device)?;
    let (to, to_device) = side("dstMemoryType", c.to.kind, c.to.host, c.to.device)?;
    let from_pitch = pitch("srcPitch", c.from.pitch, c.width_bytes, c.height)?;
    let to_pitch = pitch("dstPitch", c.to.pitch, c.width_bytes, c.height)?;
    let slice = |pitch: usize, height: usize| pitch.saturating_mul(if height == 0 { c.height } else { height });
    let (from_slice, to_slice) = (slice(from_pitch, c.from.height), slice(to_pitch, c.to.height));
    Ok(Transfer {
        to: start(to, &[(c.to.z, to_slice), (c.to.y, to_pitch), (c.to.x_bytes, 1)]),
        from: start(from, &[(c.from.z, from_slice), (c.from.y, from_pitch), (c.from.x_bytes, 1)]),
        width: c.width_bytes,
        height: c.height,
        depth: c.depth,
        to_pitch,
        from_pitch,
        to_slice,
        from_slice,
        sides: Sides { to_device, from_device },
    })
}

/// An address and its offsets; one that wraps lies in no allocation.
fn start(base: u64, offsets: &[(usize, usize)]) -> u64 {
    offsets.iter().fold(base, |at, &(count, bytes)| at.wrapping_add(count.wrapping_mul(bytes) as u64))
}

fn side(name: &'static str, kind: u32, host: *const c_void, device: u64) -> Result<(u64, Option<bool>), Cause> {
    match kind {
        1 => Ok((host as u64, Some(false))),
        2 => Ok((device, Some(true))),
        4 => Ok((device, None)),
        3 => Err(Cause::NotModelled("a CUDA array")),
        other => Err(Cause::NoSuchValue(name, other.into())),
    }
}

fn pitch(name: &'static str, pitch: usize, width: usize, height: usize) -> Result<usize, Cause> {
    match pitch {
        0 => Ok(width),
        pitch if pitch < width && height > 1 => Err(Cause::OutOfRange(name, pitch as u64, format!("{width} and more"))),
        pitch => Ok(pitch),
    }
}

/// `cuMemsetD8` … `cuMemsetD2D32Async`: stream order for all; those without a stream go to the legacy default stream, and
/// `wait` where the host could see what they leave.
pub fn fill(fill: Fill, stream: Raw, wait: bool) -> Result<(), Cause> {
    let width = fill.count.saturating_mul(fill.element);
    if fill.height > 1 && fill.pitch < width {
        return Err(Cause::OutOfRange("dstPitch", fill.pitch as u64, format!("{width} and more")));
    }
    let mut driver = state::lock();
    let stream = driver.stream_of(stream)?;
    if !fill.at.is_multiple_of(fill.element as u64) {
        return Err(Cause::OutOfRange("dstDevice", fill.at, format!("multiples of {}", fill.element)));
    }
    let place = driver.device_place("dstDevice", fill.at, fill.reach())?;
    let at_once = wait && place.is_some_and(|allocation| !is_device(allocation.home));
    if at_once {
        driver.refuse_in_capture("a memset that waits")?;
    }
    state::spend_ns(CALL_NS);
    if driver.streams.get(stream)?.capture.is_some() {
        return driver.capture_work(stream, Step::Fill(fill));
    }
    if fill.count == 0 || fill.height == 0 {
        return Ok(());
    }
    match driver.submit(stream, Work::Fill(fill), &[])? {
        Some(seq) if at_once => finish(driver, stream, seq),
        _ => Ok(()),
    }
}
