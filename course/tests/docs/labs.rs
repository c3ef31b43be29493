//! The labs, as their command lines and tables are documented: a row each.

use clap::{Command, CommandFactory};
use common::lab::Lab;
use common::report::Column;

/// The documented parts of a lab.
pub struct Documented {
    /// Its name: "gemm".
    #[allow(dead_code, reason = "completions go by the program's name")]
    pub name: &'static str,
    /// Its command line.
    pub command: fn() -> Command,
    /// The columns of its main table.
    #[allow(dead_code, reason = "the command lines alone make completions")]
    pub columns: &'static [Column],
}

const fn of<L: Lab>() -> Documented {
    Documented { name: L::NAME, command: L::Options::command, columns: L::COLUMNS }
}

/// All of them.
#[rustfmt::skip]
pub const LABS: &[Documented] = &[
    of::<lab_first::First>(),
    of::<lab_gemm::MatrixProduct>(),
    of::<lab_gemv::MatrixVector>(),
    of::<lab_transpose::Transpose>(),
    of::<lab_streams::Streams>(),
    of::<lab_patterns::Patterns>(),
];
