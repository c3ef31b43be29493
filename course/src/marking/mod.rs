//! Marks for the written answers, which a person gives: points and a remark for each question, one file a student, beside the records.
//!
//! A mark is of one text. An answer that has changed since is marked anew.

mod ask;
mod sheets;
mod table;
#[cfg(test)]
mod tests;

pub use ask::{End, ask};
pub use sheets::*;
pub use table::by_table;
