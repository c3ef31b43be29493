//! `--assignment`: the source document's tables, with what was published below what is run here.

use common::testing::Program;
use serde_json::Value;

const LAB: Program = Program(env!("CARGO_BIN_EXE_lab-gemv"));

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
fn the_sweep_has_n_in_lines_and_widths_in_columns_and_the_best_beside_the_published() {
    let report = LAB.json(&["--assignment", "--size", "256,4096", "--sx", "8,16", "--variant", "atomic,shuffle"]);
    assert_eq!(report["device"]["profile"], "p100", "the first of the document's cards");
    let sweep = table(&report, "3 atomic");
    assert_eq!(sweep["columns"].as_array().map(Vec::len), Some(4));
    let lines = sweep["rows"].as_array().expect("rows");
    // The larger n has as many rows as run whole.
    assert_eq!(lines.iter().map(|line| line[0].as_u64()).collect::<Vec<_>>(), [Some(256), Some(4096)]);
    assert!(report["rows"].as_array().expect("rows").iter().any(|row| row["size"] == "1024x4096"));
    let [own, published] = pair(table(&report, "the best of each kernel"), &["5 shuffle"]);
    assert_eq!(published[0], Some(237.0));
    assert!(own[0].is_some_and(|rate| rate > 50.0), "{own:?}");
    let caches = table(&report, "the cache preference");
    assert!(caches["rows"][0].as_array().expect("a line")[2..].iter().all(Value::is_number), "{caches}");
}
