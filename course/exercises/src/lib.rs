//! The course as a student has it: the table of exercises and the verdict on each.
//!
//! A verdict rests on behaviour alone: results, findings, counters.
//!
//! [`table`] (course.toml) → [`judge`] asks [`process`]es, each a [`worker`], for code and for [`run`]s → [`technique`] → [`verdict`].

pub mod confine;
pub mod escape;
mod judging;
mod labs;
pub mod markers;
pub mod process;
mod student;
pub mod table;
pub mod text;
pub mod worker;

pub use judging::{card, harness, hints, judge, questions, run, technique, verdict};
pub(crate) use judging::{compiler_log, meant};
pub use student::{
    answers, check, compare, lab, lines, output, progress, reset, solutions, submission, version, watch,
};
