//! Lab 1: matrix product, pageable against pinned memory, and a ladder of kernels.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::lab::main::<lab_gemm::MatrixProduct>()
}
