//! Beginners' mistakes, and each technique's contract against a right program that does not use the technique: each is judged, has the points that it
//! is due, is told in the words that name it and in none that would be false, and all answers are the kept ones. `LABS_WRITE=1` keeps them anew.

use exercises::judge::Judge;
use exercises::lines::{line, printed, shortened};
use exercises::markers::starter;
use exercises::process::Workers;
use exercises::table::Course;
use exercises::technique::References;
use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The answers, from the workspace's root.
const KEPT: &str = "docs/measurements/data/student-run.txt";
const HEAD: &str = "Answers of the judge to the mistakes of course/exercises/tests/mistakes.toml.
Made by `LABS_WRITE=1 cargo test -p exercises --test mistakes`; the same test says whether they are fresh.
";

#[derive(Deserialize)]
struct Mistakes {
    mistake: Vec<Mistake>,
}

/// A solution with some passages replaced, or as it was handed out from a passage on; or a whole text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mistake {
    of: String,
    name: String,
    /// The rung of the lab whose solution it begins with; by default its own.
    rung: Option<String>,
    #[serde(default)]
    change: Vec<[String; 2]>,
    starter_from: Option<String>,
    text: Option<String>,
    points: Option<u32>,
    #[serde(default)]
    told: Vec<String>,
    #[serde(default)]
    never: Vec<String>,
}

impl Mistake {
    fn text(&self, solution: &str) -> anyhow::Result<String> {
        if let Some(text) = &self.text {
            return Ok(text.trim_start().to_owned());
        }
        if let Some(from) = &self.starter_from {
            let given = starter(solution)?;
            let of = |text: &str| text.find(from.as_str());
            let parts = of(solution).zip(of(&given)).map(|(own, other)| solution[..own].to_owned() + &given[other..]);
            return parts.ok_or_else(|| anyhow::anyhow!("{}: no {from}", self.of));
        }
        self.change.iter().try_fold(solution.to_owned(), |text, [find, put]| {
            anyhow::ensure!(text.contains(find), "{}, {}: the solution has no {find:?}", self.of, self.name);
            Ok(text.replace(find, put))
        })
    }
}

fn main() -> ExitCode {
    let no_compiler = kernels::compiler().is_err();
    let trial = Trial::test("each_mistake_is_named_and_its_answer_is_the_kept_one", all);
    libtest_mimic::run(&Arguments::from_args(), vec![trial.with_ignored_flag(no_compiler)]).exit_code()
}

fn all() -> Result<(), Failed> {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let course = Course::read(&root)?;
    let workers = Workers { program: env!("CARGO_BIN_EXE_exercises").into(), confined: false, wall: None };
    let judge = Judge { workers, references: References::read(&root)? };
    let Mistakes { mistake: all } = toml::from_str(include_str!("mistakes.toml"))?;
    let (mut answers, mut wrong) = (HEAD.to_owned(), Vec::new());
    for mistake in all {
        let exercise = course.select(Some(&mistake.of))?[0];
        let begin = mistake.rung.as_ref().map_or(mistake.of.clone(), |rung| format!("{}/{rung}", exercise.lab));
        let solution = course.text(course.select(Some(&begin))?[0])?;
        let verdict = judge.judge(exercise, &mistake.text(&solution)?, &course.starter(exercise)?, 11)?;
        let story = shortened(&verdict.story);
        let answer = format!("\n# {}\n{}\n{story}{}", mistake.name, line(exercise, &verdict), printed(&verdict));
        // Words are looked for in what a student sees, wherever a line of it ends.
        let seen = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        let lacks = mistake.told.iter().filter(|words| !seen.contains(words.as_str()));
        let has = mistake.never.iter().filter(|words| seen.contains(words.as_str()));
        wrong.extend(lacks.map(|words| format!("not told: {words}{answer}")));
        wrong.extend(has.map(|words| format!("told: {words}{answer}")));
        if mistake.points.is_some_and(|points| points != verdict.points) {
            wrong.push(format!("{} points{answer}", verdict.points));
        }
        answers.push_str(&answer);
    }
    if std::env::var_os("LABS_WRITE").is_some() {
        std::fs::write(root.join(KEPT), &answers)?;
    } else if answers != std::fs::read_to_string(root.join(KEPT))? {
        wrong.push(format!("{KEPT} has other answers\n  next: LABS_WRITE=1 cargo test -p exercises --test mistakes"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
