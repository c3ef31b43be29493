//! The instructor's side of the course: `handout`, `check`, `reference`, `grade`, `regrade`, `verify`, `autograder`, `plagiarism`.

mod check;
mod handout;
mod mutants;
mod reference;

use clap::{Parser, Subcommand};
use exercises::table::Course;
use std::path::PathBuf;
use std::process::ExitCode;

/// Hand the course out, prove that it works, grade what comes back.
#[derive(Parser)]
#[command(name = "course")]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Write a student's workspace into a new folder
    Handout {
        /// The folder; it must not exist, or be empty
        folder: PathBuf,
    },
    /// Prove every exercise: the starter fails, the solution passes, every mutant fails for its reason
    Check {
        /// Only a lab, or one exercise
        name: Option<String>,
        /// Do not build the hand-out and run its tests
        #[arg(long)]
        no_build: bool,
    },
    /// Measure the solutions anew and write exercises/reference.json
    Reference,
}

fn main() -> ExitCode {
    if let Some(code) = exercises::worker::dispatch() {
        return code;
    }
    match run(&Arguments::parse().what) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(what: &What) -> anyhow::Result<bool> {
    let course = Course::here()?;
    match what {
        What::Handout { folder } => {
            let written = handout::write(&course, folder)?;
            println!("{}: {written} files; next: cd there, just nvrtc, just watch", folder.display());
            Ok(true)
        }
        What::Check { name, no_build } => check::check(&course, name.as_deref(), !no_build),
        What::Reference => reference::write(&course).map(|()| true),
    }
}
