//! The exported functions: their table, what each call goes through, and the bridge's.
pub mod absent;
pub mod aliases;
pub mod bridge;
pub mod graphics;
pub mod lookup;
pub mod refused;
pub mod surface;
pub mod table;
