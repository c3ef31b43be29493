//! The verdict on one exercise: compiled, run on questions, compared with contracts.
//!
//! No file here reads a student's progress or prints.

pub mod card;
pub mod compiler_log;
pub mod control;
pub mod harness;
pub mod hints;
pub mod judge;
pub mod meant;
pub mod questions;
pub mod run;
pub mod technique;
pub mod verdict;
