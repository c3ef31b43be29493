//! The facts about a launch that the model of one multiprocessor needs.
use rustc_hash::FxHashSet;

/// The launch, beside its traces.
pub struct Setting<'a> {
    /// Blocks that are there at a time, blocks of the busiest multiprocessor, multiprocessors with blocks.
    pub resident: u64,
    pub blocks: u64,
    pub active: f64,
    /// L1 that shared memory leaves.
    pub l1_bytes: u64,
    /// The part of L2's traffic that goes on to memory.
    pub beyond_l2: f64,
    /// The time that L2 takes for an atomic of a multiprocessor and for those of the others that come at the same time.
    pub atomic_cycles: f64,
    /// Barriers and loads that nobody waits for.
    pub waits: &'a FxHashSet<(u32, u32)>,
    /// Instructions of all blocks, over those that were followed.
    pub weight: f64,
    /// True if all blocks did about as much.
    pub alike: bool,
}
