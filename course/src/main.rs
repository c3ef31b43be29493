//! The instructor's side of the course: `handout`, `check`, `new-lab`, `reference`, `grade`, `regrade`, `verify`, `autograder`, `plagiarism`.

mod autograder;
mod check;
mod company;
mod differences;
mod escape;
mod grade;
mod handout;
mod intake;
mod leaks;
mod marks;
mod mutants;
mod names;
mod new_lab;
mod page;
mod plagiarism;
mod record;
mod reference;
mod reports;
mod samples;
mod slurm;

use anyhow::{Context, ensure};
use clap::{Args, Parser, Subcommand};
use differences::{changes, differences};
use exercises::table::Course;
use grade::{Entry, Graded, Grader, Options, Record};
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
    /// Make a lab from course/template: its crate, its kernels, its rows
    NewLab {
        /// Small letters: the crate is lab-NAME, its kernels lie in kernels/NAME
        name: String,
    },
    /// Measure the solutions anew and write exercises/reference.json
    Reference,
    /// Grade submissions: folders, zips, tars; of what was graded before, only exercises that are to be repeated. Exit code 1: some still are
    Grade {
        /// One submission each
        #[arg(required_unless_present = "task")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        how: How,
        /// Submit one job of a Slurm array for each submission, wait, and collect the records; --out lies where all nodes see it
        #[arg(long)]
        slurm: bool,
        /// An option of sbatch, as often as needed: --slurm-option=--partition=teaching
        #[arg(long, requires = "slurm")]
        slurm_option: Vec<String>,
        /// Grade one submission of this list, and write no reports: what a job of the array does
        #[arg(long, hide = true, requires = "number")]
        task: Option<PathBuf>,
        /// Which one, from 1
        #[arg(long, hide = true)]
        number: Option<usize>,
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
    /// Copy what was handed in into a folder as plagiarism checkers take it, with the starters as base code. Submissions that are refused are
    /// listed and left out. Exit code 0: all are there; 1: some were refused; 2: none is there
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
    if let Some(code) = exercises::worker::dispatch_with(&[(intake::WORK, intake::work)]) {
        return code;
    }
    match run(&Arguments::parse().what) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {}", escape::shown(&format!("{error:#}")));
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
        What::NewLab { name } => new_lab::make(&course.root, name).map(|()| true),
        What::Reference => reference::write(&course).map(|()| true),
        What::Grade { how, task: Some(list), number: Some(number), .. } => grade_one(&course, list, *number, how),
        What::Grade { paths, how, slurm: true, slurm_option, .. } => {
            grade_on_cluster(&course, &grade::class(paths), how, slurm_option)
        }
        What::Grade { paths, how, .. } => grade_all(&course, &grade::class(paths), how),
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
            let refused = plagiarism::export(&course, paths, folder)?;
            refused.iter().for_each(|why| eprintln!("left out: {}", escape::line(why)));
            let (count, of) = (paths.len() - refused.len(), paths.len());
            println!(
                "{}: {count} of {of} submissions; base code in {}",
                folder.display(),
                folder.join("base").display()
            );
            Ok(refused.is_empty())
        }
    }
}

fn grade_on_cluster(course: &Course, class: &[Entry], how: &How, options: &[String]) -> anyhow::Result<bool> {
    let mut arguments: Vec<String> = how.seed.iter().map(|seed| format!("--seed={seed}")).collect();
    arguments.extend(how.unconfined.then(|| "--unconfined".to_owned()));
    let graded = slurm::Array { course, out: &how.out, arguments, options }.grade(class)?;
    report(course, &graded, how)
}

/// A job of a Slurm array.
fn grade_one(course: &Course, list: &Path, number: usize, how: &How) -> anyhow::Result<bool> {
    let class = slurm::listed(list)?;
    let entry = number.checked_sub(1).and_then(|place| class.get(place));
    let entry = entry.with_context(|| format!("{} has no submission {number}", list.display()))?;
    let grader = Grader::new(course, how.options())?;
    println!("confinement: {}", grader.confinement());
    let graded = grader.grade(std::slice::from_ref(entry), &|_| Ok(()), &|_| ());
    print!("{}", reports::table(&graded.records));
    Ok(settled(&graded))
}

fn grade_all(course: &Course, class: &[Entry], how: &How) -> anyhow::Result<bool> {
    let grader = Grader::new(course, how.options())?;
    println!("confinement: {}", grader.confinement());
    ensure!(how.results.is_none() || class.len() == 1, "--results is of one submission; {} are given", class.len());
    let results =
        |record: &Record| how.results.as_ref().map_or(Ok(()), |file| reports::put_gradescope(course, record, file));
    let before_the_last = |records: &[Record]| {
        if let Err(error) = reports::write(course, records, &how.out) {
            eprintln!("{error:#}");
        }
    };
    let graded = grader.grade(class, &results, &before_the_last);
    report(course, &graded, how)
}

fn report(course: &Course, graded: &Graded, how: &How) -> anyhow::Result<bool> {
    let written = reports::write(course, &graded.records, &how.out);
    print!("{}", reports::table(&graded.records));
    let whole = settled(graded);
    // After what each submission came to: the records are there all the same.
    written?;
    println!("records, results.json, JUnit, CSV and pages: {}", how.out.display());
    Ok(whole)
}

/// Whether all verdicts are final; says which are not, and what else went wrong.
fn settled(graded: &Graded) -> bool {
    let open: Vec<&Record> = graded.records.iter().filter(|record| !record.complete).collect();
    graded.troubles.iter().for_each(|trouble| eprintln!("{}", escape::line(trouble)));
    for record in &open {
        let all = record.verdicts.iter().filter(|verdict| !verdict.state.is_final());
        let why = all.clone().next().map_or("", |verdict| verdict.story.lines().next().unwrap_or_default());
        let names: Vec<&str> = all.map(|verdict| verdict.exercise.as_str()).collect();
        let list = if names.len() < record.verdicts.len() { names.join(", ") } else { "every exercise".to_owned() };
        eprintln!("{}: to be repeated: {list}: {}", escape::line(&record.name), escape::line(why));
    }
    if !open.is_empty() {
        let count = open.len();
        eprintln!(
            "{count} submissions are not graded completely, which is not the students' doing; next: the same command again"
        );
    }
    open.is_empty() && graded.troubles.is_empty()
}

fn regrade(course: &Course, how: &How) -> anyhow::Result<bool> {
    let grader = Grader::new(course, how.options())?;
    let folder = how.out.join("records");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let mut graded = Graded::default();
    let mut changed = 0;
    for file in files {
        let before = match record::read(&file, course) {
            Ok(before) => before,
            Err(error) => {
                graded.troubles.push(format!("{error:#}: not graded again"));
                continue;
            }
        };
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or(&before.name).to_owned();
        let after = grader.again(&Entry { name, path: before.path.clone() }, before.seed);
        let lines = changes(&before, &after);
        changed += usize::from(!lines.is_empty());
        lines.iter().for_each(|line| println!("{}", escape::line(line)));
        if let Err(error) = grade::write_whole(&file, &after) {
            graded.troubles.push(format!("{error:#}"));
        }
        graded.records.push(after);
    }
    graded.troubles.extend(grader.troubles());
    reports::write(course, &graded.records, &how.out)?;
    println!("{} submissions graded again, {changed} grades changed", graded.records.len());
    Ok(settled(&graded))
}

/// Whether a record comes out the same again, from the files whose hashes it holds.
fn verify(course: &Course, file: &Path, unconfined: bool) -> anyhow::Result<bool> {
    let record::Kept { record: before, raw } = record::parsed(file, course)?;
    let out = tempfile::tempdir()?;
    let options = Options { out: out.path().to_owned(), jobs: 1, seed: None, unconfined };
    let grader = Grader::new(course, options)?;
    let after = grader.again(&Entry { name: before.name.clone(), path: before.path.clone() }, before.seed);
    ensure!(
        before.hashes == after.hashes,
        "{} does not hold the files that the record was made from",
        before.path.display()
    );
    let mut lines = before.defects(course);
    lines.extend(differences(&raw, &after));
    lines.iter().for_each(|line| println!("{}", escape::line(line)));
    let result = if lines.is_empty() { "reproduced" } else { "NOT reproduced" };
    println!("{}: {} of {} points, {result}", escape::line(&before.name), after.points(), after.of());
    if before.commit != after.commit {
        println!("next: git checkout {}, of which the record is", before.commit);
    }
    Ok(lines.is_empty())
}
