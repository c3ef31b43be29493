//! Undefined values: the twins of a warp, in which bits that nobody has written have other values.
//!
//! Nothing here runs unless a probe asks for undefined values.
pub(crate) mod twin_state;
pub(crate) mod twin_steps;
pub(crate) mod twins;
