//! Lab 5.

fn main() -> std::process::ExitCode {
    common::lab::main::<lab_patterns::Patterns>()
}
