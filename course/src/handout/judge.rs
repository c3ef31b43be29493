//! The judge of a hand-out: a program and the simulator that it loads, which `course/build-judge` makes once for a course.

use super::{Kind, SOURCES, git};
use anyhow::{Context, ensure};
use exercises::table::Course;
use exercises::version;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder in the hand-out.
const FOLDER: &str = ".judge";

/// The folder of the course's judge, which was built of what the workspace has now.
///
/// # Errors
/// There is none, or an older one.
pub fn current(course: &Course) -> anyhow::Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| course.root.join("target"), PathBuf::from);
    let place = target.join("judge");
    let built = fs::read_to_string(place.join(version::FILE)).ok();
    let built = built.context("a hand-out has a judge, and none is built yet\n  next: just judge")?;
    let folder = tempfile::tempdir()?;
    super::write(course.whole(), folder.path(), Kind::Source)?;
    let now = fs::read_to_string(folder.path().join(SOURCES))?;
    let built = built.trim();
    ensure!(built.ends_with(&now), "the judge ({built}) is older than its sources ({now})\n  next: just judge");
    Ok(place)
}

/// Puts a judge into a hand-out that was just written, with the exercises that it is for.
///
/// # Errors
/// A file that cannot be copied.
pub fn put(course: &Course, judge: &Path, folder: &Path) -> anyhow::Result<()> {
    let to = folder.join(FOLDER);
    fs::create_dir_all(&to)?;
    for file in ["exercises", "libsimulator.so", "sums"] {
        fs::copy(judge.join(file), to.join(file)).with_context(|| file.to_owned())?;
    }
    let line = fs::read_to_string(judge.join(version::FILE))?;
    fs::write(to.join(version::FILE), version::of(course, line.trim()))?;
    // Compiled kernels are kept beside it, as in a folder of Cargo's.
    fs::write(to.join("CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55\n")?;
    git(folder, &["add", "--force", FOLDER])?;
    git(folder, &["commit", "--quiet", "--amend", "--no-edit"]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_script_needs_no_program_of_the_system_and_says_where_the_judge_does_not_run() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [script, judge] = ["judge", ".judge/exercises"].map(|name| folder.path().join(name));
        fs::create_dir(folder.path().join(FOLDER)).unwrap();
        fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/handout/judge"), &script).unwrap();
        let run = |text: &str| {
            fs::write(&judge, text).unwrap();
            fs::set_permissions(&judge, fs::Permissions::from_mode(0o755)).unwrap();
            let output = Command::new(&script).args(["check", "gemm"]).env_clear().env("PATH", "").output().unwrap();
            let [said, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
            (output.status.code(), said, error)
        };
        let (code, said, _) = run("#!/bin/sh\necho \"$@, $COURSE_WITHOUT_JUST\"\nexit 1\n");
        assert_eq!((code, &*said), (Some(2), ""), "it fails to say its version");
        let (code, said, error) = run("#!/bin/sh\necho \"$@, $COURSE_WITHOUT_JUST\"\n");
        assert_eq!((code, &*said, &*error), (Some(0), "check gemm, 1\n", ""));
        let (code, _, error) = run("#!/no/such/loader\n");
        assert_eq!(code, Some(2));
        assert!(error.ends_with("or ask your course for a hand-out with the simulator\n"), "{error}");
    }
}
