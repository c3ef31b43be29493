//! The tree of a module to flat code, in ordered passes.
//!
//! For the module ([`module`]): products and sums that are one ([`contraction`]), which function is which ([`context`]), where shared
//! variables lie ([`shared`]). For each function ([`code`]): basic blocks in convergence order ([`control_flow`]), live ranges and other
//! facts ([`analyses`]), rows and local memory ([`frame`](emission::frame)), ops and block ends ([`emission`], [`operands`]), all of it
//! inside the frame ([`rows`](emission::rows)). For the whole again: what a function may do through its calls
//! ([`effects`](analyses::effects)).
mod analyses;
mod builtins;
mod code;
mod context;
mod contraction;
mod control_flow;
mod emission;
pub mod image;
mod module;
mod operands;
mod options;
mod refused;
mod shared;

pub use builtins::is_provided;
pub use emission::rows::are_inside;
pub use module::lower;
pub use options::{Options, Tier};
pub use refused::{Reason, Refused};
