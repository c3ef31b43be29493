//! Who touched a word last. By transitivity one writer and one set of readers are enough: whoever is ordered after the last of them is
//! ordered after those before, or these would have been told.
use super::order::Order;

/// Accesses of a thread, or of several: who 32 bits (block and warp), lane 6, the count of barriers 26. Zero: nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell(u64);

const COUNT_BITS: u32 = 26;
const LANE_BITS: u32 = 6;
/// The lane of an access of several lanes of a warp, of several warps of a block, and of several blocks.
pub const WARP: u32 = 32;
const BLOCK: u32 = 33;
const BLOCKS: u32 = 34;
/// The lane of a copy that is under way: whoever touches the word meets it, its own thread too.
const PENDING: u32 = 35;

impl Cell {
    const NOBODY: Cell = Cell(0);

    /// Lane 0's; `None`: the count is too large.
    #[inline(always)]
    pub fn new(who: u32, count: u32) -> Option<Cell> {
        let cell = u64::from(who) << (LANE_BITS + COUNT_BITS) | u64::from(count);
        (count < 1 << COUNT_BITS).then_some(Cell(cell))
    }

    #[inline(always)]
    pub fn is_nobody(self) -> bool {
        self.0 == 0
    }

    #[inline(always)]
    pub fn who(self) -> u32 {
        (self.0 >> (LANE_BITS + COUNT_BITS)) as u32
    }

    #[inline(always)]
    fn lane(self) -> u32 {
        (self.0 >> COUNT_BITS) as u32 & ((1 << LANE_BITS) - 1)
    }

    /// True if it was made when fewer barriers had been met, by threads of one block.
    #[inline(always)]
    pub fn is_before(self, count: u32) -> bool {
        self.lane() <= BLOCK && self.0 as u32 & ((1 << COUNT_BITS) - 1) < count
    }

    /// True if it is of no other warp of its block than this one.
    #[inline(always)]
    pub fn is_of_warp(self, warp: u32, warp_bits: u32) -> bool {
        self.lane() <= WARP && self.who() & ((1 << warp_bits) - 1) == warp
    }

    #[inline(always)]
    fn is_same_thread(self, other: Cell) -> bool {
        self.lane() < WARP && self.0 >> COUNT_BITS == other.0 >> COUNT_BITS
    }

    /// The same access by a lane that is so many further on.
    #[inline(always)]
    pub fn of_lane(self, further: u64) -> Cell {
        Cell(self.0 + (further << COUNT_BITS))
    }

    /// True if it stands for several warps of a block, or more, and an access of now adds nothing to it.
    #[inline(always)]
    pub fn holds(self, now: Cell, warp_bits: u32) -> bool {
        let is_same_count = (self.0 ^ now.0) & ((1 << COUNT_BITS) - 1) == 0;
        let is_same_block = self.who() >> warp_bits == now.who() >> warp_bits;
        self.lane() == BLOCKS || self.lane() == BLOCK && is_same_count && is_same_block
    }

    fn with_lane(self, lane: u32) -> Cell {
        Cell(self.0 & !(((1 << LANE_BITS) - 1) << COUNT_BITS) | u64::from(lane) << COUNT_BITS)
    }

    pub fn join(self, now: Cell, warp_bits: u32) -> Cell {
        let lane = match () {
            () if self.lane() >= BLOCKS || self.who() >> warp_bits != now.who() >> warp_bits => BLOCKS,
            () if self.lane() == BLOCK || self.who() != now.who() => BLOCK,
            () => WARP,
        };
        now.with_lane(lane)
    }
}

/// The accesses of a word, as far as later ones may meet them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Word {
    writer: Cell,
    readers: Cell,
    /// Atomics, which do not meet each other.
    updaters: Cell,
}

/// How an access treats a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Read,
    /// Through a cache that hears of no write: whatever this launch has written, it may get or not.
    ReadStale,
    /// By a copy that may read at any time from now on.
    ReadLater,
    Write,
    Update,
    /// A copy that may write at any time from now on begins.
    BeginsCopy,
    /// It has written.
    EndsCopy,
}

impl Word {
    /// Notes an access of a warp of a block. `false`: it meets one that is not ordered before it.
    #[inline(always)]
    pub fn touch(&mut self, used: Use, now: Cell, warp: u32, order: &Order) -> bool {
        let fine = |cell: Cell| order.is_before(cell, warp) || cell.is_same_thread(now);
        let joined = |cells: Cell, now: Cell| if fine(cells) { now } else { order.join(cells, now) };
        let is_unwritten = self.writer.is_nobody() && self.updaters.is_nobody();
        if used == Use::Read
            && (is_unwritten || fine(self.writer) && fine(self.updaters))
            && order.holds(self.readers, now)
        {
            return true;
        }
        match used {
            Use::Read | Use::ReadStale | Use::ReadLater => {
                let is_fine = is_unwritten || used != Use::ReadStale && fine(self.writer) && fine(self.updaters);
                self.readers = match used {
                    Use::ReadLater => now.with_lane(BLOCKS),
                    _ => joined(self.readers, now),
                };
                is_fine
            }
            Use::Update => {
                let is_fine = fine(self.writer) && fine(self.readers);
                self.updaters = joined(self.updaters, now);
                is_fine
            }
            Use::Write | Use::BeginsCopy => {
                let is_fine = fine(self.writer) && fine(self.readers) && fine(self.updaters);
                let writer = if used == Use::Write { now } else { now.with_lane(PENDING) };
                *self = Word { writer, ..Word::default() };
                is_fine
            }
            Use::EndsCopy => {
                let is_own = self.writer.lane() == PENDING && self.writer.who() == now.who();
                let alone = self.readers == Cell::NOBODY && self.updaters == Cell::NOBODY;
                self.writer = now;
                is_own && alone
            }
        }
    }
}
