//! The command line. It stands by itself, because `examples/shell.rs` makes completions of it.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Hand the course out, prove that it works, grade what comes back.
#[derive(Parser)]
#[command(name = "course")]
pub struct Arguments {
    /// The command to carry out.
    #[command(subcommand)]
    pub what: What,
}

/// The commands.
#[derive(Subcommand)]
pub enum What {
    /// Write a student's workspace into a new folder
    Handout {
        /// The folder; it must not exist, or be empty
        folder: PathBuf,
        /// One lab alone, instead of all
        #[arg(long)]
        lab: Option<String>,
        /// The sources of judge, labs and simulator instead of a judge that `judge` built: a first verdict there takes some minutes
        #[arg(long)]
        with_simulator: bool,
    },
    /// Prove every exercise: the starter fails, the solution passes, every mutant fails for its reason, cheats lose a technique's points
    Check {
        /// Only a lab, or one exercise
        name: Option<String>,
        /// Do not build the hand-out and run its tests
        #[arg(long)]
        no_build: bool,
    },
    /// Show a right program that is not the solution, a cheat or an honest one in another style: it is kept as an edit of the solution
    Sample {
        /// LAB/EXERCISE/NAME, as in course/cheats/ and course/honest/
        name: String,
    },
    /// Measure the solutions anew and write exercises/reference.json. Exit code 1: some have no figures, and are named
    Reference {
        /// Only a lab, or one exercise
        name: Option<String>,
    },
    /// Grade submissions: folders, zips, tars, or the export of a learning platform (Moodle, Canvas, Brightspace, GitHub Classroom); of what was graded before, only exercises that are to be repeated. Exit code 1: some still are
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
    /// Mark the written answers of a lab, with the scheme beside each: points and a remark, which stand in all reports from then on. It goes on
    /// where it ended. Exit code 1: some answers have no mark yet
    Mark {
        /// The lab
        lab: String,
        /// By a spreadsheet instead: where there is no such file it is written, with a row for each answer; where there is one, the points
        /// and remarks that were filled in are taken
        #[arg(long)]
        csv: Option<PathBuf>,
        #[command(flatten)]
        class: Class,
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

/// A class and its files.
#[derive(Args)]
pub struct Class {
    /// Where records and reports go; by default grades, or grades/LAB
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// The class as a CSV with names and ids (name,id,login,handed_in): it joins the class's tables, so that they show of whom nothing came.
    /// Moodle's grading worksheet and Canvas's gradebook, as exported, are filled in and written beside the tables
    #[arg(long)]
    pub roster: Option<PathBuf>,
    /// The roster's columns where their titles are not understood: login=Matrikelnummer,name="Nachname, Vorname"; also first, last, id, nickname,
    /// handed_in, grade, most, comment, or a lab's name for the column of its grade
    #[arg(long, requires = "roster")]
    pub columns: Option<String>,
    /// Begin the tables that are written with the mark (BOM) by which Excel knows UTF-8
    #[arg(long)]
    pub bom: bool,
}

/// How to grade.
#[derive(Args)]
pub struct How {
    #[command(flatten)]
    pub class: Class,
    /// One lab alone, instead of all
    #[arg(long)]
    pub lab: Option<String>,
    /// Submissions at a time
    #[arg(long, default_value_t = 1)]
    pub jobs: usize,
    /// Seconds of a submission, after which what is left of it is judged last; after five times as many, it is left for the next call
    #[arg(long, default_value_t = 180)]
    pub budget: u64,
    /// One seed for all, instead of a fresh one for each
    #[arg(long)]
    pub seed: Option<u64>,
    /// Grade although this machine confines students' code in part only, or not at all: only in a container that holds nothing but the
    /// grader. What confinement there is applies even so
    #[arg(long)]
    pub unconfined: bool,
    /// Keep the results.json of the one submission here, as Gradescope reads it, after every exercise
    #[arg(long)]
    pub results: Option<PathBuf>,
}
