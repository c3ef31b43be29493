//! A lab's own program, run by the judge: with a student's kernels, and with the plans of a student's host code.

use crate::judge::Judge;
use crate::labs::{LABS, find};
use crate::process::Workers;
use crate::table::{Course, Kind};
use crate::technique::References;
use anyhow::Context;
use common::exercise::plan_by;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// Says to a process of this program, and to those that it starts in turn, which lab's program it is.
const LAB: &str = "JUDGE_LAB";

/// Becomes a lab's program, whose command line is its own.
///
/// # Errors
/// An unknown lab; this program does not start again.
pub fn become_lab(course: &Course, name: &str, arguments: &[String]) -> anyhow::Result<bool> {
    find(&course.lab(name)?.name)?;
    let program = std::env::current_exe()?;
    Err(Command::new(program).arg0(format!("lab-{name}")).args(arguments).env(LAB, name).exec())
        .with_context(|| format!("starting lab {name}"))
}

/// If this process is a lab's program, runs it and returns what to exit with. Plans are those of the student's files.
pub fn dispatch() -> Option<ExitCode> {
    let name = std::env::var(LAB).ok()?;
    let (_, program) = LABS.iter().find(|(judged, _)| judged.lab() == name)?;
    plan_by(Box::new(|lab, function, numbers| {
        plan(lab, function, numbers).unwrap_or_else(|error| {
            eprintln!("error: {error:#}");
            std::process::exit(1)
        })
    }));
    Some(program())
}

fn plan(lab: &str, function: &str, numbers: &[usize]) -> anyhow::Result<Option<String>> {
    let course = Course::here()?;
    let judge = Judge { workers: Workers::of_this_program(false)?, references: References::read(&course.root)? };
    // A file may have a second function, whose name begins alike.
    let of = |name: &str| function.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    let mut own = course.of_lab(lab).filter(|exercise| exercise.kind() == Some(Kind::Strategy));
    own.find(|exercise| of(&exercise.name))
        .map_or(Ok(None), |exercise| judge.plan(&course, exercise, function, numbers))
}
