//! The grader without root's rights: an instructor's own account, where boxes live in user namespaces. Its walls and its verdicts are root's.
//!
//! Only kernels are judged so: host exercises need rustc, which lies in the home of whoever installed it, and root's is closed to others.

use crate::archives::{Form, archive, dated, zip};
use crate::submissions::{NAIVE, compiler, ended, program, put, record, root, said, solution, submission, verdict};
use exercises::table::Course;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An id that no account needs to have.
const USER: u32 = 1234;
const NAMES: [&str; 5] = ["right", "wrong", "broken", "twin", "zips"];

/// Says why nothing is tested, where this process cannot become another user or there is nothing to copy.
fn possible() -> Option<PathBuf> {
    let untested = |why: &str| {
        // Not `eprintln!`, which the harness keeps back where a test passes.
        let _ = writeln!(std::io::stderr(), "NOT TESTED: the grader as an ordinary user. {why}");
        None
    };
    if !rustix::process::geteuid().is_root() {
        return untested("Only root can become another user; all other tests here run as an ordinary user now.");
    }
    if Command::new("setpriv").arg("--version").output().is_err() {
        return untested("There is no setpriv (next: apt install util-linux).");
    }
    if !compiler() {
        return untested("There is no NVRTC (next: just nvrtc).");
    }
    let compiler = std::env::var_os("LABS_NVRTC").map_or_else(|| root().join(".nvrtc"), PathBuf::from);
    if !compiler.is_dir() {
        return untested("NVRTC does not lie in one folder (next: just nvrtc), so it cannot be copied.");
    }
    Some(compiler)
}

fn run(command: &mut Command) {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", said(&output));
}

/// The files that a grader needs, in a folder that everybody can read: the program with the simulator beside it, the labs, the kernels' compiler.
fn copies(folder: &Path, compiler: &Path) {
    let program = Path::new(env!("CARGO_BIN_EXE_course"));
    let beside = program.parent().expect("a folder");
    let built = ["deps/libsimulator.so", "libsimulator.so"].map(|file| beside.join(file));
    let mut found = std::env::var_os("LABS_SIMULATOR").map(PathBuf::from).into_iter().chain(built);
    let simulator = found.find(|path| path.is_file()).expect("the simulator is built");
    let labs = folder.join("labs");
    fs::create_dir(&labs).expect("a folder");
    // By another process: a program that this one has open for writing would not start.
    run(Command::new("cp").args([program, &simulator]).arg(folder));
    let course = ["course/course.toml", "course/exercises"];
    fs::create_dir(labs.join("course")).expect("a folder");
    run(Command::new("cp").arg("-rL").args(course.map(|part| root().join(part))).arg(labs.join("course")));
    let table = Course::read(&root()).expect("the course");
    let parts = table.labs.iter().map(|lab| root().join(format!("lab-{}", lab.name))).chain([root().join("kernels")]);
    run(Command::new("cp").arg("-rL").args(parts).arg(&labs));
    run(Command::new("cp").arg("-rL").arg(compiler).arg(folder.join("nvrtc")));
    run(Command::new("chmod").args(["-R", "a+rX"]).arg(folder));
}

#[test]
fn an_ordinary_user_gets_roots_verdicts_within_the_same_walls() {
    let Some(compiler) = possible() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let own = solution(NAIVE) + "\n__device__ int compiled_anew;\n";
    let wrong = own.replacen("T sum = 0;", "T sum = 1;", 1);
    let texts = [own.clone(), wrong.clone(), "int main(".to_owned(), own.clone()];
    let class = folder.path().join("class");
    let mut paths: Vec<PathBuf> =
        NAMES.iter().zip(texts).map(|(name, text)| submission(&class, name, &[(NAIVE, text)])).collect();
    // An old archive, and a new one in which another lies; two of which nobody says which is newer; a roster with one name in two sizes.
    let [naive, wrong] = [own.as_bytes(), wrong.as_bytes()];
    let inner = archive(Form::TarGz, &[("b.zip", &dated(Form::Zip, 2025, &[(NAIVE, naive)]))]);
    let [old, one, other] = [dated(Form::Zip, 2024, &[(NAIVE, wrong)]), zip(&[(NAIVE, naive)]), zip(&[(NAIVE, wrong)])];
    for (name, bytes) in [("zips/a.zip", old), ("zips/b.tgz", inner), ("doubt/a.zip", one), ("doubt/b.zip", other)] {
        put(&class, name, "");
        fs::write(class.join(name), bytes).expect("written");
    }
    paths.push(class.join("zips"));
    put(folder.path(), "roster.csv", "login\nRight\nright\nWRONG\nbroken\ntwin\nzips\n");
    copies(folder.path(), &compiler);
    // Each with one submission at a time, and with two.
    let outs = ["root 1", "root 2", "user 1", "user 2"].map(|name| folder.path().join("grades").join(name));
    for by_user in &outs[2..] {
        fs::create_dir_all(by_user).expect("a folder");
        chown(by_user, Some(USER), Some(USER)).expect("handed over");
    }

    let grade = |by: &PathBuf, paths: &[PathBuf]| -> Output {
        let mut command = program();
        if outs[2..].contains(by) {
            command = Command::new("setpriv");
            let id = USER.to_string();
            command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]).arg(folder.path().join("course"));
            command.current_dir("/").env_remove("LABS_SIMULATOR");
            command.env("COURSE_ROOT", folder.path().join("labs")).env("LABS_NVRTC", folder.path().join("nvrtc"));
        }
        let jobs = if by.ends_with("root 1") || by.ends_with("user 1") { "1" } else { "2" };
        command.args(["grade", "--seed", "7", "--jobs", jobs, "--out"]).arg(by);
        command.arg("--roster").arg(folder.path().join("roster.csv")).args(paths).output().expect("it starts")
    };
    for by in &outs {
        let output = grade(by, &[class.join("doubt"), class.join("RIGHT")]);
        assert!(output.status.code() == Some(2) && !by.join("records").exists(), "{}", said(&output));
        assert!(
            said(&output).contains("'RIGHT' may be of Right (id '', login 'Right') or of right"),
            "{}",
            said(&output)
        );
        let output = grade(by, &[class.join("right"), class.join("doubt")]);
        assert!(output.status.code() == Some(2) && !by.join("records").exists(), "{}", said(&output));
        assert!(said(&output).contains("'a.zip' (no time in it) and 'b.zip' (no time in it)"), "{}", said(&output));

        let told = ended(&grade(by, &paths), 0);
        for part in ["same hash as right, twin: kernels/gemm/2_naive.cu", "Right: nothing was handed in"] {
            assert_eq!(told.matches(part).count(), 1, "{part}: {told}");
        }
        assert_eq!(told.matches("same hash as").count(), 3, "{told}");
        for (file, count) in [("class.csv", 4), ("class.html", 3), ("pages/zips.html", 0)] {
            let text = fs::read_to_string(by.join(file)).expect("a report").replace("same_hash_as", "same hash as");
            assert_eq!(text.matches("same hash as").count(), count, "{file}");
        }
    }

    for name in NAMES {
        let root = record(&outs[0], name);
        for out in &outs[1..] {
            same(&root, &record(out, name), name);
        }
        let written = fs::metadata(outs[2].join(format!("records/{name}.json"))).expect("a record");
        assert_eq!(written.uid(), USER, "who graded");
    }
}

/// Another grader's record has the same verdicts, points and walls.
fn same(root: &Value, user: &Value, name: &str) {
    assert_eq!(user["verdicts"], root["verdicts"], "{name}");
    assert_eq!((&user["points"], &user["complete"]), (&root["points"], &true.into()), "{name}");
    assert_eq!(user["confinement"], root["confinement"], "{name}");
    let walls = user["confinement"].as_object().expect("walls");
    assert!(walls.len() == 8 && walls.values().all(|stands| stands == true), "{walls:?}");
    assert_eq!(
        verdict(user, "gemm/naive")["points"],
        if ["wrong", "broken"].contains(&name) { 0 } else { 15 },
        "{user}"
    );
}
