//! The tree of a module to flat code, in ordered passes.
//!
//! For the module ([`module`]): products and sums that are one ([`contraction`]), which function is which ([`context`]), where shared
//! variables lie ([`shared`]). For each function
//! ([`code`]): basic blocks ([`flow`]) in convergence order ([`order`]), live ranges ([`liveness`]), rows and local memory ([`frame`]),
//! ops and block ends ([`emitter`], [`operands`], [`places`], [`symbols`], [`ends`]), all of it inside the frame ([`rows`]). For the
//! whole again: what a function may do through its calls ([`effects`]).
mod builtins;
mod bulk;
mod by_data;
mod calls;
mod code;
mod communication;
mod context;
mod contraction;
mod dominators;
mod draft;
mod effects;
mod emitter;
mod ends;
mod flow;
mod fragments;
mod frame;
pub mod image;
mod late_products;
mod liveness;
mod local_arrays;
mod matrix_operands;
mod module;
mod operands;
mod options;
mod order;
mod patterns;
mod places;
mod pointers;
mod polls;
mod products;
mod refused;
mod remade;
mod rows;
mod selections;
mod shared;
mod symbols;
mod warp_operands;

pub use builtins::is_provided;
pub use module::lower;
pub use options::{Options, Tier};
pub use refused::{Reason, Refused};
pub use rows::are_inside;
