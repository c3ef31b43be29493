//! The calls, one file a family.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "a block without a reason of its own uses what the C caller gave, as CUDA's interface asks for it"
)]
pub mod array;
pub mod copy;
pub mod device;
pub mod error;
pub mod function;
pub mod graph;
pub mod launch;
pub mod library;
pub mod memory;
pub mod properties;
pub mod shape;
pub mod stream;
pub mod texture;
