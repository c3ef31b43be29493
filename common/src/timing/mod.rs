//! Times of launches: of one benchmark's phases, of a series, and the forecast of a run.
//!
//! No file here names a plan or a rendering.

pub mod benchmark;
pub mod cublas;
pub mod forecast;
pub mod gate;
mod phases;
pub mod progress;
pub mod series;
pub mod so_far;

pub use phases::{Phases, Runs, Stopwatch, time_kernel};
