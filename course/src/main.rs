//! The instructor's side of the course: `handout`, `check`, `reference`, `grade`, `regrade`, `verify`, `autograder`, `plagiarism`.

mod autograder;
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
mod samples;
mod slurm;

use anyhow::{Context, ensure};
use clap::{Args, Parser, Subcommand};
use exercises::table::Course;
use grade::{Grader, Options, Record, changes, read_record};
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
    /// Prove every exercise: the starter fails, the solution passes, every mutant fails for its reason, cheats lose a technique's points
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
        /// Submit one job of a Slurm array for each submission, wait, and collect the records; --out lies where all nodes see it
        #[arg(long)]
        slurm: bool,
        /// An option of sbatch, as often as needed: --slurm-option=--partition=teaching
        #[arg(long, requires = "slurm")]
        slurm_option: Vec<String>,
        /// Write records and no reports: what a job of the array does
        #[arg(long, hide = true)]
        records_only: bool,
    },
    /// Write the zip of a Gradescope autograder: setup script, run script, this workspace's commit, a container recipe
    Autograder {
        /// The zip
        #[arg(default_value = "autograder.zip")]
        file: PathBuf,
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
        /// As of `grade`
        #[arg(long)]
        unconfined: bool,
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
    /// Grade although this machine confines students' code in part only, or not at all: only in a container that holds nothing but the
    /// grader. What confinement there is applies even so
    #[arg(long)]
    unconfined: bool,
    /// Keep the results.json of the one submission here, as Gradescope reads it, after every exercise
    #[arg(long)]
    results: Option<PathBuf>,
}

impl How {
    fn options(&self) -> Options {
        Options { out: self.out.clone(), jobs: self.jobs, seed: self.seed, unconfined: self.unconfined }
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
        What::Grade { paths, how, slurm: true, slurm_option, .. } => {
            grade_on_cluster(&course, paths, how, slurm_option)
        }
        What::Grade { paths, how, records_only, .. } => grade_all(&course, paths, how, *records_only),
        What::Autograder { file } => {
            let (commit, changed) = autograder::write(&course, file)?;
            println!("{}: commit {commit}", file.display());
            if !changed.is_empty() {
                println!("these files are in it as they are in the commit, not as they are here:\n{changed}");
            }
            Ok(true)
        }
        What::Regrade { how } => regrade(&course, how),
        What::Verify { record, unconfined } => verify(&course, record, *unconfined),
        What::Plagiarism { folder, paths } => {
            let count = plagiarism::export(&course, paths, folder)?;
            println!("{}: {count} submissions; base code in {}", folder.display(), folder.join("base").display());
            Ok(true)
        }
    }
}

fn grade_on_cluster(course: &Course, paths: &[PathBuf], how: &How, options: &[String]) -> anyhow::Result<bool> {
    grade::different_names(paths)?;
    let mut arguments: Vec<String> = how.seed.iter().map(|seed| format!("--seed={seed}")).collect();
    arguments.extend(how.unconfined.then(|| "--unconfined".to_owned()));
    let array = slurm::Array { root: &course.root, out: &how.out, arguments, options };
    let records = array.grade(paths)?;
    report(course, &records, how)
}

fn grade_all(course: &Course, paths: &[PathBuf], how: &How, records_only: bool) -> anyhow::Result<bool> {
    grade::different_names(paths)?;
    let grader = Grader::new(course, how.options())?;
    println!("confinement: {}", grader.confinement());
    ensure!(how.results.is_none() || paths.len() == 1, "--results is of one submission; {} are given", paths.len());
    let results =
        |record: &Record| how.results.as_ref().map_or(Ok(()), |file| reports::put_gradescope(course, record, file));
    let records = grader.grade(paths, &results)?;
    if records_only {
        print!("{}", reports::table(&records));
        return Ok(true);
    }
    report(course, &records, how)
}

fn report(course: &Course, records: &[Record], how: &How) -> anyhow::Result<bool> {
    reports::write(course, records, &how.out)?;
    print!("{}", reports::table(records));
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
        let after = grader.judge_all(&before.path, &before.name, before.seed)?;
        let lines = changes(&before, &after);
        changed += usize::from(!lines.is_empty());
        lines.iter().for_each(|line| println!("{line}"));
        grade::write_whole(&file, &after)?;
        all.push(after);
    }
    reports::write(course, &all, &how.out)?;
    println!("{} submissions graded again, {changed} grades changed", all.len());
    Ok(true)
}

/// Whether a record comes out the same again, from the files whose hashes it holds.
fn verify(course: &Course, file: &Path, unconfined: bool) -> anyhow::Result<bool> {
    let before = read_record(file).with_context(|| format!("{} is no record", file.display()))?;
    let out = tempfile::tempdir()?;
    let options = Options { out: out.path().to_owned(), jobs: 1, seed: None, unconfined };
    let after = Grader::new(course, options)?.judge_all(&before.path, &before.name, before.seed)?;
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
