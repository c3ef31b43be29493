//! Renderings of records: a table, Gradescope's results.json, JUnit XML, CSV, pages.

use crate::escape::{cell, line, markup, shown};
use crate::grade::{Record, write_whole};
use crate::page;
use anyhow::Context;
use exercises::lines::{LONGEST_STORY, capped};
use exercises::table::{Course, Exercise};
use exercises::technique::References;
use exercises::verdict::{State, Verdict};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Bytes of a reason in a table.
const LONGEST_LINE: usize = 300;

/// Writes every file of a class into a folder.
///
/// # Errors
/// A folder that cannot be written.
pub fn write(course: &Course, records: &[Record], out: &Path) -> anyhow::Result<()> {
    let put = |path: String, text: String| fs::write(out.join(&path), text).with_context(|| path.clone());
    for folder in ["gradescope", "junit", "pages"] {
        fs::create_dir_all(out.join(folder))?;
    }
    let references = References::read(&course.root)?;
    for record in records {
        put_gradescope(course, record, &out.join(format!("gradescope/{}.json", record.name)))?;
        put(format!("junit/{}.xml", record.name), junit(record))?;
        put(format!("pages/{}.html", record.name), page::student(course, &references, record, records))?;
    }
    put("class.csv".to_owned(), csv(course, records)?)?;
    put("class.html".to_owned(), page::class(course, records))
}

/// One line per submission.
pub fn table(records: &[Record]) -> String {
    let mut text = String::new();
    for record in records {
        let passed = record.verdicts.iter().filter(|verdict| verdict.passed()).count();
        let remarks = match (&record.refused, record.remarkable_notes()) {
            (Some(why), _) => format!("  {}", line(&capped(why, LONGEST_LINE))),
            (None, 0) => String::new(),
            (None, 1) => "  1 note".to_owned(),
            (None, count) => format!("  {count} notes"),
        };
        let remarks =
            format!("{}{remarks}", record.open_exercises().map(|text| format!("  {text}")).unwrap_or_default());
        text.push_str(&format!(
            "{:<32} {:>4} of {:>4}  {passed:>2} passed  seed {}{remarks}\n",
            line(&record.name),
            record.points(),
            record.of(),
            record.seed,
        ));
    }
    text
}

/// The intake's report, a line for each note; empty where there is none.
pub fn intake(record: &Record) -> String {
    record.notes.iter().map(|note| format!("{}\n", line(&note.to_string()))).collect()
}

/// Gradescope's format: <https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format>. Exercises without a verdict yet are
/// there without points, so that the list is whole at any time. Optional ones have no points of their own there: theirs come on top.
pub fn gradescope(course: &Course, record: &Record) -> Value {
    let test = |exercise: &Exercise| {
        let verdict = record.verdicts.iter().find(|verdict| verdict.exercise == exercise.id());
        let mut test = json!({
            "name": exercise.id(),
            "score": verdict.map_or(0, |verdict| verdict.points),
            "max_score": if exercise.bonus { 0 } else { exercise.points },
            "output": verdict.map_or("not judged: the grading ended before this exercise".to_owned(), output),
            "visibility": "visible",
        });
        if !verdict.is_some_and(Verdict::left_out) {
            let passed = verdict.is_some_and(Verdict::passed);
            test["status"] = if passed { "passed" } else { "failed" }.into();
        }
        test
    };
    let refused = record.refused.iter().map(|why| format!("\n\nThe submission was refused: {}", shown(why)));
    let notes = Some(intake(record)).filter(|notes| !notes.is_empty()).map(|notes| format!("\n\n{}", notes.trim_end()));
    let remarks: String = refused.chain(notes).collect();
    // At the head, because these points are not the student's last ones.
    let head = record.open_exercises().map_or(String::new(), |text| {
        format!(
            "NOT COMPLETE: {text}. They have no points so far, which is not your fault; grading this submission again judges them.\n\n"
        )
    });
    json!({
        "score": record.points(),
        "output": format!("{head}seed {}, {}, commit {}{remarks}", record.seed, record.device, record.commit),
        "output_format": "text",
        "tests": course.exercises.iter().map(test).collect::<Vec<_>>(),
        "extra_data": { "seed": record.seed, "hashes": record.hashes, "commit": record.commit, "complete": record.complete },
    })
}

/// Writes a record's results.json.
///
/// # Errors
/// A folder that cannot be written.
pub fn put_gradescope(course: &Course, record: &Record, file: &Path) -> anyhow::Result<()> {
    write_whole(file, &gradescope(course, record))
}

fn output(verdict: &Verdict) -> String {
    let replay = match verdict.state {
        State::Passed | State::NotStarted => String::new(),
        _ => format!("\nreplay: just verdict {} --seed {}", verdict.exercise, verdict.seed),
    };
    let story = shown(&capped(&verdict.story, LONGEST_STORY));
    format!("{}\n{story}{replay}", verdict.state.words()).trim_end().to_owned()
}

/// One suite per submission, one case per exercise: the form that CI servers read.
fn junit(record: &Record) -> String {
    let count = |of: fn(&Verdict) -> bool| record.verdicts.iter().filter(|verdict| of(verdict)).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n",
        markup(&record.name),
        record.verdicts.len(),
        count(|verdict| !verdict.passed() && !verdict.left_out()),
        count(Verdict::left_out),
    );
    for verdict in &record.verdicts {
        let (lab, name) = verdict.exercise.split_once('/').unwrap_or(("", &verdict.exercise));
        let head =
            format!("  <testcase classname=\"{lab}\" name=\"{name} ({} of {} points)\"", verdict.points, verdict.of);
        let (words, story) = (verdict.state.words(), markup(&output(verdict)));
        text.push_str(&match (verdict.passed(), verdict.left_out()) {
            (true, _) => format!("{head}/>\n"),
            (_, true) => format!("{head}>\n    <skipped message=\"{words}\"/>\n  </testcase>\n"),
            _ => format!("{head}>\n    <failure message=\"{words}\">{story}</failure>\n  </testcase>\n"),
        });
    }
    let remarks: String = record.refused.iter().map(|why| format!("refused: {why}\n")).collect();
    let remarks = remarks + &intake(record);
    if !remarks.is_empty() {
        text.push_str(&format!("  <system-out>{}</system-out>\n", markup(&remarks)));
    }
    text + "</testsuite>\n</testsuites>\n"
}

fn csv(course: &Course, records: &[Record]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut head = ["name", "points", "of", "seed", "refused", "notes"].map(str::to_owned).to_vec();
    head.extend(course.exercises.iter().map(|exercise| exercise.id()));
    writer.write_record(&head)?;
    for record in records {
        let mut row =
            vec![cell(&record.name), record.points().to_string(), record.of().to_string(), record.seed.to_string()];
        row.push(cell(&capped(record.refused.as_deref().unwrap_or_default(), LONGEST_LINE)));
        row.push(cell(&capped(intake(record).trim_end(), LONGEST_LINE)));
        for exercise in &course.exercises {
            let verdict = record.verdicts.iter().find(|verdict| verdict.exercise == exercise.id());
            row.push(verdict.map_or(String::new(), |verdict| verdict.points.to_string()));
        }
        writer.write_record(&row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
