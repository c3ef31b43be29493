//! The judge of a hand-out, built, so that a student's first verdict needs no build: two files and the hashes of what they were made from.
//!
//! It is built from the hand-out's own sources, because the instructor's judge has the solutions in it; in a copy that lies in a neutral place,
//! because a program knows where it was built. `judge`, the script, takes it while the hashes hold and builds it anew where they do not.

use super::git;
use anyhow::{Context, ensure};
use exercises::solutions;
use exercises::table::Course;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder in the hand-out.
const FOLDER: &str = ".judge";
/// The program, and the simulator that it loads.
const FILES: [&str; 2] = ["exercises", "libsimulator.so"];
/// Endings of the sources that the judge is made from.
const SOURCES: [&str; 8] = [".rs", ".toml", ".lock", ".ptx", ".html", ".css", ".js", ".z"];

/// Builds the judge of a hand-out that was just written, and puts it there. Returns its bytes.
///
/// # Errors
/// A build that fails; a program that does not run here.
pub fn build(course: &Course, folder: &Path) -> anyhow::Result<u64> {
    let copy = tempfile::tempdir().context("a folder for the build")?;
    let sources = copy.path().join("labs");
    git(folder, &["clone", "--quiet", ".", &sources.to_string_lossy()])?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| course.root.join("target"), PathBuf::from);
    let target = target.join("judge");
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let mut cargo = Command::new("cargo");
    // Its messages are the progress.
    cargo.args(["build", "--release", "--package", "exercises"]).current_dir(&sources);
    cargo.env("CARGO_TARGET_DIR", &target).env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    if let Some(home) = home {
        cargo.env("RUSTFLAGS", format!("--remap-path-prefix={}=cargo", home.display()));
    }
    let status = cargo.status().context("starting cargo")?;
    ensure!(status.success(), "the hand-out's judge does not build; without it: just handout {}", folder.display());
    let place = folder.join(FOLDER);
    fs::create_dir_all(&place)?;
    let mut bytes = 0;
    for file in FILES {
        // Cargo leaves the library of a dependency in `deps` alone.
        let built = ["release", "release/deps"].map(|folder| target.join(folder).join(file));
        let built = built.iter().find(|path| path.is_file()).with_context(|| format!("{file} was not built"))?;
        bytes += fs::copy(built, place.join(file)).with_context(|| file.to_owned())?;
    }
    fs::write(place.join("sums"), sums(course, folder)?)?;
    let runs = Command::new(place.join(FILES[0])).arg("--help").output().context("starting the judge")?;
    ensure!(runs.status.success(), "the judge does not run here: {}", String::from_utf8_lossy(&runs.stderr).trim());
    git(folder, &["add", "--force", FOLDER])?;
    git(folder, &["commit", "--quiet", "--amend", "--no-edit"])?;
    Ok(bytes)
}

/// The hashes as `sha256sum --check` takes them: of the judge, and of what it was made from. An exercise is what it judges, no part of it.
fn sums(course: &Course, folder: &Path) -> anyhow::Result<String> {
    let is_source = |path: &&str| {
        let is_exercise = course.exercises.iter().any(|exercise| exercise.file == *path);
        let in_folder = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let is_data = [Course::STARTERS, solutions::FOLDER].into_iter().any(in_folder) || *path == Course::FILE;
        SOURCES.iter().any(|end| path.ends_with(end)) && !is_exercise && !is_data
    };
    let listed = git(folder, &["ls-files", "-z"])?;
    let built = FILES.map(|file| format!("{FOLDER}/{file}"));
    let files = built.iter().map(String::as_str).chain(listed.split('\0').filter(is_source));
    let line = |path: &str| -> anyhow::Result<String> {
        let bytes = fs::read(folder.join(path)).with_context(|| path.to_owned())?;
        let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Ok(format!("{hash}  {path}\n"))
    };
    files.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The script of a hand-out, in which Cargo is a stand-in that says so.
    fn runs(folder: &Path, with: &Path) -> String {
        let path = format!("{}:{}", with.display(), std::env::var("PATH").unwrap());
        let output = Command::new(folder.join("judge")).arg("progress").env("PATH", path).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn program(path: &Path, says: &str) {
        use std::os::unix::fs::PermissionsExt;
        fs::write(path, format!("#!/bin/sh\necho {says} $1\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn the_built_judge_is_taken_while_its_sources_are_the_same() {
        let course = Course::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))).unwrap();
        let (folder, tools) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        super::super::write(&course, folder.path()).unwrap();
        program(&tools.path().join("cargo"), "built anew");
        assert_eq!(runs(folder.path(), tools.path()), "built anew run", "there is none yet");
        fs::create_dir(folder.path().join(FOLDER)).unwrap();
        FILES.iter().for_each(|file| program(&folder.path().join(FOLDER).join(file), "as it came"));
        fs::write(folder.path().join(FOLDER).join("sums"), sums(&course, folder.path()).unwrap()).unwrap();
        assert_eq!(runs(folder.path(), tools.path()), "as it came progress");
        let exercise = folder.path().join(&course.exercises.last().unwrap().file);
        fs::write(exercise, "mine").unwrap();
        assert_eq!(runs(folder.path(), tools.path()), "as it came progress", "an exercise is no part of the judge");
        let source = folder.path().join("common/numbers/src/check.rs");
        fs::write(&source, fs::read_to_string(&source).unwrap() + "// a correction\n").unwrap();
        assert_eq!(runs(folder.path(), tools.path()), "built anew run");
        fs::remove_file(folder.path().join(FOLDER).join("exercises")).unwrap();
        assert_eq!(runs(folder.path(), tools.path()), "built anew run");
    }
}
