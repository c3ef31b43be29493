//! Handing in and going back, from the command line: nothing that a student wrote is lost, and nothing is packed unseen.

mod workspace;

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SYNCHRONOUS: &str = "lab-streams/src/schedules/synchronous.rs";
/// Right but for the field that makes copies block.
const WORK: &str = "use crate::schedule::{Lane, Schedule};

pub fn synchronous(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Default], 1);
    (0..count).for_each(|item| schedule.push_item(item, 0, 0));
    schedule
}
";

fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    workspace::write(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), folder.path());
    folder
}

fn command(workspace: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_exercises"));
    command.args(arguments).env("COURSE_ROOT", workspace).stdin(Stdio::null());
    command
}

fn exercises(workspace: &Path, arguments: &[&str]) -> Output {
    command(workspace, arguments).output().expect("the program starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn compare_has_no_size_and_the_command_that_has_one_is_named() {
    let folder = workspace();
    let output = exercises(folder.path(), &["compare", "streams", "--size", "64"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let words = ["compare has no --size", "next: just lab streams --size 64"];
    assert!(words.iter().all(|words| said(&output).contains(words)), "{}", said(&output));
    assert!(!said(&exercises(folder.path(), &["compare", "streams"])).contains("--size"));
}

#[test]
fn what_lies_here_is_packed_and_nothing_else() {
    let folder = workspace();
    let root = folder.path();
    let output = exercises(root, &["submission", "streams"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("nothing is changed in streams"), "{}", said(&output));
    assert!(said(&output).contains("just submission streams --allow-starter"), "{}", said(&output));
    assert!(!root.join("submission-streams.zip").exists());
    let output = exercises(root, &["submission", "streams", "--allow-starter"]);
    assert!(output.status.success() && root.join("submission-streams.zip").is_file(), "{}", said(&output));

    assert!(said(&output).contains("answers are empty: "), "{}", said(&output));

    // Changed, and committed to nothing; an answer is written, and a date is set.
    let table = root.join("course/course.toml");
    let text = fs::read_to_string(&table).expect("the table");
    let dated = text.replacen("name = \"streams\"\n", "name = \"streams\"\ndue = 2026-11-30T23:59:00+01:00\n", 1);
    fs::write(table, dated).expect("written");
    let answers = root.join("answers/streams.md");
    let text = fs::read_to_string(&answers).expect("the answers");
    let count = text.matches("\n> \n").count();
    fs::write(&answers, text.replacen("\n> \n", "\n> As measured.\n", 1)).expect("written");
    fs::write(root.join(SYNCHRONOUS), WORK).expect("written");
    let output = exercises(root, &["submission"]);
    let told = said(&output);
    assert!(output.status.success(), "{told}");
    let line = told.lines().find(|line| line.contains("streams/synchronous")).expect("its line");
    assert!(line.contains("changed    7 lines") && line.contains("6 of 8 "), "{line}");
    assert!(told.contains("streams/streamed        starter") && told.contains("gemm: nothing is changed"), "{told}");
    assert!(told.contains("streams, due 2026-11-30T23:59:00+01:00\n"), "{told}");
    assert!(told.contains(&format!("  {} of {count} answers are empty: ", count - 1)), "{told}");
    let receipt = told.lines().find(|line| line.starts_with("receipt streams: ")).expect("a receipt").to_owned();
    let mut zip = zip::ZipArchive::new(fs::File::open(root.join("submission.zip")).expect("a zip")).expect("a zip");
    let mut text = String::new();
    zip.by_name(SYNCHRONOUS).expect("the file").read_to_string(&mut text).expect("text");
    assert_eq!(text, WORK);
    assert!(zip.file_names().all(|name| name.is_ok_and(|name| name.contains("streams"))));

    // A file that is gone is told and left out; another text has another receipt.
    fs::remove_file(root.join("lab-streams/src/schedules/streamed.rs")).expect("removed");
    let told = said(&exercises(root, &["submission"]));
    assert!(told.contains("GONE: not in the zip; next: just reset streams/streamed"), "{told}");
    assert!(!told.contains(&receipt), "{told}");
}

#[test]
fn going_back_asks_and_keeps_the_old_file() {
    let folder = workspace();
    let root = folder.path();
    let starter = fs::read_to_string(root.join(SYNCHRONOUS)).expect("text");
    fs::write(root.join(SYNCHRONOUS), WORK).expect("written");
    let output = exercises(root, &["reset", "streams/synchronous"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("just reset streams/synchronous --yes"), "{}", said(&output));
    assert_eq!(fs::read_to_string(root.join(SYNCHRONOUS)).expect("text"), WORK, "nobody said yes");
    for number in [1, 2] {
        fs::write(root.join(SYNCHRONOUS), format!("{WORK}// {number}\n")).expect("written");
        let output = exercises(root, &["reset", "streams/synchronous", "--yes"]);
        assert!(output.status.success() && said(&output).contains(".backup/"), "{}", said(&output));
        assert_eq!(fs::read_to_string(root.join(SYNCHRONOUS)).expect("text"), starter);
        let kept = root.join(format!(".backup/{SYNCHRONOUS}.{number}"));
        assert_eq!(fs::read_to_string(kept).expect("the old file"), format!("{WORK}// {number}\n"));
    }
}

#[test]
fn a_deleted_file_stops_no_command_and_comes_back() {
    let folder = workspace();
    let root = folder.path();
    fs::remove_file(root.join(SYNCHRONOUS)).expect("removed");
    let told = said(&exercises(root, &["verdict", "streams/synchronous"]));
    assert!(told.contains("synchronous.rs is gone\n  next: just reset streams/synchronous\n"), "{told}");
    let output = exercises(root, &["progress", "streams"]);
    assert!(output.status.success() && said(&output).contains("streams: 0 of 100 points"), "{}", said(&output));
    let output = exercises(root, &["reset", "streams/synchronous"]);
    assert!(output.status.success() && root.join(SYNCHRONOUS).is_file(), "nothing to be asked: {}", said(&output));
    assert!(!root.join(".backup").exists(), "nothing was lost");
}

#[test]
fn other_encodings_are_judged_as_the_grader_judges_them() {
    let folder = workspace();
    let root = folder.path();
    let solved = WORK.replace("    (0..", "    schedule.copies_block = true;\n    (0..");
    let latin = [b"// gr\xfc\xdfe\r\n", solved.replace('\n', "\r\n").as_bytes()].concat();
    let marked = format!("\u{feff}{solved}");
    for bytes in [latin, marked.into_bytes()] {
        fs::write(root.join(SYNCHRONOUS), bytes).expect("written");
        let output = exercises(root, &["verdict", "streams/synchronous"]);
        assert!(output.status.success(), "{}", said(&output));
    }
    fs::write(root.join(SYNCHRONOUS), b"\0\x01").expect("written");
    let told = said(&exercises(root, &["verdict", "streams/synchronous"]));
    assert!(told.contains("refused") && told.contains("value 0"), "{told}");
}

#[test]
fn a_reader_that_leaves_early_is_no_panic() {
    let folder = workspace();
    let mut child =
        command(folder.path(), &["progress"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    // As `head` does, before the first line.
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ended");
    assert!(output.status.code() == Some(141) && output.stderr.is_empty(), "{}", said(&output));
}

/// A program in place of another: the first call of it kills itself, as a machine without memory would.
fn killed_once(folder: &Path, name: &str, flag: &str, real: &str) {
    let (place, flag) = (folder.join(name), folder.join(flag));
    let text = format!("#!/bin/sh\nmkdir {} 2>/dev/null && kill -9 $$\n{real} \"$@\"\n", flag.display());
    fs::write(&place, text).expect("written");
    fs::set_permissions(place, fs::Permissions::from_mode(0o755)).expect("a program");
}

/// No Cargo is started for a verdict: rustc is asked where it lies, builds, and has the linker started.
#[test]
fn a_tool_that_is_killed_costs_no_points_and_the_next_call_judges() {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc starts").stdout;
    let sysroot = PathBuf::from(String::from_utf8(sysroot).expect("UTF-8").trim());
    for killed in ["asked", "rustc", "cc", "ld"] {
        let folder = workspace();
        let root = folder.path();
        let tools = root.join("tools");
        fs::create_dir_all(tools.join("bin")).expect("a folder");
        symlink(sysroot.join("lib"), tools.join("lib")).expect("a link");
        // The flag of a tool that is not to be killed is there already.
        let put = |name: &str, tool: &str, real: &str| {
            killed_once(&tools, name, &format!("{tool}.was_killed"), real);
            if tool != killed {
                let _ = fs::create_dir(tools.join(format!("{tool}.was_killed")));
            }
        };
        let own = tools.display();
        put("rustc", "asked", &format!("echo {own} #"));
        put("bin/rustc", "rustc", &format!("{}/bin/rustc -Clinker={own}/cc", sysroot.display()));
        put("cc", "cc", &format!("/usr/bin/cc -B{own}"));
        put("ld", "ld", "/usr/bin/ld");
        put("ld.lld", "ld", "/usr/bin/ld");
        let solved = WORK.replace("    (0..", "    schedule.copies_block = true;\n    (0..");
        fs::write(root.join(SYNCHRONOUS), solved).expect("written");
        let verdict = || {
            let mut command = command(root, &["verdict", "streams/synchronous"]);
            command.env("RUSTC", tools.join("rustc")).output().expect("the program starts")
        };
        let output = verdict();
        let words = if killed == "asked" { "does not say where" } else { "killed from outside" };
        assert_eq!(output.status.code(), Some(2), "{killed}: {}", said(&output));
        assert!(said(&output).contains(words) && !said(&output).contains("FAILED"), "{killed}: {}", said(&output));
        let output = verdict();
        assert!(output.status.success(), "{killed}: {}", said(&output));
    }
}
