//! Renderings of records: tables, pages, JUnit XML, CSV.

pub mod copies;
pub mod escape;
mod files;
mod junit;
mod leaderboard;
mod page;
pub mod parts;

pub use files::{table, write};
