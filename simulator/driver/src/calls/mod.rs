//! The functions of the interface, one file a family. An item with the name of a function of [`cuda::functions!`] answers it.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "a block without a reason of its own uses what the C caller gave, as CUDA's interface asks for it"
)]
#![allow(non_snake_case, reason = "the interface's names")]
#![allow(ambiguous_glob_reexports, reason = "only the interface's names are asked for here, and each is there once")]
pub mod attributes;
pub mod context;
pub mod device;
pub mod error;
pub mod event;
pub mod graphs;
pub mod logs;
pub mod memory;
pub mod modules;
pub mod stream;

pub use self::{context::*, device::*, error::*, event::*, graphs::*, logs::*, memory::*, modules::*, stream::*};
