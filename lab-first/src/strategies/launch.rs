//! A launch from the host: how many threads a block has, and how many blocks the grid.
//!
//! The kernel is `plane`: a thread for each element of a matrix, x along a row, y from row to row; threads beyond the matrix do nothing.

use super::Launch;

/// For a matrix of `rows` × `columns` elements, each at least 1.
pub fn launch(rows: usize, columns: usize) -> Launch {
    // TASK: Choose a block of 32 threads along x, so that a warp lies along a row, and 8 along y. Choose as many blocks as cover all
    // elements, and not one more.
    // BEGIN SOLUTION (starter: Launch { grid: [0, 0], block: [0, 0] })
    let block = [32, 8];
    Launch { grid: [columns.div_ceil(block[0]), rows.div_ceil(block[1])], block }
    // END SOLUTION
}
