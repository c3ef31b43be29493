//! Written answers marked by a spreadsheet: their marks stand in every export.

use crate::submissions::{compiler, course, points, program, said, solution, submission, table};
use serde_json::Value;
use std::fs;

const NAIVE: &str = "kernels/gemm/2_naive.cu";

#[test]
fn marks_that_a_spreadsheet_brings_back_stand_in_every_export() {
    if !compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let course_table = table();
    let answers = course_table.answers(course_table.lab("gemm").expect("a lab"));
    let answered = answers.replacen("> \n", "> Because of <sectors>.\n", 1);
    let files = [(NAIVE, solution(NAIVE)), ("answers/gemm.md", answered)];
    let paths = [submission(folder.path(), "anna", &files), submission(folder.path(), "ben", &[(NAIVE, "int".into())])];
    let out = folder.path().join("grades");
    assert_eq!(points(&out, &paths)["anna"], 15);
    let csv = folder.path().join("marks.csv");
    let mark = || {
        let mut command = program();
        command.args(["mark", "gemm", "--csv"]).arg(&csv).arg("--out").arg(&out);
        command.output().expect("the program starts")
    };
    let output = mark();
    assert_eq!(output.status.code(), Some(1), "nothing is marked: {}", said(&output));
    let mut reader = csv::Reader::from_path(&csv).expect("a table");
    let head = reader.headers().expect("a head").clone();
    let mut rows: Vec<Vec<String>> =
        reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect();
    let row = rows.iter_mut().find(|row| row[0] == "anna" && row[3].contains("sectors")).expect("her answer");
    let question = row[1].clone();
    (row[4], row[5]) = ("2".to_owned(), "well <said>".to_owned());
    let mut writer = csv::Writer::from_path(&csv).expect("a file");
    writer.write_record(&head).expect("written");
    rows.iter().for_each(|row| writer.write_record(row).expect("written"));
    writer.flush().expect("written");
    let output = mark();
    assert!(output.status.code() == Some(1) && said(&output).contains("answers have no mark yet"), "{}", said(&output));

    let read = |file: &str| fs::read_to_string(out.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let sum = "gemm: 2 of ";
    assert!(read("class.html").contains(sum) && read("class.csv").contains("gemm answers marked"));
    for (file, remark) in [
        ("gradescope/anna.json", "well <said>"),
        ("junit/anna.xml", "well &lt;said&gt;"),
        ("pages/anna.html", "well &lt;said&gt;"),
    ] {
        let text = read(file);
        let told = text.contains(sum) || text.contains("Answers: 2 of ");
        assert!(told && text.contains(&question) && text.contains(remark), "{file}: {text}");
    }
    assert!(!read("gradescope/ben.json").contains("answers gemm"), "nothing of his is marked");
    // They stay when the class is graded again, and are in no sum of points.
    let output = course(&["grade", "--out", out.to_str().expect("UTF-8")], &paths);
    let again: Value = serde_json::from_str(&read("gradescope/anna.json")).expect("JSON");
    assert_eq!(again["score"], 15, "{}", said(&output));
    assert!(again["output"].as_str().is_some_and(|text| text.contains("2 of 2, well <said>")), "{again}");
}
