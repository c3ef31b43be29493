//! The intake's report: what a person should know about how a submission was read.

use super::limits::LONGEST_WHY;
use exercises::lines::capped;
use serde::{Deserialize, Serialize};

/// One line of the intake's report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The kind of the note.
    pub kind: NoteKind,
    /// The listed file that it is about; empty where it is about the whole submission.
    pub path: String,
    /// The text on what was done, or why something was not.
    pub what: String,
}

/// The kinds of notes that an instructor may have to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// How many listed files are there, and in which folder. Every submission has this note.
    Found,
    /// Listed files that are not there: they count as not started. Most submissions have this note.
    Missing,
    /// Files that are neither listed nor of the hand-out: nothing looks at them.
    Unexpected,
    /// A file was converted before it was taken.
    Converted,
    /// A file is there and was not taken.
    NotTaken,
    /// Which file was taken, where it lay elsewhere than expected, or where there were several.
    Chosen,
}

impl Note {
    /// A note of at most [`LONGEST_WHY`] bytes.
    pub fn new(kind: NoteKind, path: &str, what: impl Into<String>) -> Self {
        Note { kind, path: path.to_owned(), what: capped(&what.into(), LONGEST_WHY) }
    }

    /// Returns whether a person should look at it. That files are missing is no news, and line ends of Windows are none.
    pub fn is_remarkable(&self) -> bool {
        match self.kind {
            NoteKind::Found | NoteKind::Missing => false,
            NoteKind::Converted => !self.path.is_empty(),
            NoteKind::Unexpected | NoteKind::NotTaken | NoteKind::Chosen => true,
        }
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() { write!(f, "{}", self.what) } else { write!(f, "{}: {}", self.path, self.what) }
    }
}
