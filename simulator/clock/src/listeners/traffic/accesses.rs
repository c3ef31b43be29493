//! Which sectors of which lines an access touches, and which of them a store fills only in part.
use super::sampled::Traffic;
use crate::constants::{LINE_BYTES, SECTOR_BYTES};
use crate::listeners::places::{Places, each_range};
use machine::probe::{Access, AccessKind, Who};

/// Sectors of a line that bytes `first ..= last` (both in the line) touch.
pub fn sectors_of(first: u64, last: u64) -> u8 {
    let (from, to) = (first % LINE_BYTES / SECTOR_BYTES, last % LINE_BYTES / SECTOR_BYTES);
    ((1u8 << (to + 1)) - 1) & !((1u8 << from) - 1)
}

impl Traffic {
    /// A full warp's load of bytes `first ..= last` at a time that its warp counts. The share hears of the time when it is asked, and at the end.
    #[inline(always)]
    pub(super) fn load_at(&mut self, time: u32, first: u64, last: u64) {
        self.accesses[usize::from(self.whole)] += 1;
        let line = first / LINE_BYTES;
        if line != last / LINE_BYTES {
            self.share().come_to(time);
            self.load_of_lines(first, last, time);
        } else if self.whole || self.followed(line) {
            self.share().come_to(time);
            self.followed_line(line, sectors_of(first, last), 0, (false, Some(time)));
        }
    }

    /// A full warp's load of bytes `first ..= last`.
    #[inline(always)]
    pub(super) fn load(&mut self, who: &Who, first: u64, last: u64) {
        self.turn_to(who.block_index);
        let time = self.time(who.warp);
        self.load_at(time, first, last);
    }

    /// Bytes `first ..= last`, which a warp accesses without gaps.
    pub(super) fn range(&mut self, first: u64, last: u64, store: bool, how: (bool, Option<u32>)) {
        self.more_lines += last / LINE_BYTES - first / LINE_BYTES;
        for line in first / LINE_BYTES..last / LINE_BYTES + 1 {
            let from = first.max(line * LINE_BYTES);
            let to = last.min(line * LINE_BYTES + LINE_BYTES - 1);
            let sectors = sectors_of(from, to);
            let whole = ((to + 1) / SECTOR_BYTES).saturating_sub(from.div_ceil(SECTOR_BYTES)) as u32;
            let partial = if store { sectors.count_ones() - whole } else { 0 };
            self.line(line, sectors, partial, how);
        }
    }

    /// Lines of lanes in any order, each line once.
    pub(super) fn scattered(&mut self, access: &Access, how: (bool, Option<u32>)) {
        let (mut count, mut places) = (0, Places::default());
        if access.kind == AccessKind::Load {
            let mut lines = [(0u64, 0u8); 64];
            each_range(access, |first, last| {
                for line in first / LINE_BYTES..=last / LINE_BYTES {
                    let at = places.of(line, count, |at| lines[at].0);
                    if at == count {
                        lines[at] = (line, 0);
                        count += 1;
                    }
                    let (from, to) = (first.max(line * LINE_BYTES), last.min(line * LINE_BYTES + LINE_BYTES - 1));
                    lines[at].1 |= sectors_of(from, to);
                }
            });
            self.more_lines += count.saturating_sub(1) as u64;
            lines[..count].iter().for_each(|&(line, sectors)| self.line(line, sectors, 0, how));
            return;
        }
        let mut lines = [(0u64, 0u8, [0u8; 4]); 64];
        for lane in access.lanes() {
            let first = access.address(lane);
            let last = first + u64::from(access.bytes) - 1;
            for line in first / LINE_BYTES..=last / LINE_BYTES {
                let (from, to) = (first.max(line * LINE_BYTES), last.min(line * LINE_BYTES + LINE_BYTES - 1));
                let at = places.of(line, count, |at| lines[at].0);
                if at == count {
                    lines[at] = (line, 0, [0; 4]);
                    count += 1;
                }
                lines[at].1 |= sectors_of(from, to);
                // Lanes seldom store to the same place; one that spans sectors is at least 32 bytes, and aligned.
                let filled = &mut lines[at].2[(from % LINE_BYTES / SECTOR_BYTES) as usize];
                *filled = filled.saturating_add((to - from + 1) as u8);
            }
        }
        self.more_lines += count.saturating_sub(1) as u64;
        for &(line, sectors, filled) in &lines[..count] {
            let store = access.kind == AccessKind::Store;
            let partial = if store {
                filled.iter().filter(|&&bytes| (1..SECTOR_BYTES as u8).contains(&bytes)).count()
            } else {
                0
            };
            self.line(line, sectors, partial as u32, how);
        }
    }
}
