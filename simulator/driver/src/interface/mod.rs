//! What crosses the C boundary: results and their causes, handles, structs, pointers.
pub mod cause;
pub mod failure;
pub mod handles;
pub mod pointers;
pub mod signatures;
