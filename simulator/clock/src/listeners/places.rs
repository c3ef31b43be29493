//! The lines of one access by their numbers: lanes in no order have up to 64, too many to look through for each lane.
use crate::constants::LINE_SLOTS;
use machine::probe::Access;

/// The place of each line in a list that grows, by open addressing.
pub(super) struct Places {
    /// Places counted from 1 on. 0: none.
    slots: [u8; LINE_SLOTS],
    last: usize,
}

impl Default for Places {
    fn default() -> Self {
        Places { slots: [0; LINE_SLOTS], last: 0 }
    }
}

impl Places {
    /// The place of a line in a list of `count`, whose numbers `line_at` tells; `count` itself if it is not there, where it must be put.
    #[inline(always)]
    pub fn of(&mut self, line: u64, count: usize, line_at: impl Fn(usize) -> u64) -> usize {
        // Neighbouring lanes mostly share a line.
        if self.last < count && line_at(self.last) == line {
            return self.last;
        }
        let mut slot = (line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize % LINE_SLOTS;
        self.last = loop {
            match usize::from(self.slots[slot]) {
                0 => {
                    self.slots[slot] = count as u8 + 1;
                    break count;
                }
                known if line_at(known - 1) == line => break known - 1,
                _ => slot = (slot + 1) % LINE_SLOTS,
            }
        };
        self.last
    }
}

/// Gives the first and the last byte of what lanes access, once for lanes that follow each other and have the same bytes or the next ones.
#[inline(always)]
pub(super) fn each_range(access: &Access, mut range: impl FnMut(u64, u64)) {
    let bytes = u64::from(access.bytes);
    let mut lanes = access.lanes().map(|lane| access.address(lane));
    let Some(mut first) = lanes.next() else { return };
    let mut last = first;
    for address in lanes {
        if address != last && address != last + bytes {
            range(first, last + bytes - 1);
            first = address;
        }
        last = address;
    }
    range(first, last + bytes - 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::probe::{AccessKind, Addresses, Order, Who};
    use ptx::isa::Space;

    #[test]
    fn lanes_side_by_side_are_one_range() {
        let ranges = |mask, of: &dyn Fn(u64) -> u64| {
            let addresses = std::array::from_fn(|lane| 64 + of(lane as u64));
            let (who, kind, space, order) = (Who::default(), AccessKind::Load, Space::Global, Order::WEAK);
            let addresses = Addresses::Each(&addresses);
            let access = Access { who, site: 0, kind, space, mask, addresses, bytes: 4, order, stored: None };
            let mut found = Vec::new();
            each_range(&access, |first, last| found.push((first - 64, last - 64)));
            found
        };
        assert_eq!(ranges(!0, &|lane| lane / 8 * 128 + lane % 8 * 4), [(0, 31), (128, 159), (256, 287), (384, 415)]);
        assert_eq!(ranges(!0, &|lane| lane / 2 * 4), [(0, 63)]);
        assert_eq!(ranges(0b1011, &|lane| lane * 4), [(0, 7), (12, 15)]);
        assert_eq!(ranges(0b111, &|lane| 8 - lane * 4), [(8, 11), (4, 7), (0, 3)]);
    }

    #[test]
    fn each_line_has_the_place_where_it_was_first_put() {
        // Lines that lie in a row, far apart, and again.
        let lines = (0..48u64).map(|at| if at % 3 == 0 { at << 40 } else { at }).chain([5, 5, 3 << 40, 1, 47, 0]);
        let (mut places, mut known) = (Places::default(), Vec::new());
        for line in lines {
            let place = places.of(line, known.len(), |at| known[at]);
            if place == known.len() {
                known.push(line);
            }
            assert_eq!(known.iter().position(|&other| other == line), Some(place));
        }
        assert_eq!(known.len(), 48);
    }
}
