//! The lines of a kernel that cost most, with the reason in words, the next thing to try, and the most that it can gain.
//!
//! A profiler's rules on the counters of source lines: `rules` has the words, `costs` the numbers, `text` the rows of a terminal.

mod costs;
mod kernel;
mod rules;
mod text;

pub use kernel::Kernel;
pub use text::{Wanted, cut, text};
