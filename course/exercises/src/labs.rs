//! The labs that have exercises: a row each.

use anyhow::Context;
use common::exercise::{Judged, Strategy};
use common::lab::main;
use std::process::ExitCode;

/// The verdicts of a lab, and its program.
type Row = (&'static dyn Judged, fn() -> ExitCode);

/// Every lab judges its own exercises, and has a program.
#[rustfmt::skip]
pub const LABS: &[Row] = &[
    (&lab_first::First, main::<lab_first::First>),
    (&lab_gemm::Exercises, main::<lab_gemm::MatrixProduct>),
    (&lab_gemv::Exercises, main::<lab_gemv::MatrixVector>),
    (&lab_transpose::Exercises, main::<lab_transpose::Transpose>),
    (&lab_streams::Exercises, main::<lab_streams::Streams>),
    (&lab_patterns::Patterns, main::<lab_patterns::Patterns>),
];

/// The lab of this name.
///
/// # Errors
/// A row of course.toml that names no lab of the list above.
pub fn find(lab: &str) -> anyhow::Result<&'static dyn Judged> {
    let found = LABS.iter().find(|(judged, _)| judged.lab() == lab);
    let (judged, _) =
        found.with_context(|| format!("lab {lab} has no runs: it has no row in course/exercises/src/labs.rs"))?;
    Ok(*judged)
}

/// An exercise in Rust.
///
/// # Errors
/// As [`find`]; an exercise that its lab does not know.
pub fn strategy(lab: &str, name: &str) -> anyhow::Result<Strategy> {
    find(lab)?.strategy(name).with_context(|| format!("{lab}/{name} has no program around it"))
}
