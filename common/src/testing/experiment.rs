//! The tables of a source document's experiment, read from a report's JSON.

use serde_json::Value;

/// The table of a `--assignment` report whose title begins like this.
pub fn table<'t>(report: &'t Value, title: &str) -> &'t Value {
    let tables = report["experiment"]["tables"].as_array().expect("tables");
    let is_it = |table: &&Value| table["title"].as_str().is_some_and(|own| own.starts_with(title));
    tables.iter().find(is_it).unwrap_or_else(|| panic!("no table {title}"))
}

/// The values of a simulated line after its label, and those of the line below it, which the document published.
pub fn pair(table: &Value, label: &[&str]) -> [Vec<Option<f64>>; 2] {
    let rows = table["rows"].as_array().expect("rows");
    let is_it = |row: &Value| label.iter().enumerate().all(|(at, part)| row[at].as_str() == Some(part));
    let at = rows.iter().position(is_it).unwrap_or_else(|| panic!("no line {label:?}"));
    let values = |row: &Value| row.as_array().expect("a row")[label.len() + 1..].iter().map(Value::as_f64).collect();
    assert_eq!((&rows[at][label.len()], &rows[at + 1][label.len()]), (&"simulated".into(), &"published".into()));
    [values(&rows[at]), values(&rows[at + 1])]
}
