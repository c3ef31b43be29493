//! The ladder in one run: `cargo bench -p lab-first`, with the lab's own flags after `--`.

fn main() -> std::process::ExitCode {
    common::benching::main::<lab_first::First>()
}
