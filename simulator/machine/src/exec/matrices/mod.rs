//! Matrix products of a warp and of four warps, their fragments, and the way of fragments to memory and back.
pub(crate) mod matrix;
mod matrix_layout;
pub(crate) mod matrix_memory;
pub(crate) mod warpgroup;
mod warpgroup_tile;
pub(crate) mod wmma_memory;
