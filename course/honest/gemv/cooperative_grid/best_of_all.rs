// Tries every number of columns and takes the grid with the most blocks.

use super::Room;

pub fn grid(room: Room) -> [usize; 2] {
    let resident = room.blocks_per_multiprocessor * room.multiprocessors;
    let rows = |columns: usize| room.rows_of_blocks.min(resident / columns);
    let columns = (1..=room.columns_of_blocks.min(resident)).max_by_key(|&columns| columns * rows(columns)).unwrap_or(1);
    [columns, rows(columns)]
}
