//! The student's side of the course: `verdict`, `watch`, `hint`, `progress`, `reset`, `compare`, `submission`.

use anyhow::ensure;
use clap::{Parser, Subcommand};
use exercises::check::{Judging, check};
use exercises::compare;
use exercises::escape::printable;
use exercises::judge::Judge;
use exercises::lines;
use exercises::output::{READER_LEFT, reader_left, typed};
use exercises::process::Workers;
use exercises::progress::Progress;
use exercises::reset::Reset;
use exercises::say;
use exercises::submission;
use exercises::table::{Course, Exercise};
use exercises::technique::References;
use exercises::verdict::State;
use exercises::version;
use exercises::watch;
use std::io::{IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Work on the exercises: what to do next, whether it is right, what it costs.
#[derive(Parser)]
#[command(name = "exercises", version)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Judge on every save, exercise by exercise; h hint, s steps, l list, n next, p previous, r reset, q quit
    Watch {
        /// A lab, or one exercise
        name: Option<String>,
    },
    /// The next hint for the first exercise that is not passed
    Hint {
        /// A lab, or one exercise
        name: Option<String>,
    },
    /// The exercises that are done, and the points so far
    Progress {
        /// A lab, or one exercise
        name: Option<String>,
    },
    /// Restore one exercise as it was handed out, after a question; the old file goes to .backup/
    Reset {
        /// The exercise
        name: String,
        /// Do not ask; the old file is kept in .backup/ all the same
        #[arg(long)]
        yes: bool,
    },
    /// The figures of a right exercise beside the reference's, and the times of the lab's that are right so far
    Compare {
        /// A lab, or one exercise
        name: String,
        /// A flag of a lab's run; a comparison has none
        #[arg(long, hide = true)]
        size: Option<String>,
    },
    /// The model solution of an exercise that has all its points, where the course hands solutions out
    Solution {
        /// The exercise
        name: String,
    },
    /// Pack what is handed in, as it lies here now: the labs that are begun, or one. Lists it, reads the zip back, and prints a receipt that
    /// the grader's page repeats
    Submission {
        /// One lab
        lab: Option<String>,
        /// Pack a lab in which nothing is changed as well
        #[arg(long)]
        allow_starter: bool,
        /// The zip; by default submission.zip, or submission-LAB.zip, in the workspace
        #[arg(long)]
        output: Option<PathBuf>,
    },
    /// The verdict on all exercises, a line each, and what to do next
    Check {
        /// A lab, or one exercise
        name: Option<String>,
    },
    /// A lab's own program, with its flags: its tables, counters and pages, of your kernels and plans
    Lab {
        /// The lab
        name: String,
        /// As `--help` of the lab lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        flags: Vec<String>,
    },
    /// Judge once, with the data of a seed
    Verdict {
        /// A lab, or one exercise
        name: Option<String>,
        /// As a grade prints it
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

impl What {
    /// The exercise or the lab that is asked about; none for all.
    fn name(&self) -> Option<&str> {
        match self {
            What::Watch { name } | What::Hint { name } | What::Progress { name } | What::Check { name } => {
                name.as_deref()
            }
            What::Verdict { name, .. } | What::Submission { lab: name, .. } => name.as_deref(),
            What::Reset { name, .. } | What::Compare { name, .. } => Some(name),
            What::Solution { name } | What::Lab { name, .. } => Some(name),
        }
    }
}

fn main() -> ExitCode {
    if let Some(code) = exercises::worker::dispatch().or_else(exercises::lab::dispatch) {
        return code;
    }
    match run(&Arguments::parse().what) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) if reader_left(&error) => ExitCode::from(READER_LEFT),
        Err(error) => {
            eprintln!("error: {}", typed(&printable(&format!("{error:#}"))));
            ExitCode::from(2)
        }
    }
}

fn run(what: &What) -> anyhow::Result<bool> {
    let course = Course::here()?;
    if let Ok(asked) = course.select(what.name()) {
        version::require(&std::env::current_exe()?.with_file_name(version::FILE), &asked)?;
    }
    let references = References::read(&course.root)?;
    let judge = Judge { workers: Workers::of_this_program(false)?, references: references.clone() };
    match what {
        What::Watch { name } => watch::watch(&course, &judge, &references, &course.select(name.as_deref())?)?,
        What::Hint { name } => return hint(&course, &judge, &course.select(name.as_deref())?),
        What::Progress { name } => progress(&course, &judge, &course.select(name.as_deref())?)?,
        What::Reset { name, yes } => {
            let reset = Reset::of(&course, one(&course, name)?)?;
            if let Some(question) = reset.question().filter(|_| !yes) {
                ensure!(
                    stdin().is_terminal(),
                    "{question}\n  next, where nobody can be asked: just reset {name} --yes"
                );
                print!("{question} [y/N] ");
                stdout().flush()?;
                let mut answer = String::new();
                stdin().read_line(&mut answer)?;
                ensure!(answer.trim().eq_ignore_ascii_case("y"), "nothing was changed");
            }
            say!("{}", reset.carry_out()?);
        }
        What::Compare { name, size } => {
            let mut progress = Progress::read(&course)?;
            let selected = course.select(Some(name))?;
            if let Some(size) = size {
                let lab = &selected[0].lab;
                let why = "compare has no --size: a lab's table is at the sizes where each exercise's idea pays";
                anyhow::bail!("{why}\n  next: just lab {lab} --size {size}, with --variant NAME for some of them");
            }
            if let [exercise] = selected[..] {
                let verdict = progress.verdict(&course, &judge, exercise)?;
                ensure!(
                    matches!(verdict.state, State::Right | State::Passed),
                    "{} is not right yet: compare comes after it; next: just hint {name}",
                    exercise.id()
                );
                say!("{}", watch::panel(&verdict.panel, references.panel(&exercise.id())).trim_end());
            }
            let times = compare::side_by_side(&course, &judge, &mut progress, &selected[0].lab)?;
            ensure!(
                selected.len() == 1 || !times.is_empty(),
                "{name}: two exercises that are right, and compute the same, are compared; next: just progress {name}"
            );
            say!("{}", times.trim_end());
        }
        What::Solution { name } => say!("{}", solution(&course, &judge, name)?.trim_end()),
        What::Submission { lab, allow_starter, output } => {
            submission(&course, &judge, lab.as_deref(), *allow_starter, output.as_deref())?;
        }
        What::Check { name } => {
            let chosen: Vec<String> = course.select(name.as_deref())?.into_iter().map(Exercise::id).collect();
            return check(&course, &judge, &|exercise| chosen.contains(&exercise.id()));
        }
        What::Lab { name, flags } => return exercises::lab::become_lab(&course, name, flags),
        What::Verdict { name, seed } => {
            let mut passed = true;
            for exercise in course.select(name.as_deref())? {
                let judging = Judging::tell(exercise);
                let verdict = judge.judge_file(&course, exercise, *seed)?;
                drop(judging);
                let story = lines::shortened(&verdict.story) + &lines::printed(&verdict);
                say!("{}\n{story}", lines::line(exercise, &verdict));
                passed &= verdict.passed();
            }
            return Ok(passed);
        }
    }
    Ok(true)
}

fn solution(course: &Course, judge: &Judge, name: &str) -> anyhow::Result<String> {
    let exercise = one(course, name)?;
    let solution = course.solution(exercise)?;
    let verdict = Progress::read(course)?.verdict(course, judge, exercise)?;
    ensure!(
        verdict.passed(),
        "{} has {} of {} points: its solution is printable after all of them; next: just hint {name}",
        exercise.id(),
        verdict.points,
        verdict.of
    );
    Ok(solution)
}

fn one<'a>(course: &'a Course, name: &str) -> anyhow::Result<&'a Exercise> {
    let found = course.select(Some(name))?;
    ensure!(found.len() == 1, "'{name}' is a lab; name one exercise of it");
    Ok(found[0])
}

fn submission(
    course: &Course,
    judge: &Judge,
    lab: Option<&str>,
    allow_starter: bool,
    output: Option<&Path>,
) -> anyhow::Result<()> {
    let labs = match lab {
        Some(name) => vec![course.lab(name)?],
        None => course.labs.iter().collect(),
    };
    let name = lab.map_or("submission.zip".to_owned(), |lab| format!("submission-{lab}.zip"));
    let file = output.map_or_else(|| course.root.join(name), Path::to_owned);
    let mut line = |text: &str| -> anyhow::Result<()> {
        say!("{}", printable(text));
        Ok(())
    };
    let written = submission::write(course, judge, &labs, allow_starter, &file, &mut line)?;
    for lab in &written.left_out {
        say!("{lab}: nothing is changed, so it is not in the zip (just submission {lab} --allow-starter packs it)");
    }
    let kilobytes = written.bytes.div_ceil(1024);
    say!("\n{}: {} files, {kilobytes} KiB, read back as they lie here", written.file.display(), written.files);
    for (lab, receipt) in &written.receipts {
        say!("receipt {lab}: {receipt}");
    }
    say!("next: hand the zip in; the grader's page repeats the receipts");
    Ok(())
}

fn hint(course: &Course, judge: &Judge, exercises: &[&Exercise]) -> anyhow::Result<bool> {
    let mut progress = Progress::read(course)?;
    for exercise in exercises {
        let verdict = progress.verdict(course, judge, exercise)?;
        if !verdict.passed() {
            let hint = progress.hint(course, exercise, &verdict)?;
            let story = lines::shortened(&verdict.story);
            say!("{}: {}\n{story}{}", exercise.id(), verdict.state.words(), lines::shortened(&hint).trim_end());
            return Ok(true);
        }
    }
    say!("all passed: no hint is needed here");
    Ok(true)
}

fn progress(course: &Course, judge: &Judge, exercises: &[&Exercise]) -> anyhow::Result<()> {
    let mut progress = Progress::read(course)?;
    for lab in &course.labs {
        let mut verdicts = Vec::new();
        for exercise in exercises.iter().filter(|exercise| exercise.lab == lab.name) {
            let judging = Judging::tell(exercise);
            let verdict = progress.verdict(course, judge, exercise);
            drop(judging);
            let verdict = verdict?;
            let (points, worth, state) = (verdict.points, exercise.worth(), verdict.state.words());
            say!("  {:<28} {points:>3} of {worth:<16} {state}", exercise.id());
            verdicts.push(verdict);
        }
        if !verdicts.is_empty() {
            say!("{}", lines::sum(&lab.name, &verdicts));
        }
    }
    Ok(())
}
