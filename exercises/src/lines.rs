//! Verdicts as lines of text: a line per exercise, and the story of the first that is to be done.

use crate::table::{Course, Exercise};
use crate::verdict::{State, Verdict};

/// Lines of a story that are shown: the rest is in the lab's own report.
const MOST_LINES: usize = 22;

/// "gemm/shared (25 points)": the name of a test.
pub fn name(exercise: &Exercise) -> String {
    format!("{} ({} points)", exercise.id(), exercise.points)
}

/// The line of one exercise.
pub fn line(exercise: &Exercise, verdict: &Verdict) -> String {
    let mark = if verdict.passed() { "ok" } else { "FAILED" };
    let name = name(exercise);
    let state = match verdict.state {
        State::Passed => String::new(),
        state => format!(" ({}: {} of {} points)", state.words(), verdict.points, verdict.of),
    };
    format!("test {name} ... {mark}{state}")
}

/// What to do next, of a lab whose verdicts are given in order: the story of the first that is not passed, and what to read. Empty if all are.
pub fn next(course: &Course, lab: &str, verdicts: &[Verdict]) -> String {
    let Some(first) = verdicts.iter().find(|verdict| !verdict.passed()) else { return String::new() };
    let exercise = course.of_lab(lab).find(|exercise| exercise.id() == first.exercise);
    let Some(exercise) = exercise else { return String::new() };
    let sheet = course.labs.iter().find(|known| known.name == lab).map_or("", |lab| &lab.sheet);
    let mut text = format!("\n{}: {}, {} of {} points\n", first.exercise, first.state.words(), first.points, first.of);
    text.push_str(&shortened(&first.story));
    if !matches!(first.state, State::NotStarted | State::NotCompiled) {
        text.push_str(&format!("  replay: just verdict {} --seed {}\n", first.exercise, first.seed));
    }
    text.push_str(&format!(
        "  write:  {}\n  read:   {sheet}, \"{}\"; hints: just hint {lab}\n",
        exercise.file, exercise.name
    ));
    text
}

/// A story of at most so many lines, indented.
pub fn shortened(story: &str) -> String {
    let lines: Vec<&str> = story.lines().collect();
    let mut text: String = lines.iter().take(MOST_LINES).map(|line| format!("  {line}\n")).collect();
    if lines.len() > MOST_LINES {
        text.push_str(&format!("  … {} more lines\n", lines.len() - MOST_LINES));
    }
    text
}

/// Points of a lab so far.
pub fn sum(lab: &str, verdicts: &[Verdict]) -> String {
    let points: u32 = verdicts.iter().map(|verdict| verdict.points).sum();
    let of: u32 = verdicts.iter().map(|verdict| verdict.of).sum();
    let passed = verdicts.iter().filter(|verdict| verdict.passed()).count();
    format!("{lab}: {points} of {of} points, {passed} of {} exercises passed", verdicts.len())
}
