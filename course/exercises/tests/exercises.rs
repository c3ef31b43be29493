//! [`exercises::check`] for `cargo test`.

use exercises::check::check;
use exercises::judge::Judge;
use exercises::lines;
use exercises::output::{READER_LEFT, reader_left};
use exercises::process::Workers;
use exercises::say;
use exercises::table::Course;
use exercises::technique::References;
use libtest_mimic::Arguments;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(101),
        Err(error) if reader_left(&error) => ExitCode::from(READER_LEFT),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(101)
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let course = Course::read(&root)?;
    let wanted = |name: &str| {
        let fits = |filter: &String| if arguments.exact { name == filter } else { name.contains(filter.as_str()) };
        arguments.filter.as_ref().is_none_or(fits) && !arguments.skip.iter().any(fits)
    };
    let workers = Workers {
        program: env!("CARGO_BIN_EXE_exercises").into(),
        confined: false,
        wall: Some(Duration::from_secs(120)),
    };
    let judge = Judge { workers, references: References::read(&root)? };
    if arguments.list {
        for exercise in course.exercises.iter().filter(|exercise| wanted(&lines::name(exercise))) {
            say!("{}: test", lines::name(exercise));
        }
        return Ok(true);
    }
    check(&course, &judge, &|exercise| wanted(&lines::name(exercise)))
}
