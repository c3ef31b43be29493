//! The gain of a kernel without the causes of its time, as was tried, and its lines that cost most.
//!
//! `trials` has the words for what was tried, `costs` the shares of the lines, `text` the rows of a terminal.

mod costs;
mod kernel;
mod text;
mod trials;

pub use kernel::Kernel;
pub use text::{Wanted, cut, text};
pub use trials::three_digits;
