//! The C border inside the driver: causes of failures, handles, signatures, pointers of callers. Structs and results are those of [`cuda`].
pub mod cause;
pub mod failure;
pub mod handles;
pub mod pointers;
pub mod printed;
pub mod signatures;
