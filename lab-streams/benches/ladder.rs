//! The batches beside the limit of bus and kernels, in one run: `cargo bench -p lab-streams`, with the lab's own flags after `--`. A batch
//! is a series already. See [`common::benching`].

use std::process::ExitCode;

fn main() -> ExitCode {
    common::benching::main::<lab_streams::Streams>()
}
