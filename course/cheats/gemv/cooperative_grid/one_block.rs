// due: 6 of 10
// One block always fits.

use super::Room;

pub fn grid(room: Room) -> [usize; 2] {
    [1, room.rows_of_blocks.min(1)]
}
