//! A launch of the repeated reduction as data.

/// Where a launch of the repeated reduction reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// The matrix.
    A,
    /// The first buffer of partial sums.
    Even,
    /// The second one.
    Odd,
    /// The result.
    B,
}

/// One launch of the repeated reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The buffer that it reads, m×`columns`.
    pub input: Buffer,
    /// The buffer that it writes, m×`blocks`.
    pub output: Buffer,
    /// Columns of the input.
    pub columns: usize,
    /// Blocks along a row.
    pub blocks: usize,
    /// True if the products with x are made in this turn.
    pub multiply: bool,
}
