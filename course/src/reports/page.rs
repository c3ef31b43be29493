//! Pages: one for a student, one for the class. Each is one file with its style and its plots inside; nothing is fetched.

use super::parts::{repeats, replay};
use crate::copies;
use crate::escape::{markup, markup_within};
use crate::intake::Note;
use crate::marking::{self, ClassMarks, MOST, Marks, Question, Sum};
use crate::platforms::Row;
use crate::record::Record;
use crate::record::story;
use crate::totals::Total;
use exercises::table::{Course, Lab};
use exercises::technique::References;
use exercises::verdict::{Panel, Verdict};
use exercises::watch::{PANEL, short};
use std::collections::BTreeSet;

/// Bytes of all stories in one page, and of all notes; with the strips a page stays below a megabyte, whatever was handed in.
const STORIES: usize = 300 << 10;
const NOTES: usize = 64 << 10;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}\
td.n,th.n{text-align:right;white-space:nowrap}td.r{overflow-wrap:anywhere;min-width:12rem}pre{background:#f4f4f4;padding:.6rem;overflow-x:auto;white-space:pre-wrap;margin:.3rem 0}\
.ok{color:#06703a}.no{color:#a3210b}svg{vertical-align:middle}code,li{overflow-wrap:anywhere}.wide{overflow-x:auto}.strip{white-space:nowrap;font-size:13px}\
@media(max-width:56rem){body{margin:1rem auto}.b{display:none}.cards,.cards tbody,.cards tr,.cards td{display:block}.cards th{display:none}\
.cards tr{padding:.5rem 0;border-bottom:1px solid #ddd}.cards td{padding:.1rem 0;border:0;text-align:left}.strip{white-space:normal}\
.cards td:nth-child(-n+2){display:inline-block;margin-right:1rem;font-weight:bold}}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#222}td,th{border-color:#444}.ok{color:#5bd08f}.no{color:#ff8a73}}";

/// A page of this style: its title is its first heading.
pub fn page(title: &str, body: &str) -> String {
    let title = markup(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{title}</title><style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n{body}</body></html>\n"
    )
}

/// The meaning of the marks of a strip; the same colours as in [`strip`].
const LEGEND: &str = "<p><svg width=\"12\" height=\"12\" role=\"img\" aria-label=\"blue dot\"><circle cx=\"6\" cy=\"6\" r=\"4\" fill=\"#1f77b4\"/></svg> this submission · \
<svg width=\"12\" height=\"12\" role=\"img\" aria-label=\"grey dot\"><circle cx=\"6\" cy=\"6\" r=\"3\" fill=\"#999\"/></svg> the class, where the result is right · \
<svg width=\"12\" height=\"12\" role=\"img\" aria-label=\"orange line\"><line x1=\"6\" x2=\"6\" y1=\"0\" y2=\"12\" stroke=\"#d95f02\" stroke-width=\"2\"/></svg> the reference. \
Each strip begins at 0.</p>\n";

/// Scores, messages and figures of one submission; its figures as dots among the class's, with the reference as a line. `total`: where it may
/// differ from the verdicts' points.
pub fn student(
    course: &Course,
    references: &References,
    record: &Record,
    (marks, total): (&Marks, Option<&Total>),
    class: &[Record],
) -> String {
    let mut body = format!(
        "<p><strong>{} of {} points</strong>{} · seed {} · {} · commit <code>{}</code></p>\n",
        record.points(),
        record.of(),
        if course.labs.len() > 1 { totals(course, record) } else { String::new() },
        record.seed,
        markup(&record.device),
        markup(&record.commit)
    );
    body.push_str(&total.map_or(String::new(), in_words));
    if let Some(text) = record.open_exercises() {
        body.push_str(&format!(
            "<p class=\"no\"><strong>Not complete: {text}.</strong> No points so far for {}, which is not the student's doing; grading this submission again judges {0}.</p>\n",
            if record.to_be_repeated() == 1 { "it" } else { "them" }
        ));
    }
    if let Some(why) = &record.refused {
        body.push_str(&format!("<p class=\"no\">Refused: {}</p>\n", markup_within(why, NOTES / 4)));
    }
    if !record.notes.is_empty() {
        let room = NOTES / record.notes.len();
        let line = |note: &Note| format!("<li>{}</li>\n", markup_within(&note.to_string(), room));
        let lines: String = record.notes.iter().map(line).collect();
        body.push_str(&format!("<p>How the submission was read:</p>\n<ul>\n{lines}</ul>\n"));
    }
    let receipts = record.receipts(course);
    if !receipts.is_empty() {
        let all: Vec<String> = receipts.iter().map(|(lab, receipt)| format!("{lab} <code>{receipt}</code>")).collect();
        body.push_str(&format!("<p>Receipts, as <code>just submission</code> printed them: {}</p>\n", all.join(", ")));
    }
    body.push_str(LEGEND);
    for lab in &course.labs {
        body.push_str(&format!("<h2>{}</h2>\n", markup(&lab.name)));
        if record.lacks_lab(course, lab) {
            let of = match course.points(&lab.name) {
                0 => String::new(),
                points => format!(": 0 of {points} points"),
            };
            body.push_str(&format!("<p>Nothing of this lab was handed in{of}.</p>\n"));
            continue;
        }
        body.push_str("<table class=\"cards\">\n<tr><th>exercise</th><th>points</th><th>verdict</th><th>figures, beside the class and the reference</th></tr>\n");
        for verdict in record.of_lab(&lab.name) {
            let room = STORIES / record.verdicts.len();
            let known = repeats(record, verdict);
            body.push_str(&row(verdict, (room, known), references.panel(&verdict.exercise), class));
        }
        body.push_str("</table>\n");
        body.push_str(&answers(course, lab, marks));
    }
    page(&record.name, &body)
}

/// The marks of the written answers of a lab; empty where there are none yet.
fn answers(course: &Course, lab: &Lab, marks: &Marks) -> String {
    let Sum { points, of, marked, questions } = marks.sum(course, lab);
    if marked == 0 {
        return String::new();
    }
    let row = |question: Question| {
        let mark = marks.0.get(&question.key())?;
        let (key, text, remark) = (question.key(), markup(question.text()), markup_within(&mark.remark, NOTES / 32));
        Some(format!(
            "<tr><td>{key}</td><td class=\"n\">{} of {MOST}</td><td>{text}</td><td>{remark}</td></tr>\n",
            mark.points
        ))
    };
    let rows: String = marking::questions(course, lab).filter_map(row).collect();
    format!(
        "<h3>Answers: {points} of {of} points, {marked} of {questions} marked</h3>\n<table class=\"cards\">\n<tr><th>exercise</th><th>points</th><th>question</th><th>remark</th></tr>\n{rows}</table>\n"
    )
}

/// Points of each lab of which something came, in brackets.
fn totals(course: &Course, record: &Record) -> String {
    let of = |lab: &Lab| {
        let (points, of) = record.points_of(course, lab)?;
        Some(format!("{} {points} of {of}", markup(&lab.name)))
    };
    let all: Vec<String> = course.labs.iter().filter_map(of).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

/// The total, and every rule and decision that made it differ from the verdicts' points.
fn in_words(total: &Total) -> String {
    let points = total.points.map_or("not known yet".to_owned(), |points| format!("{points} of {} points", total.of));
    let lines = total.labs.iter().flat_map(|lab| &lab.told);
    let lines: String = lines.map(|line| format!("<li>{}</li>\n", markup_within(line, NOTES / 32))).collect();
    let lines = if lines.is_empty() { lines } else { format!("<ul>\n{lines}</ul>\n") };
    format!("<p><strong>Total: {points}</strong>, with answers, lateness and decisions</p>\n{lines}")
}

/// `room`: bytes of the story; it is left out where the page has told it already.
fn row(verdict: &Verdict, (room, told): (usize, bool), reference: Option<&Panel>, class: &[Record]) -> String {
    let mark = if verdict.passed() { "ok" } else { "no" };
    let story = format!("{}{}", if told { String::new() } else { story(verdict) }, replay(verdict));
    let story = match story.trim() {
        "" => String::new(),
        story => format!("<pre>{}</pre>", markup_within(story, room)),
    };
    let plots: String =
        PANEL.iter().filter_map(|(name, title)| strip(verdict, reference, class, name, title)).collect();
    format!(
        "<tr><td>{}</td><td class=\"n\">{} of {}</td><td><span class=\"{mark}\">{}</span>{story}</td><td>{plots}</td></tr>\n",
        markup(&verdict.exercise),
        verdict.points,
        verdict.of,
        verdict.state.words()
    )
}

/// A strip of dots from 0 to the largest value: the class in grey, the reference as a line, this one in colour.
fn strip(verdict: &Verdict, reference: Option<&Panel>, class: &[Record], name: &str, title: &str) -> Option<String> {
    let own = *verdict.panel.get(name)?;
    let reference = reference.and_then(|panel| panel.get(name)).copied();
    let all = class
        .iter()
        .flat_map(|record| &record.verdicts)
        .filter(|other| other.exercise == verdict.exercise && other.points > 0);
    let values: Vec<f64> = all.filter_map(|other| other.panel.get(name).copied()).collect();
    let most = values.iter().copied().chain(reference).fold(own.max(1e-9), f64::max);
    let x = |value: f64| 4.0 + 132.0 * value / most;
    // Dots of a class of hundreds lie upon each other: one for every two pixels, as a line without length and with round ends.
    let places: BTreeSet<i32> = values.iter().map(|&value| 2 * (x(value) / 2.0).round() as i32).collect();
    let dots: String = places.iter().map(|x| format!("M{x} 8h0")).collect();
    let grey = format!(
        "<path d=\"{dots}\" stroke=\"#999\" stroke-opacity=\".6\" stroke-width=\"6\" stroke-linecap=\"round\"/>"
    );
    let line = reference.map_or(String::new(), |value| {
        let x = x(value);
        format!("<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"1\" y2=\"15\" stroke=\"#d95f02\" stroke-width=\"2\"/>")
    });
    let beside = reference.map_or(String::new(), |value| format!(" (reference {})", short(value)));
    Some(format!(
        "<div class=\"strip\"><svg width=\"140\" height=\"16\" role=\"img\" aria-label=\"{title}\"><line x1=\"4\" x2=\"136\" y1=\"8\" y2=\"8\" stroke=\"#bbb\"/>{grey}{line}<circle cx=\"{:.1}\" cy=\"8\" r=\"4\" fill=\"#1f77b4\"/></svg> {title}: {}{beside}</div>",
        x(own),
        short(own)
    ))
}

/// All scores, and how many passed each exercise. `said`: what does not fit together; `matter`: totals may differ from the verdicts' points.
pub fn class(
    course: &Course,
    (rows, totals): (&[Row], &[Total]),
    class_marks: &ClassMarks,
    matter: bool,
    said: &[String],
) -> String {
    let records: Vec<&Record> = rows.iter().filter_map(|row| row.record).collect();
    let copies = copies::of_class(course, records.iter().copied());
    let mut body = head(rows, said);
    let labs: &[Lab] = if course.labs.len() > 1 { &course.labs } else { &[] };
    let dated = totals.iter().any(|total| total.labs.iter().any(|lab| !lab.late.is_empty() || lab.hours.is_some()));
    let titles: String = labs.iter().map(|lab| format!("<th class=\"n\">{}</th>", markup(&lab.name))).collect();
    let late = if dated { "<th>late</th>" } else { "" };
    let any_marks = class_marks.values().any(|marks| !marks.0.is_empty());
    let answers = if any_marks { "<th>answers</th>" } else { "" };
    let sum = if matter { "<th class=\"n\">total</th>" } else { "" };
    body.push_str(&format!(
        "<h2>Submissions</h2>\n<div class=\"wide\"><table>\n<tr><th>name</th><th class=\"n\">points</th>{titles}<th class=\"n\">passed</th><th class=\"b\"></th>{answers}{late}{sum}</tr>\n"
    ));
    for (Row { student, record }, total) in rows.iter().zip(totals) {
        let known = student.map_or(String::new(), |student| {
            let id = if student.id.is_empty() { String::new() } else { format!(" ({})", markup(&student.id)) };
            format!("{}{id}", markup(student.display_name()))
        });
        let points = total.points.map_or("–".to_owned(), |points| format!("{points} of {}", total.of));
        let sum = if matter { format!("<td class=\"n\">{points}</td>") } else { String::new() };
        let Some(record) = record else {
            let columns = 3 + labs.len() + usize::from(dated) + usize::from(any_marks);
            body.push_str(&format!(
                "<tr><td class=\"r\">{known}<br><span class=\"no\">nothing was handed in</span></td><td colspan=\"{columns}\"></td>{sum}</tr>\n"
            ));
            continue;
        };
        let passed = record.verdicts.iter().filter(|verdict| verdict.passed()).count();
        let share = if record.of() > 0 { f64::from(record.points()) / f64::from(record.of()) } else { 0.0 };
        let cell = |lab: &Lab| {
            let points = record.points_of(course, lab).map_or("–".to_owned(), |(points, _)| points.to_string());
            format!("<td class=\"n\">{points}</td>")
        };
        let link = format!("<a href=\"pages/{}.html\">{}</a>", address(&record.name), markup(&record.name));
        let name = if known.is_empty() { link } else { format!("{known}<br>{link}") };
        let answers = if any_marks {
            let marks = class_marks.get(&record.name);
            let lines = course.labs.iter().filter_map(|lab| marks?.line(course, lab));
            let lines: Vec<String> = lines.map(|line| markup(line.trim_start_matches("answers "))).collect();
            format!("<td>{}</td>", lines.join("<br>"))
        } else {
            String::new()
        };
        let late = if dated { format!("<td>{}</td>", lateness(course, total)) } else { String::new() };
        body.push_str(&format!(
            "<tr><td class=\"r\">{name}{}</td><td class=\"n\">{} of {}</td>{}<td class=\"n\">{passed}</td><td class=\"b\">{}</td>{answers}{late}{sum}</tr>\n",
            remarks(record) + &copies.get(record.name.as_str()).map_or(String::new(), |text| format!("<br>{}", markup_within(text, 500))),
            record.points(),
            record.of(),
            labs.iter().map(cell).collect::<String>(),
            bar(share)
        ));
    }
    body.push_str("</table></div>\n");
    body.push_str(&passed(course, &records));
    page("The class", &body)
}

/// How many passed each exercise.
fn passed(course: &Course, records: &[&Record]) -> String {
    let mut body =
        "<h2>Exercises</h2>\n<table>\n<tr><th>exercise</th><th class=\"n\">passed</th><th class=\"b\"></th></tr>\n"
            .to_owned();
    for exercise in &course.exercises {
        let verdicts =
            records.iter().flat_map(|record| &record.verdicts).filter(|verdict| verdict.exercise == exercise.id());
        let (mut passed, mut all) = (0u32, 0u32);
        for verdict in verdicts {
            passed += u32::from(verdict.passed());
            all += 1;
        }
        let share = f64::from(passed) / f64::from(all.max(1));
        body.push_str(&format!(
            "<tr><td>{}</td><td class=\"n\">{passed} of {all}</td><td class=\"b\">{}</td></tr>\n",
            exercise.id(),
            bar(share)
        ));
    }
    body + "</table>\n"
}

/// The facts that an instructor has to know before the numbers: what is not final, who was refused, of whom nothing came.
fn head(rows: &[Row], said: &[String]) -> String {
    let records = || rows.iter().filter_map(|row| row.record);
    let names = |records: Vec<&Record>| {
        let names: Vec<String> = records.iter().take(20).map(|record| markup(&record.name)).collect();
        format!("{}{}", names.join(", "), if records.len() > names.len() { ", …" } else { "" })
    };
    let mut text = String::new();
    let open: Vec<&Record> = records().filter(|record| !record.complete).collect();
    if !open.is_empty() {
        text.push_str(&format!(
            "<p class=\"no\"><strong>Not complete: {} to be repeated</strong>, which is the machine's doing and no zero: {}. Next: the same command again.</p>\n",
            counted(open.len(), "submission"),
            names(open)
        ));
    }
    let refused: Vec<&Record> = records().filter(|record| record.refused.is_some()).collect();
    if !refused.is_empty() {
        text.push_str(&format!(
            "<p class=\"no\"><strong>{} refused</strong>: {}.</p>\n",
            counted(refused.len(), "submission"),
            names(refused)
        ));
    }
    let missing = rows.iter().filter(|row| row.record.is_none()).count();
    if missing > 0 {
        text.push_str(&format!("<p class=\"no\">{} handed nothing in.</p>\n", counted(missing, "student")));
    }
    said.iter().for_each(|line| text.push_str(&format!("<p class=\"no\">{}</p>\n", markup_within(line, 2000))));
    text
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// How late each lab is of which something came; who says so.
fn lateness(course: &Course, total: &Total) -> String {
    let late = course.labs.iter().zip(&total.labs).filter(|(_, own)| !own.late.is_empty());
    let all: Vec<String> = match &late.map(|(lab, own)| (&lab.name, &own.late)).collect::<Vec<_>>()[..] {
        [(_, late)] if course.labs.len() == 1 => vec![(*late).clone()],
        several => several.iter().map(|(lab, late)| format!("{} {late}", markup(lab))).collect(),
    };
    let by = total.handed_in.filter(|_| !all.is_empty()).map(|handed_in| format!(" (by the {})", handed_in.by));
    all.join(", ") + &by.unwrap_or_default()
}

/// The reason for a refusal, or how many notes there are; before that, whether anything is to be repeated: lines below the name, where a
/// telephone shows them.
fn remarks(record: &Record) -> String {
    let open =
        record.open_exercises().map_or(String::new(), |text| format!("<br><strong class=\"no\">{text}</strong>"));
    let rest = match (&record.refused, record.remarkable_notes()) {
        (Some(why), _) => format!("<br><span class=\"no\">refused</span>: {}", markup_within(why, 500)),
        (None, 0) => String::new(),
        (None, count) => format!("<br>{}", counted(count, "note")),
    };
    open + &rest
}

fn bar(share: f64) -> String {
    format!(
        "<svg width=\"120\" height=\"12\" role=\"img\" aria-label=\"{0:.0} %\"><rect width=\"120\" height=\"12\" fill=\"#ddd\"/><rect width=\"{1:.0}\" height=\"12\" fill=\"#1f77b4\"/></svg>",
        share * 100.0,
        share * 120.0
    )
}

/// A file's name as a part of an address.
fn address(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use exercises::verdict::State;

    #[test]
    fn a_strip_holds_the_class_the_reference_and_the_own_value() {
        let verdict = |value: f64| Verdict {
            exercise: "gemm/naive".into(),
            state: State::Passed,
            points: 10,
            of: 10,
            bonus: false,
            story: String::new(),
            kind: String::new(),
            panel: Panel::from([("time_us".to_owned(), value)]),
            seed: 1,
            printed: Default::default(),
            case: String::new(),
        };
        let record = |value| Record { verdicts: vec![verdict(value)], ..Record::default() };
        let reference = Panel::from([("time_us".to_owned(), 2.0)]);
        let strip = strip(&verdict(3.0), Some(&reference), &[record(3.0), record(4.0)], "time_us", "time").unwrap();
        // From 4 to 136: 4.0 is the largest.
        for mark in ["d=\"M104 8h0M136 8h0\"", "x1=\"70.0\" x2=\"70.0\"", "cx=\"103.0\" cy=\"8\" r=\"4\""] {
            assert!(strip.contains(mark), "{mark}: {strip}");
        }
        assert!(strip.contains("time: 3 (reference 2)"), "{strip}");
    }

    #[test]
    fn a_name_is_one_part_of_an_address() {
        assert_eq!(address("a b/#1%"), "a%20b%2F%231%25");
    }
}
