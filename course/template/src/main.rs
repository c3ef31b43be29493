//! Lab NAME.

fn main() -> std::process::ExitCode {
    common::lab::main::<lab_NAME::Axpy>()
}
