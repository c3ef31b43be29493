//! The labs that have exercises: a row each.

use anyhow::Context;
use common::exercise::{Judged, Strategy};

/// Every lab judges its own exercises.
#[rustfmt::skip]
const LABS: &[&dyn Judged] = &[
    &lab_first::First,
    &lab_gemm::Exercises,
    &lab_gemv::Exercises,
    &lab_transpose::Exercises,
    &lab_streams::Exercises,
    &lab_patterns::Patterns,
];

/// The lab of this name.
///
/// # Errors
/// A row of course.toml that names no lab of the list above.
pub fn find(lab: &str) -> anyhow::Result<&'static dyn Judged> {
    let found = LABS.iter().find(|judged| judged.lab() == lab);
    found.copied().with_context(|| format!("lab {lab} has no runs: it has no row in course/exercises/src/labs.rs"))
}

/// An exercise in Rust.
///
/// # Errors
/// As [`find`]; an exercise that its lab does not know.
pub fn strategy(lab: &str, name: &str) -> anyhow::Result<Strategy> {
    find(lab)?.strategy(name).with_context(|| format!("{lab}/{name} has no program around it"))
}
