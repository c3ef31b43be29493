//! `docs/measurements/published.md`: each figure of the source documents beside that of a run here, as `just published` has written them.

use crate::{assert_generated, assert_none};
use common::compared::figure;
use common::result::Compared;
use common::testing::written;
use std::fmt::Write;

/// The source documents, and what the page calls them.
const DOCUMENTS: [(&str, &str); 5] = [
    ("memory", "RTX 4060: product (assignment 1)"),
    ("vector", "P100, RTX 2070 Super, GTX 780: matrix times vector (assignment 2)"),
    ("transpose", "GT 740M: transpose (assignment 3)"),
    ("methods", "GTX 1050: product (assignment 4)"),
    ("lecture", "Fermi: products in streams (the lecture)"),
];
/// The statistics that the page leaves out, since it has the mean of runs that are repeated.
const OTHER_STATISTICS: [&str; 4] = ["min", "max", "median", "deviation"];

/// The figures of a document.
fn figures(document: &str) -> Vec<Compared> {
    let number = |text: &String| text.parse().expect("a number");
    let of_document = written().into_iter().filter(|of| of[0] == document);
    of_document
        .map(|[_, table, line, column, published, own]| {
            figure([document, &table, &line, &column], number(&published), number(&own))
        })
        .collect()
}

/// To three digits.
fn short(value: f64) -> String {
    let digits = if value == 0.0 { 0 } else { (2 - value.abs().log10().floor() as i32).max(0) as usize };
    format!("{value:.digits$}")
}

/// The names of some figures, each once.
fn names<'f>(figures: &[&'f Compared], of: impl Fn(&'f Compared) -> &'f str) -> Vec<&'f str> {
    let mut names: Vec<&str> = Vec::new();
    for figure in figures {
        if !names.contains(&of(figure)) {
            names.push(of(figure));
        }
    }
    names
}

/// The tables of a document; a figure that is off has the letter of its reason.
fn tables(figures: &[&Compared], reasons: &[&str]) -> String {
    let mut text = String::new();
    for own in figures.chunk_by(|a, b| a.table == b.table) {
        let columns = names(own, |figure| &figure.column);
        let rule = "---:|".repeat(columns.len());
        let title = &own[0].table;
        writeln!(text, "\n#### {title}\n\n| | {} |\n|---|{rule}", columns.join(" | ")).expect("a string");
        for line in own.chunk_by(|a, b| a.line == b.line) {
            let cell = |column: &&str| {
                let Some(figure) = line.iter().find(|figure| figure.column == **column) else { return String::new() };
                let reason = reasons.iter().position(|reason| figure.reason == Some(reason));
                let mark = reason.map(|at| format!(" *{}*", letter(at))).unwrap_or_default();
                format!("{} / {}{mark}", short(figure.published), short(figure.own))
            };
            let cells: Vec<String> = columns.iter().map(cell).collect();
            writeln!(text, "| {} | {} |", line[0].line, cells.join(" | ")).expect("a string");
        }
    }
    text
}

fn letter(at: usize) -> char {
    (b'a' + at as u8) as char
}

#[test]
fn each_published_figure_is_near_or_has_its_reason() {
    let mut page = String::new();
    let mut without = Vec::new();
    for (document, title) in DOCUMENTS {
        let all = figures(document);
        assert!(!all.is_empty(), "no figures of {document}; next: just published");
        let near = all.iter().filter(|figure| figure.near).count();
        let far: Vec<&Compared> = all.iter().filter(|figure| !figure.near).collect();
        without.extend(far.iter().filter(|figure| figure.reason.is_none()).map(|figure| {
            format!("{document}, {}, {}, {}: {} is {} here, more than a tenth off, and common/src/reasons.txt has no reason", figure.table, figure.line, figure.column, figure.published, figure.own)
        }));
        let shown: Vec<&Compared> =
            all.iter().filter(|figure| !OTHER_STATISTICS.contains(&figure.column.as_str())).collect();
        let reasons = names(&far, |figure| figure.reason.unwrap_or_default());
        let head = format!("### {title}\n\n{near} of {} figures are within a tenth.", all.len());
        write!(page, "{head}\n{}\n#### Reasons: {document}\n\n", tables(&shown, &reasons)).expect("a string");
        for (at, reason) in reasons.iter().enumerate() {
            let count = far.iter().filter(|figure| figure.reason == Some(reason)).count();
            writeln!(page, "- *{}* ({count}): {reason}.\n", letter(at)).expect("a string");
        }
    }
    assert_none(&without);
    assert_generated("docs/measurements/published.md", "figures", &page);
}
