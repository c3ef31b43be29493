//! Gradescope's results.json.

use crate::escape::printable;
use crate::marking::Marks;
use crate::record::{Record, write_whole};
use crate::reports::parts::{intake, labs_not_handed_in, verdict_text};
use exercises::table::{Course, Exercise};
use exercises::verdict::Verdict;
use serde_json::{Value, json};
use std::path::Path;

/// Gradescope's format: <https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format>. Exercises without a verdict yet are
/// there without points, so that the list is whole at any time; those of a lab of which nothing came are not, because each would be red there.
/// Optional ones have no points of their own there: theirs come on top. The marks of written answers stand in its text, and not in its score.
pub fn results(course: &Course, record: &Record, marks: &Marks) -> Value {
    let left_out = labs_not_handed_in(course, record);
    let test = |exercise: &Exercise| {
        let verdict = record.verdicts.iter().find(|verdict| verdict.exercise == exercise.id());
        let mut test = json!({
            "name": exercise.id(),
            "score": verdict.map_or(0, |verdict| verdict.points),
            "max_score": if exercise.bonus { 0 } else { exercise.points },
            "output": verdict.map_or("not judged: the grading ended before this exercise".to_owned(), verdict_text),
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
    let refused = record.refused.iter().map(|why| format!("\n\nThe submission was refused: {}", printable(why)));
    let notes = Some(intake(record)).filter(|notes| !notes.is_empty()).map(|notes| format!("\n\n{}", notes.trim_end()));
    let receipts = record.receipts(course);
    let receipts: String = receipts.iter().map(|(lab, receipt)| format!("\nreceipt {lab}: {receipt}")).collect();
    let marks: String = marks.told(course).iter().map(|line| format!("\n{line}")).collect();
    let not_here = left_out.iter().map(|lab| format!("\nnothing of {lab} was handed in"));
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
    // A right result's simulated time is ranked; who takes part, and under which name, is asked there.
    let ranked = record.verdicts.iter().filter(|verdict| verdict.passed());
    let ranked = ranked.filter_map(|verdict| {
        let time = (verdict.panel.get("time_us")? * 1e3).round() / 1e3;
        Some(json!({ "name": format!("{} (us)", verdict.exercise), "value": time, "order": "asc" }))
    });
    let leaderboard: Vec<Value> =
        [json!({ "name": "points", "value": record.points() })].into_iter().chain(ranked).collect();
    let tests = course.exercises.iter().filter(|exercise| !left_out.contains(&exercise.lab.as_str()));
    json!({
        "score": record.points(),
        "output": format!("{head}seed {}, {}, commit {}{remarks}", record.seed, record.device, record.commit),
        "output_format": "text",
        "leaderboard": leaderboard,
        "tests": tests.map(test).collect::<Vec<_>>(),
        "extra_data": { "seed": record.seed, "hashes": record.hashes, "commit": record.commit, "complete": record.complete, "labs": labs },
    })
}

/// Writes a record's results.json.
///
/// # Errors
/// A folder that cannot be written.
pub fn write(course: &Course, record: &Record, marks: &Marks, file: &Path) -> anyhow::Result<()> {
    write_whole(file, &results(course, record, marks))
}
