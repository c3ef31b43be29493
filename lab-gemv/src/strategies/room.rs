//! The device and the problem as a cooperative launch sees them.

/// The room that a cooperative launch has to fit into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Blocks of this kernel that one multiprocessor holds at once: the occupancy API's answer.
    pub blocks_per_multiprocessor: usize,
    /// Multiprocessors of the device.
    pub multiprocessors: usize,
    /// Blocks that it takes to cover all rows of A once, ⌈m/sy⌉.
    pub rows_of_blocks: usize,
    /// Blocks that it takes to cover all columns of A once, ⌈n/sx⌉.
    pub columns_of_blocks: usize,
}
