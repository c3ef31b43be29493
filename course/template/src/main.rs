//! Lab TEMPLATE.

fn main() -> std::process::ExitCode {
    common::lab::main::<lab_TEMPLATE::Axpy>()
}
