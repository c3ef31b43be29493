//! The student's side of the course: `verdict`, `watch`, `hint`, `progress`, `reset`, `compare`.

use anyhow::ensure;
use clap::{Parser, Subcommand};
use exercises::judge::Judge;
use exercises::lines;
use exercises::process::Workers;
use exercises::progress::Progress;
use exercises::table::{Course, Exercise};
use exercises::technique::References;
use exercises::watch;
use std::process::ExitCode;

/// Work on the exercises: what to do next, whether it is right, what it costs.
#[derive(Parser)]
#[command(name = "exercises")]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Judge on every save, exercise by exercise; h hint, n next, r reset, q quit
    Watch {
        /// A lab, or one exercise
        name: Option<String>,
    },
    /// The next hint for the first exercise that is not passed
    Hint {
        /// A lab, or one exercise
        name: Option<String>,
    },
    /// What is done, and the points so far
    Progress {
        /// A lab, or one exercise
        name: Option<String>,
    },
    /// Restore one exercise as it was handed out
    Reset {
        /// The exercise
        name: String,
    },
    /// The figures of a passed exercise beside the reference's
    Compare {
        /// The exercise
        name: String,
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

fn main() -> ExitCode {
    if let Some(code) = exercises::worker::dispatch() {
        return code;
    }
    match run(&Arguments::parse().what) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {}", exercises::escape::shown(&format!("{error:#}")));
            ExitCode::from(2)
        }
    }
}

fn run(what: &What) -> anyhow::Result<bool> {
    let course = Course::here()?;
    let references = References::read(&course.root)?;
    let judge = Judge { workers: Workers::of_this_program(false)?, references: references.clone() };
    match what {
        What::Watch { name } => watch::watch(&course, &judge, &references, &course.select(name.as_deref())?)?,
        What::Hint { name } => return hint(&course, &judge, &course.select(name.as_deref())?),
        What::Progress { name } => progress(&course, &judge, &course.select(name.as_deref())?)?,
        What::Reset { name } => {
            let exercise = one(&course, name)?;
            watch::reset(&course, exercise)?;
            println!("{} is as it was handed out", exercise.file);
        }
        What::Compare { name } => {
            let exercise = one(&course, name)?;
            let verdict = Progress::read(&course)?.verdict(&course, &judge, exercise)?;
            ensure!(
                verdict.points > 0,
                "{} is not right yet: compare comes after it; next: just hint {name}",
                exercise.id()
            );
            print!("{}", watch::panel(&verdict.panel, references.panel(&exercise.id())));
        }
        What::Verdict { name, seed } => {
            let mut passed = true;
            for exercise in course.select(name.as_deref())? {
                let verdict = judge.judge(exercise, &course.text(exercise)?, &course.starter(exercise)?, *seed)?;
                let story = lines::shortened(&verdict.story);
                println!("{}\n{story}{}", lines::line(exercise, &verdict), lines::printed(&verdict));
                passed &= verdict.passed();
            }
            return Ok(passed);
        }
    }
    Ok(true)
}

fn one<'a>(course: &'a Course, name: &str) -> anyhow::Result<&'a Exercise> {
    let found = course.select(Some(name))?;
    ensure!(found.len() == 1, "'{name}' is a lab; name one exercise of it");
    Ok(found[0])
}

fn hint(course: &Course, judge: &Judge, exercises: &[&Exercise]) -> anyhow::Result<bool> {
    let mut progress = Progress::read(course)?;
    for exercise in exercises {
        let verdict = progress.verdict(course, judge, exercise)?;
        if !verdict.passed() {
            let hint = progress.hint(course, exercise, &verdict)?;
            let story = lines::shortened(&verdict.story);
            print!("{}: {}\n{story}{}", exercise.id(), verdict.state.words(), lines::shortened(&hint));
            return Ok(true);
        }
    }
    println!("all passed: no hint is needed here");
    Ok(true)
}

fn progress(course: &Course, judge: &Judge, exercises: &[&Exercise]) -> anyhow::Result<()> {
    let mut progress = Progress::read(course)?;
    for lab in &course.labs {
        let mut verdicts = Vec::new();
        for exercise in exercises.iter().filter(|exercise| exercise.lab == lab.name) {
            let verdict = progress.verdict(course, judge, exercise)?;
            let (points, worth, state) = (verdict.points, exercise.worth(), verdict.state.words());
            println!("  {:<28} {points:>3} of {worth:<16} {state}", exercise.id());
            verdicts.push(verdict);
        }
        if !verdicts.is_empty() {
            println!("{}", lines::sum(&lab.name, &verdicts));
        }
    }
    Ok(())
}
