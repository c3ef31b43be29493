//! The exported functions: all names of the table, the surface that each call goes through, and the bridge's own.
pub mod absent;
pub mod answered;
pub mod bridge;
pub mod exports;
pub mod graphics;
pub mod lookup;
pub mod refused;
pub mod surface;
