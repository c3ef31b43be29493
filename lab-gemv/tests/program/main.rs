//! The program as its users meet it, started anew for each question.

mod assignment;
mod command_line;
mod messages;
mod sample;

common::lab_program!("CARGO_BIN_EXE_lab-gemv", lab_gemv::MatrixVector, &[80]);
