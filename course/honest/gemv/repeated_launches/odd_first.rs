// The second buffer of partial sums first; the widths are collected before the launches.

use super::{Buffer, Turn};

pub fn turns(n: usize, sx: usize) -> Vec<Turn> {
    let mut widths = vec![n];
    while *widths.last().unwrap() > 1 || widths.len() == 1 {
        let last = *widths.last().unwrap();
        widths.push(last.div_ceil(sx));
    }
    let buffer = |turn: usize| if turn % 2 == 1 { Buffer::Odd } else { Buffer::Even };
    let launches = widths.len() - 1;
    (0..launches)
        .map(|turn| Turn {
            input: if turn == 0 { Buffer::A } else { buffer(turn) },
            output: if turn + 1 == launches { Buffer::B } else { buffer(turn + 1) },
            columns: widths[turn],
            blocks: widths[turn + 1],
            multiply: turn == 0,
        })
        .collect()
}
