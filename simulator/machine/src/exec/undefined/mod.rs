//! Undefined values: the twins of a warp, in which bits that nobody has written have other values.
//!
//! Nothing here runs unless a probe asks for undefined values.
pub(crate) mod propagation;
pub(crate) mod state;
pub(crate) mod twins;
