//! The data of a problem on the host and on the device, held whole, or given by a function where a run needs only some blocks of it.
//!
//! No file here names a run or a report.

mod dense;
pub mod host_memory;
pub mod lazy_memory;
pub mod owned;

pub use dense::{Matrix, allocate_device, poison};
pub use numbers::random::distinct_seed;
pub use numbers::untouched::poison_with;
