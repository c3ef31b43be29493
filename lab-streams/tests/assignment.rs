//! `--assignment`: the source document's tables, with what was published below what is run here.

use common::testing::Program;
use serde_json::Value;

const LAB: Program = Program(env!("CARGO_BIN_EXE_lab-streams"));

/// The table of this title's beginning.
fn table<'t>(report: &'t Value, title: &str) -> &'t Value {
    let tables = report["experiment"]["tables"].as_array().expect("tables");
    let is_it = |table: &&Value| table["title"].as_str().is_some_and(|own| own.starts_with(title));
    tables.iter().find(is_it).unwrap_or_else(|| panic!("no table {title}"))
}

/// The values of a line after its label, and those of the one below.
fn pair(table: &Value, label: &[&str]) -> [Vec<Option<f64>>; 2] {
    let rows = table["rows"].as_array().expect("rows");
    let is_it = |row: &Value| label.iter().enumerate().all(|(at, part)| row[at].as_str() == Some(part));
    let at = rows.iter().position(is_it).unwrap_or_else(|| panic!("no line {label:?}"));
    let values = |row: &Value| row.as_array().expect("a row")[label.len() + 1..].iter().map(Value::as_f64).collect();
    assert_eq!((&rows[at][label.len()], &rows[at + 1][label.len()]), (&"simulated".into(), &"published".into()));
    [values(&rows[at]), values(&rows[at + 1])]
}

#[test]
fn the_lectures_strategies_stand_beside_what_it_published() {
    let report = LAB.json(&["--assignment", "--size", "160", "--count", "2"]);
    assert_eq!(report["device"]["profile"], "c2050", "a card of the lecture's generation");
    let strategies = table(&report, "2 products of n = 160");
    let [own, published] = pair(strategies, &["synchronous"]);
    assert_eq!((published[0], own[1], published[1]), (Some(2034.15), Some(1.0), Some(1.0)));
    let [own, published] = pair(strategies, &["mapped"]);
    assert!(own[1] > Some(1.0) && published[1] > Some(1.0), "mapped is the slowest: {own:?} {published:?}");
    let [own, published] = pair(table(&report, "the copy of one matrix"), &["page-locked"]);
    for (own, published) in own.iter().zip(published) {
        assert!((own.expect("a time") / published.expect("published") - 1.0).abs() < 0.05, "{own:?}");
    }
}
