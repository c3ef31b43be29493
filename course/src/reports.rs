//! Renderings of records: a table, Gradescope's results.json, JUnit XML, CSV, pages.

use crate::grade::{Record, write_whole};
use crate::page::{self, escaped};
use anyhow::Context;
use exercises::table::{Course, Exercise};
use exercises::technique::References;
use exercises::verdict::{State, Verdict};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

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
        let note = record.refused.as_deref().map(|why| format!("  {}", why.lines().next().unwrap_or_default()));
        text.push_str(&format!(
            "{:<32} {:>4} of {:>4}  {passed:>2} passed  seed {}{}\n",
            record.name,
            record.points(),
            record.of(),
            record.seed,
            note.unwrap_or_default()
        ));
    }
    text
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
    let refused = record.refused.iter().map(|why| format!("\n\nThe submission was refused: {why}")).collect::<String>();
    json!({
        "score": record.points(),
        "output": format!("seed {}, {}, commit {}{refused}", record.seed, record.device, record.commit),
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
    format!("{}\n{}{replay}", verdict.state.words(), verdict.story).trim_end().to_owned()
}

/// One suite per submission, one case per exercise: the form that CI servers read.
fn junit(record: &Record) -> String {
    let count = |of: fn(&Verdict) -> bool| record.verdicts.iter().filter(|verdict| of(verdict)).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n",
        escaped(&record.name),
        record.verdicts.len(),
        count(|verdict| !verdict.passed() && !verdict.left_out()),
        count(Verdict::left_out),
    );
    for verdict in &record.verdicts {
        let (lab, name) = verdict.exercise.split_once('/').unwrap_or(("", &verdict.exercise));
        let head =
            format!("  <testcase classname=\"{lab}\" name=\"{name} ({} of {} points)\"", verdict.points, verdict.of);
        let (words, story) = (verdict.state.words(), escaped(&output(verdict)));
        text.push_str(&match (verdict.passed(), verdict.left_out()) {
            (true, _) => format!("{head}/>\n"),
            (_, true) => format!("{head}>\n    <skipped message=\"{words}\"/>\n  </testcase>\n"),
            _ => format!("{head}>\n    <failure message=\"{words}\">{story}</failure>\n  </testcase>\n"),
        });
    }
    text + "</testsuite>\n</testsuites>\n"
}

fn csv(course: &Course, records: &[Record]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut head =
        vec!["name".to_owned(), "points".to_owned(), "of".to_owned(), "seed".to_owned(), "refused".to_owned()];
    head.extend(course.exercises.iter().map(|exercise| exercise.id()));
    writer.write_record(&head)?;
    for record in records {
        let mut row =
            vec![plain(&record.name), record.points().to_string(), record.of().to_string(), record.seed.to_string()];
        row.push(plain(record.refused.as_deref().unwrap_or_default()));
        for exercise in &course.exercises {
            let verdict = record.verdicts.iter().find(|verdict| verdict.exercise == exercise.id());
            row.push(verdict.map_or(String::new(), |verdict| verdict.points.to_string()));
        }
        writer.write_record(&row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// A text that a spreadsheet does not take for a formula.
fn plain(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_formula() {
        assert_eq!(plain("=1+1"), "'=1+1");
    }
}
