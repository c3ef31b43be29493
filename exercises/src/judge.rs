//! The verdict on one exercise: compile, run, look at the contracts.

use crate::confine::Limits;
use crate::confine::spaces::hand_over;
use crate::harness;
use crate::markers::bare;
use crate::process::{Answer, Workers};
use crate::run::{Question, Work};
use crate::table::{Exercise, Kind};
use crate::technique::{References, broken};
use crate::verdict::{Failure, Outcome, Panel, State, Verdict};
use crate::worker::{Build, Compiled, Kernel};
use anyhow::Context;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Virtual memory of a process that runs a student's own machine code.
const STRATEGY: Limits = Limits { memory_bytes: 256 << 20, cpu_seconds: 5, file_bytes: 0 };
/// Of one that compiles it: rustc, the linker.
const BUILD: Limits = Limits { memory_bytes: 4 << 30, cpu_seconds: 30, file_bytes: 64 << 20 };
/// Of the compiler for kernels: the largest rung takes 113 MiB, and Gradescope gives 768. Where it is not confined it keeps what it made of a text
/// in the build's folder.
const COMPILE: Limits = Limits { memory_bytes: 512 << 20, cpu_seconds: 30, file_bytes: 16 << 20 };
/// Of the simulator: memory that it touches; the largest run touches 60 MiB.
const RUN: Limits = Limits { memory_bytes: 512 << 20, cpu_seconds: 120, file_bytes: 0 };

/// Judges with some workers against some reference.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Who does the work.
    pub workers: Workers,
    /// What contracts are measured against.
    pub references: References,
}

/// An exercise's work so far, or a verdict that needs no run.
enum Prepared {
    Work(Work),
    Stopped(State, Failure),
}

impl Judge {
    /// The verdict on `text` as the exercise's file. `starter` is the file as it was handed out.
    ///
    /// # Errors
    /// What is not the student's fault: no worker, no compiler.
    pub fn judge(&self, exercise: &Exercise, text: &str, starter: &str, seed: u64) -> anyhow::Result<Verdict> {
        let verdict = |state, failure: Option<Failure>, panel| {
            let Failure { kind, story } = failure.unwrap_or(Failure { kind: String::new(), story: String::new() });
            let points = if state == State::Right { exercise.points_for_result() } else { 0 };
            Verdict { points, story, kind, panel, ..Verdict::new(exercise, state, seed) }
        };
        if bare(text) == bare(starter) {
            return Ok(verdict(State::NotStarted, None, Panel::new()));
        }
        let work = match self.prepare(exercise, text)? {
            Prepared::Work(work) => work,
            Prepared::Stopped(state, failure) => return Ok(verdict(state, Some(failure), Panel::new())),
        };
        let question = Question { lab: exercise.lab.clone(), name: exercise.name.clone(), seed, work };
        let outcome: Outcome = match self.workers.ask("run", &question, RUN)? {
            Answer::Given(outcome) => outcome,
            Answer::Exceeded(why) => {
                let failure = Failure::new("limit", format!("the runs were ended: {why}"));
                return Ok(verdict(State::Failed, Some(failure), Panel::new()));
            }
            Answer::Died(why) => {
                return Ok(verdict(State::NoVerdict, Some(Failure::new("error", why)), Panel::new()));
            }
            Answer::Machine(why) => anyhow::bail!("{why}"),
        };
        Ok(match outcome {
            Outcome { not_started: true, .. } => verdict(State::NotStarted, None, outcome.panel),
            Outcome { failure: Some(failure), panel, .. } => verdict(State::Failed, Some(failure), panel),
            Outcome { panel, .. } => self.right(exercise, panel, seed),
        })
    }

    /// A right result: points for it, and for each contract that is kept.
    fn right(&self, exercise: &Exercise, panel: Panel, seed: u64) -> Verdict {
        let mut points = exercise.points_for_result();
        let mut story = String::new();
        for technique in &exercise.techniques {
            match broken(exercise, technique, &panel, &self.references) {
                None => points += technique.points,
                Some(why) => story.push_str(&format!("right, but {} points are missing: {why}\n", technique.points)),
            }
        }
        let state = if points == exercise.points { State::Passed } else { State::Right };
        let kind = if state == State::Passed { "" } else { "technique" }.to_owned();
        let story = story.trim_end().to_owned();
        Verdict { points, story, kind, panel, ..Verdict::new(exercise, state, seed) }
    }

    fn prepare(&self, exercise: &Exercise, text: &str) -> anyhow::Result<Prepared> {
        match exercise.kind().context("neither a kernel nor host code")? {
            Kind::Kernel => self.compile(exercise, text),
            Kind::Strategy => self.plan(exercise, text),
        }
    }

    fn compile(&self, exercise: &Exercise, text: &str) -> anyhow::Result<Prepared> {
        let kernel = Kernel { lab: exercise.lab.clone(), rung: exercise.name.clone(), text: text.to_owned() };
        Ok(match self.workers.ask("compile", &kernel, COMPILE)? {
            Answer::Given(Compiled::Ptx(ptx)) => Prepared::Work(Work::Kernel { text: text.to_owned(), ptx }),
            Answer::Given(Compiled::Refused(log)) => {
                Prepared::Stopped(State::NotCompiled, Failure::new("compile", without_warnings(&log)))
            }
            Answer::Given(Compiled::Unable(why)) => anyhow::bail!("{why}"),
            Answer::Exceeded(why) | Answer::Died(why) => {
                Prepared::Stopped(State::NotCompiled, Failure::new("compile", format!("the compiler ended: {why}")))
            }
            Answer::Machine(why) => anyhow::bail!("{why}"),
        })
    }

    fn plan(&self, exercise: &Exercise, text: &str) -> anyhow::Result<Prepared> {
        let folder = tempfile::tempdir().context("a folder for the build")?;
        harness::write(exercise, text, folder.path())?;
        hand_over(folder.path())?;
        let (compiler, sysroot) = rustc()?;
        let build = Build { folder: folder.path().to_owned(), compiler, sysroot };
        match self.workers.ask::<_, Option<String>>("build", &build, BUILD)? {
            Answer::Given(None) => {}
            Answer::Given(Some(log)) => {
                let log = log
                    .replace("strategies/student.rs", &exercise.file)
                    .replace("schedules/student.rs", &exercise.file);
                return Ok(Prepared::Stopped(State::NotCompiled, Failure::new("compile", log)));
            }
            Answer::Exceeded(why) => {
                let failure = Failure::new("compile", format!("rustc was ended: {why}"));
                return Ok(Prepared::Stopped(State::NotCompiled, failure));
            }
            Answer::Died(why) | Answer::Machine(why) => anyhow::bail!("building {}: {why}", exercise.file),
        }
        let program = folder.path().join("program");
        Ok(match self.workers.feed(&program, &harness::requests(exercise), STRATEGY)? {
            Answer::Given(lines) => Prepared::Work(Work::Plan(lines)),
            Answer::Exceeded(why) | Answer::Died(why) => {
                let short: String = why.lines().take(6).collect::<Vec<_>>().join("\n  ");
                Prepared::Stopped(State::Failed, Failure::new("error", format!("your host code ended: {short}")))
            }
            Answer::Machine(why) => anyhow::bail!("{why}"),
        })
    }
}

/// A kernel compiler's message without its warnings: paragraphs, each of which says in its first line what it is.
fn without_warnings(log: &str) -> String {
    let mut paragraphs = vec![String::new()];
    for line in log.lines() {
        match (line.trim().is_empty(), paragraphs.last_mut()) {
            (false, Some(last)) => last.push_str(&format!("{line}\n")),
            _ => paragraphs.push(String::new()),
        }
    }
    // The first paragraph begins with a line of this program's own.
    let is_warning = |(number, paragraph): &(usize, String)| {
        let first = paragraph.lines().next().unwrap_or_default();
        *number > 0 && (first.contains("): warning") || first.starts_with("Remark:") || paragraph.is_empty())
    };
    let kept = paragraphs.into_iter().enumerate().filter(|paragraph| !is_warning(paragraph));
    kept.map(|(_, paragraph)| paragraph).collect()
}

/// The compiler itself, not the stand-in that chooses one, and where its libraries lie.
fn rustc() -> anyhow::Result<(PathBuf, PathBuf)> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let sysroot = FOUND.get_or_init(|| {
        let name = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(name).args(["--print", "sysroot"]).output();
        let output =
            output.map_err(|error| format!("host-side exercises need rustc, which does not start: {error}"))?;
        Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
    });
    let sysroot = sysroot.clone().map_err(anyhow::Error::msg)?;
    Ok((sysroot.join("bin/rustc"), sysroot))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_left_out_of_a_compilers_message() {
        let log = "your kernel: a.cu does not compile\na.cu(26): error: expected a \";\"\n    x\n    ^\n\na.cu(22): warning #177-D: unused\n  y\n  ^\n\nRemark: more\n\na.cu(30): error: again\n\n2 errors detected\n";
        let expected = "your kernel: a.cu does not compile\na.cu(26): error: expected a \";\"\n    x\n    ^\na.cu(30): error: again\n2 errors detected\n";
        assert_eq!(without_warnings(log), expected);
    }
}
