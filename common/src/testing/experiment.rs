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

/// The figures that `just published` has written: document, table, line, column, the published one, the one here. A workspace without documentation has
/// none.
pub fn written() -> Vec<[String; 6]> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/measurements/data/published.txt");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let parts = |line: &str| line.split(" | ").map(str::to_owned).collect::<Vec<_>>().try_into().expect("six parts");
    text.lines().map(parts).collect()
}

/// Panics unless the figures of a `--assignment` report are those that `just published` has written, so many at least. Within 1 %, because other sizes
/// before a sampled one place its matrices elsewhere.
pub fn assert_as_written(report: &Value, least: usize) {
    let written = written();
    let figures = report["experiment"]["compared"].as_array().expect("figures");
    let same = figures.iter().filter(|figure| {
        let keys = ["table", "line", "column"].map(|key| figure[key].as_str().expect("a name"));
        // Gains follow from other figures, and those near 0 from their last digits.
        let is_it = |known: &&[String; 6]| known[1..4] == keys && !keys[0].contains("gain in %");
        let Some([.., own]) = written.iter().find(is_it) else { return false };
        let (here, known) = (figure["own"].as_f64().expect("a number"), own.parse::<f64>().expect("a number"));
        assert!((here - known).abs() <= 1e-2 * known.abs(), "{figure}, written {known}\n  next: just published");
        true
    });
    assert!(same.count() >= least || written.is_empty(), "{figures:?}");
}
