//! Facts that a reader needs beside the figures, and the one thing to try next.

use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// The subject of a note, by which a rendering chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// The run as a whole.
    General,
    /// Rates or times that would be misread without it.
    Rates,
    /// A rung that did not run, with the reason.
    LeftOut,
    /// A rung that ran whole although a sample was asked for, with the reason.
    NotSampled,
}

/// A fact that a reader has to know to read the figures. In JSON it is its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The subject.
    pub kind: NoteKind,
    /// One sentence or two.
    pub text: String,
}

impl Note {
    /// A note of this kind.
    pub fn new(kind: NoteKind, text: String) -> Self {
        Note { kind, text }
    }
}

impl<T: Into<String>> From<T> for Note {
    fn from(text: T) -> Self {
        Note::new(NoteKind::General, text.into())
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A command to try, and its purpose. In JSON it is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// As it is typed.
    pub command: Cow<'static, str>,
    /// The reason to type it.
    pub purpose: Cow<'static, str>,
}

impl Next {
    /// A command whose words are known beforehand.
    pub const fn new(command: &'static str, purpose: &'static str) -> Self {
        Next { command: Cow::Borrowed(command), purpose: Cow::Borrowed(purpose) }
    }
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}   ({})", self.command, self.purpose)
    }
}

/// For JSON: an empty text where there is nothing to try.
pub fn next_as_text<S: Serializer>(next: &Option<Next>, serializer: S) -> Result<S::Ok, S::Error> {
    match next {
        Some(next) => serializer.collect_str(next),
        None => serializer.serialize_str(""),
    }
}
