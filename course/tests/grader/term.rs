//! A lab of a term from Moodle and back: a due date with a rule, an extension, a grade that a person decides, marks, who handed in again.
//! Nothing is renamed by hand, and no record knows of any of it.

use crate::submissions::{NAIVE, ended, folder_for_kernels, program, put, read, root, solution};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const WORKSHEET: &str = "Identifier,Full name,Status,Grade,Maximum grade,Grade can be changed,Last modified (submission),Feedback comments\n\
    Participant 101,Jane Doe,Submitted for grading,,100.00,Yes,\"Monday, 30 November 2026, 11:50 AM\",\n\
    Participant 102,Ana Sá,Submitted for grading,,100.00,Yes,\"Tuesday, 1 December 2026, 6:00 PM\",\n\
    Participant 103,Bo Li,No submission,,100.00,Yes,-,\n";

/// This workspace with a due date and a rule in its table.
fn dated(folder: &Path) {
    let inside = |from: &Path, to: &Path, but: &str| {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
            if entry.file_name() != but {
                symlink(entry.path(), to.join(entry.file_name())).expect("a link");
            }
        }
    };
    inside(&root(), folder, "course");
    inside(&root().join("course"), &folder.join("course"), "course.toml");
    let table = solution("course/course.toml");
    let dated = table.replacen("name = \"gemm\"\n", "name = \"gemm\"\ndue = 2026-11-30T12:00:00+01:00\n", 1);
    put(folder, "course/course.toml", &format!("late = {{ free = \"15 min\", per_day = 5, most = 3 }}\n{dated}"));
}

#[test]
fn points_change_wherever_they_stand() {
    let folder = tempfile::tempdir().expect("a folder");
    let (table, sheet, cheat) =
        ("course/course.toml", "lab-gemm/ASSIGNMENT.md", "course/cheats/gemm/naive/across.edit");
    [table, sheet, cheat].iter().for_each(|file| put(folder.path(), file, &solution(file)));
    let points = |points: &str, code| {
        let mut command = Command::new("python3");
        command.arg(root().join("course/points")).args(["gemm/naive", points]).env("COURSE_ROOT", folder.path());
        ended(&command.output().expect("Python starts"), code)
    };
    assert!(points("5", 1).contains("5 points are for techniques"));
    assert!(points("20", 0).contains("15 points, now 20; table, heading, cheats: 1; gemm has 105 in all"));
    let table = read(folder.path(), table);
    let row =
        table.split("[[exercise]]").find(|row| row.contains("\"kernels/gemm/2_naive.cu\"\npoints")).expect("a row");
    assert!(row.contains("\npoints = 20\n"), "{row}");
    assert!(read(folder.path(), sheet).contains("\n### naive (20 points)\n"));
    assert!(read(folder.path(), cheat).starts_with("due: 15 of 20\n"));
}

/// A table of answers in which one of Ana's has two points and a remark.
fn marked(table: &str) -> String {
    let own = table.lines().find(|line| line.starts_with("Ana Sá_102,gemm/naive 1,")).expect("a row");
    let (asked, text) = (own.rsplitn(4, ',').last().expect("cells"), own.rsplit(',').next().expect("a text"));
    table.replace(own, &format!("{asked},2,well said,{text}"))
}

#[test]
fn a_lab_goes_out_and_its_grades_come_back_into_the_platforms_own_table() {
    let Some(folder) = folder_for_kernels() else { return };
    let (labs, here) = (folder.path().join("labs"), folder.path().join("term"));
    dated(&labs);
    for name in ["Jane Doe_101", "Ana Sá_102"] {
        put(&here, &format!("export/{name}_assignsubmission_file_/{NAIVE}"), &solution(NAIVE));
    }
    put(&here, "worksheet.csv", WORKSHEET);
    let course = |arguments: &[&str], code| {
        let mut command = program();
        command.env("COURSE_ROOT", &labs).current_dir(&here).args(arguments).args(["--roster", "worksheet.csv"]);
        ended(&command.output().expect("the program starts"), code)
    };
    let out = here.join("grades/gemm");
    let row = |id: &str| -> BTreeMap<String, String> {
        let mut table = csv::Reader::from_path(out.join("class.csv")).expect("a table");
        let head = table.headers().expect("a head").clone();
        let row = table.records().map(|row| row.expect("a row")).find(|row| &row[7] == id).expect("its row");
        head.iter().zip(&row).map(|(title, cell)| (title.to_owned(), cell.to_owned())).collect()
    };
    let cells = |id: &str, titles: [&str; 5]| titles.map(|title| row(id)[title].clone());
    let titles = ["gemm", "gemm late", "gemm penalty", "gemm override", "total"];

    let told = course(&["grade", "--lab", "gemm", "export"], 0);
    assert!(told.contains("Bo Li: nothing was handed in") && !told.contains("since the last call"), "{told}");
    assert_eq!(cells("101", titles), ["15", "0", "", "", "15"]);
    assert_eq!(cells("102", titles), ["15", "30", "10", "", "5"], "two begun days at 5 % of 100 points");
    let page = read(&out, "pages/Ana Sá_102.html");
    assert!(page.contains("Total: 5 of 100 points") && page.contains("30 h late: 10 % of 100 points: −10"), "{page}");
    let worksheet = read(&out, "moodle/worksheet.csv");
    let filled = WORKSHEET
        .replace("AM\",\n", "AM\",Total: 15 of 100\n")
        .replace("PM\",\n", "PM\",Total: 5 of 100; 30 h late: 10 % of 100 points: −10\n")
        .replacen("grading,,", "grading,15,", 1)
        .replacen("grading,,", "grading,5,", 1);
    assert_eq!(worksheet, filled);

    // Decisions stand in a file of their own, in tables and pages, and in no record.
    let record = read(&out, "records/Ana Sá_102.json");
    let head = read(&out, "decisions.csv");
    let extension = "Ana Sá,gemm,2026-12-01T12:00:00+01:00,,a <note>,Prof. X\n";
    put(&out, "decisions.csv", &format!("{head}{extension}"));
    let told = course(&["grade", "--lab", "gemm", "export"], 0);
    assert!(told.contains("since the last call: 2 as before"), "{told}");
    assert_eq!(cells("102", titles), ["15", "6", "5", "", "10"]);
    let more = "102,gemm/naive,,12,a <note>,Prof. X\nBo Li,gemm,,30,r,b\nNobody,gemm,,1,r,b\n";
    put(&out, "decisions.csv", &format!("{head}{extension}{more}"));
    let told = course(&["grade", "--lab", "gemm", "export"], 0);
    assert!(told.contains("decisions.csv: nobody here is called 'Nobody' (gemm)"), "{told}");
    assert_eq!(cells("102", titles), ["15", "6", "5", "gemm/naive 12", "7"]);
    assert_eq!(row("103")["total"], "30");
    let page = read(&out, "pages/Ana Sá_102.html");
    for told in
        ["due 2026-12-01T12:00:00+01:00: a &lt;note&gt; (decided by Prof. X)", "12 points instead of 15: a &lt;"]
    {
        assert!(page.contains(told), "{told}: {page}");
    }
    assert_eq!(read(&out, "records/Ana Sá_102.json"), record);
    put(&out, "decisions.csv", &format!("{head}102,gemm,soon,,r,b\n"));
    assert!(course(&["grade", "--lab", "gemm", "export"], 2).contains("decisions.csv: line 2: 'soon' is no time"));
    put(&out, "decisions.csv", &format!("{head}{extension}{more}"));

    // Marks find what one lab alone was graded into, and count.
    let told = course(&["mark", "gemm", "--csv", "marks.csv"], 1);
    assert!(told.contains("answers have no mark yet"), "{told}");
    put(&here, "marks.csv", &marked(&read(&here, "marks.csv")));
    course(&["mark", "gemm", "--csv", "marks.csv", "--bom"], 1);
    assert!(fs::read(out.join("class.csv")).expect("a table").starts_with("\u{feff}name,points".as_bytes()));
    course(&["mark", "gemm", "--csv", "marks.csv"], 1);
    let total: f64 = row("102")["total of"].parse().expect("points");
    assert!(
        total > 100.0 && row("102")["gemm answers"] == "2" && row("102")["total"] == (14.0 - 0.05 * total).to_string()
    );

    // A verdict that is not right has its replay on the page, and the class says what is new.
    put(&here, &format!("export/Jane Doe_101_assignsubmission_file_/{NAIVE}"), "int main(");
    let told = course(&["grade", "--lab", "gemm", "export"], 0);
    assert!(
        told.contains("since the last call: 1 as before\n  Jane Doe_101: handed in again: 15 points, now 0"),
        "{told}"
    );
    let page = read(&out, "pages/Jane Doe_101.html");
    assert!(page.contains("\nreplay: just verdict gemm/naive --seed "), "{page}");
    assert_eq!(read(&out, "moodle/worksheet.csv").matches("Bo Li,No submission,").count(), 1);
}
