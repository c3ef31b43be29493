//! The instructor's side of the course: `handout`, `check`, `reference`, `grade`, `regrade`, `verify`, `autograder`, `plagiarism`.

mod check;
mod grade;
mod handout;
mod intake;
mod leaks;
mod mutants;
mod page;
mod plagiarism;
mod reference;
mod reports;

use anyhow::{Context, ensure};
use clap::{Args, Parser, Subcommand};
use exercises::table::Course;
use grade::{Grader, Options, changes, name_of, read_record};
use std::path::{Path, PathBuf};
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
    /// Grade submissions: folders, zips, tars; what is complete already is not graded again
    Grade {
        /// One submission each
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// Grade again with the records' seeds, and list the grades that changed, and why
    Regrade {
        #[command(flatten)]
        how: How,
    },
    /// Reproduce a record: the same files, the same seed
    Verify {
        /// A file of the folder records/
        record: PathBuf,
    },
    /// Copy what was handed in into a folder as plagiarism checkers take it, with the starters as base code
    Plagiarism {
        /// A new folder
        folder: PathBuf,
        /// One submission each
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
}

#[derive(Args)]
struct How {
    /// Where records and reports go
    #[arg(long, default_value = "grades")]
    out: PathBuf,
    /// Submissions at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// One seed for all, instead of a fresh one for each
    #[arg(long)]
    seed: Option<u64>,
    /// Run host code although this machine cannot confine it: only in a container of its own
    #[arg(long)]
    unconfined: bool,
}

impl How {
    fn options(&self) -> Options {
        let How { out, jobs, seed, unconfined } = self;
        Options { out: out.clone(), jobs: *jobs, seed: *seed, unconfined: *unconfined }
    }
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
        What::Grade { paths, how } => grade_all(&course, paths, how),
        What::Regrade { how } => regrade(&course, how),
        What::Verify { record } => verify(&course, record),
        What::Plagiarism { folder, paths } => {
            let count = plagiarism::export(&course, paths, folder)?;
            println!("{}: {count} submissions; base code in {}", folder.display(), folder.join("base").display());
            Ok(true)
        }
    }
}

fn grade_all(course: &Course, paths: &[PathBuf], how: &How) -> anyhow::Result<bool> {
    let grader = Grader::new(course, how.options())?;
    println!("confinement: {}", grader.confinement());
    let records = grader.grade(paths)?;
    reports::write(course, &records, &how.out)?;
    print!("{}", reports::table(&records));
    println!("records, results.json, JUnit, CSV and pages: {}", how.out.display());
    Ok(true)
}

fn regrade(course: &Course, how: &How) -> anyhow::Result<bool> {
    let grader = Grader::new(course, how.options())?;
    let folder = how.out.join("records");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let mut all = Vec::new();
    let mut changed = 0;
    for file in files {
        let before = read_record(&file).with_context(|| format!("{} is no record", file.display()))?;
        let after = grader.judge_all(&before.path, &before.name, before.seed, |_| Ok(()))?;
        let lines = changes(&before, &after);
        changed += usize::from(!lines.is_empty());
        lines.iter().for_each(|line| println!("{line}"));
        grade::write_record(&file, &after)?;
        all.push(after);
    }
    reports::write(course, &all, &how.out)?;
    println!("{} submissions graded again, {changed} grades changed", all.len());
    Ok(true)
}

/// Whether a record comes out the same again, from the files whose hashes it holds.
fn verify(course: &Course, file: &Path) -> anyhow::Result<bool> {
    let before = read_record(file).with_context(|| format!("{} is no record", file.display()))?;
    let out = tempfile::tempdir()?;
    let options = Options { out: out.path().to_owned(), jobs: 1, seed: Some(before.seed), unconfined: false };
    let after =
        Grader::new(course, options)?.judge_all(&before.path, &name_of(&before.path), before.seed, |_| Ok(()))?;
    ensure!(
        before.hashes == after.hashes,
        "{} does not hold the files that the record was made from",
        before.path.display()
    );
    let lines = changes(&before, &after);
    lines.iter().for_each(|line| println!("{line}"));
    let result = if lines.is_empty() { "reproduced" } else { "NOT reproduced" };
    println!("{}: {} of {} points, {result}", before.name, after.points(), after.of());
    Ok(lines.is_empty())
}
