//! The Gradescope autograder: its zip is unpacked as the service does, set up without its installations, and called for submissions.

use crate::submissions::{NAIVE, ended, folder_for_kernels, root, said, solution, submission};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The service's folders, with the autograder unpacked and set up.
fn installed(base: &Path, options: &[&str]) {
    let zip = base.join("autograder.zip");
    let mut pack = Command::new("python3");
    pack.arg(root().join("course/autograder/pack")).arg(&zip).args(options);
    ended(&pack.output().expect("Python starts"), 0);
    let mut archive = zip::ZipArchive::new(fs::File::open(&zip).expect("a file")).expect("a zip");
    let names: Vec<String> = archive.file_names().map(|name| name.expect("text").into_owned()).collect();
    for name in ["setup.sh", "run_autograder", "Dockerfile", "labs.tar.gz", "commit"] {
        assert!(names.iter().any(|own| own == name), "{name}: {names:?}");
    }
    archive.extract(base.join("source")).expect("unpacked");
    for folder in ["submission", "results"] {
        fs::create_dir(base.join(folder)).expect("a folder");
    }
    ended(&script(base, "setup.sh"), 0);
    assert!(base.join("source/labs/course/course.toml").is_file());
}

fn script(base: &Path, name: &str) -> Output {
    service(base, name).output().expect("bash starts")
}

fn service(base: &Path, name: &str) -> Command {
    let mut command = Command::new("bash");
    command
        .arg(base.join("source").join(name))
        .env("AUTOGRADER", base)
        .env("LABS_GRADER", env!("CARGO_BIN_EXE_course"))
        .env("LABS_NVRTC", std::env::var_os("LABS_NVRTC").unwrap_or_else(|| root().join(".nvrtc").into()));
    command
}

fn results(base: &Path) -> Value {
    let output = script(base, "run_autograder");
    let text = fs::read_to_string(base.join("results/results.json"));
    serde_json::from_str(&text.unwrap_or_else(|error| panic!("{error}: {}", said(&output)))).expect("JSON")
}

#[test]
fn the_service_gets_results_for_what_students_upload() {
    let Some(folder) = folder_for_kernels() else { return };
    let base = folder.path();
    installed(base, &[]);
    let upload = |inner: &str, text: String| -> PathBuf {
        fs::remove_dir_all(base.join("submission")).expect("removed");
        let file = format!("{inner}{NAIVE}");
        submission(base, "submission", &[(file.as_str(), text)])
    };
    upload("", solution(NAIVE));
    let right = results(base);
    assert_eq!(right["score"], 15, "{right}");
    let commit = fs::read_to_string(base.join("source/commit")).expect("a commit");
    assert_eq!(right["extra_data"]["commit"], commit.trim());

    // As an archive with one folder around everything is unpacked.
    upload("labs-main/", solution(NAIVE));
    assert_eq!(results(base)["score"], 15);

    upload("", "int main(".to_owned());
    assert_eq!(results(base)["score"], 0);

    // Submissions that could not be judged stand at the head.
    let streamed = "lab-streams/src/schedules/streamed.rs";
    submission(base, "submission", &[(NAIVE, solution(NAIVE)), (streamed, solution(streamed))]);
    let output = service(base, "run_autograder").env("RUSTC", base.join("gone")).output().expect("bash starts");
    let text = fs::read_to_string(base.join("results/results.json")).expect("results");
    let found: Value = serde_json::from_str(&text).expect("JSON");
    let head = found["output"].as_str().expect("text");
    assert!(
        head.starts_with("NOT COMPLETE: 1 exercise to be repeated. No points so far for it"),
        "{head}\n{}",
        said(&output)
    );
    assert_eq!((&found["score"], &found["extra_data"]["complete"]), (&15.into(), &false.into()));
    let test = found["tests"].as_array().expect("tests").iter().find(|test| test["name"] == "streams/streamed");
    let said = test.expect("a test")["output"].as_str().expect("text");
    assert!(said.starts_with("to be repeated\n") && said.contains("rustc"), "{said}");

    // A grader that does not start says so where the service shows it.
    ["results/results.json", "source/labs/course/course.toml"]
        .iter()
        .for_each(|file| fs::remove_file(base.join(file)).expect("removed"));
    let found = results(base);
    let said = found["output"].as_str().expect("text");
    assert!(found["score"] == 0 && said.contains("tell your instructor") && said.contains("course.toml"), "{said}");
}

#[test]
fn an_autograder_of_one_lab_grades_that_lab_alone() {
    let Some(folder) = folder_for_kernels() else { return };
    let base = folder.path();
    installed(base, &["--lab", "gemm"]);
    submission(base, "submission", &[(NAIVE, solution(NAIVE))]);
    let found = results(base);
    let tests = found["tests"].as_array().expect("tests");
    let most: u64 = tests.iter().filter_map(|test| test["max_score"].as_u64()).sum();
    assert_eq!((&found["score"], most), (&15.into(), 100), "{found}");
    assert!(tests.iter().all(|test| test["name"].as_str().is_some_and(|name| name.starts_with("gemm/"))), "{found}");
}
