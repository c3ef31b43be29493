//! Notes on memory: who touched each word last, and which bytes nobody has written. Does not know what an access means.
pub mod cells;
pub mod contexts;
pub mod pages;
pub mod role_cells;
pub mod stretch;
pub mod written;
