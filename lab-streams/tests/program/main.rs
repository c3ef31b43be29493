//! The program as its users meet it, started anew for each question.

mod assignment;
mod clock;
mod command_line;
mod late_execution;
mod page;
mod sheet;

common::lab_program!("CARGO_BIN_EXE_lab-streams", lab_streams::Streams, &[80]);
