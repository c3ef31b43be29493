//! Shadow memory: for each 4-byte word, who wrote it, who read it, and who used it atomically, last.
//!
//! A word's two last readers are kept when they differ, so that a writer that is one of them still meets the other. An
//! atomic or volatile access is none of the two: it conflicts with plain writes and, in shared memory, with plain reads.

/// One access of a word, in 64 bits: who (an index that the owner of the cells understands) 32, site 22, lane 6, bytes
/// within the word 4. Zero: nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell(u64);

/// The largest site number that a cell can hold; it stands for all that are larger.
pub const LAST_SITE: u32 = (1 << 22) - 1;

impl Cell {
    /// `who` is not 0; `bytes` has a bit for each byte of the word.
    pub fn new(who: u32, site: u32, lane: u32, bytes: u32) -> Self {
        Self(u64::from(who) << 32 | u64::from(site.min(LAST_SITE)) << 10 | u64::from(lane) << 4 | u64::from(bytes))
    }
    pub fn who(self) -> u32 {
        (self.0 >> 32) as u32
    }
    pub fn site(self) -> u32 {
        (self.0 >> 10) as u32 & LAST_SITE
    }
    pub fn lane(self) -> u32 {
        (self.0 >> 4) as u32 & 63
    }
    /// Whether the two touch a common byte.
    pub fn touches(self, other: Cell) -> bool {
        self.0 & other.0 & 0xf != 0
    }
    /// Whether it is the same thread at the same time, at whatever site.
    pub fn same_thread(self, other: Cell) -> bool {
        (self.0 ^ other.0) & !(u64::from(LAST_SITE) << 10 | 0xf) == 0
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

/// Shadow of global memory: pages of 4 KiB that come into being when touched.
pub struct Pages {
    pages: Vec<Box<[Word; PAGE_WORDS]>>,
    index: std::collections::HashMap<u64, u32>,
    /// Direct-mapped: page number (plus one) and its index.
    recent: [(u64, u32); 64],
}

const PAGE_WORDS: usize = 1024;

impl Default for Pages {
    fn default() -> Self {
        Self { pages: Vec::new(), index: Default::default(), recent: [(0, 0); 64] }
    }
}

impl Pages {
    /// The shadow of the word that holds the byte at `address`.
    #[inline]
    pub fn word(&mut self, address: u64) -> &mut Word {
        let number = address / 4096;
        let slot = (number % 64) as usize;
        if self.recent[slot].0 != number + 1 {
            self.recent[slot] = (number + 1, self.find(number));
        }
        &mut self.pages[self.recent[slot].1 as usize][(address / 4) as usize % PAGE_WORDS]
    }

    #[cold]
    fn find(&mut self, number: u64) -> u32 {
        let pages = &mut self.pages;
        *self.index.entry(number).or_insert_with(|| {
            pages.push(Box::new([Word::default(); PAGE_WORDS]));
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
        for address in [0u64, 4096, 64 * 4096, 1 << 40] {
            pages.word(address).access(Use::Write, Cell::new(1, 0, 0, 15), true, |_, _| panic!("nobody was here"));
        }
        let mut met = 0;
        pages.word(64 * 4096).access(Use::Read, Cell::new(2, 0, 0, 15), true, |_, _| met += 1);
        assert_eq!(met, 1);
    }
}
