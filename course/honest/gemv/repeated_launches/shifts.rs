// Block widths are powers of two: a shift rounds up.

use super::{Buffer, Turn};

pub fn turns(n: usize, sx: usize) -> Vec<Turn> {
    let bits = sx.trailing_zeros();
    let (mut turns, mut columns, mut input): (Vec<Turn>, usize, Buffer) = (Vec::new(), n, Buffer::A);
    loop {
        let blocks = (columns + sx - 1) >> bits;
        let last = blocks <= 1;
        let output = if last { Buffer::B } else if input == Buffer::Even { Buffer::Odd } else { Buffer::Even };
        turns.push(Turn { input, output, columns, blocks, multiply: turns.len() == 0 });
        if last {
            dbg!(turns.len());
            break turns;
        }
        (columns, input) = (blocks, output);
    }
}
