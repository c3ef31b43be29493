//! Accesses to memory by the general way: form, bounds and alignment, the access itself, and its event for the probe.
//!
//! The ways of full warps are in [`fast_paths`](super::fast_paths).
pub(crate) mod access;
pub(crate) mod atomic;
pub(crate) mod before;
pub(crate) mod cluster_address;
pub(crate) mod fence;
pub(crate) mod load;
pub(crate) mod stack;
pub(crate) mod store;
pub(crate) mod tell;
