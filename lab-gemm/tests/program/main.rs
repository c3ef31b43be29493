//! The program as its users meet it, started anew for each question.

mod assignment;
mod command_line;
mod interrupted;
mod page;
mod sample;
mod schedules;

common::lab_program!("CARGO_BIN_EXE_lab-gemm", lab_gemm::MatrixProduct, &[80]);
