//! Submissions as students make them, and the program that grades them.

use exercises::table::Course;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The file of an exercise that is quickly judged.
pub const NAIVE: &str = "kernels/gemm/2_naive.cu";

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A report.
pub fn read(out: &Path, file: &str) -> String {
    fs::read_to_string(out.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace")
}

/// The table of exercises.
pub fn table() -> Course {
    Course::read(&root()).expect("course.toml")
}

/// `course`, about this workspace.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_course"));
    command.env("COURSE_ROOT", root());
    command
}

/// Runs it to its end.
pub fn course(arguments: &[&str], paths: &[PathBuf]) -> Output {
    program().args(arguments).args(paths).output().expect("the program starts")
}

/// The text that a program said on both channels.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The text that a program said which must have ended with this code.
pub fn ended(output: &Output, code: i32) -> String {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

/// Grades paths into `out`, two at a time, and returns the points by name.
pub fn points(out: &Path, paths: &[PathBuf]) -> BTreeMap<String, u32> {
    ended(&course(&["grade", "--jobs", "2", "--out", text(out)], paths), 0);
    let mut reader = csv::Reader::from_path(out.join("class.csv")).expect("a table");
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| (row[0].to_owned(), row[1].parse().expect("points"))).collect()
}

/// The record of a submission that was graded into `out`.
pub fn record(out: &Path, name: &str) -> Value {
    let file = out.join(format!("records/{name}.json"));
    serde_json::from_str(&fs::read_to_string(file).expect("a record")).expect("JSON")
}

pub fn verdict<'a>(record: &'a Value, exercise: &str) -> &'a Value {
    let all = record["verdicts"].as_array().expect("verdicts");
    all.iter().find(|verdict| verdict["exercise"] == exercise).expect("a verdict on each exercise")
}

/// Kernels need a compiler; without one there is no verdict on them, and this says so.
pub fn compiler() -> bool {
    let there = kernels::compiler().is_ok();
    if !there {
        eprintln!("no NVRTC here (next: just nvrtc): kernels cannot be graded, so nothing is tested");
    }
    there
}

/// A folder for a test that grades kernels; `None` without a compiler.
pub fn folder_for_kernels() -> Option<tempfile::TempDir> {
    compiler().then(|| tempfile::tempdir().expect("a folder"))
}

/// Writes a file and the folders above it.
pub fn put(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
    fs::write(path, text).expect("written");
}

/// An exercise's file as this workspace solves it.
pub fn solution(file: &str) -> String {
    fs::read_to_string(root().join(file)).expect("a solution")
}

/// A submission with a few files.
pub fn submission(folder: &Path, name: &str, files: &[(&str, String)]) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(&path).expect("a folder");
    files.iter().for_each(|(file, text)| put(&path, file, text));
    path
}

/// Copies a folder with its links, and with the places filled in that an exploit cannot know beforehand.
pub fn copy(from: &Path, to: &Path, out: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
        if path.is_symlink() {
            let target = path.canonicalize().expect("a link to something");
            std::os::unix::fs::symlink(target, to.join(name)).expect("a link");
        } else if path.is_dir() {
            copy(&path, &to.join(name), out);
        } else {
            let text = fs::read_to_string(&path).expect("text");
            let text =
                text.replace("@ROOT@", root().to_str().expect("UTF-8")).replace("@OUT@", out.to_str().expect("UTF-8"));
            put(to, name, &text);
        }
    }
}
