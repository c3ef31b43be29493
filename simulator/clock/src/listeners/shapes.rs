//! Which lines, wavefronts and turns an access has.
use super::places::{Places, each_range};
use crate::compiler::local;
use crate::constants::{LINE_BYTES, SECTOR_BYTES};
use machine::probe::banks::{BANKS, active_parts, in_pairs, parts, range_is_in_pairs};
use machine::probe::remembered::Remembered;
use machine::probe::{Access, AccessKind, Addresses, lanes};
use ptx::isa::Space;
use rustc_hash::FxHashMap;

/// Appends the lines of an access, each once; the sectors of them that a store, or an atomic, does not fill.
pub(super) fn lines(access: &Access, to: &mut Vec<(u64, u8)>) -> u16 {
    let start = to.len();
    if access.space == Space::Local {
        return local::lines(access, to);
    }
    if let Some((first, bytes)) = access.range() {
        let last = first + bytes - 1;
        lines_of_range(first, last, to);
        let whole = ((last + 1) / SECTOR_BYTES).saturating_sub(first.div_ceil(SECTOR_BYTES));
        return (last / SECTOR_BYTES - first / SECTOR_BYTES + 1 - whole) as u16;
    }
    let mut places = Places::default();
    if access.kind == AccessKind::Load {
        each_range(access, |first, last| {
            for line in first / LINE_BYTES..=last / LINE_BYTES {
                let at = start + places.of(line, to.len() - start, |at| to[start + at].0);
                if at == to.len() {
                    to.push((line, 0));
                }
                to[at].1 |= sectors(line, first, last);
            }
        });
        return 0;
    }
    let mut filled = [0u16; 64 * 4];
    let mut add = |first: u64, last: u64| {
        for line in first / LINE_BYTES..=last / LINE_BYTES {
            let sectors = sectors(line, first, last);
            let (from, last) = (first.max(line * LINE_BYTES), last.min(line * LINE_BYTES + LINE_BYTES - 1));
            let (low, high) = (from % LINE_BYTES / SECTOR_BYTES, last % LINE_BYTES / SECTOR_BYTES);
            let at = start + places.of(line, to.len() - start, |at| to[start + at].0);
            if at == to.len() {
                to.push((line, 0));
            }
            to[at].1 |= sectors;
            for sector in low..=high {
                let bytes = (last % LINE_BYTES).min(sector * SECTOR_BYTES + SECTOR_BYTES - 1) + 1
                    - (from % LINE_BYTES).max(sector * SECTOR_BYTES);
                if let Some(filled) = filled.get_mut((at - start) * 4 + sector as usize) {
                    *filled += bytes as u16;
                }
            }
        }
    };
    access.lanes().for_each(|lane| {
        let first = access.address(lane);
        add(first, first + u64::from(access.bytes) - 1);
    });
    filled.iter().filter(|&&bytes| (1..SECTOR_BYTES as u16).contains(&bytes)).count() as u16
}

/// Appends the lines of a range of addresses.
pub(super) fn lines_of_range(first: u64, last: u64, to: &mut Vec<(u64, u8)>) {
    for line in first / LINE_BYTES..last / LINE_BYTES + 1 {
        to.push((line, sectors(line, first, last)));
    }
}

/// The sectors of a line that lie in a range of addresses.
pub(super) fn sectors(line: u64, first: u64, last: u64) -> u8 {
    let (from, last) = (first.max(line * LINE_BYTES), last.min(line * LINE_BYTES + LINE_BYTES - 1));
    let (low, high) = (from % LINE_BYTES / SECTOR_BYTES, last % LINE_BYTES / SECTOR_BYTES);
    ((1u8 << (high + 1)) - 1) & !((1u8 << low) - 1)
}

/// The low four bits that any lane's address has.
pub(super) fn low_bits(access: &Access) -> u8 {
    let bits = |lane| access.address(lane) as u8 & 15;
    match access.addresses {
        Addresses::Same(address) => low_bits_of_range(address, access.bytes as u8, false),
        Addresses::Dense(address) if access.mask == !0 => low_bits_of_range(address, access.bytes as u8, true),
        Addresses::Each(all) if access.mask == !0 => all.iter().fold(0, |low, address| low | address) as u8 & 15,
        _ => access.lanes().fold(0, |low, lane| low | bits(lane)),
    }
}

/// The same of elements of all lanes, one after the other or one for all.
pub(super) fn low_bits_of_range(first: u64, bytes: u8, dense: bool) -> u8 {
    // Elements have a power of two of bytes: one after the other they come to all multiples of it.
    let stepped = if dense { !bytes.wrapping_sub(1) } else { 0 };
    (first as u8 | stepped) & 15
}

/// Bytes of loads of two and of four words, and their wavefronts where all lanes ask for the same: words that lie one after the other,
/// a lane each, are not loaded as several.
const WIDE_BYTES: [u32; 2] = [8, 16];
pub(super) const WIDE_OF_RANGE: [u16; 2] = [1, 2];

/// Passes of an access to shared memory: the most different words of one bank, or for atomics the most lanes of one bank.
pub(super) fn wavefronts(kind: AccessKind, addresses: &[u64; 32], mask: u32, bytes: u32, every_lane: bool) -> u16 {
    let mut total = 0;
    // The words of each bank, as lists from the last one on: each word's number less one, and that of the word before.
    let mut words = [(0u64, 0u8); MOST_WORDS];
    for part in parts(in_pairs(kind, mask, addresses, bytes, 4), bytes, 4) {
        let (mut lasts, mut counts) = ([0u8; BANKS as usize], [0u8; BANKS as usize]);
        let mut number = 0;
        for lane in lanes(mask & part) {
            let first = addresses[lane] / 4;
            for word in first..first + u64::from(bytes.div_ceil(4)) {
                let bank = (word % BANKS) as usize;
                let mut at = lasts[bank];
                while at != 0 && (every_lane || words[at as usize - 1].0 != word) {
                    at = if every_lane { 0 } else { words[at as usize - 1].1 };
                }
                if at == 0 && counts[bank] < 32 && number < MOST_WORDS {
                    words[number] = (word, lasts[bank]);
                    number += 1;
                    lasts[bank] = number as u8;
                    counts[bank] += 1;
                }
            }
        }
        total += u16::from(counts.into_iter().max().unwrap_or(0).max(1));
    }
    total
}

/// Wavefronts of an access, those of the two and the four words that a word from shared memory is one of, and the fewest that it has where rows of
/// an array in shared memory are an element longer.
type Wavefronts = (u16, [u16; 2], u16);

/// An access: function, site, and whether it is one to shared memory.
type Place = (u32, u32, bool);

/// The last patterns of accesses at any addresses.
#[derive(Default)]
pub(super) struct LastPatterns(FxHashMap<Place, Option<Box<Remembered<Wavefronts>>>>);

impl LastPatterns {
    /// Wavefronts of an access to shared memory, or of the data that L1 gives it.
    pub fn wavefronts(&mut self, access: &Access, all: &[u64; 32], shared: bool, every_lane: bool) -> Wavefronts {
        let (kind, mask, bytes) = (access.kind, access.mask, access.bytes);
        let last = self.0.entry((access.who.function, access.site, shared)).or_default();
        // An access that lies further on by the widest load, or several of them, has its banks changed for each other.
        Remembered::cost(last, mask, all, u64::from(WIDE_BYTES[1]), || {
            let wide = |wide: u32| {
                let whole = all.map(|address| address & !u64::from(wide - 1));
                wavefronts(kind, &whole, mask, wide, false)
            };
            let is_word = shared && kind == AccessKind::Load && bytes == 4;
            let of_wide = if is_word { WIDE_BYTES.map(wide) } else { WIDE_OF_RANGE };
            let own = wavefronts(kind, all, mask, bytes, every_lane);
            (own, of_wide, if shared && own > 1 { padded(kind, all, mask, bytes) } else { own })
        })
    }
}

/// The fewest passes of an access where each row of an array is an element longer, whatever words a row has.
fn padded(kind: AccessKind, all: &[u64; 32], mask: u32, bytes: u32) -> u16 {
    let of_row = |row: &u64| {
        let longer = all.map(|address| address + address / (row * 4) * u64::from(bytes));
        wavefronts(kind, &longer, mask, bytes, false)
    };
    ROWS.iter().map(of_row).min().unwrap_or(u16::MAX)
}

/// Words of a row that padding is tried for.
const ROWS: [u64; 5] = [16, 32, 64, 128, 256];

/// Words that the lanes of a part ask for, which are as many as there are banks, or twice as many where they come in pairs.
const MOST_WORDS: usize = 2 * BANKS as usize;

/// The same of an element for all lanes, or one for each lane after the other.
pub(super) fn wavefronts_of_range(kind: AccessKind, mask: u32, dense: bool, bytes: u32) -> u16 {
    let pairs = range_is_in_pairs(kind, mask, dense, bytes, 4);
    active_parts(pairs, mask, bytes, 4) as u16
}

/// The fewest wavefronts, or sectors, that so many bytes take.
pub(super) fn least(shared: bool, bytes: u32) -> u16 {
    u64::from(bytes).div_ceil(if shared { BANKS * 4 } else { SECTOR_BYTES }) as u16
}

/// Lanes of the busiest word.
pub(super) fn turns(access: &Access) -> u16 {
    match access.addresses {
        Addresses::Same(_) => access.lane_count() as u16,
        Addresses::Dense(_) => 1,
        Addresses::Each(_) => {
            let same =
                |lane: usize| access.lanes().filter(|&other| access.address(other) == access.address(lane)).count();
            access.lanes().map(same).max().unwrap_or(1) as u16
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bits_of_a_range_are_those_of_its_lanes() {
        for first in 0..64u64 {
            for bytes in [1u8, 2, 4, 8, 16, 32] {
                let of_lanes = (0..32).fold(0, |low, lane| low | (first + lane * u64::from(bytes)) as u8 & 15);
                assert_eq!(low_bits_of_range(first, bytes, true), of_lanes, "{bytes} bytes from {first}");
                assert_eq!(low_bits_of_range(first, bytes, false), first as u8 & 15, "{bytes} bytes at {first}");
            }
        }
    }
}
