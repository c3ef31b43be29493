//! One run as one HTML page that needs nothing else: the answer, figures, tables that sort, sources with their counters, pictures of accesses,
//! findings.
//!
//! The page is a fixed text (`page.html`, `page.css`, the scripts) around the run's JSON document; its scripts draw from that document alone, so
//! the page shows no number that `--json` does not have. What weighs is packed: counters of lines by column, numbers to six digits, of long
//! files the lines near those that were counted.
//!
//! A section for which the document has nothing is left out, so a run of any program has a page as a run of a lab has.

mod date;
mod packed;

pub use date::now;

use crate::explain::{Kernel, Wanted, text};
use packed::{near, packed, shortened};
use serde_json::{Map, Value, json};

/// The parts of a page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its title: "lab-gemm, simulated NVIDIA GeForce RTX 4060".
    pub title: String,
    /// The lines at its head: names and values, as the command, the seed, the date.
    pub head: Vec<(&'static str, String)>,
    /// The answer in paragraphs; none: the fastest row of each variant, and how they compare.
    pub answer: Vec<String>,
    /// Variants that are limits or yardsticks, and so no answer.
    pub references: Vec<String>,
    /// The run's document, with the keys of `docs/json.md`, without `rows[].lines`. A run without a lab has what was found under `findings`,
    /// each with its `kernel`, and rows that name launches alone.
    pub report: Value,
    /// Columns of the table of results: `heading`, `meaning`, and `key` of a row's value.
    pub columns: Value,
    /// Each launch whose lines were counted.
    pub launches: Vec<Launch>,
    /// The text of each file that has counted lines, by its path.
    pub sources: Map<String, Value>,
    /// Titles, subtitles, and panels as SVG elements.
    pub figures: Vec<(String, String, Vec<String>)>,
    /// The style that the panels need.
    pub style: String,
}

/// A launch with its counted lines.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The place of its row in the report.
    pub row: usize,
    /// As a reader knows it.
    pub title: String,
    /// Its time.
    pub time_ms: f64,
    /// The term of the clock that bounds it.
    pub bound_by: Option<String>,
    /// `rows[].trials[]`, where it was tried.
    pub trials: Option<Vec<Map<String, Value>>>,
    /// `rows[].lines[]`.
    pub lines: Vec<Map<String, Value>>,
}

/// The costs of a source line that a page shades it by, in the order of its list: `key`, `heading`, `meaning`.
pub const LINE_COUNTERS: &str = include_str!("counters.json");

/// Digits of numbers that a page shows to three.
const DIGITS: usize = 6;

const SCRIPT: &str = concat!(
    include_str!("element.js"),
    include_str!("base.js"),
    include_str!("results.js"),
    include_str!("source.js"),
    include_str!("accesses.js"),
    include_str!("timeline.js"),
    include_str!("findings.js"),
    include_str!("start.js"),
);

/// The page as the text of an HTML document.
pub fn render(page: &Page) -> String {
    let launches: Vec<Value> = page
        .launches
        .iter()
        .map(|launch| {
            json!({
                "row": launch.row,
                "lines": packed(&launch.lines),
                "told": told(launch, &page.sources),
            })
        })
        .collect();
    let sources = page.sources.iter().map(|(path, text)| {
        let text = text.as_str().unwrap_or_default();
        (path.clone(), near(text, page.launches.iter().flat_map(|launch| &launch.lines), path).into())
    });
    let data = json!({
        "answer": page.answer,
        "references": page.references,
        "report": shortened(&page.report, DIGITS),
        "columns": page.columns,
        "counters": serde_json::from_str::<Value>(LINE_COUNTERS).expect("a list"),
        "launches": launches,
        "sources": sources.collect::<Map<_, _>>(),
    });
    let head = page.head.iter().map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>\n", escaped(value)));
    let parts = [
        ("@TITLE@", escaped(&page.title)),
        ("@STYLE@", format!("{}{}", include_str!("page.css"), page.style)),
        ("@HEAD@", head.collect()),
        ("@FIGURES@", figures(page)),
        ("@DATA@", in_script(&data.to_string())),
        ("@SCRIPT@", SCRIPT.to_owned()),
    ];
    filled(include_str!("page.html"), &parts)
}

/// Why the dearest lines of a launch cost what they do, in rows that the page breaks where its window ends.
fn told(launch: &Launch, sources: &Map<String, Value>) -> String {
    let Launch { title, time_ms, lines, trials, .. } = launch;
    let kernel =
        Kernel { title, time_ms: *time_ms, bound_by: launch.bound_by.as_deref(), trials: trials.as_deref(), lines };
    let line = |file: &str, line: u64| {
        let text = sources.get(file)?.as_str()?;
        text.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?).map(str::to_owned)
    };
    text(&kernel, Wanted { reasons: true, counters: false }, usize::MAX, &line)
}

fn figures(page: &Page) -> String {
    let figure = |(title, subtitle, panels): &(String, String, Vec<String>)| {
        format!(
            "<figure><figcaption><strong>{title}</strong><span class=\"hint\">{}</span></figcaption>\
             <div class=\"panels\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">{}</div></figure>\n",
            escaped(subtitle),
            panels.concat(),
            title = escaped(title),
        )
    };
    page.figures.iter().map(figure).collect()
}

/// The template with each mark replaced, in one pass: a text that holds another's mark stays as it is.
pub(crate) fn filled(template: &str, parts: &[(&str, String)]) -> String {
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

/// Text as HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON inside a script element, which nothing in a source's text may end.
pub(crate) fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_data_ends_the_script_and_a_mark_in_it_stays() {
        let page = render(&Page {
            title: "a <b> & \"c\" @DATA@".to_owned(),
            head: vec![("command", "lab & <more>".to_owned())],
            report: json!({"notes": ["</script><script>alert(1)</script>"]}),
            ..Page::default()
        });
        assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
        assert!(page.contains("<title>a &lt;b&gt; &amp; &quot;c&quot; @DATA@</title>"));
        assert!(page.contains("<dt>command</dt><dd>lab &amp; &lt;more&gt;</dd>"));
    }

    #[test]
    fn the_page_loads_nothing() {
        let page = render(&Page::default());
        for loading in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(loading), "{loading}");
        }
    }

    #[test]
    fn a_figure_s_title_stands_once_where_it_is_seen() {
        let panels = vec!["<svg>one</svg>".to_owned(), "<svg>two</svg>".to_owned()];
        let page =
            render(&Page { figures: vec![("Rate".to_owned(), "of a lab".to_owned(), panels)], ..Page::default() });
        assert_eq!(page.matches(">Rate<").count(), 1);
        assert!(page.contains("<svg>one</svg><svg>two</svg>"));
    }
}
