//! What the sanitizer keeps of a running block, and the launch's facts that it needs everywhere.
use super::barrier::BarrierState;
use super::behind::RanBehind;
use super::cells::Word;
use super::clock::{Clock, Published};
use crate::fault::Place;
use crate::probe::{Launch, Who};
use std::collections::HashMap;

/// Facts of the launch, copied so that the probe can outlive it.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub block: [u32; 3],
    pub shared_bytes: u32,
}

impl Shape {
    pub fn of(launch: &Launch) -> Self {
        Self { block: launch.block, shared_bytes: launch.shared_bytes }
    }
    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }
    pub fn warps(&self) -> usize {
        self.threads().div_ceil(32) as usize
    }
    /// The lanes of a warp that have a thread.
    pub fn lanes(&self, warp: u32) -> u32 {
        let left = self.threads().saturating_sub(warp * 32).min(32);
        if left == 0 { 0 } else { u32::MAX >> (32 - left) }
    }
    /// A place by warp and lanes; the first of the lanes is the one that is named.
    pub fn place(&self, who: Who, site: u32, lanes: u32) -> Place {
        let lane = lanes.trailing_zeros().min(31);
        let thread = who.warp * 32 + lane;
        let [x, y, _] = self.block.map(|edge| edge.max(1));
        Place {
            function: who.function,
            site,
            block: who.block,
            thread: [thread % x, thread / x % y, thread / (x * y)],
            warp: who.warp,
            lane,
            lanes,
        }
    }
}

/// A block between its start and its end.
pub struct BlockState {
    pub index: u64,
    pub coordinates: [u32; 3],
    pub clocks: Vec<Clock>,
    /// Per warp the number under which its accesses to global memory are noted, and the stamp it stands for.
    pub contexts: Vec<(u32, u32)>,
    /// Shadow of shared memory.
    pub shared: Vec<Word>,
    /// What was published at which shared address.
    pub published: HashMap<u64, Published>,
    /// Per word of shared memory a bit for each byte that was written.
    pub shared_written: Vec<u8>,
    /// How many words of shared memory are not written as a whole.
    pub shared_open: usize,
    /// Per warp: for each byte of local memory the lanes that have written it.
    pub local_written: Vec<Vec<u32>>,
    pub barriers: BarrierState,
    pub ran_behind: RanBehind,
}

impl BlockState {
    pub fn new(index: u64, coordinates: [u32; 3], shape: &Shape) -> Self {
        let warps = shape.warps();
        let words = shape.shared_bytes.div_ceil(4) as usize;
        Self {
            index,
            coordinates,
            clocks: vec![Clock::new(warps); warps],
            contexts: vec![(0, 0); warps],
            shared: vec![Word::default(); words],
            published: HashMap::new(),
            shared_written: vec![0; words],
            shared_open: words,
            local_written: vec![Vec::new(); warps],
            barriers: BarrierState::new(warps),
            ran_behind: RanBehind::new(warps),
        }
    }
}
