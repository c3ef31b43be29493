//! Shadow memory: cells for the words of a stretch of memory.
//!
//! A plane for each role of a word, so that what a warp does side by side lies side by side: an access of a full warp to
//! neighbouring words is compared with what was there before by a few vector instructions.
use super::cells::{Cell, Use};
use super::clock::MANY;
use crate::host::Level;

/// Shadow of a stretch of memory. A plane without any cell yet takes no room.
#[derive(Debug, Default)]
pub struct Shadow {
    words: usize,
    /// The last of each word's writers, readers, readers before those, strong writers and strong readers, in this order.
    planes: [Vec<Cell>; 5],
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
        self.planes.iter_mut().for_each(Vec::clear);
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
        let [writer, reader, older, strong, strong_reader] = &mut self.planes;
        let at = |plane: &[Cell]| plane.get(index).copied().unwrap_or_default();
        let mut meet = |earlier: Cell, earlier_use: Use| {
            let same = earlier.same_thread(now) && (used == Use::Read || now.lane() != MANY);
            if earlier.touches(now) && !same && !parties.ordered(earlier) {
                judge(earlier, earlier_use);
            }
        };
        // Who has read what a strong access wrote comes behind it by coherence, whatever else is ordered.
        let observed = at(strong_reader);
        let observed = observed.who() != 0 && parties.same_lane(observed, now);
        match used {
            Use::Read => {
                meet(at(writer), Use::Write);
                if reads_clash && !observed {
                    meet(at(strong), Use::StrongWrite);
                }
                let before = std::mem::replace(&mut filled(reader, self.words)[index], now);
                if before != Cell::default() && !before.same_thread(now) && !parties.stays(at(older), before) {
                    filled(older, self.words)[index] = before;
                }
            }
            Use::Write => {
                meet(at(writer), Use::Write);
                meet(at(reader), Use::Read);
                meet(at(older), Use::Read);
                if !observed {
                    meet(at(strong), Use::StrongWrite);
                }
                meet(at(strong_reader), Use::StrongRead);
                // Whoever conflicts with a reader before this write conflicts with the write as well.
                for plane in [reader, older, strong, strong_reader] {
                    if let Some(cell) = plane.get_mut(index) {
                        *cell = Cell::default();
                    }
                }
                filled(writer, self.words)[index] = now;
            }
            Use::StrongRead => {
                meet(at(writer), Use::Write);
                meet(at(strong), Use::StrongWrite);
                filled(strong_reader, self.words)[index] = now;
            }
            Use::StrongWrite | Use::Update => {
                meet(at(writer), Use::Write);
                if reads_clash {
                    meet(at(reader), Use::Read);
                    meet(at(older), Use::Read);
                }
                meet(at(strong), Use::StrongWrite);
                meet(at(strong_reader), Use::StrongRead);
                if let Some(cell) = strong_reader.get_mut(index) {
                    *cell = Cell::default();
                }
                filled(strong, self.words)[index] = now;
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

/// A plane with room for all words.
#[inline(always)]
fn filled(plane: &mut Vec<Cell>, words: usize) -> &mut [Cell] {
    if plane.is_empty() {
        plane.resize(words, Cell::default());
    }
    plane
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
    let (words, end) = (shadow.words, row.first + PIECE * row.words_per_lane);
    if end > words || row.used.is_strong() {
        return false;
    }
    let range = row.first..end;
    let [writer, reader, older, strong, strong_reader] = &mut shadow.planes;
    if row.used == Use::Read {
        let fine = meets_nobody(writer, row, parties);
        if !fine || row.reads_clash && !meets_nobody(strong, row, parties) {
            return false;
        }
        let latest = filled(reader, words)[range.clone()].as_chunks_mut().0;
        for (index, (now, latest)) in pieces(row).zip(latest).enumerate() {
            // Where there are older readers, moving a row on costs no more than asking whether it must be.
            if !older.is_empty() || others(latest, now) {
                let older = &mut filled(older, words)[range.clone()].as_chunks_mut().0[index];
                keep_others(older, latest, now, parties);
            }
            now.write(latest);
        }
        return true;
    }
    for plane in [&*writer, reader, older, strong, strong_reader] {
        if !meets_nobody(plane, row, parties) {
            return false;
        }
    }
    for plane in [reader, older, strong, strong_reader] {
        if let Some(cells) = plane.get_mut(range.clone()) {
            cells.fill(Cell::default());
        }
    }
    let cells = filled(writer, words)[range].as_chunks_mut().0;
    pieces(row).zip(cells).for_each(|(now, cells)| now.write(cells));
    true
}

/// Whether nothing in the plane conflicts with the row.
#[inline(always)]
fn meets_nobody(plane: &[Cell], row: Row, parties: &impl Parties) -> bool {
    let Some(cells) = plane.get(row.first..row.first + PIECE * row.words_per_lane) else { return true };
    for (now, cells) in pieces(row).zip(cells.as_chunks().0) {
        if !harmless(cells, now, parties) {
            return false;
        }
    }
    true
}

/// Words that are looked at together.
const PIECE: usize = 32;

/// What the lanes note in [`PIECE`] neighbouring words.
#[derive(Clone, Copy)]
struct Now {
    first: Cell,
    /// The lane of each word, relative to the first.
    lanes: &'static [u64; PIECE],
}

/// By the logarithm of the words per lane.
static LANES: [[u64; PIECE]; 3] = {
    let mut lanes = [[0; PIECE]; 3];
    let mut at = 0;
    while at < 3 * PIECE {
        lanes[at / PIECE][at % PIECE] = (at % PIECE) as u64 >> (at / PIECE);
        at += 1;
    }
    lanes
};

/// What the pieces of a row are given, in their order.
#[inline(always)]
fn pieces(row: Row) -> impl Iterator<Item = Now> {
    let shift = row.words_per_lane.trailing_zeros();
    let lanes = &LANES[shift as usize % LANES.len()];
    (0..1u64 << shift).map(move |piece| Now { first: row.now.of_lane((piece * PIECE as u64) >> shift), lanes })
}

impl Now {
    #[inline(always)]
    fn write(self, cells: &mut [Cell; PIECE]) {
        for (cell, &lane) in cells.iter_mut().zip(self.lanes) {
            *cell = self.first.of_lane(lane);
        }
    }
}

/// Whether no earlier access in the words conflicts with what is done now.
#[inline(always)]
fn harmless(cells: &[Cell; PIECE], now: Now, parties: &impl Parties) -> bool {
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
fn one_by_one(cells: &[Cell; PIECE], now: Now, parties: &impl Parties) -> bool {
    let mut known = 0;
    cells.iter().zip(now.lanes).all(|(cell, &lane)| {
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
fn others(latest: &[Cell; PIECE], now: Now) -> bool {
    let (mut any, mut differ) = (0, 0);
    for (cell, &lane) in latest.iter().zip(now.lanes) {
        any |= cell.bits();
        differ |= cell.other_thread(now.first.of_lane(lane));
    }
    any != 0 && differ != 0
}

/// Makes those who read last the readers before, where now somebody else reads, and those before do not say more.
#[inline(always)]
fn keep_others(older: &mut [Cell; PIECE], latest: &[Cell; PIECE], now: Now, parties: &impl Parties) {
    match (same_party(older), same_party(latest)) {
        (Some(Cell::NOBODY), Some(_)) => {}
        (Some(before), Some(last)) if last == Cell::NOBODY || parties.stays(before, last) => return,
        (Some(_), Some(_)) => {}
        _ => {
            for ((older, latest), &lane) in older.iter_mut().zip(latest).zip(now.lanes) {
                let same = *latest == Cell::NOBODY || latest.same_thread(now.first.of_lane(lane));
                *older = if same || parties.stays(*older, *latest) { *older } else { *latest };
            }
            return;
        }
    }
    for ((older, latest), &lane) in older.iter_mut().zip(latest).zip(now.lanes) {
        *older = if latest.same_thread(now.first.of_lane(lane)) { *older } else { *latest };
    }
}

/// One of the cells, if all were made by one warp at one time, or none was made.
#[inline(always)]
fn same_party(cells: &[Cell; PIECE]) -> Option<Cell> {
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
                let cells = |shadow: &Shadow| {
                    (0..words).map(|at| shadow.planes[plane].get(at).copied().unwrap_or_default()).collect::<Vec<_>>()
                };
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
