//! Shadow memory: cells for the words of a stretch of memory.
//!
//! A plane for each role of a word, so that what a warp does side by side lies side by side: an access of a full warp to
//! neighbouring words meets what one access made in one comparison, and what several made by a few vector instructions.
use super::cells::{Cell, Use};
use super::clock::MANY;
use super::plane::{Lanes, Made, Plane, ROW};
use crate::host::Level;

/// Shadow of a stretch of memory. A plane without any cell yet takes no room.
#[derive(Debug, Default)]
pub struct Shadow {
    words: usize,
    /// The last of each word's writers, readers, readers before those, strong writers and strong readers, in this order.
    planes: [Plane; 5],
}

/// What a full warp does with neighbouring words.
#[derive(Clone, Copy)]
pub struct Row {
    pub used: Use,
    /// Lane 0's first word.
    pub first: usize,
    /// 1, 2 or 4; lane *i* has those from `first + i · words_per_lane` on.
    pub words_per_lane: usize,
    /// Lane 0's, of whole words.
    pub now: Cell,
    /// Whether weak reads and strong writes conflict, as they do in shared memory.
    pub reads_clash: bool,
}

/// What the owner of the cells knows of those who made them.
pub trait Parties {
    /// Whether all that a cell's warp did when it carried the cell's stamp comes before the access that is noted now.
    fn ordered(&self, cell: Cell) -> bool;
    /// Whether the access that is noted now is from where the `latest` reader is, and the one before it from afar and not
    /// ordered: then that one says more.
    fn stays(&self, older: Cell, latest: Cell) -> bool;
    /// Whether the two are the same lane of the same warp, at whatever time.
    fn same_lane(&self, cell: Cell, now: Cell) -> bool;
}

impl Shadow {
    /// Makes it the shadow of so many words that nobody has touched.
    pub fn clear(&mut self, words: usize) {
        self.words = words;
        self.planes.iter_mut().for_each(Plane::clear);
    }

    /// The last weak writer of a word.
    pub fn writer(&self, index: usize) -> Cell {
        if index < self.words { self.planes[0].get(index) } else { Cell::NOBODY }
    }

    /// Notes an access to one word, if there is such a word, and gives every earlier one that may conflict with it to
    /// `judge`. `reads_clash`: see [`Row`].
    #[inline]
    pub fn access(
        &mut self,
        index: usize,
        used: Use,
        now: Cell,
        reads_clash: bool,
        parties: &impl Parties,
        mut judge: impl FnMut(Cell, Use),
    ) {
        if index >= self.words {
            return;
        }
        let words = self.words;
        let [writer, reader, older, strong, strong_reader] = &mut self.planes;
        let mut meet = |earlier: Cell, earlier_use: Use| {
            let same = earlier.same_thread(now) && (used == Use::Read || now.lane() != MANY);
            if earlier.touches(now) && !same && !parties.ordered(earlier) {
                judge(earlier, earlier_use);
            }
        };
        // Who has read what a strong access wrote comes behind it by coherence, whatever else is ordered.
        let observed = |strong_reader: &Plane| {
            let observed = strong_reader.get(index);
            observed.who() != 0 && parties.same_lane(observed, now)
        };
        match used {
            Use::Read => {
                meet(writer.get(index), Use::Write);
                if reads_clash && !strong.is_empty() && !observed(strong_reader) {
                    meet(strong.get(index), Use::StrongWrite);
                }
                let before = reader.get(index);
                if before == now {
                    return;
                }
                reader.set(index, now, words);
                if before != Cell::NOBODY && !before.same_thread(now) && !parties.stays(older.get(index), before) {
                    older.set(index, before, words);
                }
            }
            Use::Write => {
                meet(writer.get(index), Use::Write);
                meet(reader.get(index), Use::Read);
                meet(older.get(index), Use::Read);
                if !observed(strong_reader) {
                    meet(strong.get(index), Use::StrongWrite);
                }
                meet(strong_reader.get(index), Use::StrongRead);
                // Whoever conflicts with a reader before this write conflicts with the write as well.
                for plane in [reader, older, strong, strong_reader] {
                    plane.set(index, Cell::NOBODY, words);
                }
                writer.set(index, now, words);
            }
            Use::StrongRead => {
                meet(writer.get(index), Use::Write);
                meet(strong.get(index), Use::StrongWrite);
                strong_reader.set(index, now, words);
            }
            Use::StrongWrite | Use::Update => {
                meet(writer.get(index), Use::Write);
                if reads_clash {
                    meet(reader.get(index), Use::Read);
                    meet(older.get(index), Use::Read);
                }
                meet(strong.get(index), Use::StrongWrite);
                meet(strong_reader.get(index), Use::StrongRead);
                strong_reader.set(index, Cell::NOBODY, words);
                strong.set(index, now, words);
            }
        }
    }

    /// Notes what a full warp does. `false`: nothing is noted, because of words that are not there, or because an earlier
    /// access may conflict: one that is neither ordered nor the same thread's.
    #[inline]
    #[allow(unsafe_code)]
    pub fn access_row(&mut self, level: Level, row: Row, parties: &impl Parties) -> bool {
        match level {
            // SAFETY: `Level::detect` found these instructions.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512(self, row, parties) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2(self, row, parties) },
            _ => note(self, row, parties),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
unsafe fn avx512(shadow: &mut Shadow, row: Row, parties: &impl Parties) -> bool {
    note(shadow, row, parties)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn avx2(shadow: &mut Shadow, row: Row, parties: &impl Parties) -> bool {
    note(shadow, row, parties)
}

#[inline(always)]
fn note(shadow: &mut Shadow, row: Row, parties: &impl Parties) -> bool {
    let words = shadow.words;
    if row.first + ROW * row.words_per_lane > words || row.used.is_strong() {
        return false;
    }
    let [writer, reader, older, strong, strong_reader] = &mut shadow.planes;
    if row.used == Use::Read {
        let fine = meets_nobody(writer, row, words, parties);
        if !fine || row.reads_clash && !meets_nobody(strong, row, words, parties) {
            return false;
        }
        for (first, now) in pieces(row) {
            read(reader, older, first, now, words, parties);
        }
        return true;
    }
    for plane in [&mut *writer, reader, older, strong, strong_reader] {
        if !meets_nobody(plane, row, words, parties) {
            return false;
        }
    }
    for (first, now) in pieces(row) {
        for plane in [&mut *reader, older, strong, strong_reader] {
            make(plane, first, Made::NOBODY, words);
        }
        make(writer, first, now, words);
    }
    true
}

/// Notes `now` in 32 words from `first` on.
#[inline(always)]
fn make(plane: &mut Plane, first: usize, now: Made, words: usize) {
    if first.is_multiple_of(ROW) {
        plane.make(first / ROW, now, words);
    } else if !(plane.is_empty() && now == Made::NOBODY) {
        now.write(plane.across(first, words));
    }
}

/// Notes a read of 32 words from `first` on; who read them last is kept as the reader before, unless that one says more.
#[inline(always)]
fn read(reader: &mut Plane, older: &mut Plane, first: usize, now: Made, words: usize, parties: &impl Parties) {
    if first.is_multiple_of(ROW) {
        let row = first / ROW;
        if let Some(latest) = reader.made(row) {
            if latest == Made::NOBODY || latest.same_threads(now) {
                return reader.make(row, now, words);
            }
            if latest.first.who() != now.first.who()
                && let Some(before) = older.made(row)
            {
                if !parties.stays(before.first, latest.first) {
                    older.make(row, latest, words);
                }
                return reader.make(row, now, words);
            }
        }
    }
    let latest = reader.across(first, words);
    // Where there are older readers, moving a row on costs no more than asking whether it must be.
    if !older.is_empty() || others(latest, now) {
        keep_others(older.across(first, words), latest, now, parties);
    }
    make(reader, first, now, words);
}

/// Whether nothing in the plane conflicts with the row.
#[inline(always)]
fn meets_nobody(plane: &mut Plane, row: Row, words: usize, parties: &impl Parties) -> bool {
    if plane.is_empty() {
        return true;
    }
    pieces(row).all(|(first, now)| match plane.made(first / ROW) {
        Some(made) if first.is_multiple_of(ROW) => {
            made == Made::NOBODY || parties.ordered(made.first) || made.same_threads(now)
        }
        _ => harmless(plane.across(first, words), now, parties),
    })
}

/// The pieces of a row: each's first word and what it is given, in their order.
#[inline(always)]
fn pieces(row: Row) -> impl Iterator<Item = (usize, Made)> {
    let shift = row.words_per_lane.trailing_zeros() as u8;
    (0..1usize << shift).map(move |piece| {
        let first = row.now.of_lane((piece as u64 * ROW as u64) >> shift);
        (row.first + piece * ROW, Made { first, lanes: Lanes::Each(shift) })
    })
}

/// Whether no earlier access in the words conflicts with what is done now.
#[inline(always)]
fn harmless(cells: &[Cell; ROW], now: Made, parties: &impl Parties) -> bool {
    // Nearly always one access of a warp was the last in all of them, or none was: seen without a look at each.
    let (mut any, mut all) = (0, !0);
    for cell in cells {
        any |= cell.bits();
        all &= cell.bits();
    }
    if any == 0 || (any ^ all) >> 32 == 0 && parties.ordered(cells[0]) {
        return true;
    }
    one_by_one(cells, now, parties)
}

#[inline(never)]
fn one_by_one(cells: &[Cell; ROW], now: Made, parties: &impl Parties) -> bool {
    let mut known = 0;
    cells.iter().zip(now.lanes()).all(|(cell, &lane)| {
        if cell.who() == known || cell.who() == 0 || cell.same_thread(now.first.of_lane(lane)) {
            return true;
        }
        let harmless = parties.ordered(*cell);
        known = if harmless { cell.who() } else { known };
        harmless
    })
}

/// Whether any word was last read by somebody else than who reads it now.
#[inline(always)]
fn others(latest: &[Cell; ROW], now: Made) -> bool {
    let (mut any, mut differ) = (0, 0);
    for (cell, &lane) in latest.iter().zip(now.lanes()) {
        any |= cell.bits();
        differ |= cell.other_thread(now.first.of_lane(lane));
    }
    any != 0 && differ != 0
}

/// Makes those who read last the readers before, where now somebody else reads, and those before do not say more.
#[inline(always)]
fn keep_others(older: &mut [Cell; ROW], latest: &[Cell; ROW], now: Made, parties: &impl Parties) {
    match (same_party(older), same_party(latest)) {
        (Some(Cell::NOBODY), Some(_)) => {}
        (Some(before), Some(last)) if last == Cell::NOBODY || parties.stays(before, last) => return,
        (Some(_), Some(_)) => {}
        _ => {
            for ((older, latest), &lane) in older.iter_mut().zip(latest).zip(now.lanes()) {
                let same = *latest == Cell::NOBODY || latest.same_thread(now.first.of_lane(lane));
                *older = if same || parties.stays(*older, *latest) { *older } else { *latest };
            }
            return;
        }
    }
    for ((older, latest), &lane) in older.iter_mut().zip(latest).zip(now.lanes()) {
        *older = if latest.same_thread(now.first.of_lane(lane)) { *older } else { *latest };
    }
}

/// One of the cells, if all were made by one warp at one time, or none was made.
#[inline(always)]
fn same_party(cells: &[Cell; ROW]) -> Option<Cell> {
    let (mut any, mut all) = (0, !0);
    for cell in cells {
        any |= cell.bits();
        all &= cell.bits();
    }
    ((any ^ all) >> 32 == 0).then_some(cells[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shadow_of(words: usize) -> Shadow {
        let mut shadow = Shadow::default();
        shadow.clear(words);
        shadow
    }

    /// Everybody is ordered behind those below a number; who is odd is in one place, who is even in another.
    struct Below(u32);

    impl Parties for Below {
        fn ordered(&self, cell: Cell) -> bool {
            cell.who() < self.0
        }
        fn stays(&self, older: Cell, latest: Cell) -> bool {
            older.who() != 0 && older.who() >= self.0 && (older.who() ^ latest.who()) & 1 != 0
        }
        fn same_lane(&self, _: Cell, _: Cell) -> bool {
            false
        }
    }

    fn conflicts(word: &mut Shadow, used: Use, now: Cell) -> Vec<(u32, Use)> {
        let mut seen = Vec::new();
        word.access(0, used, now, true, &Below(0), |cell, used| seen.push((cell.who(), used)));
        seen
    }

    #[test]
    fn reads_do_not_conflict_and_writes_meet_everyone() {
        let mut word = shadow_of(1);
        assert!(conflicts(&mut word, Use::Read, Cell::new(1, 0, 0, 15)).is_empty());
        assert!(conflicts(&mut word, Use::Read, Cell::new(2, 0, 0, 15)).is_empty());
        assert_eq!(conflicts(&mut word, Use::Write, Cell::new(2, 0, 0, 15)), [(1, Use::Read)]);
        assert_eq!(conflicts(&mut word, Use::Read, Cell::new(3, 0, 0, 15)), [(2, Use::Write)]);
        assert_eq!(conflicts(&mut word, Use::Update, Cell::new(4, 0, 0, 15)), [(2, Use::Write), (3, Use::Read)]);
    }

    #[test]
    fn other_bytes_of_a_word_are_other_memory() {
        let mut word = shadow_of(1);
        assert!(conflicts(&mut word, Use::Write, Cell::new(1, 0, 0, 0b0001)).is_empty());
        assert!(conflicts(&mut word, Use::Write, Cell::new(2, 0, 1, 0b0010)).is_empty());
    }

    /// Random accesses by full warps, noted all at once where that is allowed, and word by word: the shadows are the same
    /// at any time, and all is noted at once that meets nobody word by word.
    #[test]
    fn a_warp_at_once_is_its_lanes_one_by_one() {
        let words = 200;
        let levels: Vec<Level> =
            [Level::Base, Level::Avx2, Level::Avx512].into_iter().filter(|&level| level <= Level::detect()).collect();
        let (mut quick, mut slow) = (shadow_of(words), shadow_of(words));
        let mut random = 1u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let (mut at_once, mut refused) = (0, 0);
        for round in 0..20_000u32 {
            let words_per_lane = 1 << next(3);
            let used = [Use::Read, Use::Read, Use::Write, Use::Update][next(4) as usize];
            let first = next(4) as usize * if next(2) == 0 { 1 } else { 16 };
            let lanes = if next(3) == 0 { next(32) + 1 } else { 32 };
            let (who, site, reads_clash) = (1 + round / 6 * 3 + next(3) as u32, next(4) as u32, next(2) == 0);
            let parties = Below(1 + round / 6 * 3);
            let now = |lane: u64| Cell::new(who, site, lane as u32, 15);
            let row = Row { used, first, words_per_lane, now: now(0), reads_clash };
            let noted = lanes == 32 && quick.access_row(levels[next(levels.len() as u64) as usize], row, &parties);
            let mut met = false;
            for lane in 0..lanes {
                for word in 0..words_per_lane {
                    let index = first + lane as usize * words_per_lane + word;
                    slow.access(index, used, now(lane), reads_clash, &parties, |_, _| met = true);
                    if !noted {
                        quick.access(index, used, now(lane), reads_clash, &parties, |_, _| ());
                    }
                }
            }
            assert_eq!(noted, lanes == 32 && !used.is_strong() && !met, "round {round}");
            at_once += u32::from(noted);
            refused += u32::from(lanes == 32 && !noted);
            for plane in 0..5 {
                let cells = |shadow: &Shadow| (0..words).map(|at| shadow.planes[plane].get(at)).collect::<Vec<_>>();
                assert_eq!(cells(&quick), cells(&slow), "round {round}, plane {plane}");
            }
        }
        assert!(at_once > 1000 && refused > 1000, "{at_once} {refused}");
    }

    #[test]
    fn words_that_are_not_there_are_not_touched() {
        let mut shadow = shadow_of(40);
        let row =
            |first| Row { used: Use::Write, first, words_per_lane: 1, now: Cell::new(1, 0, 0, 15), reads_clash: true };
        assert!(shadow.access_row(Level::detect(), row(8), &Below(0)));
        assert!(!shadow.access_row(Level::detect(), row(9), &Below(9)));
        shadow.access(40, Use::Write, Cell::new(2, 0, 0, 15), true, &Below(0), |_, _| panic!("there is no such word"));
    }
}
