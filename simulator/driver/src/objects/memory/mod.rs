//! Memory and what belongs to it: allocations, arrays, pools, addresses, other processes' memory.
pub mod advice;
pub mod allocation;
pub mod array;
pub mod interprocess;
pub mod pool;
pub mod virtual_memory;
