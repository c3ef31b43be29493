//! The choice that a strategy makes of host memory.

/// The two kinds of host memory that the assignment compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The allocator's own.
    Pageable,
    /// Page-locked.
    Pinned,
}
