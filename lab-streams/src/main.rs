//! Lab 4: streams, pinned, registered and mapped memory.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::lab::main::<lab_streams::Streams>()
}
