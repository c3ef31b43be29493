//! The verdict on one exercise: compile, run, look at the contracts.

use crate::compiler_log;
use crate::confine::Limits;
use crate::confine::spaces::hand_over;
use crate::harness;
use crate::labs;
use crate::markers::bare;
use crate::meant;
use crate::process::{Answer, Told, Workers};
use crate::questions::{Answers, Questions};
use crate::run::{Question, Work};
use crate::table::{Course, Exercise, Kind};
use crate::technique::{References, broken, without_idea};
use crate::verdict::{Failure, NO_RUSTC, Outcome, Panel, State, Talk, Verdict};
use crate::worker::{Build, Compiled, Kernel};
use anyhow::{Context, bail, ensure};
use common::exercise::PlanProgram;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Memory of the largest box. Boxes are filled one after the other, so this and the grader's own 100 MiB are what a machine needs for each
/// submission at a time: a job of a cluster asks for that much, and Gradescope's smallest machine has it.
pub const LARGEST: u64 = 640 << 20;
/// The limits of a process that runs a student's own machine code.
pub(crate) const STRATEGY: Limits = Limits { memory_bytes: 256 << 20, cpu_seconds: 3, file_bytes: 0 };
/// The limits of a process that compiles it: rustc, the linker. They take 150 MiB for a plan.
const BUILD: Limits = Limits { memory_bytes: LARGEST, cpu_seconds: 30, file_bytes: 64 << 20 };
/// The limits of the compiler for kernels, which takes 110 MiB for a large one and 200 with cooperative groups or libcu++. Where it is not
/// confined it keeps what it made of a text in the build's folder.
const COMPILE: Limits = Limits { memory_bytes: LARGEST, cpu_seconds: 30, file_bytes: 16 << 20 };
/// The limits of the simulator: memory that it touches; the largest run touches 60 MiB.
pub(crate) const RUN: Limits = Limits { memory_bytes: LARGEST, cpu_seconds: 120, file_bytes: 0 };

/// Judges with some workers against some reference.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Who does the work.
    pub workers: Workers,
    /// The references that contracts are measured against.
    pub references: References,
}

/// The outcome of judging once.
#[derive(Debug)]
pub enum Attempt {
    /// A verdict that the work itself gave.
    Judged(Verdict),
    /// A verdict because the work met a limit or ended by itself. A busy machine can look like that, so a grader asks once more, alone.
    Ended(Verdict),
    /// No verdict, for a reason that is the machine's: no worker, no compiler, a kill from outside.
    Machine(String),
}

impl From<anyhow::Error> for Attempt {
    fn from(error: anyhow::Error) -> Self {
        Attempt::Machine(format!("{error:#}"))
    }
}

impl Judge {
    /// The verdict on `text` as the exercise's file. `starter` is the file as it was handed out.
    ///
    /// # Errors
    /// A failure that is not the student's fault: no worker, no compiler.
    pub fn judge(&self, exercise: &Exercise, text: &str, starter: &str, seed: u64) -> anyhow::Result<Verdict> {
        match self.attempt(exercise, text, starter, seed) {
            Attempt::Judged(verdict) | Attempt::Ended(verdict) => Ok(verdict),
            Attempt::Machine(why) => bail!("{why}"),
        }
    }

    /// The verdict on an exercise's file as it lies in the workspace. One that is gone, or is no text, is told as such.
    pub fn judge_file(&self, course: &Course, exercise: &Exercise, seed: u64) -> anyhow::Result<Verdict> {
        match course.text(exercise) {
            Ok(text) => self.judge(exercise, &text, &course.starter(exercise)?, seed),
            Err(why) => {
                let gone = !course.root.join(&exercise.file).exists();
                let (state, kind) = if gone { (State::NotStarted, "missing") } else { (State::Refused, "refused") };
                Ok(Verdict::without_points(exercise, state, seed, Failure::new(kind, format!("{why:#}"))))
            }
        }
    }

    /// As [`Judge::judge`], for who can ask again.
    pub fn attempt(&self, exercise: &Exercise, text: &str, starter: &str, seed: u64) -> Attempt {
        let trial = Trial { judge: self, exercise, text, starter, seed };
        trial.verdict().map_or_else(|end| end, |verdict| Attempt::Judged(trial.with_meant(verdict)))
    }

    /// The plan that a function of an exercise's file prints for some numbers, for a run of the lab itself; none while the file is the starter.
    ///
    /// # Errors
    /// A program that does not compile or end, with its story; no rustc.
    pub fn plan(
        &self,
        course: &Course,
        exercise: &Exercise,
        function: &str,
        numbers: &[usize],
    ) -> anyhow::Result<Option<String>> {
        let (text, starter) = (course.text(exercise)?, course.starter(exercise)?);
        let trial = Trial { judge: self, exercise, text: &text, starter: &starter, seed: 0 };
        if trial.is_untouched() {
            return Ok(None);
        }
        let strategy = labs::strategy(&exercise.lab, function)?;
        match trial.plan(&strategy.program, &Questions::of(vec![numbers.to_vec()])) {
            Ok(answers) => Ok(answers.plans.into_iter().next()),
            Err(Attempt::Judged(verdict) | Attempt::Ended(verdict)) => bail!("{}", verdict.story),
            Err(Attempt::Machine(why)) => bail!("{why}"),
        }
    }

    pub(crate) fn translate(&self, exercise: &Exercise, text: &str) -> anyhow::Result<Answer<Compiled>> {
        let Exercise { lab, name, card, .. } = exercise.clone();
        let kernel = Kernel { lab, rung: name, card, text: text.to_owned() };
        self.workers.ask("compile", &kernel, COMPILE)
    }

    fn build(&self, folder: &Path) -> anyhow::Result<Answer<Option<String>>> {
        hand_over(folder)?;
        let (compiler, sysroot) = rustc()?;
        let question = Build { folder: folder.to_owned(), compiler, sysroot };
        let answer: Answer<Answer<Option<String>>> = self.workers.ask("build", &question, BUILD)?;
        Ok(answer.then(|end| end))
    }

    /// Why nothing is built here, not even a program that does nothing: a library or the linker has gone.
    pub(crate) fn unable_to_build(&self, folder: &Path) -> anyhow::Result<Option<String>> {
        std::fs::write(folder.join("main.rs"), "fn main() {\n    println!(\"{}\", String::new());\n}\n")?;
        let why = match self.build(folder)? {
            Answer::Given(None) => return Ok(None),
            Answer::Given(Some(log)) => log,
            Answer::Exceeded(why) | Answer::Died(why) | Answer::Machine(why) => why,
        };
        Ok(Some(format!("rustc does not build a program that does nothing either: {why}")))
    }
}

/// A file on its way to a verdict. Each step gives what the next one takes, or the end of the attempt.
struct Trial<'a> {
    judge: &'a Judge,
    exercise: &'a Exercise,
    text: &'a str,
    starter: &'a str,
    seed: u64,
}

/// The kind of failure of what is written and does nothing.
pub const NOTHING: &str = "does nothing";
/// The words for kernels that do not ask which thread they run in.
const ALIKE: &str = "\nno kernel of the file makes use of threadIdx: all threads of a block do the same work";
/// Changes of a text that are tried.
const MOST_TRIED: usize = 2;

#[allow(clippy::result_large_err, reason = "one verdict ends a trial, and is moved once")]
impl Trial<'_> {
    /// The way of points: begun, prepared, run, graded.
    fn verdict(&self) -> Result<Verdict, Attempt> {
        self.require_begun()?;
        let (work, warnings) = self.prepare()?;
        let outcome = self.run(work)?;
        Ok(self.grade(outcome, &warnings))
    }

    fn is_untouched(&self) -> bool {
        bare(self.text) == bare(self.starter)
    }

    /// A starter is not judged, unless its defect is what the exercise is about.
    fn require_begun(&self) -> Result<(), Attempt> {
        if self.is_untouched() && !self.exercise.mend {
            return Err(Attempt::Judged(Verdict::new(self.exercise, State::NotStarted, self.seed)));
        }
        Ok(())
    }

    /// An end without points.
    fn end(&self, end: fn(Verdict) -> Attempt, state: State, failure: Failure, printed: Talk) -> Attempt {
        end(Verdict { printed, ..Verdict::without_points(self.exercise, state, self.seed, failure) })
    }

    /// An end because there is no program.
    fn not_compiled(&self, end: fn(Verdict) -> Attempt, failure: Failure) -> Attempt {
        self.end(end, State::NotCompiled, failure, Talk::default())
    }

    /// The story of a run that did nothing, though something was written.
    fn nothing(&self) -> String {
        let what = match self.exercise.kind() {
            Some(Kind::Strategy) => "its answers are those of what was handed out",
            _ => "writes nothing",
        };
        format!("it compiles, runs, and {what}{}", self.untouched())
    }

    /// The functions that are as they were handed out, as a line with a line end before it.
    fn untouched(&self) -> String {
        let left = meant::untouched(self.text, self.starter);
        left.iter().map(|name| format!("\nnext: write `{name}`, which is as it was handed out")).collect()
    }

    /// The work that runs, and the compiler's warnings about it.
    fn prepare(&self) -> Result<(Work, String), Attempt> {
        match self.exercise.kind().context("neither a kernel nor host code")? {
            Kind::Kernel => self.compile(),
            Kind::Strategy => {
                // A grader's machine has one; a student may write kernels alone.
                match rustc() {
                    Err(why) if !self.judge.workers.confined && is_missing(&why) => {
                        let next = "install Rust, https://rustup.rs; kernels are judged without it";
                        let failure = Failure::new(NO_RUSTC, format!("{why:#}\nnext: {next}"));
                        return Err(self.end(Attempt::Judged, State::ToBeRepeated, failure, Talk::default()));
                    }
                    found => found.map(drop)?,
                }
                let strategy = labs::strategy(&self.exercise.lab, &self.exercise.name)?;
                let answers = self.plan(&strategy.program, &Questions::new(&strategy, self.seed))?;
                Ok((Work::Plan(answers), String::new()))
            }
        }
    }

    fn run(&self, work: Work) -> Result<Outcome, Attempt> {
        let Exercise { lab, name, card, f64, .. } = self.exercise.clone();
        let question = Question { lab, name, card, f64, seed: self.seed, work };
        let ended = |failure| self.end(Attempt::Ended, State::Failed, failure, Talk::default());
        match self.judge.workers.ask("run", &question, RUN)? {
            Answer::Given(outcome) => Ok(outcome),
            Answer::Exceeded(what) => Err(ended(limit("the runs", &what))),
            Answer::Died(why) => {
                let unable = self.judge.unable_to_run(self.exercise, self.starter, self.seed)?;
                let ended = || ended(Failure::new("error", died("the runs", &why)));
                Err(unable.map_or_else(ended, Attempt::Machine))
            }
            Answer::Machine(why) => Err(Attempt::Machine(format!("the runs: {why}"))),
        }
    }

    /// The verdict on what the runs gave.
    fn grade(&self, outcome: Outcome, warnings: &str) -> Verdict {
        let Trial { exercise, seed, .. } = *self;
        let printed = outcome.printed.clone();
        let verdict = match outcome {
            Outcome { not_started: true, panel, .. } => {
                let failure = Failure::new(NOTHING, self.nothing() + warnings);
                Verdict { panel, ..Verdict::without_points(exercise, State::Failed, seed, failure) }
            }
            // The defect that a starter came with is told, but it is no failure of the student's.
            Outcome { failure: Some(Failure { kind, story, case, .. }), is_idle, panel, .. } => {
                let untouched = if is_idle { self.untouched() } else { String::new() };
                let story = if untouched.is_empty() { story } else { without_next(&story) };
                let failure = Failure::new(&kind, story + &untouched + warnings);
                let state = if self.is_untouched() { State::NotStarted } else { State::Failed };
                Verdict { panel, case, ..Verdict::without_points(exercise, state, seed, failure) }
            }
            Outcome { panel, note, .. } => {
                let right = self.right(panel);
                let note =
                    note.map_or(String::new(), |note| format!("\nnote, which costs nothing: {}", note.trim_end()));
                Verdict { story: right.story + &note, ..right }
            }
        };
        Verdict { printed, ..verdict }
    }

    /// A verdict with the change that was meant, where the text shows one and points come of it: it is tried before it is told.
    fn with_meant(&self, verdict: Verdict) -> Verdict {
        if !matches!(verdict.state, State::Failed | State::Right) {
            return verdict;
        }
        let is_of_values = ["wrong result", "uninitialised"].contains(&verdict.kind.as_str());
        let mut best: Option<(u32, String)> = None;
        for meant in meant::changes(self.text).into_iter().take(MOST_TRIED) {
            let tried = Trial { text: &meant.text, ..*self }.verdict();
            let points = tried.map_or(0, |tried| tried.points);
            let least = best.as_ref().map_or(verdict.points, |(points, _)| *points);
            let gain = format!(" tried: with {} it has {points} of {} points", meant.change, verdict.of);
            if points > least {
                best = Some((points, meant.words + &gain));
            } else if meant.holds && best.is_none() && is_of_values {
                best = Some((verdict.points, meant.words));
            }
        }
        let Some((_, words)) = best else { return verdict };
        // In place of the advice that knows less.
        let own = match verdict.state {
            State::Right => verdict.story.lines().take(1).collect(),
            _ => without_next(&verdict.story),
        };
        Verdict { story: format!("{own}\nnext: {words}"), ..verdict }
    }

    /// A right result: points for it, and for each contract that is kept.
    fn right(&self, panel: Panel) -> Verdict {
        let Trial { exercise, seed, .. } = *self;
        let references = &self.judge.references;
        let mut points = exercise.points_for_result();
        let mut missing = String::new();
        for technique in &exercise.techniques {
            match broken(exercise, technique, &panel, references) {
                None => points += technique.points,
                Some(why) => {
                    let lost = match technique.points {
                        1 => "1 point is".to_owned(),
                        points => format!("{points} points are"),
                    };
                    missing.push_str(&format!("right, but {lost} missing: {why}\n"));
                }
            }
        }
        if points == exercise.points_for_result()
            && points > exercise.points_without_idea()
            && let Some(why) = without_idea(exercise, &panel, references)
        {
            points = exercise.points_without_idea();
            let share = "a right result without anything of the exercise's idea has at most a fifth of the points:";
            missing.insert_str(0, &format!("{share} {why}\n"));
        }
        let verdict = match missing.trim_end() {
            "" => Verdict::new(exercise, State::Passed, seed),
            why => Verdict::without_points(exercise, State::Right, seed, Failure::new("technique", why)),
        };
        Verdict { points, panel, ..verdict }
    }

    fn compile(&self) -> Result<(Work, String), Attempt> {
        let Trial { judge, exercise, text, starter, .. } = *self;
        let not_compiled = match judge.translate(exercise, text)? {
            Answer::Given(Compiled::Ptx(ptx, log)) => {
                let asks = ptx.contains("%tid.") || !ptx.contains(".entry");
                let alike = if asks { "" } else { ALIKE };
                return Ok((Work::Kernel { text: text.to_owned(), ptx }, compiler_log::warnings(&log) + alike));
            }
            Answer::Given(Compiled::Refused(log)) => {
                let failure = Failure::new("compile", compiler_log::without_warnings(&log));
                self.not_compiled(Attempt::Judged, failure)
            }
            Answer::Exceeded(what) => self.not_compiled(Attempt::Ended, limit("the compiler", &what)),
            Answer::Died(why) => self.not_compiled(Attempt::Ended, Failure::new("compile", died("the compiler", &why))),
            Answer::Given(Compiled::Unable(why)) | Answer::Machine(why) => return Err(Attempt::Machine(why)),
        };
        // A compiler whose files have gone refuses everything, and one without memory ends with everything.
        // The largest header takes it a second, so it is asked for one only where the text asks for any.
        let headers = if text.contains("include") { "\n#include <cooperative_groups.h>\n" } else { "" };
        Err(match judge.translate(exercise, &format!("{starter}{headers}"))? {
            Answer::Given(Compiled::Ptx(..)) => not_compiled,
            Answer::Given(Compiled::Refused(why) | Compiled::Unable(why))
            | Answer::Exceeded(why)
            | Answer::Died(why)
            | Answer::Machine(why) => {
                Attempt::Machine(format!("the kernels' compiler does not take the starter either: {why}"))
            }
        })
    }

    /// Builds the program around the student's plan, and asks it.
    fn plan(&self, program: &PlanProgram, questions: &Questions) -> Result<Answers, Attempt> {
        let Trial { judge, exercise, text, .. } = *self;
        let folder = tempfile::tempdir().context("a folder for the build")?;
        harness::write(program, text, folder.path())?;
        // The student's file has another name in the program around it.
        let in_file = |text: &str| text.replace(&format!("{}/student.rs", program.place), &exercise.file);
        let not_compiled = match judge.build(folder.path())? {
            Answer::Given(None) => None,
            Answer::Given(Some(log)) => {
                Some(self.not_compiled(Attempt::Judged, Failure::new("compile", in_file(&log))))
            }
            Answer::Exceeded(what) => Some(self.not_compiled(Attempt::Ended, limit("rustc", &what))),
            Answer::Died(why) => Some(self.not_compiled(Attempt::Ended, Failure::new("compile", died("rustc", &why)))),
            Answer::Machine(why) => return Err(Attempt::Machine(format!("rustc: {why}"))),
        };
        if let Some(not_compiled) = not_compiled {
            let other = tempfile::tempdir().context("a folder for the build")?;
            return Err(judge.unable_to_build(other.path())?.map_or(not_compiled, Attempt::Machine));
        }
        let Told { end, printed, said } =
            judge.workers.feed(&folder.path().join("program"), &questions.input(), STRATEGY)?;
        let failed = |end: fn(Verdict) -> Attempt, failure, talk| self.end(end, State::Failed, failure, talk);
        Err(match end {
            Answer::Given(()) => match questions.answers(&printed, &said) {
                Ok(answers) => return Ok(answers),
                Err(why) => failed(Attempt::Judged, Failure::new("plan", why), questions.talk(&printed, &said)),
            },
            Answer::Exceeded(what) => {
                let loops = what.contains("processor time") || grows(&what);
                let first = what.lines().next().and_then(|line| line.split(": ").next()).unwrap_or_default();
                let what = if loops { format!("{first}: does a loop of it never end?") } else { first.to_owned() };
                failed(Attempt::Ended, limit("your host code", &what), questions.talk(&printed, &said))
            }
            // The end's own message is what it wrote to standard error.
            Answer::Died(why) => match judge.unable_to_start()? {
                Some(unable) => Attempt::Machine(unable),
                None => {
                    let asked = questions.asked_last(&printed);
                    let asked = asked.map_or(String::new(), |numbers| format!("\n  its arguments were: {numbers}"));
                    let failure = Failure::new("error", died("your host code", &in_file(&why)) + &asked);
                    failed(Attempt::Ended, failure, questions.talk(&printed, ""))
                }
            },
            Answer::Machine(why) => Attempt::Machine(format!("the program of {}: {why}", exercise.file)),
        })
    }
}

/// Returns whether a program met the limit of its memory by what it held, which grew; one request alone for more than twice the limit tells of no loop.
fn grows(what: &str) -> bool {
    let asked = what.split_once("memory allocation of ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    what.contains("MiB of memory") && asked.is_none_or(|bytes: u64| bytes <= 2 * STRATEGY.memory_bytes)
}

/// A story without its next step.
fn without_next(story: &str) -> String {
    let is_next = |line: &&str| line.trim_start_matches([' ', '=']).starts_with("next: ");
    story.lines().filter(|line| !is_next(line)).collect::<Vec<_>>().join("\n")
}

/// A limit of its box that a student's work met.
fn limit(who: &str, what: &str) -> Failure {
    Failure::new("limit", format!("{who}: {what}"))
}

/// An end without an answer, in a few lines that are the same each time.
fn died(who: &str, why: &str) -> String {
    let short: Vec<String> =
        why.lines().filter(|line| !line.contains("RUST_BACKTRACE")).take(6).map(without_thread_number).collect();
    format!("{who} ended: {}", short.join("\n  "))
}

/// A panic's message names its thread by a number of the system, which is another one each time.
fn without_thread_number(line: &str) -> String {
    let cut = || {
        let (before, rest) = line.split_once("thread '")?;
        let (name, rest) = rest.split_once("' (")?;
        let (number, rest) = rest.split_once(") ")?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("{before}thread '{name}' {rest}"))
    };
    cut().unwrap_or_else(|| line.to_owned())
}

/// Returns whether a program did not start because there is none. One that ends without an answer is a machine's failure.
fn is_missing(why: &anyhow::Error) -> bool {
    why.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// The compiler itself, not the stand-in that chooses one, and where its libraries lie. What was found once is kept; a failure is not.
fn rustc() -> anyhow::Result<(PathBuf, PathBuf)> {
    static FOUND: Mutex<Option<PathBuf>> = Mutex::new(None);
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let sysroot = match found.take() {
        Some(sysroot) => sysroot,
        None => {
            let name = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
            let output = Command::new(name).args(["--print", "sysroot"]).output();
            let output = output.context("host-side exercises need rustc, which does not start")?;
            let said = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success(), "rustc does not say where its libraries lie: {}", said.trim());
            PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
        }
    };
    let compiler = sysroot.join("bin/rustc");
    ensure!(compiler.is_file(), "host-side exercises need rustc, and {} is not there", compiler.display());
    Ok((compiler, found.insert(sysroot).clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_reads_the_same_each_time() {
        let line = "exit status: 101: thread 'main' (4711) panicked at schedules/student.rs:3:5:";
        assert_eq!(
            without_thread_number(line),
            "exit status: 101: thread 'main' panicked at schedules/student.rs:3:5:"
        );
        assert_eq!(without_thread_number("thread 'a' (b) c"), "thread 'a' (b) c");
    }
}
