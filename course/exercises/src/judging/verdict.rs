//! A verdict as data; tables, test lines and grades are renderings of it.

use crate::table::Exercise;
pub use common::exercise::{Failure, Outcome, Panel, Talk};
use serde::{Deserialize, Serialize};

/// How far an exercise is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// As it was handed out.
    NotStarted,
    /// It does not compile.
    NotCompiled,
    /// A wrong result, a finding, a fault, a limit.
    Failed,
    /// Right, but a technique's contract is broken.
    Right,
    /// Right, and every contract kept.
    Passed,
    /// Nothing of it was taken, which is the student's affair: the submission or the file is refused.
    Refused,
    /// There is no verdict yet, which is the machine's affair: no points so far, and the next call judges it.
    #[serde(alias = "no_verdict")]
    ToBeRepeated,
}

impl State {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            State::NotStarted => "not started",
            State::NotCompiled => "does not compile",
            State::Failed => "failed",
            State::Right => "right, technique missing",
            State::Passed => "passed",
            State::Refused => "refused",
            State::ToBeRepeated => "to be repeated",
        }
    }

    /// The text of a verdict that has no other: nobody is left with a number alone.
    fn text(self) -> &'static str {
        match self {
            State::NotStarted => "nothing of it is done yet",
            State::Passed => "the result is right, and every contract is kept",
            state => state.words(),
        }
    }

    /// Returns whether a further call leaves it as it is.
    pub fn is_final(self) -> bool {
        self != State::ToBeRepeated
    }
}

/// The kind of a verdict on host code that is still to come, because no rustc is here.
pub const NO_RUSTC: &str = "no rustc";

/// The verdict on one exercise.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// "gemm/shared".
    pub exercise: String,
    /// How far it is.
    pub state: State,
    /// Reached.
    pub points: u32,
    /// Possible.
    pub of: u32,
    /// True if the exercise is optional: its points come on top.
    #[serde(default)]
    pub bonus: bool,
    /// Why, as the lab tells it: line, threads, values, what is missing. Never empty.
    pub story: String,
    /// The kind of failure, as a hint can use it: "race", "out of bounds", "wrong result", "technique".
    pub kind: String,
    /// Figures of the measured run; empty where it came to none.
    pub panel: Panel,
    /// All random data of the runs follows from it.
    pub seed: u64,
    /// The lines that the student's code printed in one of the runs.
    #[serde(default, skip_serializing_if = "is_silent")]
    pub printed: Talk,
    /// The label of the run that failed; empty where none did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub case: String,
}

fn is_silent(talk: &Talk) -> bool {
    talk.count == 0
}

impl Verdict {
    /// On an exercise, with no points yet, and in the state's own words.
    pub fn new(exercise: &Exercise, state: State, seed: u64) -> Self {
        Verdict {
            exercise: exercise.id(),
            state,
            points: 0,
            of: exercise.points,
            bonus: exercise.bonus,
            story: state.text().to_owned(),
            kind: String::new(),
            panel: Panel::new(),
            seed,
            printed: Talk::default(),
            case: String::new(),
        }
    }

    /// Without points, for a reason.
    pub fn without_points(exercise: &Exercise, state: State, seed: u64, failure: Failure) -> Self {
        Verdict { story: failure.story, kind: failure.kind, ..Verdict::new(exercise, state, seed) }
    }

    /// All points.
    pub fn passed(&self) -> bool {
        self.state == State::Passed
    }

    /// Optional, and left alone: nothing is wrong.
    pub fn left_out(&self) -> bool {
        self.bonus && self.state == State::NotStarted || self.kind == NO_RUSTC
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `new` and `without_points` are all that make a verdict; what fills in more of one takes its text from a [`Failure`].
    #[test]
    fn no_verdict_is_without_a_text() {
        let row = "lab = 'l'\nname = 'e'\nfile = 'e.cu'\npoints = 2\nhints = ['a', 'b', 'c']";
        let exercise: Exercise = toml::from_str(row).unwrap();
        use State::{Failed, NotCompiled, NotStarted, Passed, Refused, Right, ToBeRepeated};
        for state in [NotStarted, NotCompiled, Failed, Right, Passed, Refused, ToBeRepeated] {
            let bare = Verdict::new(&exercise, state, 1);
            assert!(!bare.story.is_empty(), "{state:?}");
            for said in ["", " \n", "why"] {
                let failure = Failure::new("compile", said);
                let verdict = Verdict::without_points(&exercise, state, 1, failure);
                assert!(
                    verdict.story == "why" || verdict.story.starts_with("compile: it ended without"),
                    "{verdict:?}"
                );
            }
        }
    }
}
