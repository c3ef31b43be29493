//! Flat code on lanes: the grid, its blocks, their warps, and the semantics of each instruction by class.
//!
//! From above: [`launch`] → `scheduling/grid.rs` (a `worker.rs` for each host thread) → `thread_block.rs` → `warps/warp_run.rs` → ops. An op's
//! function sees `view/lanes.rs` (registers and windows of memory) and, less often, [`context`] (the launch, the clock, the device, the
//! listener); those two know nothing of the functions. [`semantics`] names the function of each row of the instruction table.
pub(crate) mod accesses;
pub(crate) mod arithmetic;
mod asynchronous;
pub(crate) mod fast_paths;
pub(crate) mod matrices;
mod scheduling;
pub(crate) mod semantics;
mod textures;
mod undefined;
pub(crate) mod view;
mod warps;

pub use scheduling::{clusters, executable, launch, steps};
pub use textures::texture_object;
pub use view::{context, op};
pub use warps::device_launch;
