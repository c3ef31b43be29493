//! Where a kernel's accesses are answered: L1, L2, the card's memory, or the host's over the bus.
//!
//! A probe beside the counters. Each block has a share of L1 to itself; what misses goes to L2, and stores and atomics always
//! do. The simulator runs one warp after the other, a card runs them side by side: so time, here, is how many loads a warp
//! has made, the same for all warps of a block, and a line is still there if few enough others came in between.
//! L2 is not played through: all that a wave of resident blocks touches is fetched once, and if the whole launch's footprint fits, it stays. So that the cost stays small, two samples of a large launch are
//! followed, each chosen by a hash: some of the lines in all blocks, for what the launch touches, and all lines in some of the blocks, for
//! what is asked of L2. What is found is scaled up. Nothing depends on which host thread runs which block.
mod accesses;
mod counts;
pub mod found;
mod probe;
mod sampled;
pub mod share;
#[cfg(test)]
mod tests;
mod touched;

pub use found::Found;
pub use sampled::Traffic;
