//! Facts about a function that its text alone tells, each found by a walk over basic blocks. None of them emits code.
pub(crate) mod calls;
pub(crate) mod communication;
pub(crate) mod data_dependence;
pub(crate) mod effects;
pub(crate) mod late_products;
pub(crate) mod liveness;
mod local_arrays;
pub(crate) mod patterns;
pub(crate) mod pointers;
pub(crate) mod polls;
pub(crate) mod products;
pub(crate) mod remade;
pub(crate) mod waits;
