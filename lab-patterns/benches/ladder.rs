//! The ladder in one run: `cargo bench -p lab-patterns`, with the lab's own flags after `--`.

fn main() -> std::process::ExitCode {
    common::benching::main::<lab_patterns::Patterns>()
}
