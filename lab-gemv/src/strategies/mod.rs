//! The host's decisions around a rung's launches, as data: numbers in, a plan out. `launch` carries the plans out.

mod cooperative;
mod repeated;
mod room;
mod turn;

pub use cooperative::grid;
pub use repeated::turns;
pub use room::Room;
pub use turn::{Buffer, Turn};

/// Who decides: this lab, unless a caller has plans of its own.
#[derive(Clone, Copy, Debug)]
pub struct Strategies {
    /// As [`turns`].
    pub turns: fn(usize, usize) -> Vec<Turn>,
    /// As [`grid`].
    pub grid: fn(Room) -> [usize; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_shorten_the_rows_until_one_column_is_left() {
        let all = turns(1000, 16);
        let shape: Vec<_> = all.iter().map(|turn| (turn.columns, turn.blocks, turn.multiply)).collect();
        assert_eq!(shape, [(1000, 63, true), (63, 4, false), (4, 1, false)]);
        let ways: Vec<_> = all.iter().map(|turn| (turn.input, turn.output)).collect();
        assert_eq!(ways, [(Buffer::A, Buffer::Even), (Buffer::Even, Buffer::Odd), (Buffer::Odd, Buffer::B)]);
        assert_eq!(turns(1, 2).len(), 1, "one column is multiplied, not only copied");
    }

    #[test]
    fn the_grid_fills_the_device_and_never_more() {
        let room =
            Room { blocks_per_multiprocessor: 4, multiprocessors: 10, rows_of_blocks: 8, columns_of_blocks: 100 };
        assert_eq!(grid(room), [5, 8]);
        assert_eq!(grid(Room { rows_of_blocks: 1000, ..room }), [1, 40]);
        assert_eq!(grid(Room { columns_of_blocks: 2, ..room }), [2, 8]);
    }
}
