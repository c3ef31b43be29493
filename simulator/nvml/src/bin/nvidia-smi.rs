//! `nvidia-smi` of simulated cards: see `nvidia_ml1::smi`.
use std::process::ExitCode;

fn main() -> ExitCode {
    match nvidia_ml1::smi::told(std::env::args().skip(1)) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err((code, why)) => {
            eprintln!("{why}");
            ExitCode::from(code)
        }
    }
}
