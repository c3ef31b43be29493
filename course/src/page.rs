//! Pages: one for a student, one for the class. Each is one file with its style and its plots inside; nothing is fetched.

use crate::grade::Record;
use exercises::table::Course;
use exercises::verdict::Verdict;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}\
td.n{text-align:right}pre{background:#f4f4f4;padding:.6rem;overflow-x:auto;white-space:pre-wrap;margin:.3rem 0}\
.ok{color:#06703a}.no{color:#a3210b}svg{vertical-align:middle}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#222}td,th{border-color:#444}.ok{color:#5bd08f}.no{color:#ff8a73}}";

/// Figures that are drawn against the class.
const DRAWN: &[(&str, &str)] =
    &[("time_us", "time, µs"), ("global_load_sectors", "sectors read"), ("shared_conflicts", "bank conflicts")];

fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n{body}</body></html>\n"
    )
}

/// Scores, messages and figures of one submission; its figures as a dot among the class's.
pub fn student(course: &Course, record: &Record, class: &[Record]) -> String {
    let mut body = format!(
        "<p><strong>{} of {} points</strong> · seed {} · {} · commit <code>{}</code></p>\n",
        record.points(),
        record.of(),
        record.seed,
        escaped(&record.device),
        escaped(&record.commit)
    );
    if let Some(why) = &record.refused {
        body.push_str(&format!("<p class=\"no\">Refused: {}</p>\n", escaped(why)));
    }
    for lab in &course.labs {
        body.push_str(&format!("<h2>{}</h2>\n<table>\n<tr><th>exercise</th><th>points</th><th>verdict</th><th>figures, beside the class</th></tr>\n", escaped(&lab.name)));
        let own = |verdict: &&Verdict| verdict.exercise.starts_with(&format!("{}/", lab.name));
        for verdict in record.verdicts.iter().filter(own) {
            body.push_str(&row(verdict, class));
        }
        body.push_str("</table>\n");
    }
    page(&record.name, &body)
}

fn row(verdict: &Verdict, class: &[Record]) -> String {
    let mark = if verdict.passed() { "ok" } else { "no" };
    let story =
        if verdict.story.is_empty() { String::new() } else { format!("<pre>{}</pre>", escaped(&verdict.story)) };
    let plots: String = DRAWN.iter().filter_map(|(name, title)| strip(verdict, class, name, title)).collect();
    format!(
        "<tr><td>{}</td><td class=\"n\">{} of {}</td><td><span class=\"{mark}\">{}</span>{story}</td><td>{plots}</td></tr>\n",
        escaped(&verdict.exercise),
        verdict.points,
        verdict.of,
        verdict.state.words()
    )
}

/// A strip of dots: the class in grey, this one in colour.
fn strip(verdict: &Verdict, class: &[Record], name: &str, title: &str) -> Option<String> {
    let own = *verdict.panel.get(name)?;
    let all = class
        .iter()
        .flat_map(|record| &record.verdicts)
        .filter(|other| other.exercise == verdict.exercise && other.points > 0);
    let values: Vec<f64> = all.filter_map(|other| other.panel.get(name).copied()).chain([own]).collect();
    let most = values.iter().copied().fold(1e-9, f64::max);
    let x = |value: f64| 4.0 + 132.0 * value / most;
    let grey: String = values
        .iter()
        .map(|&value| format!("<circle cx=\"{:.1}\" cy=\"8\" r=\"3\" fill=\"#999\" fill-opacity=\".5\"/>", x(value)))
        .collect();
    Some(format!(
        "<div><svg width=\"140\" height=\"16\" role=\"img\" aria-label=\"{title}\"><line x1=\"4\" x2=\"136\" y1=\"8\" y2=\"8\" stroke=\"#bbb\"/>{grey}<circle cx=\"{:.1}\" cy=\"8\" r=\"4\" fill=\"#1f77b4\"/></svg> {title}: {own:.2}</div>",
        x(own)
    ))
}

/// All scores, and how many passed each exercise.
pub fn class(course: &Course, records: &[Record]) -> String {
    let mut body =
        String::from("<h2>Submissions</h2>\n<table>\n<tr><th>name</th><th>points</th><th>passed</th><th></th></tr>\n");
    for record in records {
        let passed = record.verdicts.iter().filter(|verdict| verdict.passed()).count();
        let share = if record.of() > 0 { f64::from(record.points()) / f64::from(record.of()) } else { 0.0 };
        body.push_str(&format!(
            "<tr><td><a href=\"pages/{0}.html\">{0}</a></td><td class=\"n\">{1} of {2}</td><td class=\"n\">{passed}</td><td>{3}</td></tr>\n",
            escaped(&record.name),
            record.points(),
            record.of(),
            bar(share)
        ));
    }
    body.push_str("</table>\n<h2>Exercises</h2>\n<table>\n<tr><th>exercise</th><th>passed</th><th></th></tr>\n");
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
            "<tr><td>{}</td><td class=\"n\">{passed} of {all}</td><td>{}</td></tr>\n",
            exercise.id(),
            bar(share)
        ));
    }
    body.push_str("</table>\n");
    page("The class", &body)
}

fn bar(share: f64) -> String {
    format!(
        "<svg width=\"120\" height=\"12\" role=\"img\" aria-label=\"{0:.0} %\"><rect width=\"120\" height=\"12\" fill=\"#ddd\"/><rect width=\"{1:.0}\" height=\"12\" fill=\"#1f77b4\"/></svg>",
        share * 100.0,
        share * 120.0
    )
}

/// Text as XML and HTML want it; control characters, which XML has no place for, become spaces.
pub fn escaped(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { ' ' } else { c }).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_story_stays_text() {
        assert_eq!(escaped("a < b && \"c\"\u{1b}[0m"), "a &lt; b &amp;&amp; &quot;c&quot; [0m");
    }
}
