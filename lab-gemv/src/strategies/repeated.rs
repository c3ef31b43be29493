//! The launches of the repeated reduction: the same kernel on the matrix, then on what it wrote, until one column is left.
//!
//! A launch reads m×`columns` and writes one column per block, so `columns` shrinks `sx`-fold. It must not write where it reads: two
//! buffers of partial sums take turns, the first launch reads A, the last one writes b.

use super::{Buffer, Turn};

/// For rows of `n` elements and blocks `sx` threads wide, `sx` ≥ 2: the launches in order, at least one.
pub fn turns(n: usize, sx: usize) -> Vec<Turn> {
    // TASK: list the launches. Only the first one multiplies by x.
    // BEGIN SOLUTION (starter: Vec::new())
    let mut turns: Vec<Turn> = Vec::new();
    let mut columns = n;
    loop {
        let blocks = columns.div_ceil(sx);
        let (input, spare) = match turns.len() {
            0 => (Buffer::A, Buffer::Even),
            turn if turn % 2 == 1 => (Buffer::Even, Buffer::Odd),
            _ => (Buffer::Odd, Buffer::Even),
        };
        let output = if blocks == 1 { Buffer::B } else { spare };
        turns.push(Turn { input, output, columns, blocks, multiply: turns.is_empty() });
        if blocks == 1 {
            return turns;
        }
        columns = blocks;
    }
    // END SOLUTION
}
