//! The order of a launch: blocks on the host's threads, warps of a block, barriers between them, and chosen orders.
//!
//! The room names no instruction: a warp runs its ops by itself.
pub(crate) mod barrier;
pub mod clusters;
mod endless;
pub mod executable;
pub(crate) mod footprint;
mod grid;
pub mod launch;
mod request;
mod schedule;
pub mod steps;
mod steps_of_block;
mod thread_block;
mod worker;
