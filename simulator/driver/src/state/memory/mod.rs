//! Live memory: found by address, mapped, held by graphs, written in part.
pub mod allocations;
pub mod graph_memory;
pub mod partial;
pub mod virtual_memory;
