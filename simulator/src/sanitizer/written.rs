//! Reads of memory that nothing has written: shared and local memory here, global memory with the allocations' own record.
use super::block::BlockState;
use crate::memory::{Initialised, Range};
use crate::probe::{Access, Addresses, Launch, lanes};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Where unwritten bytes were read: the lanes, and the first address.
pub struct Unwritten {
    pub lanes: u32,
    pub address: u64,
}

/// Shared memory: notes a write, or finds the lanes that read unwritten bytes.
pub fn shared(block: &mut BlockState, access: &Access, reads: bool, writes: bool) -> Option<Unwritten> {
    let mut found = None;
    if block.shared_open == 0 || whole(block, access, reads, writes) {
        return found;
    }
    for lane in lanes(access.distinct_lanes()) {
        let address = access.address(lane);
        for (word, bytes) in words(address, access.bytes) {
            let Some(written) = block.shared_written.get_mut(word) else { continue };
            if reads && *written & bytes != bytes {
                note(&mut found, lane, address);
            }
            // What was reported once counts as written: one report for each place.
            if (writes || reads) && *written != 0xf {
                *written |= bytes;
                block.shared_open -= usize::from(*written == 0xf);
            }
        }
    }
    found
}

/// Likewise for whole words; `false`: some are read that were not written, or more than one piece is written.
fn whole(block: &mut BlockState, access: &Access, reads: bool, writes: bool) -> bool {
    if !access.bytes.is_multiple_of(4) {
        return false;
    }
    let words = |first: u64, bytes: u64| (first / 4) as usize..((first + bytes) / 4) as usize;
    let Some((first, bytes)) = access.range() else {
        let written = |lane: usize| {
            let words = block.shared_written.get(words(access.address(lane), access.bytes.into()));
            words.is_some_and(|words| words.iter().all(|&bytes| bytes == 0xf))
        };
        return !writes && access.lanes().all(written);
    };
    let Some(written) = block.shared_written.get_mut(words(first, bytes)) else { return false };
    let open = written.iter().map(|&bytes| usize::from(bytes != 0xf)).sum::<usize>();
    if reads && open > 0 {
        return false;
    }
    written.fill(0xf);
    block.shared_open -= open;
    true
}

/// Local memory: likewise, per lane.
pub fn local(block: &mut BlockState, access: &Access, reads: bool, writes: bool) -> Option<Unwritten> {
    let written = block.local_written.get_mut(access.who.warp as usize)?;
    let mut found = None;
    for lane in lanes(access.mask) {
        let start = access.address(lane) as usize;
        let end = start + access.bytes as usize;
        if written.len() < end {
            written.resize(end, 0);
        }
        for byte in &mut written[start..end] {
            if reads && *byte >> lane & 1 == 0 {
                note(&mut found, lane, start as u64);
            }
            if writes || reads {
                *byte |= 1 << lane;
            }
        }
    }
    found
}

/// The record of what was written of global memory, which outlives the launch.
pub struct Global {
    record: Arc<Mutex<Initialised>>,
    /// Counts what was freed; see [`Initialised::freed`].
    freed: Arc<AtomicU64>,
    /// The allocation that was last found to be written from its beginning to its end, per site of the entry; good while
    /// nothing else was freed.
    complete: Vec<Range>,
    seen: u64,
}

impl Global {
    /// For a launch.
    pub fn new(launch: &Launch) -> Self {
        let record = launch.memory.initialised();
        let freed = record.lock().unwrap_or_else(PoisonError::into_inner).freed();
        let seen = freed.load(Ordering::Acquire);
        Self { record, freed, complete: vec![Range::NONE; launch.function.sites.len()], seen }
    }

    /// Likewise for global memory.
    pub fn access(&mut self, access: &Access, reads: bool, writes: bool) -> Option<Unwritten> {
        let range = access.range();
        let (low, span) = range.unwrap_or_else(|| {
            let active = || access.lanes().map(|lane| access.address(lane));
            let (low, high) = (active().min().unwrap_or(0), active().max().unwrap_or(0));
            (low, high - low + u64::from(access.bytes))
        });
        let freed = self.freed.load(Ordering::Acquire);
        if self.seen != freed {
            self.complete.fill(Range::NONE);
            self.seen = freed;
        }
        let site = access.site as usize;
        if self.complete.get(site).is_some_and(|complete| complete.holds(low, low + span - 1)) {
            return None;
        }
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(complete) = record.complete(low, span) {
            if let Some(known) = self.complete.get_mut(site) {
                *known = complete;
            }
            return None;
        }
        incomplete(&mut record, access, range, reads, writes)
    }
}

/// Likewise where the allocation has unwritten bytes. `range`: the access's.
fn incomplete(
    record: &mut Initialised,
    access: &Access,
    range: Option<(u64, u64)>,
    reads: bool,
    writes: bool,
) -> Option<Unwritten> {
    let mut found = None;
    let bytes = u64::from(access.bytes);
    if let (Some((first, all)), Addresses::Dense(_)) = (range, access.addresses) {
        if reads && let Some(hole) = record.first_unwritten(first, all) {
            note(&mut found, access.first_lane() + ((hole - first) / bytes) as usize, hole);
        }
        if writes {
            record.wrote(first, all);
        }
        return found;
    }
    for lane in lanes(access.distinct_lanes()) {
        if reads && let Some(hole) = record.first_unwritten(access.address(lane), bytes) {
            note(&mut found, lane, hole);
        }
        if writes {
            record.wrote(access.address(lane), bytes);
        }
    }
    found
}

fn note(found: &mut Option<Unwritten>, lane: usize, address: u64) {
    found.get_or_insert(Unwritten { lanes: 0, address }).lanes |= 1 << lane;
}

/// The 4-byte words of a range, each with a bit for each byte inside.
fn words(address: u64, bytes: u32) -> impl Iterator<Item = (usize, u8)> {
    let end = address + u64::from(bytes);
    (address / 4..end.div_ceil(4)).map(move |word| {
        let low = address.max(word * 4) - word * 4;
        let high = end.min(word * 4 + 4) - word * 4;
        (word as usize, ((1u8 << high) - (1 << low)) & 0xf)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_range() {
        assert_eq!(words(4, 8).collect::<Vec<_>>(), [(1, 15), (2, 15)]);
        assert_eq!(words(6, 1).collect::<Vec<_>>(), [(1, 0b0100)]);
        assert_eq!(words(2, 4).collect::<Vec<_>>(), [(0, 0b1100), (1, 0b0011)]);
    }
}
