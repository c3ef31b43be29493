//! A stretch of virtual time, which every engine hands out.
use serde::Serialize;

/// A stretch of virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Span {
    pub start_ns: u64,
    pub end_ns: u64,
}
