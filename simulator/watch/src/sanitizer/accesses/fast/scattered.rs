//! Weak loads of a warp whose lanes are at any addresses, such as a column of a tile: noted in two short passes where
//! nobody is met.
use crate::sanitizer::shadow::cells::Cell;
use crate::sanitizer::shadow::contexts::STAMP_BITS;
use crate::sanitizer::shadow::stretch::{Parties, Shadows};
use machine::probe::lanes;
use std::ops::Range;

/// A read of lanes at any addresses.
#[derive(Clone, Copy)]
pub struct Scattered<'a> {
    /// Aligned.
    pub addresses: &'a [u64; 32],
    pub mask: u32,
    /// Words of a lane.
    pub words: u32,
    /// Lane 0's, of whole words.
    pub now: Cell,
    /// True if weak reads and strong writes conflict, as they do in shared memory.
    pub reads_clash: bool,
}

impl Scattered<'_> {
    /// Notes it. `false`: nothing is noted, because of words that are not there, or because an earlier access may conflict.
    #[inline(always)]
    pub fn read(self, shadows: &mut impl Shadows, parties: &impl Parties) -> bool {
        // Writers that were found to be ordered, by some bits of the number: a column was written by a few warps in turn.
        let mut ordered = [0; 8];
        let begins = self.begins();
        for run in self.runs(begins) {
            for word in self.words_of(run.first) {
                let (shadow, index) = shadows.of(word);
                let Some(writer) = shadow.only_writer(index, self.reads_clash) else { return false };
                let who = writer.who();
                let known = &mut ordered[(who >> STAMP_BITS ^ who) as usize % 8];
                if who == 0 || *known == who {
                    continue;
                }
                if parties.ordered(writer) {
                    *known = who;
                } else if run.first != run.last || !writer.same_thread(self.now.of_lane(run.first as u64)) {
                    return false;
                }
            }
        }
        for run in self.runs(begins) {
            for word in self.words_of(run.first) {
                let (shadow, index) = shadows.of(word);
                shadow.note_read(index, self.now.of_lane(run.first as u64), parties);
                // The last of the lanes between leaves what all lanes between would leave together.
                if let Some(between) = run.between {
                    shadow.reader_was(index, self.now.of_lane(between as u64));
                }
                if run.first != run.last {
                    shadow.note_read(index, self.now.of_lane(run.last as u64), parties);
                }
            }
        }
        true
    }

    /// The first lanes of runs that read the same words.
    #[inline(always)]
    fn begins(&self) -> u32 {
        let mut others = 1;
        for lane in 1..self.addresses.len() {
            others |= u32::from(self.addresses[lane] != self.addresses[lane - 1]) << lane;
        }
        self.mask & (others | !(self.mask << 1))
    }

    /// The runs with these first lanes.
    #[inline(always)]
    fn runs(self, begins: u32) -> impl Iterator<Item = Run> {
        lanes(begins).map(move |first| {
            let after = (begins | !self.mask) & !1 << first;
            let last = if after == 0 { 31 } else { after.trailing_zeros() as usize - 1 };
            Run { first, between: (last > first + 1).then(|| last - 1), last }
        })
    }

    #[inline(always)]
    fn words_of(&self, lane: usize) -> Range<usize> {
        let first = (self.addresses[lane] / 4) as usize;
        first..first + self.words as usize
    }
}

/// Lanes that read the same words: the first and the last of them, and the one before the last if there are three or more.
struct Run {
    first: usize,
    between: Option<usize>,
    last: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitizer::order::knowledge::MANY;
    use crate::sanitizer::shadow::cells::Use;
    use crate::sanitizer::shadow::stretch::Shadow;
    use crate::sanitizer::shadow::stretch::tests::{Below, random, shadow_of};

    /// Random loads, scattered or of one place for all lanes, noted by the short way where that is allowed, and word by word:
    /// the shadows are the same at any time.
    #[test]
    fn the_short_way_is_the_long_way() {
        let words = 200;
        let (mut quick, mut slow) = (shadow_of(words), shadow_of(words));
        let mut next = random(1u64);
        let (mut short, mut long) = (0, 0);
        for round in 0..20_000u32 {
            let (who, site, reads_clash) = (1 + round / 6 * 3 + next(3) as u32, next(4) as u32, next(2) == 0);
            let parties = Below(1 + round / 6 * 3);
            let used = [Use::Read, Use::Read, Use::Read, Use::Write, Use::Update][next(5) as usize];
            let words_of_lane = 1 << next(3);
            // Anywhere, or as many lanes side by side at one place.
            let alike = [1, 1, 2, 8, 16][next(5) as usize];
            let places: [u64; 32] = std::array::from_fn(|_| 4 * words_of_lane * next(202 / words_of_lane));
            // Or a column, in two pieces sometimes.
            let (start, step, pieces) = (next(8), 1 + next(6), [16, 32][next(2) as usize]);
            let column = next(3) == 0;
            let addresses = std::array::from_fn(|lane| match column {
                true => 4 * words_of_lane * ((start + lane as u64 % pieces * step) % (200 / words_of_lane)),
                false => places[lane / alike],
            });
            let everywhere = next(3) != 0;
            let mask = if !everywhere { 1 } else { [!0, 1 | next(1 << 31) as u32][next(2) as usize] };
            let now = Cell::new(who, site, if everywhere { 0 } else { MANY });
            let each = Scattered { addresses: &addresses, mask, words: words_of_lane as u32, now, reads_clash };
            let noted = used == Use::Read
                && match everywhere {
                    true => each.read(&mut quick, &parties),
                    false => {
                        let first = (addresses[0] / 4) as usize;
                        quick.read_words(first, words_of_lane as usize, now, reads_clash, &parties)
                    }
                };
            let mut met = false;
            for lane in lanes(mask) {
                for word in each.words_of(lane) {
                    let cell = now.of_lane(lane as u64);
                    slow.access(word, used, cell, reads_clash, &parties, |_, _| met = true);
                    if !noted {
                        quick.access(word, used, cell, reads_clash, &parties, |_, _| ());
                    }
                }
            }
            assert!(!(noted && met), "round {round}");
            short += u32::from(noted);
            long += u32::from(used == Use::Read && !noted);
            for role in 0..5 {
                let cells = |shadow: &Shadow| (0..words).map(|at| shadow.roles[role].get(at)).collect::<Vec<_>>();
                assert_eq!(cells(&quick), cells(&slow), "round {round}, role {role}");
            }
        }
        assert!(short > 1000 && long > 1000, "{short} {long}");
    }
}
