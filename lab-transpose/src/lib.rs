//! Lab 3: B = Aᵀ. Why a column of a shared tile is slow to read, and how far a transpose can come towards a plain copy.
//!
//! The architecture is `main`: options → device → plan → rungs in turns → report ([`common::lab::main`]). [`VARIANTS`] is the ladder; list, tests and benches follow from it.

mod comparisons;
mod document;
mod exercises;
mod launch;
mod measure;
mod options;
mod plan;
mod question;
mod variants;

pub use exercises::Exercises;
pub use measure::Transpose;
pub use options::{Options, Place};
pub use plan::{Case, Plan, Problem};
pub use variants::{COLUMNS, Rung, Threads, VARIANTS};
