//! One role's cells of a stretch of memory, say the last writers of its words.
//!
//! Most rows of 32 words are made by one access of a whole warp: such a row is kept as one cell and the way in which lanes
//! go along it. A row whose words differ is kept word by word, until an access makes it one again.
use super::cells::Cell;

/// Words of a row.
pub const ROW: usize = 32;

/// Which lane, counted from the row's first, each word of a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// All words the same.
    One,
    /// So many words a lane: 1 to 16, as a power of two.
    Each(u8),
}

/// By the logarithm of the words per lane; the last: all words are the same lane's.
static LANES: [[u64; ROW]; 8] = {
    let mut lanes = [[0; ROW]; 8];
    let mut at = 0;
    while at < 5 * ROW {
        lanes[at / ROW][at % ROW] = (at % ROW) as u64 >> (at / ROW);
        at += 1;
    }
    lanes
};

/// A row that one access made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    pub first: Cell,
    pub lanes: Lanes,
}

impl Made {
    /// A row that nobody has touched.
    pub const NOBODY: Made = Made { first: Cell::NOBODY, lanes: Lanes::One };

    /// The lane of each word, relative to the first.
    #[inline(always)]
    pub fn lanes(self) -> &'static [u64; ROW] {
        match self.lanes {
            Lanes::One => &LANES[7],
            Lanes::Each(shift) => &LANES[shift as usize % 8],
        }
    }

    #[inline(always)]
    pub fn cell(self, word: usize) -> Cell {
        self.first.of_lane(self.lanes()[word % ROW])
    }

    #[inline(always)]
    pub fn write(self, cells: &mut [Cell; ROW]) {
        for (cell, &lane) in cells.iter_mut().zip(self.lanes()) {
            *cell = self.first.of_lane(lane);
        }
    }

    /// True if each word is the same thread's at the same time in both.
    #[inline(always)]
    pub fn same_threads(self, other: Made) -> bool {
        self.lanes == other.lanes && self.first.same_thread(other.first)
    }
}

/// The cells. A role without any takes no room.
#[derive(Debug, Default)]
pub struct RoleCells {
    /// `None`: the row's words are in `words`.
    rows: Vec<Option<Made>>,
    words: Vec<Cell>,
    /// Rows that are kept word by word.
    spread: usize,
}

impl RoleCells {
    /// Makes it a role that nobody has touched.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.spread = 0;
    }

    /// True if nobody has touched it.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The cell of a word.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Cell {
        match self.rows.get(index / ROW) {
            None => Cell::NOBODY,
            Some(Some(made)) => made.cell(index),
            Some(None) => self.words[index],
        }
    }

    /// Sets the cell of a word; the role is one of `words` words.
    #[inline(always)]
    pub fn set(&mut self, index: usize, cell: Cell, words: usize) {
        self.replace(index, cell, words);
    }

    /// Sets the cell of a word, and gives the one that was there; the role is one of `words` words.
    #[inline(always)]
    pub fn replace(&mut self, index: usize, cell: Cell, words: usize) -> Cell {
        if let Some(None) = self.rows.get(index / ROW) {
            return std::mem::replace(&mut self.words[index], cell);
        }
        let before = self.get(index);
        if before != cell {
            self.spread(index / ROW, words)[index % ROW] = cell;
        }
        before
    }

    /// The row as it was made; `None`: its words differ, as far as is known.
    #[inline(always)]
    pub fn made(&self, row: usize) -> Option<Made> {
        self.rows.get(row).copied().unwrap_or(Some(Made::NOBODY))
    }

    /// Makes a row; the role is one of `words` words.
    #[inline(always)]
    pub fn make(&mut self, row: usize, made: Made, words: usize) {
        if self.rows.is_empty() {
            if made == Made::NOBODY {
                return;
            }
            self.begin(words);
        }
        self.spread -= usize::from(self.rows[row].replace(made).is_none());
    }

    #[inline(always)]
    pub fn spread(&mut self, row: usize, words: usize) -> &mut [Cell; ROW] {
        if self.rows.is_empty() {
            self.begin(words);
        }
        if self.words.len() < self.rows.len() * ROW {
            self.words.resize(self.rows.len() * ROW, Cell::NOBODY);
        }
        let cells = &mut self.words.as_chunks_mut().0[row];
        if let Some(made) = self.rows[row].take() {
            self.spread += 1;
            made.write(cells);
        }
        cells
    }

    /// All cells, where most rows are kept word by word: then all are from now on.
    #[inline(always)]
    fn flat(&mut self, words: usize) -> Option<&mut [Cell]> {
        if self.spread != self.rows.len() {
            if self.spread <= self.rows.len() / 2 {
                return None;
            }
            self.spread_all(words);
        }
        (!self.is_empty()).then_some(&mut self.words[..])
    }

    #[inline(never)]
    fn spread_all(&mut self, words: usize) {
        for row in 0..self.rows.len() {
            self.spread(row, words);
        }
    }

    /// Takes the cells of some words, of which the role has `all`.
    #[inline(always)]
    pub fn gather(&mut self, words: &[i32], all: usize, cells: &mut [Cell]) {
        let places = cells.iter_mut().zip(words);
        match self.flat(all) {
            Some(known) => places.for_each(|(cell, &word)| *cell = known[word as usize]),
            None => places.for_each(|(cell, &word)| *cell = self.get(word as usize)),
        }
    }

    /// Sets the cells of some words, of which the role has `all`.
    #[inline(always)]
    pub fn scatter(&mut self, words: &[i32], cells: impl Iterator<Item = Cell>, all: usize) {
        let places = words.iter().zip(cells);
        match self.flat(all) {
            Some(known) => places.for_each(|(&word, cell)| known[word as usize] = cell),
            None => places.for_each(|(&word, cell)| self.set(word as usize, cell, all)),
        }
    }

    /// Any 32 neighbouring words, where each row that they lie in is kept word by word.
    #[inline(always)]
    pub fn across(&mut self, first: usize, words: usize) -> &mut [Cell; ROW] {
        let last = first + ROW - 1;
        self.spread(first / ROW, words);
        self.spread(last / ROW, words);
        &mut self.words[first..first + ROW].as_chunks_mut().0[0]
    }

    #[cold]
    #[inline(never)]
    fn begin(&mut self, words: usize) {
        self.rows.resize(words.div_ceil(ROW), Some(Made::NOBODY));
    }
}
