//! The C border inside the driver: causes of failures, handles, signatures, pointers of callers. Structs and results are those of [`cuda`].
pub mod cause;
pub mod failure;
pub mod handles;
pub mod pointers;
pub mod printed;
pub mod signatures;

pub use cause::{Cause, Outcome};
pub use handles::{Handles, LEGACY, PER_THREAD};
pub use pointers::{out, out_if_wanted, out_text, text};
pub(crate) use signatures::forward;
