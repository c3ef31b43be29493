//! Loaded modules, their kernels, and launches of these.
pub mod function;
pub mod known_times;
pub mod launch;
pub mod loaded;
pub mod module;
pub mod tried;
