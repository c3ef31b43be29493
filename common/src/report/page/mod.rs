//! One run as one HTML page that needs nothing else: figures, tables, sources with their counters, pictures of accesses, findings.
//!
//! The page is a fixed text (`page.html`, `page.css`, `page.js`) around the run's JSON document; its script draws from that document alone,
//! so the page shows no number that `--json` does not have.

use super::columns::{Column, LINE_COUNTERS};
use super::figure;
use crate::result::Report;
use crate::whole_file;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Writes the page of a run. `columns` are the lab's own, as its table has them.
pub fn write_page(report: &Report, columns: &[Column], path: &Path) -> anyhow::Result<()> {
    let page = render(report, columns)?;
    Ok(whole_file::write(path, &page)?)
}

fn render(report: &Report, columns: &[Column]) -> anyhow::Result<String> {
    let device = &report.device;
    let how = if device.simulated { "simulated" } else { "measured on" };
    let title = escaped(&format!("lab-{}, {how} {}", report.lab, device.name));
    let data = json!({
        "report": report,
        "columns": columns.iter().map(|column| json!({"heading": column.heading, "key": column.key})).collect::<Value>(),
        "counters": LINE_COUNTERS.iter().map(|Column { key, heading, meaning, .. }| {
            json!({"key": key, "heading": heading, "meaning": meaning})
        }).collect::<Value>(),
        "sources": sources(report),
    });
    let parts = [
        ("@TITLE@", title),
        ("@STYLE@", include_str!("page.css").to_owned()),
        ("@SCRIPT@", include_str!("page.js").to_owned()),
        ("@FIGURES@", figures(report)?),
        ("@DATA@", in_script(&data.to_string())),
    ];
    Ok(filled(include_str!("page.html"), &parts))
}

/// The template with each mark replaced, in one pass: a text that holds another's mark stays as it is.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((at, mark, text)) =
        parts.iter().filter_map(|(mark, text)| rest.find(mark).map(|at| (at, *mark, text))).min_by_key(|&(at, ..)| at)
    {
        page.push_str(&rest[..at]);
        page.push_str(text);
        rest = &rest[at + mark.len()..];
    }
    page + rest
}

/// The text of every file that has counted lines, by its path.
fn sources(report: &Report) -> Value {
    let counted = |path: &str| {
        let mut lines = report.rows.iter().flat_map(|row| &row.lines);
        lines.any(|line| line.get("file").is_some_and(|file| file == path))
    };
    kernels::sources()
        .filter(|source| counted(source.path))
        .map(|source| (source.path.to_owned(), Value::from(source.text)))
        .collect()
}

/// All figures, each for light and for dark pages; the page's style shows one of the two.
fn figures(report: &Report) -> anyhow::Result<String> {
    let mut html = String::new();
    for picture in figure::pictures(report)? {
        writeln!(
            html,
            "<figure><figcaption><strong>{title}</strong></figcaption>\
             <div class=\"frame\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\
             <div class=\"light\">{light}</div><div class=\"dark\">{dark}</div></div></figure>",
            title = escaped(&picture.title),
            light = picture.light,
            dark = picture.dark
        )?;
    }
    if html.is_empty() {
        html.push_str("<p>This run has no rate to draw.</p>");
    }
    Ok(html)
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON inside a script element, which nothing in a source's text may end.
fn in_script(json: &str) -> String {
    json.replace("<", "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observations::DeviceFacts;

    #[test]
    fn nothing_in_the_data_ends_the_script() {
        let facts = DeviceFacts {
            name: "a <b> & \"c\" @DATA@".to_owned(),
            simulated: true,
            profile: None,
            compute_capability: "8.9".to_owned(),
        };
        let mut report = Report::new(facts, "gemm", 1);
        report.notes.push("</script><script>alert(1)</script>".to_owned());
        let page = render(&report, &[]).unwrap();
        assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
        assert!(page.contains("<title>lab-gemm, simulated a &lt;b&gt; &amp; &quot;c&quot; @DATA@</title>"));
    }

    #[test]
    fn the_page_loads_nothing() {
        let facts =
            DeviceFacts { name: String::new(), simulated: true, profile: None, compute_capability: String::new() };
        let page = render(&Report::new(facts, "gemm", 1), &[]).unwrap();
        for loading in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(loading), "{loading}");
        }
    }
}
