//! The program as its users meet it, started anew for each question.

mod command_line;
mod side_by_side;

common::lab_program!("CARGO_BIN_EXE_lab-first", lab_first::First, &[80, 120]);
