//! Instructions that compute registers from registers, by class, and the numbers that they compute with.
//!
//! They touch no memory and tell no probe.
pub(crate) mod bits;
mod carry;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod exact;
pub(crate) mod extreme;
pub(crate) mod float;
mod half;
pub(crate) mod integer;
pub(crate) mod logic;
pub(crate) mod moves;
pub(crate) mod rounding;
pub(crate) mod special;
mod special_registers;
pub(crate) mod video;
