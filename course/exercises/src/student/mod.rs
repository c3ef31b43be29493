//! The student's commands: verdicts as lines, progress, the loop on save, the file that is handed in.

pub mod answers;
pub mod check;
pub mod compare;
pub mod lab;
pub mod lines;
pub mod output;
pub mod progress;
pub mod reset;
pub mod solutions;
pub mod submission;
pub mod version;
pub mod watch;
