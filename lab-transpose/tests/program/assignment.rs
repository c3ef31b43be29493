//! `--assignment`: the source document's tables, with what was published below what is run here.

use super::LAB;
use common::testing::{assert_as_written, pair, table};
use serde_json::Value;

#[test]
fn kernels_stand_in_lines_and_n_in_columns() {
    let report = LAB.json(&["--assignment", "--size", "32,256,512"]);
    assert_as_written(&report, 21);
    assert_eq!(report["device"]["profile"], "gt740m", "the document's own card");
    let [own, published] = pair(table(&report, "kernel time in µs"), &["3 shared, padded"]);
    assert_eq!(published, [Some(1.984), Some(22.209), Some(187.34)]);
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
