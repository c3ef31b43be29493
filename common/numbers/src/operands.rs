//! A product that is computed on the host, and the ways to compute one.

/// C = A·B to be checked: A is m×k, B is k×n, both row-major.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a, T> {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of A, rows of B.
    pub k: usize,
    /// Columns of B and C.
    pub n: usize,
    /// m·k elements.
    pub a: &'a [T],
    /// k·n elements.
    pub b: &'a [T],
}

/// A way to compute a matrix–vector product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One sum per row, one product after the other, as the definition has it.
    Naive,
    /// A part of x at a time, several sums per row.
    Blocked,
    /// Bands of rows, one per thread and several for balance, each blocked.
    AllCores,
}
