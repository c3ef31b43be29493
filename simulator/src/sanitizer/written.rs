//! Reads of memory that nothing has written: shared and local memory here, global memory with the allocations' own record.
use super::block::BlockState;
use crate::counters::pattern::lanes;
use crate::memory::Initialised;
use crate::probe::{Access, Pattern};

/// Where unwritten bytes were read: the lanes, and the first address.
pub struct Unwritten {
    pub lanes: u32,
    pub address: u64,
}

/// Shared memory: notes a write, or finds the lanes that read unwritten bytes.
pub fn shared(block: &mut BlockState, access: &Access, reads: bool, writes: bool) -> Option<Unwritten> {
    let mut found = None;
    if block.shared_open == 0 {
        return found;
    }
    for lane in distinct_lanes(access) {
        let address = access.addresses[lane];
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

/// Local memory: likewise, per lane.
pub fn local(block: &mut BlockState, access: &Access, reads: bool, writes: bool) -> Option<Unwritten> {
    let written = block.local_written.get_mut(access.who.warp as usize)?;
    let mut found = None;
    for lane in lanes(access.mask) {
        let start = access.addresses[lane] as usize;
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

/// Global memory: likewise, with the record that outlives the launch.
pub fn global(initialised: &mut Initialised, access: &Access, reads: bool, writes: bool) -> Option<Unwritten> {
    let mut found = None;
    let bytes = u64::from(access.bytes);
    let first = access.mask.trailing_zeros() as usize & 31;
    let active = || lanes(access.mask).map(|lane| access.addresses[lane]);
    let (low, high) = match access.pattern {
        Pattern::Any => (active().min().unwrap_or(0), active().max().unwrap_or(0)),
        Pattern::Same => (access.addresses[first], access.addresses[first]),
        Pattern::Dense => (access.addresses[first], access.addresses[(31 - access.mask.leading_zeros() as usize) & 31]),
    };
    if initialised.is_complete(low, high - low + bytes) {
        return found;
    }
    let run = access.pattern == Pattern::Dense && crate::counters::pattern::is_run(access.mask);
    if run {
        let all = bytes * u64::from(access.mask.count_ones());
        let whole = access.addresses[first];
        if reads && let Some(hole) = initialised.first_unwritten(whole, all) {
            note(&mut found, first + ((hole - whole) / bytes) as usize, hole);
        }
        if writes {
            initialised.wrote(whole, all);
        }
    } else {
        for lane in distinct_lanes(access) {
            if reads && let Some(hole) = initialised.first_unwritten(access.addresses[lane], bytes) {
                note(&mut found, lane, hole);
            }
            if writes {
                initialised.wrote(access.addresses[lane], bytes);
            }
        }
    }
    found
}

fn note(found: &mut Option<Unwritten>, lane: usize, address: u64) {
    found.get_or_insert(Unwritten { lanes: 0, address }).lanes |= 1 << lane;
}

/// One lane where all have the same address, else all.
fn distinct_lanes(access: &Access) -> impl Iterator<Item = usize> {
    lanes(if access.pattern == Pattern::Same { access.mask & access.mask.wrapping_neg() } else { access.mask })
}

/// The 4-byte words of a range, each with a bit for each byte inside.
pub fn words(address: u64, bytes: u32) -> impl Iterator<Item = (usize, u8)> {
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
