//! The proof that the course works: for each exercise the starter fails, the solution passes, every mutant fails for its reason; sheet and table
//! agree; the reference is current; the hand-out holds no solution, builds, and reports every exercise as not started.

use crate::{handout, mutants, reference};
use exercises::judge::Judge;
use exercises::markers;
use exercises::process::Workers;
use exercises::table::{Course, Exercise};
use exercises::technique::References;
use exercises::verdict::{State, Verdict};
use std::fs;
use std::path::Path;
use std::process::Command;

const SEED: u64 = 20;

/// Checks everything, prints a line each, and says whether all is well.
///
/// # Errors
/// What prevents a check: no compiler, no git.
pub fn check(course: &Course, name: Option<&str>, build: bool) -> anyhow::Result<bool> {
    let judge = Judge { workers: Workers::of_this_program(true)?, references: References::read(&course.root)? };
    let mut defects = Vec::new();
    for exercise in course.select(name)? {
        let found = defects_of(course, &judge, exercise)?;
        println!("{:<28} {}", exercise.id(), if found.is_empty() { "proved" } else { "DEFECT" });
        found.iter().for_each(|defect| println!("  {defect}"));
        defects.extend(found.into_iter().map(|defect| format!("{}: {defect}", exercise.id())));
    }
    if name.is_none() {
        defects.extend(stale(course)?);
        defects.extend(of_handout(course, build)?);
    }
    println!("\n{} defects", defects.len());
    defects.iter().for_each(|defect| println!("  {}", defect.lines().next().unwrap_or_default()));
    Ok(defects.is_empty())
}

fn defects_of(course: &Course, judge: &Judge, exercise: &Exercise) -> anyhow::Result<Vec<String>> {
    let mut defects = Vec::new();
    let mut expect = |what: &str, right: bool, verdict: &Verdict| {
        if !right {
            defects.push(format!(
                "{what}: {} ({}), {} points: {}",
                verdict.state.words(),
                verdict.kind,
                verdict.points,
                verdict.story
            ));
        }
    };
    let (text, starter) = (course.text(exercise)?, course.starter(exercise)?);
    // As if the starter were a student's own text: that it does nothing must show in its behaviour.
    let verdict = judge.judge(exercise, &starter, "", SEED)?;
    expect("the starter", verdict.state == State::NotStarted && verdict.points == 0, &verdict);
    let verdict = judge.judge(exercise, &text, &starter, SEED)?;
    expect("the solution", verdict.passed() && verdict.points == exercise.points, &verdict);
    for mutant in mutants::of(course, exercise)? {
        let verdict = judge.judge(exercise, &mutant.text, &starter, SEED)?;
        let right = !verdict.passed() && verdict.kind == mutant.reason;
        expect(&format!("mutant {}, which must fail for '{}'", mutant.name, mutant.reason), right, &verdict);
    }
    let lab = course.labs.iter().find(|lab| lab.name == exercise.lab).expect("checked with the table");
    let sheet = fs::read_to_string(course.root.join(&lab.sheet))?;
    let heading = format!("### {} ({} points)", exercise.name, exercise.points);
    if !sheet.lines().any(|line| line == heading) {
        defects.push(format!("{} has no line '{heading}'", lab.sheet));
    }
    let scheme = course.root.join(format!("course/marking/{}.md", exercise.lab));
    let scheme = fs::read_to_string(scheme).unwrap_or_default();
    if !exercise.questions.is_empty() && !scheme.lines().any(|line| line == format!("## {}", exercise.name)) {
        defects.push(format!("course/marking/{}.md has no section '## {}'", exercise.lab, exercise.name));
    }
    Ok(defects)
}

/// Headings of the sheets in another order than the table, or of no row; figures that are not the solutions'.
fn stale(course: &Course) -> anyhow::Result<Vec<String>> {
    let mut defects = Vec::new();
    for lab in &course.labs {
        let sheet = fs::read_to_string(course.root.join(&lab.sheet))?;
        let headings: Vec<&str> =
            sheet.lines().filter(|line| line.starts_with("### ") && line.ends_with("points)")).collect();
        let rows: Vec<String> =
            course.of_lab(&lab.name).map(|exercise| format!("### {} ({})", exercise.name, exercise.worth())).collect();
        if headings != rows {
            defects.push(format!("{}: its exercises are not those of course.toml in their order", lab.sheet));
        }
    }
    let now = serde_json::to_value(reference::measure(course)?)?;
    let kept = serde_json::to_value(References::read(&course.root)?)?;
    if now != kept {
        defects.push(format!("{} is not what the solutions give; next: just reference", References::FILE));
    }
    Ok(defects)
}

/// Windows of this many lines of a solution must not stand in the hand-out.
const WINDOW: usize = 3;

fn of_handout(course: &Course, build: bool) -> anyhow::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("handout");
    handout::write(course, &root)?;
    let marked = handout::marked(course)?;
    let starters: Vec<String> =
        marked.iter().map(|(_, text)| Ok(markers::bare(&markers::starter(text)?))).collect::<anyhow::Result<_>>()?;
    let mut secrets: Vec<(String, String)> = Vec::new();
    for (id, text) in &marked {
        let lines = markers::solution(text).into_iter().map(markers::bare);
        let lines: Vec<String> = lines.filter(|line| line.len() > 3).collect();
        let windows = lines.windows(WINDOW).map(|window| window.concat());
        // What another starter gives away, because it belongs to its task, is no secret.
        let given = |window: &String| starters.iter().any(|starter| starter.contains(window.as_str()));
        let telling = windows.filter(|window| window.len() > 60 && !given(window));
        secrets.extend(telling.map(|window| (id.clone(), window)));
    }
    let mut defects = Vec::new();
    look_for(&root, &secrets, &mut defects)?;
    println!("hand-out: {} passages of the solutions are nowhere in it: {}", secrets.len(), defects.is_empty());
    if build {
        defects.extend(build_and_test(course, &root)?);
    }
    Ok(defects)
}

fn look_for(folder: &Path, secrets: &[(String, String)], defects: &mut Vec<String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with(".git") && !path.ends_with("target") {
                look_for(&path, secrets, defects)?;
            }
            continue;
        }
        let bytes = fs::read(&path)?;
        let text = markers::bare(&String::from_utf8_lossy(&bytes));
        let generated = path.extension().is_some_and(|ending| ending == "z" || ending == "resources");
        if generated {
            defects.push(format!("{} is in the hand-out", path.display()));
        }
        for (id, _) in secrets.iter().filter(|(_, secret)| text.contains(secret.as_str())) {
            defects.push(format!("{} holds lines of the solution of {id}", path.display()));
        }
    }
    Ok(())
}

/// Builds the hand-out and runs its tests; copies one solution in and runs them again.
fn build_and_test(course: &Course, root: &Path) -> anyhow::Result<Vec<String>> {
    let mut defects = Vec::new();
    let lines = tests(root)?;
    let all = course.exercises.len();
    let not_started = lines.iter().filter(|line| line.contains("FAILED (not started")).count();
    if not_started != all || lines.len() != all {
        defects.push(format!("hand-out: {not_started} of {all} exercises are not started, {} lines", lines.len()));
    }
    let solved = &course.exercises[0];
    fs::copy(course.root.join(&solved.file), root.join(&solved.file))?;
    let lines = tests(root)?;
    let green: Vec<&String> = lines.iter().filter(|line| line.ends_with("... ok")).collect();
    if green.len() != 1 || !green[0].contains(&solved.id()) {
        defects.push(format!("hand-out: one solution turns {green:?} green"));
    }
    println!("hand-out: builds; {not_started} exercises not started; one solution turns {} green", green.len());
    Ok(defects)
}

fn tests(root: &Path) -> anyhow::Result<Vec<String>> {
    let target = std::env::var_os("COURSE_TARGET").map_or_else(|| root.join("target"), Into::into);
    let output = Command::new("cargo")
        .args(["test", "--workspace", "--no-fail-fast", "--quiet", "--offline"])
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
