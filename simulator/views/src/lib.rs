//! A run for a reader, from its data: the lines that cost most in words ([`explain`]), one page ([`page`]), a launch step by step
//! ([`replay`]), and what ran when for
//! Perfetto ([`trace`]).
//!
//! Everything here takes JSON with the keys of `docs/json.md` and answers text. So the labs and `sim` show the same things in the same words.
//! Nothing here knows the simulator.

pub mod explain;
pub mod page;
pub mod replay;
pub mod trace;
