//! `--assignment`: the source document's tables, with what was published below what is run here.

use common::testing::Program;
use serde_json::Value;

const LAB: Program = Program(env!("CARGO_BIN_EXE_lab-transpose"));

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
fn kernels_stand_in_lines_and_n_in_columns() {
    let report = LAB.json(&["--assignment", "--size", "32,256"]);
    assert_eq!(report["device"]["profile"], "gt740m", "the document's own card");
    let [own, published] = pair(table(&report, "kernel time in µs"), &["3 shared, padded"]);
    assert_eq!(published, [Some(1.984), Some(22.209)]);
    assert!(own.iter().all(Option::is_some), "{own:?}");
    let [own, published] = pair(table(&report, "shared efficiency"), &["3 shared, padded"]);
    assert_eq!((own[1], published[1]), (Some(50.0), Some(50.0)));
    let titles: Vec<&str> =
        report["tables"].as_array().expect("tables").iter().filter_map(|table| table["title"].as_str()).collect();
    assert_eq!(titles, ["n = 256: GPU activities", "n = 256: API calls"]);
}

/// The run that is checked under the sanitizer is not among them: a kernel of one row is called once.
#[test]
fn activities_are_those_of_the_measured_runs_and_of_one_size_each() {
    let report = LAB.json(&["--size", "32,64", "--variant", "naive", "--no-yardsticks", "--activities"]);
    let tables = report["tables"].as_array().expect("tables");
    let gpu: Vec<&Value> =
        tables.iter().filter(|table| table["title"].as_str().is_some_and(|title| title.starts_with("GPU"))).collect();
    assert_eq!(gpu.len(), 2, "one for each size");
    for table in gpu {
        let rows = table["rows"].as_array().expect("rows");
        let naive = rows.iter().find(|row| row[6] == "naive_f32").expect("its kernel");
        assert_eq!(naive[2], 1, "{}", table["title"]);
    }
}
