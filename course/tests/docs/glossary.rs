//! The glossary has each name that a table or a message of this project shows.

use crate::labs::LABS;
use crate::reference::fields;
use crate::{assert_generated, assert_none, root, text};
use common::report::Column;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Columns by their headings: what they say, and which labs have them.
#[test]
fn columns() {
    let mut columns: Vec<(&Column, Vec<&str>)> = Vec::new();
    for lab in LABS {
        for column in lab.columns {
            match columns.iter_mut().find(|(known, _)| known.key == column.key && known.meaning == column.meaning) {
                Some((_, labs)) => labs.push(lab.name),
                None => columns.push((column, vec![lab.name])),
            }
        }
    }
    columns.sort_by_key(|(column, _)| column.heading.to_lowercase());
    let table = |all: bool| {
        let mut table = "| column | key in JSON | meaning | labs |\n|---|---|---|---|\n".to_owned();
        for (column, labs) in columns.iter().filter(|(_, labs)| (labs.len() > 1) == all) {
            let Column { heading, key, meaning, .. } = column;
            writeln!(table, "| {heading} | `{key}` | {meaning} | {} |", labs.join(", ")).expect("a string");
        }
        table
    };
    let made = format!("### Columns of several labs\n\n{}\n### Columns of one lab\n\n{}", table(true), table(false));
    assert_generated("docs/glossary/columns.md", "columns", &made);
}

/// Names that the first cells of a page's tables explain.
fn explained(page: &str) -> BTreeSet<String> {
    let page = text(page);
    let first = page.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split(" | ").next());
    first.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn every_counter_has_its_row() {
    let totals = "simulator/watch/src/counters/totals.rs";
    let of = |structure: &str| fields(totals, structure);
    let mut counters: BTreeSet<String> =
        ["Totals", "Residency", "Answered", "Memory"].into_iter().flat_map(of).collect();
    counters.extend(fields("simulator/watch/src/counters/first_page.rs", "FirstPage"));
    let throughput = LABS.iter().flat_map(|lab| lab.columns).map(|column| column.key);
    counters.extend(throughput.filter(|key| key.starts_with("throughput_")).map(str::to_owned));
    let explained = explained("docs/glossary/counters.md");
    let missing: Vec<String> = counters
        .difference(&explained)
        .map(|name| format!("docs/glossary/counters.md has no row for {name}"))
        .collect();
    assert_none(&missing);
    assert!(counters.len() > 60, "only {} counters were found", counters.len());
}

/// The headings of the glossary.
fn entries() -> BTreeSet<String> {
    text("docs/glossary.md").lines().filter_map(|line| line.strip_prefix("### ")).map(str::to_owned).collect()
}

#[test]
fn every_stall_has_its_entry() {
    let source = text("simulator/clock/src/analytic/stalls.rs");
    let stalls: Vec<&str> = source.split(" = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let entries = entries();
    let missing: Vec<String> = stalls
        .iter()
        .filter(|name| !entries.contains(**name))
        .map(|name| format!("docs/glossary.md has no entry {name}"))
        .collect();
    assert_none(&missing);
    assert!(stalls.len() >= 10, "only {stalls:?} were found");
}

/// The kinds of findings and faults, as the files that word them have them.
fn kinds() -> BTreeSet<String> {
    let folder = root().join("simulator/watch/src/diagnostics");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("diagnostics")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    files.push(root().join("simulator/watch/src/sanitizer/findings/misuse.rs"));
    let mut kinds = BTreeSet::new();
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a source");
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        // `kind: "race"`, `kind: if … { "transaction count" } else { "deadlock" }`, and a kind before the title that is made for it.
        let fields = code.split("kind: ").skip(1).filter_map(|rest| rest.lines().next());
        let fields =
            fields.filter(|line| line.starts_with(['"', 'i'])).flat_map(|line| line.split('"').skip(1).step_by(2));
        let titled = code.split("format!(").filter_map(|before| before.trim_end().strip_suffix("\","));
        let titled = titled.filter_map(|before| before.rsplit('"').next());
        kinds.extend(fields.chain(titled).map(str::to_owned));
    }
    kinds
}

#[test]
fn every_finding_has_its_entry() {
    let entries = entries();
    let kinds = kinds();
    let missing: Vec<String> = kinds
        .iter()
        .filter(|kind| !entries.contains(*kind))
        .map(|kind| format!("docs/glossary.md has no entry {kind}"))
        .collect();
    assert_none(&missing);
    assert!(kinds.len() > 20, "only {kinds:?} were found");
}
