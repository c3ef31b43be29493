//! Lab 1: C = A·B. A ladder of kernels, with the result (or all matrices) in different kinds of host memory.
//!
//! The architecture is `main`: options → device → plan → rungs in turns → report ([`common::lab::main`]). [`VARIANTS`] is the ladder; list, tests and benches follow from it.

mod baseline;
mod comparisons;
mod data;
mod documents;
mod exercises;
mod launch;
mod measure;
mod options;
mod plan;
mod question;
pub mod strategies;
mod variants;

pub use exercises::Exercises;
pub use measure::MatrixProduct;
pub use options::{Options, Placement};
pub use plan::{Case, Plan, Problem};
pub use variants::{COLUMNS, Grid, Rung, VARIANTS};
