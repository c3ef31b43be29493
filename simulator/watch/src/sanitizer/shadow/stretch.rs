//! Shadow memory: cells for the words of a stretch of memory.
//!
//! A role for each role of a word, so that what a warp does side by side lies side by side (`warp_access`). Where accesses are smaller than
//! a word, the 32 words of a row have a cell for each byte in a shadow of their own.
use super::cells::{Cell, Use};
use super::role_cells::{Lanes, Made, ROW, RoleCells};
use crate::sanitizer::order::knowledge::MANY;
use std::ops::Range;

/// Shadow of a stretch of memory. A role without any cell yet takes no room.
#[derive(Debug, Default)]
pub struct Shadow {
    pub(crate) words: usize,
    /// The last of each word's writers, readers, readers before those, strong writers and strong readers, in this order.
    pub(crate) roles: [RoleCells; 5],
    /// The bytes, as its words, of rows whose writers are [`Cell::IN_BYTES`].
    pub(crate) bytes: Option<Box<Shadow>>,
}

/// The shadow of a memory space.
pub trait Shadows {
    /// The stretch that a word lies in, and the word's number there.
    fn of(&mut self, word: usize) -> (&mut Shadow, usize);
}

impl Shadows for Shadow {
    #[inline(always)]
    fn of(&mut self, word: usize) -> (&mut Shadow, usize) {
        (self, word)
    }
}

/// The order between the makers of cells and the access that is noted now.
pub trait Parties {
    /// True if all that a cell's warp did when it carried the cell's stamp comes before the access that is noted now.
    fn ordered(&self, cell: Cell) -> bool;
    /// True if the access that is noted now is from where the `latest` reader is, and the one before it from afar and not
    /// ordered: then that one says more.
    fn stays(&self, older: Cell, latest: Cell) -> bool;
    /// True if the two are the same lane of the same warp, at whatever time.
    fn same_lane(&self, cell: Cell, now: Cell) -> bool;
}

impl Shadow {
    /// Makes it the shadow of so many words that nobody has touched.
    pub fn clear(&mut self, words: usize) {
        self.words = words;
        self.roles.iter_mut().for_each(RoleCells::clear);
        self.bytes.iter_mut().for_each(|bytes| bytes.clear(4 * words));
    }

    /// The last weak writer and the last strong writer of a byte of a word.
    pub fn writers(&self, index: usize, byte: usize) -> [Cell; 2] {
        [0, 3].map(|role| self.cell(role, index, byte))
    }

    /// The cell of a role for a byte of a word.
    pub(crate) fn cell(&self, role: usize, index: usize, byte: usize) -> Cell {
        match &self.bytes {
            _ if index >= self.words => Cell::NOBODY,
            Some(bytes) if self.is_in_bytes(index) => bytes.roles[role].get(4 * index + byte),
            _ => self.roles[role].get(index),
        }
    }

    /// True if a word's bytes have cells of their own.
    fn is_in_bytes(&self, index: usize) -> bool {
        self.bytes.is_some() && self.roles[0].get(index) == Cell::IN_BYTES
    }

    /// Gives the bytes of the rows that some words lie in cells of their own, and returns their shadow.
    pub(crate) fn in_bytes(&mut self, words: Range<usize>) -> &mut Shadow {
        let all = self.words;
        let bytes = self.bytes.get_or_insert_with(|| Box::new(Shadow { words: 4 * all, ..Shadow::default() }));
        for row in words.start / ROW..words.end.div_ceil(ROW) {
            if self.roles[0].get(row * ROW) == Cell::IN_BYTES {
                continue;
            }
            for (role, of_bytes) in self.roles.iter_mut().zip(&mut bytes.roles) {
                for byte in row * 4 * ROW..((row + 1) * 4 * ROW).min(4 * all) {
                    of_bytes.set(byte, role.get(byte / 4), 4 * all);
                }
                role.make(row, Made::NOBODY, all);
            }
            self.roles[0].make(row, Made { first: Cell::IN_BYTES, lanes: Lanes::One }, all);
        }
        bytes
    }

    /// True if any of some words' bytes have cells of their own.
    pub(crate) fn any_in_bytes(&self, words: Range<usize>) -> bool {
        self.bytes.is_some() && words.end <= self.words && words.into_iter().any(|word| self.is_in_bytes(word))
    }

    /// True if anybody has written one of these words, as far as they are there.
    #[inline]
    pub fn is_written(&self, first: usize, words: usize) -> bool {
        let [writer, .., strong, _] = &self.roles;
        if writer.is_empty() && strong.is_empty() {
            return false;
        }
        let any = |role: &RoleCells| (first..first + words).any(|word| role.get(word) != Cell::NOBODY);
        any(writer) || any(strong)
    }

    /// The last weak writer of a word; `None`: there is no such word, or strong writes may have to be met as well.
    #[inline(always)]
    pub fn only_writer(&self, index: usize, reads_clash: bool) -> Option<Cell> {
        let [writer, _, _, strong, _] = &self.roles;
        (index < self.words && (strong.is_empty() || !reads_clash)).then(|| writer.get(index))
    }

    /// Notes a weak read of a word that meets nobody.
    #[inline(always)]
    pub fn note_read(&mut self, index: usize, now: Cell, parties: &impl Parties) {
        let words = self.words;
        let [_, reader, older, ..] = &mut self.roles;
        let before = reader.replace(index, now, words);
        if before != Cell::NOBODY && !before.same_thread(now) && !parties.stays(older.get(index), before) {
            older.set(index, before, words);
        }
    }

    /// Makes a cell the last reader of a word, which is there.
    #[inline(always)]
    pub fn reader_was(&mut self, index: usize, cell: Cell) {
        let words = self.words;
        self.roles[1].set(index, cell, words);
    }

    /// Notes what all lanes of a warp read: a few words. `false`: nothing is noted, because of words that are not there, or
    /// because an earlier access may conflict.
    #[inline(always)]
    pub fn read_words(
        &mut self,
        first: usize,
        words: usize,
        now: Cell,
        reads_clash: bool,
        parties: &impl Parties,
    ) -> bool {
        for index in first..first + words {
            let Some(writer) = self.only_writer(index, reads_clash) else { return false };
            if writer != Cell::NOBODY && !writer.same_thread(now) && !parties.ordered(writer) {
                return false;
            }
        }
        for index in first..first + words {
            self.note_read(index, now, parties);
        }
        true
    }

    /// Notes an access to one word, if there is such a word, and gives every earlier one that may conflict with it to
    /// `judge`. `reads_clash`: whether weak reads and strong writes conflict, as they do in shared memory.
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
        if self.is_in_bytes(index) {
            return self.access_part((index, 0..4), used, now, reads_clash, parties, &mut judge);
        }
        let words = self.words;
        let [writer, reader, older, strong, strong_reader] = &mut self.roles;
        let mut meet = |earlier: Cell, earlier_use: Use| {
            let same = earlier.same_thread(now) && (used == Use::Read || now.lane() != MANY);
            if earlier != Cell::NOBODY && !same && !parties.ordered(earlier) {
                judge(earlier, earlier_use);
            }
        };
        // A read of a strong access's value comes after that access by coherence, whatever else is ordered.
        let observed = |strong_reader: &RoleCells| {
            let observed = strong_reader.get(index);
            observed.who() != 0 && parties.same_lane(observed, now)
        };
        match used {
            Use::Read => {
                meet(writer.get(index), Use::Write);
                if reads_clash && !strong.is_empty() && !observed(strong_reader) {
                    meet(strong.get(index), Use::StrongWrite);
                }
                self.note_read(index, now, parties);
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
                for role in [reader, older, strong, strong_reader] {
                    role.set(index, Cell::NOBODY, words);
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

    /// As [`access`](Self::access), to some bytes of a word.
    pub fn access_part(
        &mut self,
        (index, part): (usize, Range<usize>),
        used: Use,
        now: Cell,
        reads_clash: bool,
        parties: &impl Parties,
        judge: &mut dyn FnMut(Cell, Use),
    ) {
        if index < self.words {
            let bytes = self.in_bytes(index..index + 1);
            part.for_each(|byte| bytes.access(4 * index + byte, used, now, reads_clash, parties, &mut *judge));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use machine::host::Level;

    pub fn shadow_of(words: usize) -> Shadow {
        let mut shadow = Shadow::default();
        shadow.clear(words);
        shadow
    }

    /// The vector levels that this host has.
    pub fn levels() -> Vec<Level> {
        [Level::Base, Level::Avx2, Level::Avx512].into_iter().filter(|&level| level <= Level::detect()).collect()
    }

    /// Numbers below the one that is asked for, which follow from a seed.
    pub fn random(mut state: u64) -> impl FnMut(u64) -> u64 {
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// Everybody is ordered after those below a number; who is odd is in one place, who is even in another.
    pub struct Below(pub u32);

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
        assert!(conflicts(&mut word, Use::Read, Cell::new(1, 0, 0)).is_empty());
        assert!(conflicts(&mut word, Use::Read, Cell::new(2, 0, 0)).is_empty());
        assert_eq!(conflicts(&mut word, Use::Write, Cell::new(2, 0, 0)), [(1, Use::Read)]);
        assert_eq!(conflicts(&mut word, Use::Read, Cell::new(3, 0, 0)), [(2, Use::Write)]);
        assert_eq!(conflicts(&mut word, Use::Update, Cell::new(4, 0, 0)), [(2, Use::Write), (3, Use::Read)]);
    }

    #[test]
    fn other_bytes_of_a_word_are_other_memory() {
        let mut word = shadow_of(1);
        let mut part = |bytes, who| {
            let mut met = Vec::new();
            let mut judge = |cell: Cell, _| met.push(cell.who());
            word.access_part((0, bytes), Use::Write, Cell::new(who, 0, 0), true, &Below(0), &mut judge);
            met
        };
        assert!(part(0..1, 1).is_empty() && part(1..2, 2).is_empty());
        assert_eq!((part(0..2, 3), part(3..4, 4)), (vec![1, 2], vec![]));
        assert_eq!(conflicts(&mut word, Use::Write, Cell::new(5, 0, 0)).len(), 3, "bytes 0, 1 and 3");
    }
}
