//! A lab's result as data: a [`Report`] of rows, the ladder that they are of, the question that they answer.
//!
//! No file here measures or prints.

mod alike;
pub mod figures;
pub mod ladder;
mod note;
pub mod question;
mod report;
#[cfg(test)]
pub(crate) mod samples;

pub use alike::{distinct, grouped};
pub use note::{Next, Note, NoteKind};
pub use report::{
    Compared, Comparison, ComparisonRow, Experiment, Report, Row, Share, Side, Table, gain_of_rate, gain_of_time, rate,
};
