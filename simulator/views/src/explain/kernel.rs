//! A launch as it is told.

use serde_json::{Map, Value};

/// A launch with its counted lines.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// As a reader knows it: "shared, 256, block 32x32".
    pub title: &'a str,
    /// Its time.
    pub time_ms: f64,
    /// The term of the clock that bounds it: `bound_by` of a launch.
    pub bound_by: Option<&'a str>,
    /// `trials` of a launch, the best first: `parts`, `time_ns`, `without_ns`; `None`: nothing was tried.
    pub trials: Option<&'a [Map<String, Value>]>,
    /// `lines` of a launch: `file`, `line`, counters, `clock_ns`, `stalls`.
    pub lines: &'a [Map<String, Value>],
}

/// The least share in % that a line must have to be told.
pub const LEAST_PERCENT: f64 = 2.0;
