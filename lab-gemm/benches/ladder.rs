//! The ladder beside its yardsticks, in one run: `cargo bench -p lab-gemm`, with the lab's own flags after `--`. See [`common::benching`].

use std::process::ExitCode;

fn main() -> ExitCode {
    common::benching::main::<lab_gemm::MatrixProduct>()
}
