//! The autograder for Gradescope: one zip with the workspace, the script that sets a machine up, the one that grades a submission there, and a
//! recipe for a container that does the same elsewhere.

use anyhow::{Context, ensure};
use exercises::table::Course;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Files of the zip beside the workspace, with their modes.
const FILES: &[(&str, &str, u32)] = &[
    ("setup.sh", include_str!("../../autograder/setup.sh"), 0o755),
    ("run_autograder", include_str!("../../autograder/run_autograder"), 0o755),
    ("Dockerfile", include_str!("../../autograder/Dockerfile"), 0o644),
];

/// Writes the zip, of an autograder for one lab or for all; the workspace in it is the commit that is checked out, because a grade names its commit. Returns that commit, and the files
/// that differ from it and so are not in the zip as they are, a line each.
///
/// # Errors
/// A workspace without git; a file that cannot be written.
pub fn write(course: &Course, file: &Path, lab: Option<&str>) -> anyhow::Result<(String, String)> {
    let git = |arguments: &[&str]| -> anyhow::Result<Vec<u8>> {
        let output = Command::new("git").args(arguments).current_dir(&course.root).output().context("starting git")?;
        ensure!(output.status.success(), "git {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr));
        Ok(output.stdout)
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    let commit = String::from_utf8(git(&["rev-parse", "HEAD"])?)?.trim().to_owned();
    let mut zip = ZipWriter::new(File::create(file).with_context(|| format!("{}", file.display()))?);
    let mut put = |name: &str, bytes: &[u8], mode: u32| -> anyhow::Result<()> {
        zip.start_file(name, SimpleFileOptions::default().unix_permissions(mode))?;
        Ok(zip.write_all(bytes)?)
    };
    for (name, text, mode) in FILES {
        put(name, text.as_bytes(), *mode)?;
    }
    if let Some(lab) = lab {
        put("lab", format!("{lab}\n").as_bytes(), 0o644)?;
    }
    put("commit", format!("{commit}\n").as_bytes(), 0o644)?;
    put("labs.tar.gz", &git(&["archive", "--format=tar.gz", "HEAD"])?, 0o644)?;
    zip.finish()?;
    Ok((commit, String::from_utf8_lossy(&changed).into_owned()))
}
