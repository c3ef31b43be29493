//! Grades go back to the platform that the class came from: into the table that it exported, with all its columns, and as pages of feedback
//! under the names of its own export. Moodle's grading worksheet has one grade a file, Canvas's gradebook a column for each assignment.
//!
//! Formats: <https://docs.moodle.org/en/Offline_grading_worksheet>, of which `Identifier` and `Grade` are what is read back;
//! <https://community.canvaslms.com/t5/Instructor-Guide/How-do-I-import-grades-in-the-Gradebook/ta-p/807>, whose assignments are known by the
//! number in their titles. Both take feedback in one zip of files whose names begin as those of the submissions did.

use super::exports::feedback_of;
use super::roster::MOST;
use super::{Roster, Row};
use crate::escape::cell;
use crate::totals::Total;
use anyhow::Context;
use exercises::table::Course;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The mark by which programs of offices know that a file is UTF-8.
pub const BOM: &str = "\u{feff}";
/// Begins the part of a comment that this program writes.
const BEGIN: &str = "Total: ";

/// A column that takes grades: of a lab, by its place in the course, or the sum of all.
struct Target {
    column: usize,
    lab: Option<usize>,
}

/// Writes what goes back into the folder of results: `moodle/worksheet.csv`, `moodle/feedback.zip`, `canvas/gradebook.csv`,
/// `canvas/feedback.zip`, of those that the class came from. Returns what a person should know, a line each.
///
/// # Errors
/// A folder that cannot be written; columns that a person named and that are not there.
pub fn write(
    course: &Course,
    roster: &Roster,
    (rows, totals): (&[Row], &[Total]),
    out: &Path,
    bom: bool,
) -> anyhow::Result<Vec<String>> {
    let mut zips: BTreeMap<&str, Vec<(String, &str)>> = BTreeMap::new();
    for record in rows.iter().filter_map(|row| row.record) {
        let name = record.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some((platform, path)) = feedback_of(name) {
            zips.entry(platform).or_default().push((path, &record.name));
        }
    }
    for (platform, pages) in zips {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, name) in pages {
            zip.start_file(path, SimpleFileOptions::default())?;
            zip.write_all(&fs::read(out.join(format!("pages/{name}.html")))?)?;
        }
        put(out, platform, "feedback.zip", &zip.finish()?.into_inner())?;
    }
    let moodle = roster.table.column(&["identifier"]).is_some();
    let canvas = ["student", "section"].iter().all(|title| roster.table.column(&[title]).is_some());
    let targets = targets(course, roster, moodle, canvas)?;
    let mut said = Vec::new();
    if targets.is_empty() {
        let labs: Vec<&str> = course.labs.iter().map(|lab| lab.name.as_str()).collect();
        said.extend(canvas.then(|| {
            let names = labs.join(", ");
            format!("the gradebook was not filled in: no one column names {names}; next: --columns '{}=TITLE'", labs[0])
        }));
        return Ok(said);
    }
    let text = filled(roster, &targets, (rows, totals), moodle, &mut said)?;
    let (platform, file) = if canvas { ("canvas", "gradebook.csv") } else { ("moodle", "worksheet.csv") };
    put(out, platform, file, format!("{}{text}", if bom { BOM } else { "" }).as_bytes())?;
    Ok(said)
}

fn put(out: &Path, folder: &str, file: &str, bytes: &[u8]) -> anyhow::Result<()> {
    fs::create_dir_all(out.join(folder))?;
    fs::write(out.join(folder).join(file), bytes).with_context(|| format!("{folder}/{file}"))
}

fn targets(course: &Course, roster: &Roster, moodle: bool, canvas: bool) -> anyhow::Result<Vec<Target>> {
    let (table, columns) = (&roster.table, &roster.columns);
    let whole = columns.find(table, "grade", if moodle { &["grade"] } else { &[] })?;
    let mut targets: Vec<Target> = whole.into_iter().map(|column| Target { column, lab: None }).collect();
    for (at, lab) in course.labs.iter().enumerate() {
        let names = |title: &String| title.split(|c: char| !c.is_alphanumeric()).any(|word| word == lab.name);
        let own = |at: &usize| canvas && names(&table.head[*at]) && table.head[*at].ends_with(')');
        let found: Vec<usize> = (0..table.head.len()).filter(own).collect();
        // Where several columns name it, a person says which.
        let one = columns.find(table, &lab.name, &[])?.or(if found.len() == 1 { Some(found[0]) } else { None });
        targets.extend(one.map(|column| Target { column, lab: Some(at) }));
    }
    Ok(targets)
}

/// The table with the grades in it.
fn filled(
    roster: &Roster,
    targets: &[Target],
    (rows, totals): (&[Row], &[Total]),
    moodle: bool,
    said: &mut Vec<String>,
) -> anyhow::Result<String> {
    let (table, columns) = (&roster.table, &roster.columns);
    let comment = columns.find(table, "comment", &["feedback comments"])?;
    let most = columns.find(table, "most", &["maximum grade"])?;
    let locked = table.column(&["grade can be changed"]);
    let at = |row: usize, column: usize| table.rows[row].1.get(column).unwrap_or_default().trim();
    let possible = (0..table.rows.len()).find(|row| (0..2).any(|column| at(*row, column) == MOST));
    let number = |text: &str| text.replace(',', ".").parse::<f64>().ok().filter(|number| *number > 0.0);
    let mut cells: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (row, total) in rows.iter().zip(totals) {
        let Some(student) = row.student else { continue };
        let place = student.row;
        if locked.is_some_and(|column| at(place, column).eq_ignore_ascii_case("no")) {
            said.push(format!("{}: the worksheet says that the grade cannot be changed", student.display_name()));
            continue;
        }
        for &Target { column, lab } in targets {
            let (points, of) = lab.map_or((total.points, total.of), |at| (total.labs[at].total, total.labs[at].of));
            let Some(points) = points else { continue };
            let limit = most.map_or("", |column| at(place, column));
            let limit = number(possible.map_or(limit, |row| at(row, column)));
            let mut grade = limit.map_or(points, |limit| points * limit / of.max(1.0));
            if let Some(limit) = limit.filter(|limit| moodle && grade > *limit) {
                said.push(format!("{}: {grade} are more than the {limit} that Moodle takes", student.display_name()));
                grade = limit;
            }
            // The first submission of a student counts, as the class's table has it.
            cells.entry((place, column)).or_insert_with(|| ((grade * 100.0).round() / 100.0).to_string());
        }
        if let Some(column) = comment.filter(|_| total.points.is_some()) {
            let own = at(place, column).split(BEGIN).next().unwrap_or_default();
            cells.entry((place, column)).or_insert_with(|| cell(&format!("{own}{}", told(total))));
        }
    }
    table.written(|row, column| cells.get(&(row, column)).cloned())
}

/// A total in words, for a comment.
fn told(total: &Total) -> String {
    let points = total.points.unwrap_or_default();
    let lines = total.labs.iter().flat_map(|lab| &lab.told).map(|line| format!("; {line}"));
    format!("{BEGIN}{points} of {}{}", total.of, lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platforms::Columns;
    use crate::record::Record;
    use crate::totals::OfLab;

    const MOODLE: &str = include_str!("moodle.csv");
    const CANVAS: &str = include_str!("canvas.csv");

    fn graded(text: &str, columns: &str, class: &[(&str, f64)], labs: &[&str]) -> (Vec<String>, tempfile::TempDir) {
        let mut course = Course::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        course.labs.retain(|lab| labs.contains(&lab.name.as_str()));
        let (folder, file) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
        fs::write(file.path(), text).unwrap();
        let columns = Columns::of(columns, labs).unwrap_or_default();
        let roster = Roster::read(file.path(), columns).unwrap();
        let paths: Vec<_> = class.iter().map(|(name, _)| folder.path().join(name)).collect();
        let records: Vec<Record> = crate::platforms::class(&paths)
            .unwrap()
            .0
            .iter()
            .map(|entry| {
                let mut record = Record::default();
                record.belongs_to(entry);
                record
            })
            .collect();
        fs::create_dir(folder.path().join("pages")).unwrap();
        for record in &records {
            fs::write(folder.path().join(format!("pages/{}.html", record.name)), &record.name).unwrap();
        }
        let (rows, said) = roster.join(&records);
        assert_eq!(said, [""; 0]);
        let total = |row: &Row| {
            let own = row.record.and_then(|record| class.iter().find(|(name, _)| record.path.ends_with(name)));
            let points = own.map(|(_, points)| *points);
            let lab = || OfLab { of: 100.0, total: points, told: vec!["12 h late".into()], ..OfLab::default() };
            Total { labs: labs.iter().map(|_| lab()).collect(), points, of: 100.0, handed_in: None }
        };
        let totals: Vec<Total> = rows.iter().map(total).collect();
        let said = write(&course, &roster, (&rows, &totals), folder.path(), false).unwrap();
        (said, folder)
    }

    /// The paths in a zip, and the texts.
    fn zipped(file: &Path) -> Vec<(String, String)> {
        let mut zip = zip::ZipArchive::new(fs::File::open(file).unwrap()).unwrap();
        let names: Vec<String> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
        let text = |name: &String| std::io::read_to_string(zip.by_name(name).unwrap()).unwrap();
        let texts: Vec<String> = names.iter().map(text).collect();
        names.into_iter().zip(texts).collect()
    }

    #[test]
    fn moodles_worksheet_goes_back_with_all_its_columns_and_feedback_under_its_names() {
        let class = [
            ("Jane Doe_101_assignsubmission_file_", 72.5),
            ("Sá Ana_102_assignsubmission_file_my_labs.zip", 104.0),
            ("Bo Li_104_assignsubmission_file_", 10.0),
        ];
        let (said, folder) = graded(MOODLE, "", &class, &["gemm"]);
        let text = fs::read_to_string(folder.path().join("moodle/worksheet.csv")).unwrap();
        let expected = MOODLE
            .replace("grading,,50.00,Yes,\"Monday", "grading,36.25,50.00,Yes,\"Monday")
            .replace("grading,,50.00,Yes,\"Tuesday", "grading,50,50.00,Yes,\"Tuesday")
            .replace("-,See me.", "-,See me.Total: 72.5 of 100; 12 h late")
            .replace("8:00 AM\",-,\n", "8:00 AM\",-,Total: 104 of 100; 12 h late\n");
        assert_eq!(text, expected);
        assert_eq!(
            said,
            [
                "Sá, Ana: 52 are more than the 50 that Moodle takes",
                "Bo Li: the worksheet says that the grade cannot be changed"
            ]
        );
        // Graded again with what was written: the comment is not written twice, and all is as it was.
        let (_, again) = graded(&text, "", &class, &["gemm"]);
        assert_eq!(fs::read_to_string(again.path().join("moodle/worksheet.csv")).unwrap(), text);
        let zip = zipped(&folder.path().join("moodle/feedback.zip"));
        assert_eq!(zip[0], ("Jane Doe_101_assignsubmission_file_/feedback.html".into(), "Jane Doe_101".into()));
        assert_eq!(zip[1].0, "Sá Ana_102_assignsubmission_file_/feedback.html");
    }

    #[test]
    fn a_worksheet_in_another_language_is_read_by_the_columns_that_a_person_names() {
        let text = "ID;Vollständiger Name;Bewertung;Bestwertung;Zuletzt geändert (Abgabe)\n\
                    Teilnehmer/in 101;Jane Doe;;100,00;Montag, 30. November 2026, 23:59\n";
        let columns = "grade=Bewertung,most=Bestwertung,name=Vollständiger Name,handed_in=Zuletzt geändert (Abgabe)";
        let (said, folder) = graded(text, columns, &[("Jane Doe_101_assignsubmission_file_", 72.0)], &["gemm"]);
        let written = fs::read_to_string(folder.path().join("moodle/worksheet.csv")).unwrap();
        assert_eq!((written, said), (text.replace("Doe;;", "Doe;72;"), Vec::new()));
    }

    #[test]
    fn canvas_gradebook_gets_each_labs_column_and_comments_under_the_two_numbers() {
        let class = [("doejane_101_9001_labs.zip", 72.5), ("libo_LATE_104_9002_2_naive.cu", 105.0)];
        let (said, folder) = graded(CANVAS, "", &class, &["gemm"]);
        let text = fs::read_to_string(folder.path().join("canvas/gradebook.csv")).unwrap();
        let expected = CANVAS.replace("jdoe,A,,7.00", "jdoe,A,72.5,7.00").replace("bli,A,,,", "bli,A,105,,");
        assert_eq!((text, said), (expected, Vec::new()));
        let zip = zipped(&folder.path().join("canvas/feedback.zip"));
        let names: Vec<&str> = zip.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["doejane_101_9001_feedback.html", "libo_LATE_104_9002_feedback.html"]);
        // A lab that no column names is asked about, and a person's word counts.
        let (said, folder) = graded(CANVAS, "", &class, &["streams"]);
        assert!(said[0].contains("--columns 'streams=TITLE'") && !folder.path().join("canvas/gradebook.csv").exists());
        let (_, folder) = graded(CANVAS, "streams=Lab gemv (4712)", &class, &["streams"]);
        let text = fs::read_to_string(folder.path().join("canvas/gradebook.csv")).unwrap();
        assert!(text.contains("jdoe,A,,72.5,"), "{text}");
    }
}
