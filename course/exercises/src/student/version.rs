//! The exercises that a judge is for: beside it lie their hashes, so that one that is older than a table says so at once.

use crate::table::{Course, Exercise};
use crate::text::hash;
use anyhow::{Context, ensure};
use std::path::Path;

/// The file beside the judge: a line that names it, then each exercise and its hash.
pub const FILE: &str = "version";

/// The text of that file.
pub fn of(course: &Course, judge: &str) -> String {
    let rows = course.exercises.iter().map(|exercise| format!("{} {}\n", exercise.id(), hash_of(exercise)));
    std::iter::once(format!("{judge}\n")).chain(rows).collect()
}

/// Asks that the judge beside which `file` lies is for these exercises. A judge without such a file was just built.
///
/// # Errors
/// An exercise that is another one now, or a new one.
pub fn require(file: &Path, exercises: &[&Exercise]) -> anyhow::Result<()> {
    let Ok(text) = std::fs::read_to_string(file) else { return Ok(()) };
    let judge = text.lines().next().context("no version")?;
    for exercise in exercises {
        let row = format!("{} {}", exercise.id(), hash_of(exercise));
        ensure!(
            text.lines().any(|line| line == row),
            "this judge ({judge}) is older than {}, or {} was changed here\n  \
             next: git checkout {1}, or take .judge/ from your course's newest hand-out",
            exercise.id(),
            Course::FILE,
        );
    }
    Ok(())
}

/// A hash of all that a verdict rests on.
fn hash_of(exercise: &Exercise) -> String {
    let Exercise { file, points, bonus, mend, f64, card, idea, techniques, .. } = exercise;
    hash(&format!("{:?}", (file, points, bonus, mend, f64, card, idea, techniques)))[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_knows_the_exercises_that_it_is_for() {
        let mut course = Course::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let asked =
            |course: &Course| require(&file, &course.select(Some("gemm")).unwrap()).map_err(|error| error.to_string());
        assert_eq!(asked(&course), Ok(()), "just built");
        std::fs::write(&file, of(&course, "exercises 0.1.0 1a2b3c4d")).unwrap();
        course.exercises.iter_mut().filter(|row| row.lab == "gemv").for_each(|row| row.points += 1);
        course.exercises.iter_mut().for_each(|row| row.hints[0].push('!'));
        assert_eq!(asked(&course), Ok(()), "another lab's rows, and hints, are nothing to it");
        let row = course.exercises.iter_mut().find(|row| row.id() == "gemm/naive").unwrap();
        row.points += 1;
        let told = asked(&course).unwrap_err();
        assert!(
            told.starts_with("this judge (exercises 0.1.0 1a2b3c4d) is older than gemm/naive, or course/"),
            "{told}"
        );
        assert!(told.contains("next: git checkout course/course.toml, or take .judge/"), "{told}");
    }
}
