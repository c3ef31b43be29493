//! Renderings of records: a table, Gradescope's results.json, JUnit XML, CSV, pages.

use crate::grade::Record;
use crate::page::{self, escaped};
use anyhow::Context;
use exercises::table::Course;
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
    for record in records {
        put(format!("gradescope/{}.json", record.name), serde_json::to_string_pretty(&gradescope(record))?)?;
        put(format!("junit/{}.xml", record.name), junit(record))?;
        put(format!("pages/{}.html", record.name), page::student(course, record, records))?;
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

/// Gradescope's format: <https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format>.
pub fn gradescope(record: &Record) -> Value {
    let test = |verdict: &Verdict| {
        json!({
            "name": verdict.exercise,
            "score": verdict.points,
            "max_score": verdict.of,
            "status": if verdict.passed() { "passed" } else { "failed" },
            "output": output(verdict),
            "visibility": "visible",
        })
    };
    let refused = record.refused.iter().map(|why| format!("\n\nThe submission was refused: {why}")).collect::<String>();
    json!({
        "score": record.points(),
        "output": format!("seed {}, {}, commit {}{refused}", record.seed, record.device, record.commit),
        "output_format": "text",
        "tests": record.verdicts.iter().map(test).collect::<Vec<_>>(),
        "extra_data": { "seed": record.seed, "hashes": record.hashes, "commit": record.commit, "complete": record.complete },
    })
}

fn output(verdict: &Verdict) -> String {
    let replay = match verdict.state {
        State::Passed | State::NotStarted => String::new(),
        _ => format!("\nreplay: just verdict {} --seed {}", verdict.exercise, verdict.seed),
    };
    format!("{}\n{}{replay}", verdict.state.words(), verdict.story).trim_end().to_owned()
}

fn junit(record: &Record) -> String {
    let failed = record.verdicts.iter().filter(|verdict| !verdict.passed()).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\">\n",
        escaped(&record.name),
        record.verdicts.len()
    );
    for verdict in &record.verdicts {
        let (lab, name) = verdict.exercise.split_once('/').unwrap_or(("", &verdict.exercise));
        let head =
            format!("  <testcase classname=\"{lab}\" name=\"{name} ({} of {} points)\"", verdict.points, verdict.of);
        if verdict.passed() {
            text.push_str(&format!("{head}/>\n"));
        } else {
            let (words, story) = (verdict.state.words(), escaped(&output(verdict)));
            text.push_str(&format!("{head}>\n    <failure message=\"{words}\">{story}</failure>\n  </testcase>\n"));
        }
    }
    text + "</testsuite>\n"
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
