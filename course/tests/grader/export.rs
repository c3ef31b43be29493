//! A class of forty as a learning platform exports it, with everything that students hand in: archives within folders, flat files, encodings,
//! nothing at all. Each gets the expected points, and nobody gets 0 without a reason that stands on every page.

#[path = "../../exercises/tests/workspace/mod.rs"]
mod workspace;

use crate::archives::{Form, archive, zip};
use crate::submissions::{NAIVE, ended, folder_for_kernels, program, put, read, record, root, solution, table};
use exercises::judge::Judge;
use exercises::process::Workers;
use exercises::submission;
use exercises::table::{Course, Lab};
use exercises::technique::References;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

const TRANSPOSE: &str = "kernels/transpose/2_naive.cu";
const SHARED: &str = "kernels/gemm/3_shared.cu";
const STREAMED: &str = "lab-streams/src/schedules/streamed.rs";

/// The contents of one student's folder: a name for the case, points, what the intake's report or the refusal says, and the files.
struct Case {
    name: &'static str,
    points: u32,
    says: &'static str,
    files: Vec<(String, Vec<u8>)>,
}

/// All that the intake has to cope with.
fn cases(course: &Course) -> Vec<Case> {
    let [naive, transpose, shared, streamed] = [NAIVE, TRANSPOSE, SHARED, STREAMED].map(solution);
    let points = |id: &str| course.exercises.iter().find(|row| row.id() == id).expect("a row").points;
    let [of_naive, of_shared, of_streamed] = ["gemm/naive", "gemm/shared", "streams/streamed"].map(points);
    let of_transpose = points("transpose/naive");
    let starter = |id: &str| {
        course.starter(course.exercises.iter().find(|row| row.id() == id).expect("a row")).expect("a starter")
    };
    let wrong = naive.replacen("T sum = 0;", "T sum = 1;", 1);
    let n = naive.as_bytes();
    let case = |name, points, says, files: Vec<(&str, Vec<u8>)>| Case {
        name,
        points,
        says,
        files: files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect(),
    };
    vec![
        case("a zip", of_naive, "labs.zip/labs-main'", vec![("labs.zip", zip(&[(&format!("labs-main/{NAIVE}"), n)]))]),
        case("a tar.gz", of_naive, "in 'labs.tar.gz'", vec![("labs.tar.gz", archive(Form::TarGz, &[(NAIVE, n)]))]),
        case(
            "two zips",
            of_naive + of_streamed,
            "taken from 'submission-streams.zip'",
            vec![
                ("submission-gemm.zip", zip(&[(NAIVE, n), (SHARED, starter("gemm/shared").as_bytes())])),
                ("submission-streams.zip", zip(&[(STREAMED, streamed.as_bytes())])),
            ],
        ),
        case("a folder", of_naive, "found 1 of", vec![(NAIVE, naive.clone().into())]),
        case(
            "flat",
            of_naive,
            "from '2_naive.cu', by its name and its lines",
            vec![("2_naive.cu", naive.clone().into())],
        ),
        case("flat of transpose", of_transpose, "by its lines", vec![("2_naive.cu", transpose.clone().into())])
            .saying("by its name and its lines"),
        case(
            "flat in folders",
            of_naive + of_transpose,
            "by its name",
            vec![("gemm/2_naive.cu", naive.clone().into()), ("transpose/2_naive.cu", transpose.clone().into())],
        ),
        case(
            "flat of a name of its own",
            of_shared,
            "from '3_shared.cu', by its name",
            vec![("3_shared.cu", shared.clone().into())],
        ),
        case(
            "a browser's second",
            of_shared,
            "from '3_Shared (1).cu', by its name",
            vec![("3_Shared (1).cu", shared.clone().into())],
        ),
        case("flat in a zip", of_shared, "by its name", vec![("a.zip", zip(&[("3_shared.cu", shared.as_bytes())]))]),
        case(
            "notes beside",
            of_naive,
            "1 other file, which nothing looks at: thesis.pdf",
            vec![(NAIVE, naive.clone().into()), ("thesis.pdf", b"%PDF".to_vec())],
        ),
        case("wrong", 0, "found 1 of", vec![(NAIVE, wrong.into())]),
        case("does not compile", 0, "found 1 of", vec![(NAIVE, b"int main(".to_vec())]),
        case("a starter", 0, "found 1 of", vec![(NAIVE, starter("gemm/naive").into())]),
        case("empty", 0, "none of the expected files found", vec![]),
        case("a document", 0, "none of the expected files found", vec![("thesis.pdf", b"%PDF".to_vec())]),
        case("a name of its own", 0, "my_kernel.cu", vec![("my_kernel.cu", naive.clone().into())]),
        case("rar", 0, ".rar and .7z are not read", vec![("labs.rar", b"Rar!".to_vec())]),
        case("damaged", 0, "not a zip archive", vec![("labs.zip", b"PK\x03\x04no".to_vec())]),
        case("zip in zip", of_naive, "in 'a.zip/b.zip'", vec![("a.zip", zip(&[("b.zip", &zip(&[(NAIVE, n)]))]))]),
        case(
            "zip in zip in tar.gz",
            0,
            "'a.tgz/b.zip/c.zip': it lies 2 archives deep",
            vec![("a.tgz", archive(Form::TarGz, &[("b.zip", &zip(&[("c.zip", &zip(&[(NAIVE, n)]))]))]))],
        ),
    ]
}

impl Case {
    fn saying(self, says: &'static str) -> Self {
        Case { says, ..self }
    }
}

/// The end of a folder's name in which Moodle puts a student's files.
const FILES: &str = "_assignsubmission_file_";

/// Forty students in Moodle's folders: each case once, then the last ones again, of which most are quickly judged. Returns what each must get.
fn moodle<'a>(folder: &Path, cases: &'a [Case]) -> BTreeMap<String, &'a Case> {
    let mut class = BTreeMap::new();
    for (number, case) in cases.iter().chain(cases.iter().rev()).take(40).enumerate() {
        let name = format!("Student {}_{}", case.name, 100 + number);
        let own = folder.join(format!("{name}{FILES}"));
        fs::create_dir_all(&own).expect("a folder");
        for (file, bytes) in &case.files {
            let path = own.join(file);
            fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
            fs::write(path, bytes).expect("written");
        }
        class.insert(name, case);
    }
    // Some wrote a text as well, which is the same student's.
    let text = folder.join("Student a zip_100_assignsubmission_onlinetext_");
    fs::create_dir_all(&text).expect("a folder");
    fs::write(text.join("onlinetext.html"), "<p>done</p>").expect("written");
    class
}

fn grade(out: &Path, arguments: &[&str], paths: &[PathBuf]) -> Output {
    let mut command = program();
    command.args(["grade", "--jobs", "2", "--out"]).arg(out).args(arguments).args(paths);
    command.output().expect("the program starts")
}

/// The class's table by the submissions' names; a student of whom nothing came is there with the student's.
fn rows(out: &Path) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(out.join("class.csv")).expect("a table");
    let head = reader.headers().expect("a head").clone();
    let row = |row: csv::StringRecord| -> (String, BTreeMap<String, String>) {
        let cells: BTreeMap<String, String> =
            head.iter().zip(&row).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
        let name = if cells["name"].is_empty() { &cells["student"] } else { &cells["name"] };
        (name.clone(), cells)
    };
    reader.records().map(|record| row(record.expect("a row"))).collect()
}

#[test]
fn a_class_of_forty_gets_its_points_and_nobody_a_silent_zero() {
    let Some(folder) = folder_for_kernels() else { return };
    let course = table();
    let export = folder.path().join("export");
    let cases = cases(&course);
    let class = moodle(&export, &cases);
    let mut roster = "name,id\n".to_owned();
    class.keys().for_each(|name| roster.push_str(&format!("{}\n", name.replace('_', ","))));
    put(folder.path(), "roster.csv", &(roster + "Nobody Came,999\n"));
    let out = folder.path().join("grades");
    let roster = folder.path().join("roster.csv");
    let told = ended(&grade(&out, &["--roster", roster.to_str().expect("UTF-8")], std::slice::from_ref(&export)), 0);
    assert!(told.contains("40 students of an export of Moodle") && told.contains("[40 of 40] "), "{told}");
    assert!(told.contains("Nobody Came: nothing was handed in"), "{told}");
    let rows = rows(&out);
    assert_eq!((class.len(), rows.len()), (40, 41));
    assert_eq!((rows["Nobody Came"]["points"].as_str(), rows["Nobody Came"]["id"].as_str()), ("", "999"));
    let class_page = read(&out, "class.html");
    for (name, case) in &class {
        let row = &rows[name];
        assert_eq!(row["points"], case.points.to_string(), "{name}: {row:?}");
        assert_eq!((row["student"].as_str(), row["id"].as_str()), name.split_once('_').expect("a number"), "{name}");
        let record = record(&out, name);
        let texts = ["page", "gradescope", "junit"];
        let files = [format!("pages/{name}.html"), format!("gradescope/{name}.json"), format!("junit/{name}.xml")];
        let mut texts: BTreeMap<&str, String> =
            texts.into_iter().zip(files.iter().map(|file| read(&out, file))).collect();
        if record["refused"].is_string() {
            texts.insert("class.csv", row["refused"].clone());
            texts.insert("class.html", class_page.clone());
        }
        let says = case.says.replace('\'', "&#39;");
        for (file, text) in &texts {
            assert!(
                text.contains(case.says) || text.contains(&says),
                "{file} of {name} does not say '{}': {text}",
                case.says
            );
            for secret in [root(), folder.path().to_owned()] {
                assert!(!text.contains(secret.to_str().expect("UTF-8")), "{file} of {name} has a path of this machine");
            }
        }
        // Whoever has no points is told why, by a refusal or by a verdict.
        let verdicts = record["verdicts"].as_array().expect("verdicts");
        let story = |verdict: &Value| verdict["state"] != "not_started" || verdict["kind"] != "missing";
        assert!(
            case.points > 0 || record["refused"].is_string() || verdicts.iter().any(story),
            "{name} has a silent 0"
        );
    }
    // One lab alone: a student who handed in another lab as well, and one who handed in nothing else.
    let [both, other] = ["Student flat in folders_106", "Student flat of transpose_105"];
    let two = folder.path().join("two");
    fs::create_dir(&two).expect("a folder");
    for name in [both, other].map(|name| format!("{name}{FILES}")) {
        fs::rename(export.join(&name), two.join(&name)).expect("moved");
    }
    let lab = out.join("gemm");
    ended(&grade(&lab, &["--lab", "gemm"], &[two]), 0);
    let points = self::rows(&lab);
    assert_eq!(points[both]["points"], "15");
    assert_eq!(points[other]["points"], "0");
    assert!(points[other]["refused"].contains("none of the expected files"), "not gemm's");
}

#[test]
fn what_a_student_packs_is_what_the_grader_takes_with_the_same_receipt() {
    let Some(folder) = folder_for_kernels() else { return };
    let labs = folder.path().join("labs");
    workspace::write(&root(), &labs);
    put(&labs, NAIVE, &solution(NAIVE).replace('\n', "\r\n"));
    put(&labs, "answers/streams.md", "An answer.\n");
    let course = Course::read(&labs).expect("a student's workspace");
    let workers = Workers { program: env!("CARGO_BIN_EXE_course").into(), confined: false, wall: None };
    let judge = Judge { workers, references: References::read(&labs).expect("figures") };
    let zip = folder.path().join("anna.zip");
    let all: Vec<&Lab> = course.labs.iter().collect();
    let mut listed = Vec::new();
    let mut line = |text: &str| -> anyhow::Result<()> {
        listed.push(text.to_owned());
        Ok(())
    };
    let written = submission::write(&course, &judge, &all, false, &zip, &mut line).expect("packed");
    let listed = listed.join("\n");
    for (id, said) in
        [("gemm/naive", "15 of 15 passed"), ("gemm/shared", "not started"), ("answers/streams.md", "changed")]
    {
        assert!(listed.lines().any(|line| line.contains(id) && line.contains(said)), "{id}: {listed}");
    }
    assert!(listed.lines().all(|line| line.chars().count() <= 80), "{listed}");
    let begun: Vec<&str> = written.receipts.iter().map(|(lab, _)| lab.as_str()).collect();
    assert_eq!(begun, ["gemm", "streams"]);
    let others: Vec<&str> = all.iter().map(|lab| lab.name.as_str()).filter(|name| !begun.contains(name)).collect();
    assert_eq!(written.left_out, others);
    let out = folder.path().join("grades");
    ended(&grade(&out, &[], &[zip]), 0);
    assert_eq!(rows(&out)["anna"]["points"], "15");
    for file in ["pages/anna.html", "gradescope/anna.json", "junit/anna.xml"] {
        for (lab, receipt) in &written.receipts {
            assert!(read(&out, file).contains(receipt.as_str()), "{file} does not repeat the receipt of {lab}");
        }
    }
    let page = read(&out, "pages/anna.html");
    assert!(page.contains("Nothing of this lab was handed in: 0 of 100 points"), "{page}");
}
