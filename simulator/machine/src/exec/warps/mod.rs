//! A warp under way: its splits, how it runs a basic block and where its lanes go at the end of one, calls, and exchange between lanes.
pub(crate) mod block_end;
mod builtin;
mod call;
mod convergence;
pub mod device_launch;
mod printf;
pub(crate) mod warp;
pub(crate) mod warp_ops;
pub(crate) mod warp_run;
pub(crate) mod warp_split;
