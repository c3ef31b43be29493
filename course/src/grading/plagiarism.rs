//! Submissions as checkers for copied code take them: a folder for each, and one with what all were given.

use crate::intake::{self, Taken};
use crate::platforms::Entry;
use anyhow::{Context, ensure};
use exercises::process::Workers;
use exercises::table::Course;
use std::fs;
use std::path::Path;

/// Copies the exercises of each submission, and the starters as base code, into a folder that is there as a whole or not at all. Returns a line
/// for each submission that could not be copied.
///
/// # Errors
/// A folder that is there already, or cannot be written; not one submission that could be copied.
pub fn export(course: &Course, class: &[Entry], folder: &Path) -> anyhow::Result<Vec<String>> {
    ensure!(!folder.exists(), "{} is there already: choose a new folder", folder.display());
    let workers = Workers::of_this_program(true)?;
    // Beside its place, on the same file system.
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).with_context(|| format!("{}", parent.display()))?;
    let beside = tempfile::Builder::new().prefix(".plagiarism").tempdir_in(parent);
    let beside = beside.with_context(|| format!("a folder in {}", parent.display()))?;
    let put = |kind: &str, name: &str, file: &str, text: &str| -> anyhow::Result<()> {
        let path = beside.path().join(kind).join(name).join(file.replace('/', "_"));
        fs::create_dir_all(path.parent().expect("in a folder"))?;
        fs::write(&path, text).with_context(|| format!("{}", path.display()))
    };
    for exercise in &course.exercises {
        put("base", "", &exercise.file, &course.starter(exercise)?)?;
    }
    let mut left_out = Vec::new();
    for entry in class {
        let (name, place) = (&entry.name, entry.path.display());
        let submission = match intake::read(&workers, course, &entry.paths()) {
            Ok(Taken::Files(submission)) => submission,
            Ok(Taken::Refused(why)) => {
                left_out.push(format!("{place}: {why}"));
                continue;
            }
            Err(error) => {
                left_out.push(format!("{place}: {error:#}"));
                continue;
            }
        };
        for exercise in &course.exercises {
            if let Some(text) = submission.files.get(&exercise.file) {
                put("submissions", name, &exercise.file, text)?;
            }
        }
    }
    ensure!(left_out.len() < class.len(), "no submission could be copied:\n  {}", left_out.join("\n  "));
    // The folder that will be read is not only for its owner, as a temporary one is.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(beside.path(), mode)?;
    fs::rename(beside.keep(), folder).with_context(|| format!("{}", folder.display()))?;
    Ok(left_out)
}
