//! A lab from the template, in a copy of the workspace: made, built, tested, run, judged, graded, and thrown away.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// The template's own subject.
const LAB: &str = "axpy";

/// The workspace's files, tracked or about to be, in a folder of their own.
fn copy(root: &Path) {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(ROOT)
        .output()
        .expect("git runs");
    assert!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8(listed.stdout).expect("UTF-8");
    // A file that has been deleted is still listed until that is committed.
    for file in listed.split_terminator('\0').filter(|file| Path::new(ROOT).join(file).is_file()) {
        let to = root.join(file);
        fs::create_dir_all(to.parent().expect("in a folder")).expect("a folder");
        fs::copy(Path::new(ROOT).join(file), to).expect("a copy");
    }
}

/// Runs Cargo in the copy. It builds in a folder that is kept, so that the next time only the copy's own crates are built.
fn cargo(root: &Path, arguments: &[&str]) -> Output {
    let target = Path::new(ROOT).join("target/new-lab");
    println!("cargo {}", arguments.join(" "));
    Command::new(env!("CARGO"))
        .args(arguments)
        .env("CARGO_TARGET_DIR", fs::canonicalize(&target).unwrap_or(target))
        .current_dir(root)
        .output()
        .expect("cargo runs")
}

/// The text that a successful command printed.
fn printed(root: &Path, arguments: &[&str]) -> String {
    let output = cargo(root, arguments);
    let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "cargo {}: {out}\n{error}", arguments.join(" "));
    out
}

/// A file without its solution.
fn starter(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        match line.trim() {
            "// BEGIN SOLUTION" => inside = true,
            "// END SOLUTION" => inside = false,
            _ if inside => {}
            _ => kept.push_str(&format!("{line}\n")),
        }
    }
    kept
}

#[test]
#[ignore = "minutes, and a compiler for kernels; next: just acceptance-new-lab"]
fn a_lab_from_the_template_works() {
    let compiler = kernels::compiler().expect("it needs NVRTC; next: just nvrtc");
    println!("{compiler}");
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    copy(root);
    // The copy has no compiler of its own.
    let nvrtc = Path::new(ROOT).join(".nvrtc");
    if std::env::var_os("LABS_NVRTC").is_none() && nvrtc.is_dir() {
        std::os::unix::fs::symlink(fs::canonicalize(nvrtc).expect("a folder"), root.join(".nvrtc")).expect("a link");
    }
    let of_course = ["run", "--quiet", "--offline", "--package", "course", "--"];

    let made = printed(root, &[&of_course[..], &["new-lab", LAB]].concat());
    assert!(made.contains("lab-axpy/src/lib.rs") && made.contains("kernels/mutants.edit"), "{made}");
    let again = cargo(root, &[&of_course[..], &["new-lab", LAB]].concat());
    assert!(String::from_utf8_lossy(&again.stderr).contains("there is a lab-axpy already"), "a name is taken once");
    let lines: usize = ["src/lib.rs", "src/main.rs", "tests/rungs.rs", "benches/ladder.rs"]
        .map(|file| fs::read_to_string(root.join("lab-axpy").join(file)).expect("made").lines().count())
        .iter()
        .sum();
    assert!(lines <= 120, "a lab is its lesson: {lines} lines of Rust, 120 at most");

    printed(root, &["run", "--quiet", "--offline", "--package", "kernels", "--", "ptx"]);
    // As `just new-lab` does: a command without flags answers the lab's question, and the golden screen is what it prints.
    printed(
        root,
        &["test", "--offline", "--package", "lab-axpy", "--test", "program", "--config", "env.LABS_WRITE=\"1\""],
    );
    let screen = fs::read_to_string(root.join("lab-axpy/tests/screen.txt")).expect("a golden screen");
    assert!(screen.starts_with("axpy, simulated ") && screen.contains("`vectorised` is "), "{screen}");
    let tests = printed(root, &["test", "--offline", "--package", "lab-axpy"]);
    for test in ["naive::f32::1003", "vectorised::f64::4096", "naive::wrong_bound", "vectorised::unchanged"] {
        assert!(tests.lines().any(|line| line.contains(test) && line.ends_with("ok")), "{test}: {tests}");
    }

    let lab = ["run", "--quiet", "--offline", "--package", "lab-axpy", "--", "--device", "sim", "--json", "-"];
    let report: Value = serde_json::from_str(&printed(root, &lab)).expect("JSON");
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 4, "two rungs at two sizes");
    for row in rows {
        assert_eq!(row["correct"], true, "{row}");
        assert!(row["counters"]["global_load_sectors"].as_u64() > Some(0), "{row}");
        assert!(row["gbytes_per_s"].as_f64() > Some(0.0), "{row}");
    }
    assert_eq!(report["comparisons"][0]["title"], "over naive");

    // The starter fails, the solution passes, each mutant fails for its reason, sheet and marking scheme belong to the table.
    let proof = printed(root, &[&of_course[..], &["check", LAB]].concat());
    assert!(proof.contains("axpy/naive") && proof.contains("0 defects"), "{proof}");

    // One solution, one starter.
    let submission = root.join("submission/kernels/axpy");
    fs::create_dir_all(&submission).expect("a folder");
    let text = |file: &str| fs::read_to_string(root.join("kernels/axpy").join(file)).expect("made");
    fs::write(submission.join("1_naive.cu"), text("1_naive.cu")).expect("written");
    fs::write(submission.join("2_vectorised.cu"), starter(&text("2_vectorised.cu"))).expect("written");
    printed(root, &[&of_course[..], &["grade", "--seed", "7", "--out", "grades", "submission"]].concat());
    let record = fs::read_to_string(root.join("grades/records/submission.json")).expect("a record");
    let record: Value = serde_json::from_str(&record).expect("JSON");
    let verdict = |name: &str| {
        let verdicts = record["verdicts"].as_array().expect("verdicts");
        verdicts.iter().find(|verdict| verdict["exercise"] == name).expect("a verdict")
    };
    assert_eq!((&verdict("axpy/naive")["state"], &verdict("axpy/naive")["points"]), (&"passed".into(), &40.into()));
    assert_eq!(verdict("axpy/vectorised")["state"], "not_started");
}
