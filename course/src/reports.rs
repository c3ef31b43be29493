//! Renderings of records: a table, Gradescope's results.json, JUnit XML, CSV, pages.

use crate::copies;
use crate::dates;
use crate::escape::{cell, line, markup, shown};
use crate::grade::{Record, write_whole};
use crate::lateness;
use crate::leaderboard;
use crate::marking::{self, ClassMarks, Marks, Sum};
use crate::page;
use crate::record::story;
use crate::roster::{Roster, Row, Student};
use anyhow::Context;
use exercises::lines::{LONGEST_STORY, capped};
use exercises::table::{Course, Exercise, Lab};
use exercises::technique::References;
use exercises::verdict::{State, Verdict};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Bytes of a reason in a table.
const LONGEST_LINE: usize = 300;

/// Writes every file of a class into a folder. Returns what does not fit together, a line each.
///
/// # Errors
/// A folder that cannot be written.
pub fn write(course: &Course, roster: &Roster, records: &[Record], out: &Path) -> anyhow::Result<Vec<String>> {
    let put = |path: String, text: String| fs::write(out.join(&path), text).with_context(|| path.clone());
    for folder in ["gradescope", "junit", "pages"] {
        fs::create_dir_all(out.join(folder))?;
    }
    let references = References::read(&course.root)?;
    let class_marks = marking::of_class(out, records)?;
    for record in records {
        let marks = &class_marks[&record.name];
        put_gradescope(course, record, marks, &out.join(format!("gradescope/{}.json", record.name)))?;
        put(format!("junit/{}.xml", record.name), junit(course, record, marks))?;
        put(format!("pages/{}.html", record.name), page::student(course, &references, record, marks, records))?;
    }
    roster.ask(records.iter().map(|record| (record.name.as_str(), &record.owner)))?;
    let (rows, said) = roster.join(records);
    put("class.csv".to_owned(), csv(course, &rows, &class_marks)?)?;
    if let Some(page) = leaderboard::render(course, &references, &rows) {
        put("leaderboard.html".to_owned(), page)?;
    }
    put("class.html".to_owned(), page::class(course, &rows, &class_marks, &said))?;
    Ok(said)
}

/// One line per submission: its points, and those of each lab where there are several; a hyphen where nothing of a lab came.
pub fn table(course: &Course, records: &[Record]) -> String {
    let labs: &[Lab] = if course.labs.len() > 1 { &course.labs } else { &[] };
    let width = records.iter().map(|record| record.name.chars().count()).max().unwrap_or(0).clamp(10, 32);
    let titles: String = labs.iter().map(|lab| format!("  {:>5}", lab.name)).collect();
    let mut text = format!("{:<width$}  points   of{titles}\n", "submission");
    let copies = copies::of_class(course, records.iter());
    for record in records {
        let cells: String = labs
            .iter()
            .map(|lab| {
                let points = record.points_of(course, lab).map_or("-".to_owned(), |(points, _)| points.to_string());
                format!("  {points:>0$}", lab.name.len().max(5))
            })
            .collect();
        let mut remarks: Vec<String> = record.open_exercises().into_iter().collect();
        match (&record.refused, record.remarkable_notes()) {
            (Some(why), _) => remarks.push(line(&capped(why, LONGEST_LINE))),
            (None, 0) => {}
            (None, 1) => remarks.push("1 note".to_owned()),
            (None, count) => remarks.push(format!("{count} notes")),
        }
        remarks.extend(copies.get(record.name.as_str()).map(|text| line(&capped(text, LONGEST_LINE))));
        let (name, points, of) = (line(&record.name), record.points(), record.of());
        let row = format!("{name:<width$}  {points:>6} {of:>4}{cells}  {}", remarks.join("; "));
        text.push_str(&format!("{}\n", row.trim_end()));
    }
    text
}

/// The intake's report with what a person should look at first, for a cell that has room for the first lines.
fn remarkable(record: &Record) -> String {
    let mut notes: Vec<_> = record.notes.iter().collect();
    notes.sort_by_key(|note| !note.is_remarkable());
    notes.iter().map(|note| format!("{}\n", line(&note.to_string()))).collect()
}

/// The intake's report, a line for each note; empty where there is none.
pub fn intake(record: &Record) -> String {
    record.notes.iter().map(|note| format!("{}\n", line(&note.to_string()))).collect()
}

/// The labs of which nothing was handed in.
fn absent<'a>(course: &'a Course, record: &Record) -> Vec<&'a str> {
    course.labs.iter().filter(|lab| record.lacks_lab(course, lab)).map(|lab| lab.name.as_str()).collect()
}

/// Gradescope's format: <https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format>. Exercises without a verdict yet are
/// there without points, so that the list is whole at any time; those of a lab of which nothing came are not, because each would be red there.
/// Optional ones have no points of their own there: theirs come on top. The marks of written answers stand in its text, and not in its score.
pub fn gradescope(course: &Course, record: &Record, marks: &Marks) -> Value {
    let absent = absent(course, record);
    let test = |exercise: &Exercise| {
        let verdict = record.verdicts.iter().find(|verdict| verdict.exercise == exercise.id());
        let mut test = json!({
            "name": exercise.id(),
            "score": verdict.map_or(0, |verdict| verdict.points),
            "max_score": if exercise.bonus { 0 } else { exercise.points },
            "output": verdict.map_or("not judged: the grading ended before this exercise".to_owned(), output),
            "visibility": "visible",
        });
        // One that is to be repeated has neither passed nor failed.
        let open = verdict.is_none_or(|verdict| !verdict.state.is_final());
        if !open && !verdict.is_some_and(Verdict::left_out) {
            let passed = verdict.is_some_and(Verdict::passed);
            test["status"] = if passed { "passed" } else { "failed" }.into();
        }
        test
    };
    let refused = record.refused.iter().map(|why| format!("\n\nThe submission was refused: {}", shown(why)));
    let notes = Some(intake(record)).filter(|notes| !notes.is_empty()).map(|notes| format!("\n\n{}", notes.trim_end()));
    let receipts = record.receipts(course);
    let receipts: String = receipts.iter().map(|(lab, receipt)| format!("\nreceipt {lab}: {receipt}")).collect();
    let marks: String = marks.told(course).iter().map(|line| format!("\n{line}")).collect();
    let not_here = absent.iter().map(|lab| format!("\nnothing of {lab} was handed in"));
    let remarks: String = refused.chain(notes).chain([receipts, marks]).chain(not_here).collect();
    let labs = course.labs.iter().filter_map(|lab| {
        let (points, of) = record.points_of(course, lab)?;
        Some((lab.name.clone(), json!({ "points": points, "of": of })))
    });
    let labs: serde_json::Map<String, Value> = labs.collect();
    // At the head, because these points are not the student's last ones.
    let head = record.open_exercises().map_or(String::new(), |text| {
        format!(
            "NOT COMPLETE: {text}. No points so far for {0}, which is not your fault; grading this submission again judges {0}.\n\n",
            if record.to_be_repeated() == 1 { "it" } else { "them" }
        )
    });
    let tests = course.exercises.iter().filter(|exercise| !absent.contains(&exercise.lab.as_str()));
    json!({
        "score": record.points(),
        "output": format!("{head}seed {}, {}, commit {}{remarks}", record.seed, record.device, record.commit),
        "output_format": "text",
        "tests": tests.map(test).collect::<Vec<_>>(),
        "extra_data": { "seed": record.seed, "hashes": record.hashes, "commit": record.commit, "complete": record.complete, "labs": labs },
    })
}

/// Writes a record's results.json.
///
/// # Errors
/// A folder that cannot be written.
pub fn put_gradescope(course: &Course, record: &Record, marks: &Marks, file: &Path) -> anyhow::Result<()> {
    write_whole(file, &gradescope(course, record, marks))
}

fn output(verdict: &Verdict) -> String {
    let replay = match verdict.state {
        State::Passed | State::NotStarted => String::new(),
        _ => format!("\nreplay: just verdict {} --seed {}", verdict.exercise, verdict.seed),
    };
    let story = shown(&capped(&story(verdict), LONGEST_STORY));
    format!("{}\n{story}{replay}", verdict.state.words()).trim_end().to_owned()
}

/// How a case of JUnit ended.
enum Case {
    Passed,
    Skipped,
    Failed,
    /// To be repeated: the machine's affair.
    Error,
}

/// One suite per submission, one case per exercise: the form that CI servers read.
fn junit(course: &Course, record: &Record, marks: &Marks) -> String {
    let absent = absent(course, record);
    let case = |verdict: &Verdict| match verdict.state {
        State::Passed => Case::Passed,
        State::ToBeRepeated => Case::Error,
        _ if absent.iter().any(|lab| verdict.exercise.starts_with(&format!("{lab}/"))) => Case::Skipped,
        _ if verdict.left_out() => Case::Skipped,
        _ => Case::Failed,
    };
    let count = |of: fn(&Case) -> bool| record.verdicts.iter().filter(|verdict| of(&case(verdict))).count();
    let time = |id: &str| record.seconds.get(id).copied().unwrap_or_default();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">\n",
        markup(&record.name),
        record.verdicts.len(),
        count(|case| matches!(case, Case::Failed)),
        count(|case| matches!(case, Case::Error)),
        count(|case| matches!(case, Case::Skipped)),
        record.verdicts.iter().map(|verdict| time(&verdict.exercise)).sum::<f64>(),
    );
    for verdict in &record.verdicts {
        let (lab, name) = verdict.exercise.split_once('/').unwrap_or(("", &verdict.exercise));
        let head = format!(
            "  <testcase classname=\"{lab}\" name=\"{name} ({} of {} points)\" time=\"{:.3}\"",
            verdict.points,
            verdict.of,
            time(&verdict.exercise)
        );
        let (words, story) = (verdict.state.words(), markup(&output(verdict)));
        text.push_str(&match case(verdict) {
            Case::Passed => format!("{head}/>\n"),
            Case::Skipped => format!("{head}>\n    <skipped message=\"{words}\"/>\n  </testcase>\n"),
            Case::Failed => format!("{head}>\n    <failure message=\"{words}\">{story}</failure>\n  </testcase>\n"),
            Case::Error => format!("{head}>\n    <error message=\"{words}\">{story}</error>\n  </testcase>\n"),
        });
    }
    let remarks: String = record.refused.iter().map(|why| format!("refused: {why}\n")).collect();
    let receipts: String =
        record.receipts(course).iter().map(|(lab, receipt)| format!("receipt {lab}: {receipt}\n")).collect();
    let marks: String = marks.told(course).iter().map(|line| format!("{line}\n")).collect();
    let remarks = remarks + &intake(record) + &receipts + &marks;
    if !remarks.is_empty() {
        text.push_str(&format!("  <system-out>{}</system-out>\n", markup(&remarks)));
    }
    text + "</testsuite>\n</testsuites>\n"
}

/// A line for each row of the class. Where something is to be repeated, and where nothing came, a cell is empty: that is no zero.
fn csv(course: &Course, rows: &[Row], class_marks: &ClassMarks) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let first = [
        "name",
        "points",
        "of",
        "seed",
        "refused",
        "notes",
        "student",
        "id",
        "to_be_repeated",
        "handed_in",
        "handed_in_by",
        "same_hash_as",
    ];
    let mut head = first.map(str::to_owned).to_vec();
    for lab in &course.labs {
        head.extend(["", " of", " late"].map(|what| format!("{}{what}", lab.name)));
    }
    head.extend(course.exercises.iter().map(|exercise| exercise.id()));
    // The points that a person gives, where anything is marked: then a cell that is empty has no marks yet.
    let marked: Vec<&Lab> =
        course.labs.iter().filter(|lab| class_marks.values().any(|marks| marks.sum(course, lab).marked > 0)).collect();
    for lab in &marked {
        head.extend(["", " of", " marked"].map(|what| format!("{} answers{what}", lab.name)));
    }
    writer.write_record(&head)?;
    let copies = copies::of_class(course, rows.iter().filter_map(|row| row.record));
    for Row { student, record } in rows {
        let known = |of: fn(&Student) -> &str| student.map_or(String::new(), |student| cell(of(student)));
        let owner = [known(Student::shown), known(|student| &student.id)];
        let Some(record) = record else {
            let mut row = vec![String::new(); head.len()];
            row[4] = "nothing was handed in".to_owned();
            row[6..8].clone_from_slice(&owner);
            writer.write_record(&row)?;
            continue;
        };
        let sum = |points: u32, open: bool| if open { String::new() } else { points.to_string() };
        let mut row = vec![
            cell(&record.name),
            sum(record.points(), !record.complete),
            record.of().to_string(),
            record.seed.to_string(),
            cell(&capped(record.refused.as_deref().unwrap_or_default(), LONGEST_LINE)),
            cell(&capped(remarkable(record).trim_end(), LONGEST_LINE)),
        ];
        row.extend(owner);
        let handed_in = lateness::handed_in(record, *student);
        row.push(record.to_be_repeated().to_string());
        row.push(handed_in.map_or(String::new(), |handed_in| dates::shown(handed_in.at)));
        row.push(handed_in.map_or(String::new(), |handed_in| handed_in.by.to_owned()));
        row.push(copies.get(record.name.as_str()).map_or(String::new(), |text| cell(&capped(text, LONGEST_LINE))));
        for lab in &course.labs {
            let open = record.of_lab(&lab.name).any(|verdict| !verdict.state.is_final());
            let points = record.points_of(course, lab);
            row.push(points.map_or(String::new(), |(points, _)| sum(points, open)));
            row.push(course.points(&lab.name).to_string());
            row.push(points.map_or(String::new(), |_| lateness::late(record, lab, handed_in)));
        }
        for exercise in &course.exercises {
            let verdict = record.verdicts.iter().find(|verdict| verdict.exercise == exercise.id());
            let verdict = verdict.filter(|verdict| verdict.state.is_final());
            row.push(verdict.map_or(String::new(), |verdict| verdict.points.to_string()));
        }
        for lab in &marked {
            let sum = class_marks.get(&record.name).map(|marks| marks.sum(course, lab)).unwrap_or_default();
            let Sum { points, of, marked, questions } = sum;
            row.push(if marked > 0 { points.to_string() } else { String::new() });
            row.extend([of.to_string(), format!("{marked} of {questions}")]);
        }
        writer.write_record(&row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
