// Adds a column as long as the grid fits.

use super::Room;

pub fn grid(room: Room) -> [usize; 2] {
    let resident = room.blocks_per_multiprocessor * room.multiprocessors;
    let rows = if room.rows_of_blocks < resident { room.rows_of_blocks } else { resident };
    let mut columns = 1;
    while columns < room.columns_of_blocks && (columns + 1) * rows <= resident {
        columns += 1;
    }
    println!("{room:?}: {columns} x {rows}");
    [columns, rows]
}
