//! Reports and rows for tests: of a simulated card, right, and measured once.

use super::{Report, Row};
use crate::check::Check;
use crate::element::Dtype;
use crate::observations::DeviceFacts;
use crate::shape::Shape;
use crate::statistics::Statistics;

/// A report without rows.
pub fn report() -> Report {
    Report::new(DeviceFacts { simulated: true, ..DeviceFacts::default() }, "gemm", 1)
}

/// A row of a square problem.
pub fn row(variant: &str, n: usize, block: &str, ms: f64) -> Row {
    let check = Check { correct: true, max_relative_error: 1e-7, mismatch: None };
    let time = Statistics::of(&[ms]).expect("a run");
    Row::new(variant, Shape::square(n), block.to_owned(), Dtype::F32, check, time)
}
