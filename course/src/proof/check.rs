//! The proof that the course works: for each exercise the starter fails, the solution passes, its rung's mutants fail for their reason; right programs
//! without a technique lose its points, and right ones of any other style keep them; sheet and table agree; the reference is current; the
//! hand-out holds no solution, builds, and reports every exercise as not started.

use crate::handout::{self, Kind};
use crate::leaks::Secrets;
use crate::samples::{Sample, defects_of_cheats};
use crate::{reference, samples};
use exercises::judge::{Judge, NOTHING};
use exercises::lines;
use exercises::process::Workers;
use exercises::say;
use exercises::table::{Course, Exercise};
use exercises::technique::References;
use exercises::verdict::State;
use std::fs;
use std::path::Path;
use std::process::Command;

const SEED: u64 = 20;

/// Checks everything, prints a line each, and says whether all is well.
///
/// # Errors
/// A failure that prevents a check: no compiler, no git.
pub fn check(course: &Course, name: Option<&str>, build: bool) -> anyhow::Result<bool> {
    let judge = Judge { workers: Workers::of_this_program(true)?, references: References::read(&course.root)? };
    let mut defects = Vec::new();
    for exercise in course.select(name)? {
        let found = defects_of(course, &judge, exercise)?;
        say!("{:<28} {}", exercise.id(), if found.is_empty() { "proved" } else { "DEFECT" });
        for defect in &found {
            say!("  {defect}");
        }
        defects.extend(found.into_iter().map(|defect| format!("{}: {defect}", exercise.id())));
    }
    if name.is_none() {
        defects.extend(stale(course)?);
        defects.extend(of_handout(course, build)?);
    }
    say!("\n{} defects", defects.len());
    for defect in &defects {
        say!("  {}", defect.lines().next().unwrap_or_default());
    }
    Ok(defects.is_empty())
}

fn defects_of(course: &Course, judge: &Judge, exercise: &Exercise) -> anyhow::Result<Vec<String>> {
    let (text, starter) = (course.text(exercise)?, course.starter(exercise)?);
    // As if the starter were a student's own text: that it does nothing must show in its behaviour. One with a defect to be mended must show that.
    let known = if exercise.mend { starter.as_str() } else { "" };
    let verdict = judge.judge(exercise, &starter, known, SEED)?;
    let shown = if exercise.mend { State::NotStarted } else { State::Failed };
    let told = exercise.mend != (verdict.kind == NOTHING);
    let not_started = verdict.state == shown && verdict.points == 0 && told;
    let mut defects: Vec<String> = samples::defect("the starter", not_started, &verdict).into_iter().collect();
    let whole = |name: String, text: String| Sample { name, text, due: exercise.points };
    let mut right = vec![whole("the solution".to_owned(), text)];
    right.extend(samples::of(course, "honest", exercise)?);
    let cheats = samples::of(course, "cheats", exercise)?;
    let of_rung = |mutant: &&kernels::Mutant| (mutant.lab, mutant.rung) == (&*exercise.lab, &*exercise.name);
    let mutants: Vec<&kernels::Mutant> = kernels::MUTANTS.iter().filter(of_rung).collect();
    let mutated: Vec<String> =
        mutants.iter().map(|mutant| right[0].text.replacen(mutant.find, mutant.replace, 1)).collect();
    let texts = right.iter().chain(&cheats).map(|sample| &sample.text).chain(&mutated);
    // With a seed each, so that every size that a seed may draw is seen.
    let texts: Vec<(u64, &String)> = (SEED..).zip(texts).collect();
    let verdicts = samples::side_by_side(&texts, |(seed, text)| judge.judge(exercise, text, &starter, *seed))?;
    let (of_right, rest) = verdicts.split_at(right.len());
    let (of_cheats, of_mutants) = rest.split_at(cheats.len());
    for (sample, verdict) in right.iter().zip(of_right) {
        defects.extend(samples::defect(&sample.name, verdict.passed() && verdict.points == sample.due, verdict));
    }
    defects.extend(defects_of_cheats(exercise, &cheats, of_cheats, &judge.references));
    for (mutant, verdict) in mutants.iter().zip(of_mutants) {
        let right = !verdict.passed() && verdict.kind == mutant.reason;
        let what = format!("mutant {}, which must fail for '{}'", mutant.name, mutant.reason);
        defects.extend(samples::defect(&what, right, verdict));
    }
    let scheme = course.root.join(format!("course/marking/{}.md", exercise.lab));
    let scheme = fs::read_to_string(scheme).unwrap_or_default();
    if !exercise.questions.is_empty() && !scheme.lines().any(|line| line == format!("## {}", exercise.name)) {
        defects.push(format!("course/marking/{}.md has no section '## {}'", exercise.lab, exercise.name));
    }
    Ok(defects)
}

/// Figures that are not the solutions'.
fn stale(course: &Course) -> anyhow::Result<Vec<String>> {
    let mut defects = Vec::new();
    let (now, rest) = reference::measure(course, None)?;
    defects.extend(rest);
    let now = serde_json::to_value(now)?;
    let kept = serde_json::to_value(References::read(&course.root)?)?;
    if now != kept {
        defects.push(format!("{} is not what the solutions give; next: just reference", References::FILE));
    }
    Ok(defects)
}

fn of_handout(course: &Course, build: bool) -> anyhow::Result<Vec<String>> {
    let defects = handout::defects(course)?;
    if !defects.is_empty() {
        say!("hand-out: not written, because its lists have {} defects", defects.len());
        return Ok(defects);
    }
    let folder = tempfile::tempdir()?;
    let secrets = Secrets::of(course)?;
    let mut defects = Vec::new();
    for (kind, name) in [(Kind::Source, "hand-out with the simulator"), (Kind::Tool, "hand-out")] {
        let root = folder.path().join(name);
        handout::write(course, &root, kind)?;
        let (found, files) = secrets.found_in(&root)?;
        say!("{name}: {} passages of the solutions in {} of its {files} files", secrets.count(), found.len());
        defects.extend(found);
    }
    if build {
        let root = folder.path().join("hand-out");
        handout::judge::put(course, &handout::judge::current(course)?, &root)?;
        defects.extend(build_and_test(course, &root, &secrets)?);
    }
    Ok(defects)
}

/// Builds the hand-out, looks for solutions in what it built, and runs its tests; copies a solution in and runs them again.
fn build_and_test(course: &Course, root: &Path, secrets: &Secrets) -> anyhow::Result<Vec<String>> {
    let target = root.join("target");
    let lines = tests(root, &target)?;
    let (mut defects, files) = secrets.found_in(root)?;
    say!(
        "hand-out: builds; passages or PTX of solutions in {} of the {files} files, built ones included",
        defects.len()
    );
    let untouched = |exercise: &&Exercise, line: &str| {
        let result = if exercise.bonus { "ignored" } else { "FAILED" };
        line == format!("test {} ... {result} (not started)", lines::name(exercise))
    };
    // As it is handed out; then with each solution in turn, which must turn exactly itself green: no verdict may need another exercise.
    for solved in std::iter::once(None).chain(course.exercises.iter().map(Some)) {
        let lines = match solved {
            None => lines.clone(),
            Some(exercise) => {
                fs::copy(course.root.join(&exercise.file), root.join(&exercise.file))?;
                let lines = tests(root, &target)?;
                fs::write(root.join(&exercise.file), course.starter(exercise)?)?;
                lines
            }
        };
        let expected = |exercise: &Exercise, line: &str| match solved {
            Some(solved) if solved.id() == exercise.id() => line == format!("test {} ... ok", lines::name(exercise)),
            _ => untouched(&exercise, line),
        };
        let pairs = course.exercises.iter().zip(&lines);
        let wrong: Vec<&String> =
            pairs.filter(|(exercise, line)| !expected(exercise, line)).map(|(_, line)| line).collect();
        if lines.len() != course.exercises.len() || !wrong.is_empty() {
            let solved = solved.map_or("nothing".to_owned(), Exercise::id);
            defects
                .push(format!("hand-out with {solved} solved: {} lines of tests, unexpected: {wrong:?}", lines.len()));
        }
    }
    say!(
        "hand-out: {} exercises not started; each solution turns itself green and nothing else",
        course.exercises.len()
    );
    Ok(defects)
}

fn tests(root: &Path, target: &Path) -> anyhow::Result<Vec<String>> {
    let output = Command::new("cargo")
        .args(["test", "--release", "--workspace", "--no-fail-fast", "--quiet", "--offline"])
        .env("CARGO_TARGET_DIR", target)
        .current_dir(root)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<String> =
        text.lines().filter(|line| line.starts_with("test ") && line.contains(" ... ")).map(str::to_owned).collect();
    if lines.is_empty() {
        anyhow::bail!("the hand-out does not build: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(lines)
}
