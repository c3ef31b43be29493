// A launch, then the launches for what it leaves.

use super::{Buffer, Turn};

fn from(input: Buffer, columns: usize, sx: usize) -> Vec<Turn> {
    let blocks = (columns + sx - 1) / sx;
    let output = match (blocks, input) {
        (1, _) => Buffer::B,
        (_, Buffer::Even) => Buffer::Odd,
        _ => Buffer::Even,
    };
    let mut turns = vec![Turn { input, output, columns, blocks, multiply: input == Buffer::A }];
    if blocks > 1 {
        turns.extend(from(output, blocks, sx));
    }
    turns
}

pub fn turns(n: usize, sx: usize) -> Vec<Turn> {
    from(Buffer::A, n, sx)
}
