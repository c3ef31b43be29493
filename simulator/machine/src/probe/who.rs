//! The warp that an event is of.

/// Which warp of which block, and which function of the program it is in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Who {
    pub function: u32,
    pub block: [u32; 3],
    /// x + y·grid.x + z·grid.x·grid.y
    pub block_index: u64,
    pub warp: u32,
}
