//! The grid of the cooperative launch. All its blocks must be on the device at once, or the barrier of the whole grid waits for blocks that
//! cannot start; the occupancy API answers *per multiprocessor*.

use super::Room;

/// Blocks along a row of A and along a column of A, each at least 1 and together no more than the device holds.
pub fn grid(room: Room) -> [usize; 2] {
    // TASK: one block for each `sy` rows if the device holds so many. Where they do not fill it, several blocks share a row, up to
    // what a row has columns for.
    // BEGIN SOLUTION (starter: [0, 0])
    let resident = room.blocks_per_multiprocessor * room.multiprocessors;
    let rows = room.rows_of_blocks.min(resident);
    let columns = (resident / rows).clamp(1, room.columns_of_blocks);
    [columns, rows]
    // END SOLUTION
}
