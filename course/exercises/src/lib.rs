//! The course as a student has it: the table of exercises and the verdict on each.
//!
//! A verdict rests on behaviour alone: results, findings, counters.
//!
//! [`table`] (course.toml) → [`judge`] asks [`process`]es, each a [`worker`], for code and for [`run`]s → [`technique`] → [`verdict`].

pub mod card;
pub mod check;
pub mod compare;
mod compiler_log;
pub mod confine;
mod control;
pub mod escape;
pub mod harness;
pub mod hints;
pub mod judge;
mod labs;
pub mod lines;
pub mod markers;
pub mod output;
pub mod process;
pub mod progress;
pub mod questions;
pub mod reset;
pub mod run;
pub mod solutions;
pub mod submission;
pub mod table;
pub mod technique;
pub mod text;
pub mod verdict;
pub mod watch;
pub mod worker;
