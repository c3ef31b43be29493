//! The order of a block's accesses: what lies before a barrier that all have come to, and what after it.
use super::word::{Cell, Now, WARP_BITS};
use machine::probe::Arrival;
use rustc_hash::FxHashMap;

/// The order in one block, in which barriers are counted.
pub struct Order {
    block: u32,
    /// Barriers so far, those of single warps too.
    count: u32,
    /// The count after the last barrier of the block, and of each warp.
    block_since: u32,
    warp_since: Vec<u32>,
    /// Threads that wait at each barrier.
    waiting: FxHashMap<u32, u32>,
}

impl Order {
    /// `None`: there are more blocks than are numbered.
    pub fn new(block: u64, warps: usize) -> Option<Order> {
        let block = u32::try_from(block).ok().filter(|block| *block < (1 << (31 - WARP_BITS)) - 1)?;
        let fits = warps <= 1 << WARP_BITS;
        fits.then(|| Order {
            block,
            count: 1,
            block_since: 1,
            warp_since: vec![1; warps],
            waiting: FxHashMap::default(),
        })
    }

    /// The accesses that are ordered before one of a warp now; `None`: there were more barriers than are counted.
    #[inline(always)]
    pub fn now(&self, warp: u32) -> Option<Now> {
        let cell = Cell::new((self.block + 1) << WARP_BITS | warp, self.count)?;
        Some(Now { cell, block_since: self.block_since, warp_since: self.warp_since[warp as usize] })
    }

    /// Lanes arrive at a barrier.
    pub fn arrive(&mut self, arrival: &Arrival) {
        *self.waiting.entry(arrival.id).or_default() += arrival.mask.count_ones();
    }

    /// A barrier lets go. `false`: not all `threads` of the block had come.
    pub fn release(&mut self, id: u32, threads: u32) -> bool {
        self.count += 1;
        self.block_since = self.count;
        self.warp_since.fill(self.count);
        self.waiting.remove(&id) == Some(threads)
    }

    /// All lanes of a warp have met.
    pub fn meet(&mut self, warp: u32) {
        self.count += 1;
        self.warp_since[warp as usize] = self.count;
    }
}
