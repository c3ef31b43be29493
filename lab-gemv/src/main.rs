//! Lab 2: matrix-vector product and its reduction strategies.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::lab::main::<lab_gemv::MatrixVector>()
}
