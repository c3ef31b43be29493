//! Lab 3: matrix transpose and bank conflicts.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::lab::main::<lab_transpose::Transpose>()
}
