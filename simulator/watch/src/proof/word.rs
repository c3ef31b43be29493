//! Who touched a word last. By transitivity one writer and one set of readers are enough: whoever is ordered after the last of them is
//! ordered after those before, or these would have been told.

/// Accesses of a thread, or of several: who 32 bits (block and warp), lane 6, the count of its steps 26. Zero: nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell(u64);

/// Warps of a block at the most, as a power of two.
pub const WARP_BITS: u32 = 5;
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

    /// True if it was made when fewer barriers had been met.
    #[inline(always)]
    pub fn is_before(self, count: u32) -> bool {
        self.0 as u32 & ((1 << COUNT_BITS) - 1) < count
    }

    /// True if it is of threads of the other's block alone.
    #[inline(always)]
    pub fn is_of_block(self, other: Cell) -> bool {
        self.lane() <= BLOCK && (self.who() ^ other.who()) >> WARP_BITS == 0
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
    fn holds(self, now: Cell) -> bool {
        let is_same_count = (self.0 ^ now.0) & ((1 << COUNT_BITS) - 1) == 0;
        let is_same_block = self.who() >> WARP_BITS == now.who() >> WARP_BITS;
        self.lane() == BLOCKS || self.lane() == BLOCK && is_same_count && is_same_block
    }

    fn with_lane(self, lane: u32) -> Cell {
        Cell(self.0 & !(((1 << LANE_BITS) - 1) << COUNT_BITS) | u64::from(lane) << COUNT_BITS)
    }

    /// The cell for two reads together, of which neither is ordered before the other.
    fn join(self, now: Cell) -> Cell {
        let lane = match () {
            () if self.lane() >= BLOCKS || self.who() >> WARP_BITS != now.who() >> WARP_BITS => BLOCKS,
            () if self.lane() == BLOCK || self.who() != now.who() => BLOCK,
            () => WARP,
        };
        // The later count, so that whoever knows of it knows of both.
        let count = (self.0 as u32 & ((1 << COUNT_BITS) - 1)).max(now.0 as u32 & ((1 << COUNT_BITS) - 1));
        Cell(now.with_lane(lane).0 >> COUNT_BITS << COUNT_BITS | u64::from(count))
    }
}

/// An access of a warp, and by warp of its block the count before which that one's accesses are ordered before it.
#[derive(Clone, Copy)]
pub struct Now<'o> {
    /// Lane 0's.
    pub cell: Cell,
    pub known: &'o [u32],
}

impl Now<'_> {
    /// True if an access lies before all that the warp does now.
    #[inline(always)]
    pub fn is_after(&self, cell: Cell) -> bool {
        let is_known = |warp: u32| self.known.get(warp as usize).is_some_and(|count| cell.is_before(*count));
        cell.is_nobody()
            || cell.is_of_block(self.cell)
                && match cell.lane() <= WARP {
                    true => is_known(cell.who() & ((1 << WARP_BITS) - 1)),
                    // One of several warps, and nobody knows which.
                    false => (0..self.known.len() as u32).all(is_known),
                }
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
    /// Notes an access of a lane or a party of a warp. `false`: it meets one that is not ordered before it.
    #[inline(always)]
    pub fn touch(&mut self, used: Use, at: &Now, lane: u64) -> bool {
        let now = at.cell.of_lane(lane);
        let fine = |cell: Cell| at.is_after(cell) || cell.is_same_thread(now);
        let joined = |cells: Cell, now: Cell| if fine(cells) { now } else { cells.join(now) };
        let is_unwritten = self.writer.is_nobody() && self.updaters.is_nobody();
        if used == Use::Read && (is_unwritten || fine(self.writer) && fine(self.updaters)) && self.readers.holds(now) {
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

#[cfg(test)]
mod tests {
    use super::super::order::Order;
    use super::*;

    /// Two blocks of two warps, and a word that their lanes touch.
    struct Scene {
        word: Word,
        orders: [Order; 2],
    }

    impl Scene {
        fn new() -> Scene {
            Scene { word: Word::default(), orders: [0, 1].map(|block| Order::new(block, 2).unwrap()) }
        }

        fn touch(&mut self, (block, warp, lane): (usize, u32, u64), used: Use) -> bool {
            self.word.touch(used, &self.orders[block].now(warp).unwrap(), lane)
        }
    }

    #[test]
    fn a_barrier_stands_between_threads_of_its_block_alone() {
        let mut scene = Scene::new();
        assert!(scene.touch((0, 0, 3), Use::Write) && scene.touch((0, 0, 3), Use::Read));
        scene.orders[0].release(0, 64);
        assert!(scene.touch((0, 1, 5), Use::Read) && scene.touch((0, 0, 3), Use::Read));
        scene.orders[1].release(0, 64);
        assert!(!scene.touch((1, 0, 0), Use::Read));
        assert!(!scene.touch((0, 1, 5), Use::Write), "the other reader");
    }

    #[test]
    fn a_reader_of_another_block_is_never_forgotten() {
        let mut scene = Scene::new();
        for party in [(1, 0, 0), (0, 0, 0), (0, 1, 0), (0, 0, 1)] {
            assert!(scene.touch(party, Use::Read));
            scene.orders[0].release(0, 64);
        }
        assert!(!scene.touch((0, 0, 0), Use::Write));
    }

    #[test]
    fn a_warp_that_has_met_is_ordered_among_itself() {
        let mut scene = Scene::new();
        assert!(scene.touch((0, 0, 1), Use::Write));
        scene.orders[0].meet(0);
        assert!(scene.touch((0, 0, 2), Use::Read));
        assert!(!scene.touch((0, 1, 2), Use::Read));
    }

    #[test]
    fn atomics_meet_all_but_atomics() {
        let mut scene = Scene::new();
        assert!(scene.touch((0, 0, 1), Use::Update) && scene.touch((1, 0, 1), Use::Update));
        assert!(!scene.touch((1, 1, 1), Use::Read));
    }

    #[test]
    fn a_copy_is_under_way_until_it_has_ended() {
        let mut scene = Scene::new();
        assert!(scene.touch((0, 0, 1), Use::BeginsCopy));
        scene.orders[0].release(0, 64);
        let (word, mut other) = (scene.word, Scene::new());
        assert!(!scene.touch((0, 0, 1), Use::Read), "its own thread");
        other.word = word;
        assert!(other.touch((0, 0, 1), Use::EndsCopy));
        other.orders[0].release(0, 64);
        other.orders[0].release(0, 64);
        assert!(other.touch((0, 1, 0), Use::Read) && !other.touch((0, 1, 0), Use::ReadStale));
    }
}
