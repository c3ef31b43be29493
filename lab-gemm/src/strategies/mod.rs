//! The host's decisions around the kernels, as data.

mod memory;
mod result_memory;

pub use memory::Memory;
pub use result_memory::result_memory;
