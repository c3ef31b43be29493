//! What the model of one multiprocessor is told of a launch.

/// What the launch is beside its traces.
pub struct Setting {
    /// Blocks that are there at a time, blocks of the busiest multiprocessor, multiprocessors with blocks.
    pub resident: u64,
    pub blocks: u64,
    pub active: f64,
    /// L1 that shared memory leaves.
    pub l1_bytes: u64,
    /// Of what goes to L2, the part that goes on to memory.
    pub beyond_l2: f64,
    /// Of an atomic of a multiprocessor, what L2 takes for it and for the others' that come at the same time.
    pub atomic_cycles: f64,
    /// What blocks did, over what was followed of them.
    pub weight: f64,
    /// Whether all blocks did about as much.
    pub alike: bool,
}
