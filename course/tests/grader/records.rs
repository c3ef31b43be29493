//! Records: a grade is reproduced from one, a class is graded again with them, and a grader that was stopped goes on there.

use crate::submissions::{
    NAIVE, course, ended, folder_for_kernels, points, program, put, record, said, solution, submission, text, verdict,
};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

const STREAMED: &str = "lab-streams/src/schedules/streamed.rs";

#[test]
fn a_record_is_reproduced_from_the_same_files_only() {
    let Some(folder) = folder_for_kernels() else { return };
    let path = submission(folder.path(), "two", &[(NAIVE, solution(NAIVE)), (STREAMED, solution(STREAMED))]);
    let out = folder.path().join("grades");
    assert_eq!(points(&out, std::slice::from_ref(&path))["two"], 33);
    let file = out.join("records/two.json");
    let again = course(&["verify"], std::slice::from_ref(&file));
    assert!(again.status.success() && said(&again).contains("33 of 400 points, reproduced"), "{}", said(&again));

    // A record that was edited by hand. It is judged again, so it is of a kernel alone, without rustc.
    let path = submission(folder.path(), "one", &[(NAIVE, solution(NAIVE))]);
    assert_eq!(points(&out, std::slice::from_ref(&path))["one"], 15);
    let file = out.join("records/one.json");
    let kept = fs::read_to_string(&file).expect("a record");
    let whole: Value = serde_json::from_str(&kept).expect("JSON");
    let id = whole["verdicts"][0]["exercise"].as_str().expect("a name");
    let mut forged = whole.clone();
    (forged["verdicts"][0]["points"], forged["inputs"]["course/course.toml"]) = (10.into(), "0".into());
    put(&out, "records/one.json", &forged.to_string());
    let told = ended(&course(&["verify"], std::slice::from_ref(&file)), 1);
    for part in [&format!("{id} points: 10, now 0"), "inputs course/course.toml: ", "NOT reproduced"] {
        assert!(told.contains(part), "{part}: {told}");
    }

    put(&out, "records/one.json", &kept);
    put(&path, NAIVE, "changed");
    let changed = course(&["verify"], &[file]);
    assert!(
        changed.status.code() == Some(2) && said(&changed).contains("does not hold the files"),
        "{}",
        said(&changed)
    );
}

#[test]
fn a_class_that_is_graded_again_lists_what_changed_and_why() {
    let Some(folder) = folder_for_kernels() else { return };
    let [same, other] = ["same", "other"].map(|name| submission(folder.path(), name, &[(NAIVE, solution(NAIVE))]));
    let out = folder.path().join("grades");
    points(&out, &[same, other.clone()]);
    let seed = record(&out, "other")["seed"].clone();
    let again = || said(&course(&["regrade", "--out", text(&out)], &[]));
    let unchanged = again();
    assert!(unchanged.contains("2 submissions graded again, 0 grades changed"), "{unchanged}");

    put(&other, NAIVE, &solution(NAIVE).replacen("T sum = 0;", "T sum = 1;", 1));
    let changed = again();
    for part in [
        "other gemm/naive: 15 points (passed), now 0 points (failed): ",
        "other: what is not the same: files",
        "2 submissions graded again, 1 grades changed",
    ] {
        assert!(changed.contains(part), "{part}: {changed}");
    }
    assert_eq!(record(&out, "other")["seed"], seed, "the data is that of the first grading");
    assert_eq!(verdict(&record(&out, "other"), "gemm/naive")["points"], 0);
}

#[test]
fn a_record_that_contradicts_itself_or_has_another_format_is_not_believed() {
    let Some(folder) = folder_for_kernels() else { return };
    let path = submission(folder.path(), "one", &[(NAIVE, solution(NAIVE))]);
    let out = folder.path().join("grades");
    points(&out, std::slice::from_ref(&path));
    let whole = record(&out, "one");
    assert_eq!((&whole["points"], &whole["of"], &whole["format"]), (&15.into(), &400.into(), &2.into()));
    let grade = || course(&["grade", "--out", text(&out)], std::slice::from_ref(&path));

    let mut forged = whole.clone();
    forged["verdicts"][0]["points"] = 385.into();
    put(&out, "records/one.json", &forged.to_string());
    let told = ended(&grade(), 1);
    let first = whole["verdicts"][0]["exercise"].as_str().expect("a name");
    assert!(told.contains(&format!("contradicts itself: {first} has 385 of")), "{told}");
    assert_eq!(record(&out, "one")["points"], 15, "judged anew");
    assert!(grade().status.success(), "and said once");
    // Points, with the right totals, for a file that never came.
    let mut forged = whole.clone();
    let shared = forged["verdicts"].as_array_mut().expect("verdicts").iter_mut();
    let shared = shared.filter(|one| one["exercise"] == "gemm/shared").last().expect("a verdict");
    (shared["state"], shared["points"]) = ("passed".into(), shared["of"].clone());
    forged["points"] = 40.into();
    put(&out, "records/one.json", &forged.to_string());
    let output = grade();
    assert!(
        output.status.code() == Some(1) && said(&output).contains("3_shared.cu was not handed in"),
        "{}",
        said(&output)
    );
    assert_eq!(record(&out, "one")["points"], 15, "judged anew");

    // One of another format is not guessed at.
    let mut other = whole.clone();
    other["format"] = 1.into();
    put(&out, "records/one.json", &other.to_string());
    let output = course(&["verify"], &[out.join("records/one.json")]);
    let next = "its format is 1, this program's 2; next: the grader of the record's commit";
    assert!(!output.status.success() && said(&output).contains(next), "{}", said(&output));
}

#[test]
fn a_grader_that_was_killed_goes_on_where_it_was() {
    let Some(folder) = folder_for_kernels() else { return };
    let files = ["1_one_block", "2_naive", "3_shared", "4_shared_2"].map(|name| format!("kernels/gemm/{name}.cu"));
    let files: Vec<(&str, String)> = files.iter().map(|file| (file.as_str(), solution(file))).collect();
    let path = submission(folder.path(), "student", &files);
    let out = folder.path().join("grades");
    let results = folder.path().join("results.json");
    let grade = || {
        let mut command = program();
        command.args(["grade", "--out", text(&out), "--results", text(&results)]).arg(&path);
        command
    };
    let mut child = grade().stdout(Stdio::null()).spawn().expect("the program starts");
    let file = out.join("records/student.json");
    let begun = Instant::now();
    let judged = || -> usize {
        let record = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
        record.map_or(0, |record| {
            let all = record["verdicts"].as_array().expect("an entry for each exercise");
            all.iter().filter(|verdict| verdict["state"] == "passed").count()
        })
    };
    while judged() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(120), "no verdict within two minutes");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    let mut stopped = record(&out, "student");
    assert_eq!(stopped["complete"], false);
    let partial: Value = serde_json::from_str(&fs::read_to_string(&results).expect("results")).expect("whole JSON");
    assert!(partial["score"].as_u64() >= Some(25), "what was judged counts, whatever happens afterwards: {partial}");
    assert_eq!(partial["extra_data"]["complete"], false);

    // A mark in the first verdict: it is there afterwards only if that exercise is not judged again.
    stopped["verdicts"][0]["story"] = "judged before".into();
    put(&out, "records/student.json", &stopped.to_string());
    let output = grade().output().expect("the program starts");
    assert!(output.status.success(), "{}", said(&output));
    let whole = record(&out, "student");
    assert_eq!((&whole["complete"], &whole["seed"]), (&true.into(), &stopped["seed"]));
    assert_eq!(whole["verdicts"][0]["story"], "judged before");
    let points: u64 = whole["verdicts"].as_array().expect("verdicts").iter().filter_map(|v| v["points"].as_u64()).sum();
    let finished: Value = serde_json::from_str(&fs::read_to_string(&results).expect("results")).expect("whole JSON");
    assert_eq!((finished["score"].as_u64(), &finished["extra_data"]["complete"]), (Some(points), &true.into()));

    // A third time nothing is judged; other files are.
    let kept = fs::read_to_string(&file).expect("a record");
    assert!(grade().output().expect("the program starts").status.success());
    assert_eq!(fs::read_to_string(&file).expect("a record"), kept);
    put(&path, NAIVE, "int main(");
    assert!(grade().output().expect("the program starts").status.success());
    assert_eq!(verdict(&record(&out, "student"), "gemm/naive")["state"], "not_compiled");
}
