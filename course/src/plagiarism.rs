//! Submissions as checkers for copied code take them: a folder for each, and one with what all were given.

use crate::grade::name_of;
use crate::intake;
use anyhow::ensure;
use exercises::table::Course;
use std::fs;
use std::path::{Path, PathBuf};

/// Copies the exercises of each submission, and the starters as base code. Returns the number of submissions.
///
/// # Errors
/// A folder that is there already; a submission that is refused.
pub fn export(course: &Course, paths: &[PathBuf], folder: &Path) -> anyhow::Result<usize> {
    ensure!(!folder.exists(), "{} is there already: choose a new folder", folder.display());
    let put = |kind: &str, name: &str, file: &str, text: &str| -> anyhow::Result<()> {
        let path = folder.join(kind).join(name).join(file.replace('/', "_"));
        fs::create_dir_all(path.parent().expect("in a folder"))?;
        Ok(fs::write(path, text)?)
    };
    for exercise in &course.exercises {
        put("base", "", &exercise.file, &course.starter(exercise)?)?;
    }
    for path in paths {
        let submission = intake::read(course, path)?;
        for exercise in &course.exercises {
            if let Some(text) = submission.files.get(&exercise.file) {
                put("submissions", &name_of(path), &exercise.file, text)?;
            }
        }
    }
    Ok(paths.len())
}
