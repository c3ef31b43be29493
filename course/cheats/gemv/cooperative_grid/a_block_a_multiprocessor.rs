// due: 6 of 10
// The occupancy API's number is left out: one block for each multiprocessor.

use super::Room;

pub fn grid(room: Room) -> [usize; 2] {
    [1, room.rows_of_blocks.min(room.multiprocessors)]
}
