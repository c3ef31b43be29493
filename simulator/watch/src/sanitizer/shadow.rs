//! Shadow memory: cells for the words of a stretch of memory.
//!
//! A role for each role of a word, so that what a warp does side by side lies side by side (`warp_access`).
use super::cells::{Cell, Use};
use super::knowledge::MANY;
use super::role_cells::RoleCells;

/// Shadow of a stretch of memory. A role without any cell yet takes no room.
#[derive(Debug, Default)]
pub struct Shadow {
    pub(super) words: usize,
    /// The last of each word's writers, readers, readers before those, strong writers and strong readers, in this order.
    pub(super) roles: [RoleCells; 5],
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
    }

    /// The last weak writer of a word.
    pub fn writer(&self, index: usize) -> Cell {
        if index < self.words { self.roles[0].get(index) } else { Cell::NOBODY }
    }

    /// The last strong writer of a word.
    pub fn strong_writer(&self, index: usize) -> Cell {
        if index < self.words { self.roles[3].get(index) } else { Cell::NOBODY }
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
        let words = self.words;
        let [writer, reader, older, strong, strong_reader] = &mut self.roles;
        let mut meet = |earlier: Cell, earlier_use: Use| {
            let same = earlier.same_thread(now) && (used == Use::Read || now.lane() != MANY);
            if earlier.touches(now) && !same && !parties.ordered(earlier) {
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
}

#[cfg(test)]
pub(super) mod tests {
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
}
