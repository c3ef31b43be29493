//! The result of a check, and its words.

use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// The elements of a part of a row.
pub type Got<'a, T> = &'a (dyn Fn(&Range<usize>) -> Cow<'a, [T]> + Sync);
/// The references of a part of a row.
pub type Want<'a> = &'a (dyn Fn(&Range<usize>) -> Vec<f64> + Sync);

/// The result of a check.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Every element within the tolerance.
    pub correct: bool,
    /// Largest |got − want| among the elements compared one by one, over the largest |want| among them. NaN (null in JSON) if an element is not finite.
    pub max_relative_error: f64,
    /// The first wrong element, when there is one.
    pub mismatch: Option<Mismatch>,
}

/// The first wrong element, in row-major order, and how many there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mismatch {
    /// Row of the first wrong element.
    pub row: usize,
    /// Column of the first wrong element.
    pub column: usize,
    /// The value that the device computed; null in JSON when it is not finite.
    #[serde(deserialize_with = "or_nan")]
    pub got: f64,
    /// The value that the reference computed.
    pub want: f64,
    /// Largest difference that would have passed.
    pub tolerance: f64,
    /// Number of wrong elements among `examined`.
    pub wrong: usize,
    /// Number of elements compared one by one.
    pub examined: usize,
    /// Number of elements of the whole result.
    pub of: usize,
    /// Those of the wrong ones that hold what was there before the launch.
    pub never_written: Option<NeverWritten>,
    /// Columns of the result; one makes it a vector, whose elements have one index.
    #[serde(default)]
    pub columns: usize,
    /// The words for what all wrong elements have in common, as "each of them is twice what it should be", where they have.
    #[serde(skip)]
    pub likeness: Option<String>,
}

/// A number that JSON has no word for is null there.
pub fn or_nan<'de, D: Deserializer<'de>>(value: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or(f64::NAN))
}

impl Mismatch {
    /// "[32][0]", or "[32]" of a vector.
    fn place(&self, row: usize, column: usize) -> String {
        if self.columns == 1 { format!("[{row}]") } else { format!("[{row}][{column}]") }
    }
}

/// Elements that nobody has written.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeverWritten {
    /// Row of the first, in row-major order.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// How many there are.
    pub count: usize,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Mismatch { row, column, got, want, tolerance, wrong, examined, of, never_written, .. } = self;
        let place = self.place(*row, *column);
        let part = if examined == of {
            format!("of {of} elements")
        } else {
            format!("of the {examined} elements compared one by one ({of} in all)")
        };
        match never_written {
            Some(NeverWritten { count, .. }) if count == wrong => {
                let were = if *wrong == 1 { "was" } else { "were" };
                return write!(f, "{wrong} {part} {were} never written; the first is {place}, which should be {want}");
            }
            Some(NeverWritten { row: r, column: c, .. }) if (r, c) == (row, column) => {
                write!(f, "element {place} was never written, should be {want}; ")?;
            }
            _ => write!(f, "element {place} is {got}, should be {want} (within {tolerance:.1e}); ")?,
        }
        if examined == of {
            write!(f, "{wrong} of {of} elements are wrong")?;
        } else {
            write!(f, "{wrong} of the {examined} elements compared one by one are wrong ({of} in all)")?;
        }
        let Some(NeverWritten { count, row, column }) = never_written else { return Ok(()) };
        write!(f, ", {count} of them never written, from {} on", self.place(*row, *column))
    }
}
