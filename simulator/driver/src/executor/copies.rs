//! Copies, fills and written values: looked up under the lock, done without it.
use super::job::Placed;
use crate::interface::{Cause, Outcome};
use crate::objects::graphs::{Answered, Fill, Transfer};
use crate::objects::memory::allocation::{Allocation, Location};
use crate::state::Driver;
use clock::cards::Device;
use clock::streams::copy_engine::Source;
use clock::streams::ready::Engine;
use clock::streams::timeline::{Route, Timeline};
use machine::memory::{Memory, Outside};
use std::sync::Arc;

/// A copy whose sides were found.
pub struct Copy {
    transfer: Transfer,
    to: Side,
    from: Side,
    route: Route,
    kind: &'static str,
}

/// The arena that one side of a copy lies in, with its device; `None` for ordinary host memory.
type Side = Option<(usize, Arc<Memory>)>;

/// Bytes to be written at an address of an arena.
pub struct Write {
    memory: Arc<Memory>,
    at: u64,
    bytes: Vec<u8>,
}

impl Driver {
    /// Looks a copy up again: what it touches may have been freed since the call.
    pub fn prepare_copy(&self, transfer: &Transfer) -> Result<Copy, Cause> {
        let (to, from) = self.sides(transfer)?;
        for (what, side, address) in [("destination", &to, transfer.to), ("source", &from, transfer.from)] {
            if let Location::Known(allocation) = side {
                self.refuse_away(what, allocation, address)?;
            }
        }
        let (route, kind) = route(&to, &from);
        let side = |location: Location| match location {
            Location::Known(allocation) => Some((allocation.device, self.devices[allocation.device].memory.clone())),
            Location::Pageable => None,
        };
        Ok(Copy { transfer: *transfer, to: side(to), from: side(from), route, kind })
    }

    /// Looks a fill up again; `None`: there is nothing to fill.
    pub fn prepare_fill(&self, fill: &Fill) -> Result<Option<(Arc<Memory>, Fill)>, Cause> {
        let allocation = self.device_location("destination", fill.at, fill.reach())?;
        if let Some(allocation) = &allocation {
            self.refuse_away("destination", allocation, fill.at)?;
        }
        Ok(allocation.map(|allocation| (self.devices[allocation.device].memory.clone(), *fill)))
    }

    /// Refuses a graph's memory that was freed, or that no launch has allocated yet.
    fn refuse_away(&self, what: &'static str, allocation: &Allocation, address: u64) -> Outcome {
        if allocation.is_away() { Err(self.no_allocation(what, address)) } else { Ok(()) }
    }

    /// Looks the place of a value up again.
    pub fn prepare_write(&self, at: u64, value: u64, bytes: u8) -> Result<Option<Write>, Cause> {
        let allocation = self.device_location("address", at, bytes.into())?;
        let bytes = value.to_le_bytes()[..usize::from(bytes)].to_vec();
        Ok(allocation.map(|allocation| Write { memory: self.devices[allocation.device].memory.clone(), at, bytes }))
    }
}

fn lost(_: Outside) -> Cause {
    Cause::Defect("an allocation without memory".into())
}

/// Moves the bytes of a copy.
pub fn copy(copy: &Copy) -> Outcome {
    let t = &copy.transfer;
    for slice in 0..t.depth {
        for row in 0..t.height {
            let to = t.to + (slice * t.to_slice + row * t.to_pitch) as u64;
            let from = t.from + (slice * t.from_slice + row * t.from_pitch) as u64;
            copy_row(&copy.to, to, &copy.from, from, t.width)?;
        }
    }
    Ok(())
}

/// One row, through the arenas where it touches them: they note what was written.
fn copy_row(to_side: &Side, to: u64, from_side: &Side, from: u64, width: usize) -> Outcome {
    match (to_side, from_side) {
        (Some((_, memory)), Some((_, source))) => memory.copy(to, (source, from), width as u64).map_err(lost),
        (Some((_, memory)), None) => {
            // SAFETY: the application vouches for the source, as it does with the real driver.
            memory.write(to, unsafe { std::slice::from_raw_parts(from as *const u8, width) }).map_err(lost)
        }
        (None, Some((_, memory))) => {
            // SAFETY: the application vouches for its own memory.
            memory.read(from, unsafe { std::slice::from_raw_parts_mut(to as *mut u8, width) }).map_err(lost)?;
            memory.read_by_host(from, width as u64);
            Ok(())
        }
        (None, None) => {
            // SAFETY: the application vouches for both; they may overlap.
            unsafe { std::ptr::copy(from as *const u8, to as *mut u8, width) };
            Ok(())
        }
    }
}

/// Places a copy on the clock.
pub fn place_copy(timeline: &mut Timeline, start: impl Fn(Engine) -> u64, from: Source, copy: &Copy) -> Option<Placed> {
    let bytes = copy.transfer.bytes();
    let engine = if copy.route == Route::Within { Engine::Multiprocessors } else { Engine::Copies };
    (bytes > 0).then(|| Placed::new(copy.kind, engine, timeline.copy(copy.route, bytes, start(engine), from), bytes))
}

/// Writes the pattern of a fill.
pub fn fill((memory, fill): &(Arc<Memory>, Fill)) -> Outcome {
    let pattern = fill.value.to_le_bytes();
    for row in 0..fill.height {
        let at = fill.at + (row * fill.pitch) as u64;
        memory.fill(at, (fill.count * fill.element) as u64, &pattern[..fill.element]).map_err(lost)?;
    }
    Ok(())
}

/// Places a fill on the clock: it writes only, so it takes half the time of a copy within the device.
pub fn place_fill(
    timeline: &mut Timeline,
    ready_ns: u64,
    from: Source,
    (_, fill): &(Arc<Memory>, Fill),
) -> Option<Placed> {
    let bytes = (fill.count * fill.element * fill.height) as u64;
    let mut span = || timeline.copy(Route::Within, bytes / 2, ready_ns, from);
    (bytes > 0).then(|| Placed::new("memset", Engine::Multiprocessors, span(), bytes))
}

/// Places an operation that the host computed: it takes as long as its bytes or its multiply-adds do, an estimate.
pub fn place_answer(
    timeline: &mut Timeline,
    card: &Device,
    ready_ns: u64,
    from: Source,
    answered: &Answered,
) -> Option<Placed> {
    let lanes = f64::from(card.multiprocessors * card.architecture.schedulers_per_multiprocessor * 32);
    let computing_s = answered.multiply_adds as f64 / (lanes * card.clock_hz);
    let moved = answered.touched.iter().map(|&(_, bytes, _)| bytes).sum();
    let bytes = u64::max(moved, (computing_s * card.memory_bytes_per_s) as u64);
    let span = timeline.copy(Route::Within, bytes / 2, ready_ns, from);
    Some(Placed::new("answered", Engine::Multiprocessors, span, moved))
}

/// Writes a value.
pub fn write(write: &Write) -> Outcome {
    write.memory.write(write.at, &write.bytes).map_err(lost)
}

fn route(to: &Location, from: &Location) -> (Route, &'static str) {
    let on_device = |location: &Location| match location {
        Location::Known(allocation) if !allocation.kind.is_host() => Some(allocation.device),
        _ => None,
    };
    let pinned = |location: &Location| matches!(location, Location::Known(_));
    match (on_device(to), on_device(from)) {
        (Some(a), Some(b)) if a != b => (Route::Peer, "memcpy PtoP"),
        (Some(_), Some(_)) => (Route::Within, "memcpy DtoD"),
        (Some(_), None) => (Route::ToDevice { pinned: pinned(from) }, "memcpy HtoD"),
        (None, Some(_)) => (Route::FromDevice { pinned: pinned(to) }, "memcpy DtoH"),
        (None, None) => (Route::Host, "memcpy HtoH"),
    }
}
