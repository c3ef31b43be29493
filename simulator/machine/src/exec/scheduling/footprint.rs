//! The way of warps that are watched.
use crate::probe::Who;
use std::collections::{BTreeMap, BTreeSet};

/// The steps of warps while they are watched.
#[derive(Default)]
pub(crate) struct Footprint {
    /// The basic blocks that each warp ran, and how often: by block of the grid, warp and function.
    pub ran: BTreeMap<(u64, u32, u32), BTreeMap<u32, u64>>,
    /// Addresses that they poll.
    pub polled: BTreeSet<u64>,
}

impl Footprint {
    /// A warp runs a basic block.
    pub fn run(&mut self, who: Who, block: u32) {
        *self.ran.entry((who.block_index, who.warp, who.function)).or_default().entry(block).or_default() += 1;
    }
}
