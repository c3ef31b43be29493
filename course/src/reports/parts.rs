//! Parts of a submission's report that several renderings have in common.

use super::escape::{line, printable};
use crate::record::{Record, story};
use exercises::lines::{LONGEST_STORY, capped};
use exercises::table::Course;
use exercises::verdict::{State, Verdict};

/// The intake's report, a line for each note; empty where there is none.
pub fn intake(record: &Record) -> String {
    record.notes.iter().map(|note| format!("{}\n", line(&note.to_string()))).collect()
}

/// The labs of which nothing was handed in.
pub fn labs_not_handed_in<'a>(course: &'a Course, record: &Record) -> Vec<&'a str> {
    course.labs.iter().filter(|lab| record.lacks_lab(course, lab)).map(|lab| lab.name.as_str()).collect()
}

/// The command that gives a verdict again, on a line of its own; none for one that needs none.
pub fn replay(verdict: &Verdict) -> String {
    match verdict.state {
        State::Passed | State::NotStarted | State::Refused => String::new(),
        _ => format!("\nreplay: just verdict {} --seed {}", verdict.exercise, verdict.seed),
    }
}

/// Returns whether a verdict's story is the refusal of the whole submission, which is told once.
pub fn repeats(record: &Record, verdict: &Verdict) -> bool {
    verdict.state == State::Refused && record.refused.as_ref().is_some_and(|why| verdict.story.trim() == why.trim())
}

/// A verdict in words: its state, its story, and how to have it again.
pub fn verdict_text(verdict: &Verdict) -> String {
    let story = printable(&capped(&story(verdict), LONGEST_STORY));
    format!("{}\n{story}{}", verdict.state.words(), replay(verdict)).trim_end().to_owned()
}
