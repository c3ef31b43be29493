//! One line per exercise with its points, in the sheets' order; then the story of the first one of each lab that is to be done.
//!
//! The verdict itself is [`exercises::judge`]; this is a rendering of it for `cargo test`.

use exercises::judge::Judge;
use exercises::lines;
use exercises::output::reader_left;
use exercises::process::Workers;
use exercises::say;
use exercises::table::Course;
use exercises::technique::References;
use libtest_mimic::Arguments;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Fresh in the grader; here the same each time, so that a failure stays the same while it is looked for.
const SEED: u64 = 1;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(101),
        Err(error) if reader_left(&error) => ExitCode::SUCCESS,
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
    let (mut passed, mut failed, mut ignored, mut next) = (0, 0, 0, String::new());
    for lab in &course.labs {
        let mut verdicts = Vec::new();
        for exercise in course.of_lab(&lab.name).filter(|exercise| wanted(&lines::name(exercise))) {
            if arguments.list {
                say!("{}: test", lines::name(exercise));
                continue;
            }
            let verdict = judge.judge_file(&course, exercise, SEED)?;
            say!("{}", lines::line(exercise, &verdict));
            match &verdict {
                verdict if verdict.passed() => passed += 1,
                verdict if verdict.left_out() => ignored += 1,
                _ => failed += 1,
            }
            verdicts.push(verdict);
        }
        next.push_str(&lines::next(&course, &lab.name, &verdicts));
    }
    if arguments.list {
        return Ok(true);
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    say!("{next}\ntest result: {result}. {passed} passed; {failed} failed; {ignored} ignored");
    Ok(failed == 0)
}
