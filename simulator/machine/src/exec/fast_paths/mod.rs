//! Ways that full warps take: addresses that follow a pattern, and warps that go through straight code together.
//!
//! Whatever runs here gives the same results and the same events as the general way, in less time.
pub(crate) mod batch;
pub(crate) mod hot;
pub(crate) mod passages;
pub(crate) mod pattern;
pub(crate) mod scattered;
pub(crate) mod together;
