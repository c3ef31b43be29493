//! A submission's way to its record: judged in company, repeated after a failure of the machine, compared with an earlier one.
//!
//! No file here renders a report.

pub mod company;
pub mod differences;
pub mod grade;
pub mod names;
pub mod plagiarism;
pub mod progress;
pub mod record;
pub mod unfinished;
