// As many blocks along a row as there can be, then as many rows as still fit.

use super::Room;

pub fn grid(room: Room) -> [usize; 2] {
    let resident = room.blocks_per_multiprocessor * room.multiprocessors;
    let columns = room.columns_of_blocks.min(resident);
    [columns, room.rows_of_blocks.min(resident / columns).max(1)]
}
