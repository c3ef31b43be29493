//! Modules, and the kernels in them: loaded, linked, asked about, launched.
pub mod function;
pub mod launch;
pub mod link;
pub mod module;
pub mod occupancy;
pub mod prepared;

pub use self::{function::*, launch::*, link::*, module::*, occupancy::*, prepared::*};
