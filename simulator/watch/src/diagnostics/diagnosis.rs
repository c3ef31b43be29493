//! A worded message, and the facts of it that programs read.
use super::family::Family;
use serde::Serialize;

/// A worded message, and the facts of it that programs read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    pub family: Family,
    /// A stable name for the class of what is wrong, such as `race`.
    pub kind: &'static str,
    pub kernel: String,
    /// The place of the line that is shown first; empty and 0 where there is none.
    pub file: String,
    pub line: u32,
    /// The whole text, several lines, without a newline at the end.
    pub message: String,
}

impl std::fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}
