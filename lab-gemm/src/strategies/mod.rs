//! What the host decides around the kernels, as data.

mod result_memory;

pub use result_memory::result_memory;

/// The two kinds of host memory that the assignment compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The allocator's own.
    Pageable,
    /// Page-locked.
    Pinned,
}
