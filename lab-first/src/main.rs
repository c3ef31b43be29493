//! Lab 0.

fn main() -> std::process::ExitCode {
    common::lab::main::<lab_first::First>()
}
