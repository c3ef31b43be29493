//! An op's view of its warp: the active lanes, their registers and windows of memory, and the surroundings that it needs less often.
//!
//! The room names no instruction: those of the other rooms are written against [`lanes`] and [`op`].
pub mod context;
pub(crate) mod elementwise;
pub(crate) mod half_bits;
pub(crate) mod lane;
pub(crate) mod lanes;
pub mod op;
pub(crate) mod versions;
