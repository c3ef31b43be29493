// due: 6 of 10
// A block for each row of blocks, as many as fit; blocks never share a row.

use super::Room;

pub fn grid(room: Room) -> [usize; 2] {
    let resident = room.blocks_per_multiprocessor * room.multiprocessors;
    [1, room.rows_of_blocks.min(resident)]
}
