//! Lab 3: B = Aᵀ. Why a column of a shared tile is slow to read, and how far a transpose can come towards a plain copy.
//!
//! The architecture is `main`: options → device → [`plan()`] → [`measure`] → report. [`VARIANTS`] is the ladder; list, tests and benches follow from it.

mod baselines;
mod cold;
mod comparisons;
mod data;
mod exercises;
mod launch;
mod measure;
mod options;
mod plan;
mod variants;

pub use exercises::Exercises;
pub use measure::{measure, run_case};
pub use options::{Options, Place};
pub use plan::{Case, Plan, Problem, plan};
pub use variants::{COLUMNS, Rung, Threads, VARIANTS};
