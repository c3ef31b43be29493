//! One line per exercise with its points, in the sheets' order; then the story of the first one of each lab that is to be done.

use crate::judge::Judge;
use crate::lines;
use crate::progress::SEED;
use crate::say;
use crate::table::{Course, Exercise};
use std::io::{IsTerminal, Write};

/// Judges the exercises that are wanted and tells of each. Returns whether all passed.
///
/// # Errors
/// A failure that is not the student's fault: no worker, no compiler.
pub fn check(course: &Course, judge: &Judge, wanted: &dyn Fn(&Exercise) -> bool) -> anyhow::Result<bool> {
    let (mut passed, mut failed, mut ignored, mut next) = (0, 0, 0, String::new());
    for lab in &course.labs {
        let mut verdicts = Vec::new();
        for exercise in course.of_lab(&lab.name).filter(|exercise| wanted(exercise)) {
            let judging = Judging::tell(exercise);
            let verdict = judge.judge_file(course, exercise, SEED)?;
            drop(judging);
            say!("{}", lines::line(exercise, &verdict));
            match &verdict {
                verdict if verdict.passed() => passed += 1,
                verdict if verdict.left_out() => ignored += 1,
                _ => failed += 1,
            }
            verdicts.push(verdict);
        }
        next.push_str(&lines::next(course, &lab.name, &verdicts));
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    say!("{next}\ntest result: {result}. {passed} passed; {failed} failed; {ignored} ignored");
    Ok(failed == 0)
}

/// A line that stands on a terminal while an exercise is judged, and is gone afterwards.
pub struct Judging;

impl Judging {
    /// Tells what is judged.
    pub fn tell(exercise: &Exercise) -> Self {
        show(&format!("judging {} …", exercise.id()));
        Judging
    }
}

impl Drop for Judging {
    fn drop(&mut self) {
        show("");
    }
}

fn show(text: &str) {
    let mut out = std::io::stderr();
    if out.is_terminal() {
        // Back to the line's begin, and all of it erased. Nobody misses it where it cannot be written.
        let _ = write!(out, "\r\x1b[2K{text}").and_then(|()| out.flush());
    }
}
