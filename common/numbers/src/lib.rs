//! Inputs, references and checks of the labs' results: every loop over elements that a host runs.
//!
//! The loops are compiled here, once for each element type (`loops.rs`): this crate is optimised in each profile, so that those
//! who call it need not be, and build the faster for it.

pub mod check;
mod likeness;
mod loops;
pub mod number;
pub mod on_host;
mod operands;
pub mod random;
pub mod reference;
pub mod untouched;
mod verdict;

pub use loops::Loops;
pub use number::{Dtype, Number};
