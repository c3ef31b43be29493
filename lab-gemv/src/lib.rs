//! Lab 2: b = A·x. Ways to add up a row, from partial sums in several launches to a warp that passes them on in registers.
//!
//! The architecture is `main`: options → device → plan → rungs in turns → report ([`common::lab::main`]). [`VARIANTS`] is the ladder; list, tests and benches follow from it.

mod comparisons;
mod data;
mod document;
mod exercises;
mod host;
mod launch;
mod measure;
mod options;
mod plan;
mod question;
pub mod strategies;
mod variants;

pub use exercises::Exercises;
pub use measure::MatrixVector;
pub use options::{CachePreference, Options};
pub use plan::{Case, Parts, Plan, Problem};
pub use variants::{Block, COLUMNS, Method, Rung, VARIANTS};
