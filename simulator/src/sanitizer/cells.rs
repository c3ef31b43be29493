//! Shadow memory: for each 4-byte word, who wrote it, who read it, and who used it atomically, last.
//!
//! A word's two last readers are kept when they differ, so that a writer that is one of them still meets the other. An
//! atomic or volatile access is none of the two: it conflicts with plain writes and, in shared memory, with plain reads.

/// One access of a word, in 64 bits: who (an index that the owner of the cells understands) 32, site 22, lane 6, bytes
/// within the word 4. Zero: nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell(u64);

/// Where the lane begins.
const LANE: u32 = 4;
/// All but site and bytes.
const SAME_THREAD: u64 = !((LAST_SITE as u64) << 10 | 0xf);

/// The largest site number that a cell can hold; it stands for all that are larger.
pub const LAST_SITE: u32 = (1 << 22) - 1;

impl Cell {
    /// `who` is not 0; `bytes` has a bit for each byte of the word.
    pub fn new(who: u32, site: u32, lane: u32, bytes: u32) -> Self {
        Self(u64::from(who) << 32 | u64::from(site.min(LAST_SITE)) << 10 | u64::from(lane) << LANE | u64::from(bytes))
    }
    pub fn who(self) -> u32 {
        (self.0 >> 32) as u32
    }
    pub fn site(self) -> u32 {
        (self.0 >> 10) as u32 & LAST_SITE
    }
    pub fn lane(self) -> u32 {
        (self.0 >> LANE) as u32 & 63
    }
    /// Whether the two touch a common byte.
    pub fn touches(self, other: Cell) -> bool {
        self.0 & other.0 & 0xf != 0
    }
    /// Whether it is the same thread at the same time, at whatever site.
    pub fn same_thread(self, other: Cell) -> bool {
        (self.0 ^ other.0) & SAME_THREAD == 0
    }
}

/// The shadow of one word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Word {
    writer: Cell,
    readers: [Cell; 2],
    atomic: Cell,
}

/// How an access treats a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Read,
    Write,
    /// Atomic or volatile.
    Atomic,
}

impl Word {
    /// Notes an access and gives every earlier one that may conflict with it to `judge`.
    ///
    /// `reads_clash`: whether plain reads and atomics conflict, as they do in shared memory.
    #[inline]
    pub fn access(&mut self, used: Use, now: Cell, reads_clash: bool, mut judge: impl FnMut(Cell, Use)) {
        let mut meet = |earlier: Cell, earlier_use: Use| {
            if earlier.touches(now) && (!earlier.same_thread(now) || now.lane() == super::clock::MANY) {
                judge(earlier, earlier_use);
            }
        };
        match used {
            Use::Read => {
                if !self.writer.same_thread(now) {
                    meet(self.writer, Use::Write);
                }
                if reads_clash && !self.atomic.same_thread(now) {
                    meet(self.atomic, Use::Atomic);
                }
                if !self.readers[0].same_thread(now) {
                    self.readers[1] = self.readers[0];
                }
                self.readers[0] = now;
            }
            Use::Write => {
                meet(self.writer, Use::Write);
                meet(self.readers[0], Use::Read);
                meet(self.readers[1], Use::Read);
                meet(self.atomic, Use::Atomic);
                // Whoever conflicts with a reader before this write conflicts with the write as well.
                *self = Word { writer: now, ..Word::default() };
            }
            Use::Atomic => {
                meet(self.writer, Use::Write);
                if reads_clash {
                    meet(self.readers[0], Use::Read);
                    meet(self.readers[1], Use::Read);
                }
                self.atomic = now;
            }
        }
    }
}

/// Shadow of a stretch of memory: a plane for each role of a word, so that what a warp does side by side lies side by side.
/// A plane without any cell yet takes no room.
#[derive(Debug, Default)]
pub struct Shadow {
    words: usize,
    /// Writers, latest readers, the readers before them, atomics.
    planes: [Vec<Cell>; 4],
}

const WRITER: usize = 0;
const READER: usize = 1;
const OLDER_READER: usize = 2;
const ATOMIC: usize = 3;

/// Words that are looked at together.
const PIECE: usize = 32;

impl Shadow {
    /// For so many words that nobody has touched.
    pub fn new(words: usize) -> Self {
        Self { words, ..Self::default() }
    }

    /// Forgets everything.
    pub fn clear(&mut self, words: usize) {
        self.words = words;
        self.planes.iter_mut().for_each(Vec::clear);
    }

    /// Notes an access to one word: see [`Word::access`]. `false`: there is no such word.
    #[inline]
    pub fn access(
        &mut self,
        index: usize,
        used: Use,
        now: Cell,
        reads_clash: bool,
        judge: impl FnMut(Cell, Use),
    ) -> bool {
        if index >= self.words {
            return false;
        }
        let at = |plane: usize| self.planes[plane].get(index).copied().unwrap_or_default();
        let before = Word { writer: at(WRITER), readers: [at(READER), at(OLDER_READER)], atomic: at(ATOMIC) };
        let mut word = before;
        word.access(used, now, reads_clash, judge);
        for (plane, old, new) in [
            (WRITER, before.writer, word.writer),
            (READER, before.readers[0], word.readers[0]),
            (OLDER_READER, before.readers[1], word.readers[1]),
            (ATOMIC, before.atomic, word.atomic),
        ] {
            if old != new {
                self.plane(plane)[index] = new;
            }
        }
        true
    }

    /// Notes what a full warp does with neighbouring words: `now` is lane 0's whole word, lane *i* has the
    /// `words_per_lane` (1, 2 or 4) words from `first + i · words_per_lane` on. `false`: nothing is noted, because of words
    /// that are not there, or because an earlier access may conflict: one that is neither `ordered`, which depends on who
    /// it is, nor the same thread's.
    #[inline]
    pub fn access_all(
        &mut self,
        first: usize,
        words_per_lane: usize,
        used: Use,
        now: Cell,
        reads_clash: bool,
        mut ordered: impl FnMut(Cell) -> bool,
    ) -> bool {
        let end = first + PIECE * words_per_lane;
        let meets: &[usize] = match (used, reads_clash) {
            (Use::Read, false) => &[WRITER],
            (Use::Read, true) => &[WRITER, ATOMIC],
            (Use::Write, _) => &[WRITER, READER, OLDER_READER, ATOMIC],
            (Use::Atomic, _) => return false,
        };
        let shift = words_per_lane.trailing_zeros();
        if end > self.words {
            return false;
        }
        for &plane in meets {
            let Some(cells) = self.planes[plane].get(first..end) else { continue };
            for (cells, now) in cells.as_chunks::<PIECE>().0.iter().zip(pieces(now, shift)) {
                if !harmless(cells, &now, &mut ordered) {
                    return false;
                }
            }
        }
        if used == Use::Write {
            for plane in [READER, OLDER_READER, ATOMIC] {
                if let Some(cells) = self.planes[plane].get_mut(first..end) {
                    cells.fill(Cell::default());
                }
            }
            let cells = self.plane(WRITER)[first..end].as_chunks_mut::<PIECE>().0;
            cells.iter_mut().zip(pieces(now, shift)).for_each(|(cells, now)| *cells = now);
            return true;
        }
        self.plane(READER);
        let [_, latest, older, _] = &mut self.planes;
        for (index, now) in pieces(now, shift).enumerate().take(words_per_lane) {
            let first = first + index * PIECE;
            let Some(latest) = latest[first..].first_chunk_mut::<PIECE>() else { return false };
            if others(latest, &now) {
                if older.is_empty() {
                    older.resize(self.words, Cell::default());
                }
                let Some(older) = older[first..].first_chunk_mut::<PIECE>() else { return false };
                for lane in 0..PIECE {
                    older[lane] = if latest[lane].same_thread(now[lane]) { older[lane] } else { latest[lane] };
                }
            }
            *latest = now;
        }
        true
    }

    /// A plane with room for all words.
    #[inline]
    fn plane(&mut self, plane: usize) -> &mut [Cell] {
        let cells = &mut self.planes[plane];
        if cells.is_empty() {
            cells.resize(self.words, Cell::default());
        }
        cells
    }
}

/// What the lanes of a full warp note in the words that they touch side by side, [`PIECE`] words at a time.
#[inline(always)]
fn pieces(now: Cell, shift: u32) -> impl Iterator<Item = [Cell; PIECE]> {
    (0..1u64 << shift).map(move |piece| {
        let first = piece * PIECE as u64;
        std::array::from_fn(|word| Cell(now.0 + (((first + word as u64) >> shift) << LANE)))
    })
}

/// Whether no earlier access in the words conflicts with what is done `now`.
#[inline(always)]
fn harmless(cells: &[Cell; PIECE], now: &[Cell; PIECE], ordered: &mut impl FnMut(Cell) -> bool) -> bool {
    // Nearly always one access wrote all of them, or none did: seen without a look at each.
    let first = cells[0];
    let differ = cells.iter().fold(0, |differ, cell| differ | cell.0 ^ first.0);
    if differ >> 32 == 0 && (first.who() == 0 || ordered(first)) {
        return true;
    }
    let mut known = 0;
    cells.iter().zip(now).all(|(cell, now)| {
        if cell.who() == known || cell.who() == 0 || cell.same_thread(*now) {
            return true;
        }
        let harmless = ordered(*cell);
        known = if harmless { cell.who() } else { known };
        harmless
    })
}

/// Whether any word was last touched by somebody else than who touches it now.
#[inline(always)]
fn others(cells: &[Cell; PIECE], now: &[Cell; PIECE]) -> bool {
    let any = cells.iter().fold(0, |any, cell| any | cell.0);
    let differ = cells.iter().zip(now).fold(0, |differ, (cell, now)| differ | (cell.0 ^ now.0) & SAME_THREAD);
    any != 0 && differ != 0
}

/// Shadow of global memory: pages of 4 KiB that come into being when touched.
pub struct Pages {
    pages: Vec<Shadow>,
    index: std::collections::HashMap<u64, u32>,
    /// Direct-mapped: page number (plus one) and its index.
    recent: [(u64, u32); 64],
}

/// Words of a page.
const PAGE_WORDS: usize = 1024;

impl Default for Pages {
    fn default() -> Self {
        Self { pages: Vec::new(), index: Default::default(), recent: [(0, 0); 64] }
    }
}

impl Pages {
    /// The shadow of the page that a word lies in, and the word's number there.
    #[inline]
    pub fn of(&mut self, word: usize) -> (&mut Shadow, usize) {
        let number = (word / PAGE_WORDS) as u64;
        let slot = (number % 64) as usize;
        if self.recent[slot].0 != number + 1 {
            self.recent[slot] = (number + 1, self.find(number));
        }
        (&mut self.pages[self.recent[slot].1 as usize], word % PAGE_WORDS)
    }

    #[cold]
    fn find(&mut self, number: u64) -> u32 {
        let pages = &mut self.pages;
        *self.index.entry(number).or_insert_with(|| {
            pages.push(Shadow::new(PAGE_WORDS));
            pages.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflicts(word: &mut Word, used: Use, now: Cell) -> Vec<(u32, Use)> {
        let mut seen = Vec::new();
        word.access(used, now, true, |cell, used| seen.push((cell.who(), used)));
        seen
    }

    #[test]
    fn a_cell_keeps_what_it_is_given() {
        let cell = Cell::new(77, 12345, 31, 0b0110);
        assert_eq!((cell.who(), cell.site(), cell.lane()), (77, 12345, 31));
        assert!(cell.touches(Cell::new(1, 1, 1, 0b0010)));
        assert!(!cell.touches(Cell::new(77, 12345, 31, 0b1001)));
        assert!(!Cell::default().touches(cell));
    }

    #[test]
    fn reads_do_not_conflict_and_writes_meet_everyone() {
        let mut word = Word::default();
        assert!(conflicts(&mut word, Use::Read, Cell::new(1, 0, 0, 15)).is_empty());
        assert!(conflicts(&mut word, Use::Read, Cell::new(2, 0, 0, 15)).is_empty());
        assert_eq!(conflicts(&mut word, Use::Write, Cell::new(2, 0, 0, 15)), [(1, Use::Read)]);
        assert_eq!(conflicts(&mut word, Use::Read, Cell::new(3, 0, 0, 15)), [(2, Use::Write)]);
        assert_eq!(conflicts(&mut word, Use::Atomic, Cell::new(4, 0, 0, 15)), [(2, Use::Write), (3, Use::Read)]);
    }

    #[test]
    fn other_bytes_of_a_word_are_other_memory() {
        let mut word = Word::default();
        assert!(conflicts(&mut word, Use::Write, Cell::new(1, 0, 0, 0b0001)).is_empty());
        assert!(conflicts(&mut word, Use::Write, Cell::new(2, 0, 1, 0b0010)).is_empty());
    }

    #[test]
    fn pages_are_apart() {
        let mut pages = Pages::default();
        let mut access = |word: usize, used, who| {
            let mut met = 0;
            let (page, word) = pages.of(word);
            assert!(page.access(word, used, Cell::new(who, 0, 0, 15), true, |_, _| met += 1));
            met
        };
        for word in [0, 1024, 64 * 1024, 1 << 38] {
            assert_eq!(access(word, Use::Write, 1), 0, "nobody was here");
        }
        assert_eq!(access(64 * 1024, Use::Read, 2), 1);
    }

    /// Random accesses by full warps, noted all at once where that is allowed, and word by word: the shadows are the same
    /// at any time, and all is noted at once that meets nobody word by word.
    #[test]
    fn a_warp_at_once_is_its_lanes_one_by_one() {
        let words = 200;
        let (mut quick, mut slow) = (Shadow::new(words), Shadow::new(words));
        let mut random = 1u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let (mut at_once, mut refused) = (0, 0);
        for round in 0..20_000u32 {
            let words_per_lane = 1 << next(3);
            let used = [Use::Read, Use::Read, Use::Write, Use::Atomic][next(4) as usize];
            let first = next(4) as usize * if next(2) == 0 { 1 } else { 16 };
            let lanes = if next(3) == 0 { next(32) + 1 } else { 32 };
            let (who, site, reads_clash) = (1 + round / 6 * 3 + next(3) as u32, next(4) as u32, next(2) == 0);
            // Everybody is ordered behind those of earlier rounds.
            let ordered = |cell: Cell| cell.who() < 1 + round / 6 * 3;
            let now = |lane: u64| Cell::new(who, site, lane as u32, 15);
            let noted = lanes == 32 && quick.access_all(first, words_per_lane, used, now(0), reads_clash, ordered);
            let mut met = false;
            for lane in 0..lanes {
                for word in 0..words_per_lane {
                    let index = first + lane as usize * words_per_lane + word;
                    let judge = |cell: Cell, _| met |= !ordered(cell);
                    assert!(slow.access(index, used, now(lane), reads_clash, judge));
                    if !noted {
                        quick.access(index, used, now(lane), reads_clash, |_, _| ());
                    }
                }
            }
            assert_eq!(noted, lanes == 32 && used != Use::Atomic && !met, "round {round}");
            at_once += u32::from(noted);
            refused += u32::from(lanes == 32 && !noted);
            for plane in 0..4 {
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
        let mut shadow = Shadow::new(40);
        let now = Cell::new(1, 0, 0, 15);
        assert!(shadow.access_all(8, 1, Use::Write, now, true, |_| false));
        assert!(!shadow.access_all(9, 1, Use::Write, now, true, |_| true));
        assert!(!shadow.access(40, Use::Write, now, true, |_, _| ()));
    }
}
