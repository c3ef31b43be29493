//! The runs of one exercise as data: their figures, and the first failure.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures of one run by name: counters, times in milliseconds, shares in %.
pub type Panel = BTreeMap<String, f64>;

/// Sizes that a measured run beside the fixed one may have: the seed chooses. The reference is measured with so many seeds in a row.
pub const SIZES: u64 = 3;
/// The names of figures of all runs of drawn sizes together, for each unit of their work, begin so.
pub const TESTED: &str = "tested_";

/// The results of the runs of one exercise, before techniques are looked at.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Nothing was done: no access to memory, no step, no launch.
    pub not_started: bool,
    /// The run that failed touched no memory, though one before it did.
    #[serde(default)]
    pub is_idle: bool,
    /// The first failure.
    pub failure: Option<Failure>,
    /// Figures of the measured run.
    pub panel: Panel,
    /// Text that the student's code printed in one of the runs; empty if it kept quiet.
    #[serde(default)]
    pub printed: Talk,
    /// A note on a run that is right: something that the guide does not promise.
    #[serde(default)]
    pub note: Option<String>,
}

/// Text that a student's code printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Talk {
    /// Who printed it, and where: "your kernel (5×7)".
    pub who: String,
    /// The first lines.
    pub lines: Vec<String>,
    /// All lines.
    pub count: u64,
}

/// Why a run failed. Only [`Failure::new`] makes one, so none is without words.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// "race", "out of bounds", "wrong result", "error".
    pub kind: String,
    /// The story.
    pub story: String,
    /// The label of the run that failed; empty where the failure is none of a run.
    #[serde(default)]
    pub case: String,
}

impl Failure {
    /// A failure of a kind.
    pub fn new(kind: &str, story: impl Into<String>) -> Self {
        let story = Some(story.into()).filter(|story| !story.trim().is_empty());
        let story = story.unwrap_or_else(|| format!("{kind}: it ended without a message"));
        Failure { kind: kind.to_owned(), story, case: String::new() }
    }
}
