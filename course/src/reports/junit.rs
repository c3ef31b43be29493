//! JUnit XML, the form that CI servers read.

use super::escape::markup;
use super::parts::{intake, labs_not_handed_in, verdict_text};
use crate::marking::Marks;
use crate::record::Record;
use exercises::table::Course;
use exercises::verdict::{State, Verdict};

/// How a case of JUnit ended.
enum Case {
    Passed,
    Skipped,
    Failed,
    /// To be repeated: the machine's affair.
    Error,
}

/// One suite per submission, one case per exercise: the form that CI servers read.
pub fn render(course: &Course, record: &Record, marks: &Marks) -> String {
    let left_out = labs_not_handed_in(course, record);
    let case = |verdict: &Verdict| match verdict.state {
        State::Passed => Case::Passed,
        State::ToBeRepeated => Case::Error,
        _ if left_out.iter().any(|lab| verdict.exercise.starts_with(&format!("{lab}/"))) => Case::Skipped,
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
        let (words, story) = (verdict.state.words(), markup(&verdict_text(verdict)));
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
