use super::sheets::*;
use super::{End, ask, by_table};
use exercises::table::Course;
use exercises::text::hash;
use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::Path;

const TABLE: &str = include_str!("sample.toml");

/// A course in a folder with a marking scheme.
fn course(folder: &Path) -> Course {
    let mut course: Course = toml::from_str(TABLE).unwrap();
    course.root = folder.to_owned();
    fs::create_dir_all(folder.join("course/marking")).unwrap();
    fs::write(folder.join("course/marking/gemm.md"), "# Scheme\n\n## naive\n\nTraffic.\n\n## shared\n\nBoth.\n")
        .unwrap();
    course
}

fn sheet(name: &str, first: &str) -> Sheet {
    let text = format!(
        "# Answers: gemm\n\n## naive\n\nWhy is it slow?\n\n> {first}\n> more\n\n## naive\n\nWhat would you do?\n\n> \n\n## shared\n\nThe question is gone.\n"
    );
    Sheet { name: name.to_owned(), text }
}

/// The end that a person's typing leads to, and the text that stood on the screen.
fn marked(course: &Course, sheets: &[Sheet], out: &Path, typed: &str) -> (End, String) {
    let mut screen = Vec::new();
    let mut input = Cursor::new(typed.to_owned());
    let end = ask(course, &course.labs[0], sheets, out, (&mut input, &mut screen)).unwrap();
    (end, String::from_utf8(screen).unwrap())
}

#[test]
fn answers_are_found_below_their_questions() {
    let folder = tempfile::tempdir().unwrap();
    let course = course(folder.path());
    let lab = &course.labs[0];
    let found: Vec<String> =
        questions(&course, lab).map(|question| question.answer(&course, lab, &sheet("a", "traffic").text)).collect();
    assert_eq!(found, ["traffic\n more", "", "The question is gone."]);
    assert!(questions(&course, lab).all(|question| question.answer(&course, lab, "").is_empty()));
}

#[test]
fn marking_goes_question_by_question_and_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let (course, out) = (course(folder.path()), folder.path().join("grades"));
    let sheets = [sheet("anna", "traffic"), sheet("ben", "\u{1b}[2Jno idea")];
    let (end, screen) = marked(&course, &sheets, &out, "2 well said\n3\n1\nq\n");
    assert_eq!(end, End::Left(4));
    assert!(screen.contains("scheme:\n  Traffic.") && screen.contains("[1 of 6] anna\n  traffic"), "{screen}");
    assert!(screen.contains("a number from 0 to 2") && !screen.contains('\u{1b}'), "{screen}");
    let anna = Marks::read(&out, "anna").unwrap();
    assert_eq!(anna.0["gemm/naive 1"].points, 2);
    assert_eq!(anna.0["gemm/naive 1"].remark, "well said");
    // The other two questions, one skipped and come back to.
    let (end, screen) = marked(&course, &sheets, &out, "\nb\n0\n0\n2\n1 half\n");
    assert_eq!(end, End::Complete, "{screen}");
    assert!(screen.contains("[1 of 4] anna\n  (nothing was written)"), "{screen}");
    let sum = Marks::read(&out, "ben").unwrap().sum(&course, &course.labs[0]);
    assert_eq!(sum, Sum { points: 2, of: 6, marked: 3, questions: 3 });
    // Another answer needs another mark.
    let (end, screen) = marked(&course, &[sheet("anna", "other"), sheet("ben", "\u{1b}[2Jno idea")], &out, "");
    assert_eq!(end, End::Left(1));
    assert!(screen.contains("[1 of 1] anna\n  other"), "{screen}");
}

#[test]
fn a_lab_without_marks_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    let course = course(folder.path());
    assert_eq!(Marks::default().told(&course), [""; 0]);
    let mark = Mark { points: 1, remark: "half\nof it".to_owned(), answer: hash("x") };
    let marks = Marks(BTreeMap::from([("gemm/shared 1".to_owned(), mark)]));
    let told = ["answers gemm: 1 of 6 points, 1 of 3 marked", "  gemm/shared 1: 1 of 2, half of it"];
    assert_eq!(marks.told(&course), told);
}

/// A table as a spreadsheet of Windows saves it, with a cell of each row filled in: the place of the row, points, remark.
fn filled(file: &Path, cells: &[(usize, &str, &str)]) {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let head = reader.headers().unwrap().clone();
    let mut rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    for (row, points, remark) in cells {
        (rows[*row][4], rows[*row][5]) = ((*points).to_owned(), (*remark).to_owned());
    }
    let mut writer =
        csv::WriterBuilder::new().delimiter(b';').terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(&head).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
    fs::write(file, format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()).unwrap();
}

#[test]
fn a_table_goes_to_a_spreadsheet_and_comes_back_as_marks() {
    let folder = tempfile::tempdir().unwrap();
    let (course, out) = (course(folder.path()), folder.path().join("grades"));
    let (lab, file) = (&course.labs[0], folder.path().join("marks.csv"));
    let sheets = [sheet("=anna", "traffic; \"much\""), sheet("ben", "=1+1")];
    let by_table = |sheets: &[Sheet]| by_table(&course, lab, sheets, &out, &file);
    let (end, said) = by_table(&sheets).unwrap();
    assert!(end == End::Left(6) && said[0].contains("6 answers; fill in points (0 to 2)"), "{said:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("'=anna,gemm/naive 1,Why is it slow?,") && text.contains("'=1+1"), "{text}");
    assert_eq!(by_table(&sheets).unwrap().0, End::Left(6), "nothing is filled in");

    filled(&file, &[(0, "2", "well said; with a semicolon"), (1, "0", ""), (2, "3", ""), (3, "half", "")]);
    let error = format!("{:#}", by_table(&sheets).unwrap_err());
    assert!(error.contains("'3' is no number from 0 to 2") && error.contains("'half' is no number"), "{error}");
    assert_eq!(Marks::read(&out, "=anna").unwrap(), Marks::default(), "nothing of it is taken");
    fs::remove_file(&file).unwrap();
    by_table(&sheets).unwrap();
    filled(&file, &[(0, "2", "well said; größer"), (1, "0", "")]);
    let (end, said) = by_table(&sheets).unwrap();
    assert_eq!((end, said), (End::Left(4), Vec::new()));
    let anna = Marks::read(&out, "=anna").unwrap();
    assert_eq!((anna.0["gemm/naive 1"].points, anna.0["gemm/naive 1"].remark.as_str()), (2, "well said; größer"));
    assert_eq!(Marks::read(&out, "ben").unwrap().0["gemm/naive 1"].points, 0);

    // A new table has the marks that are there; an answer that has changed since is not marked by it.
    fs::remove_file(&file).unwrap();
    by_table(&sheets).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(",2,well said; größer,t"), "{text}");
    let (end, said) = by_table(&[sheet("=anna", "other"), sheet("ben", "=1+1")]).unwrap();
    assert!(end == End::Left(5) && said[0].contains("line 2: not taken: the answer of '=anna"), "{said:?}");
    fs::write(&file, "name,points\nanna,2\n").unwrap();
    assert!(format!("{:#}", by_table(&sheets).unwrap_err()).contains("no column 'submission'"));
}
