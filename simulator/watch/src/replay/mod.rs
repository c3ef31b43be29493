//! A launch as a sequence of steps, to be gone through forwards and backwards: accesses with their values, barriers, branches that part lanes.
//!
//! The listener hears the launch when it is run again from the memory that it found; [`replayed`](crate::diagnostics::replayed) makes the
//! document of what it heard.
mod recorder;
mod step;

pub use recorder::Recorder;
pub use step::{Act, Step, Touched, block_number, pair, turns};
