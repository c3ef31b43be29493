//! `nvidia-smi` of simulated cards: see `nvidia_ml1::smi`.
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match nvidia_ml1::smi::told(std::env::args().skip(1)) {
        Ok(text) => {
            // A reader that leaves before the end, as `head` does, has what it wanted.
            match std::io::stdout().write_all(text.as_bytes()) {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                    eprintln!("nvidia-smi: standard output cannot be written: {error}");
                    ExitCode::from(2)
                }
                _ => ExitCode::SUCCESS,
            }
        }
        Err((code, why)) => {
            eprintln!("{why}");
            ExitCode::from(code)
        }
    }
}
