//! `--assignment`: the source document's tables, with what was published below what is run here.

use super::LAB;
use common::testing::{pair, table};

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
    let rates = &caches["rows"][0].as_array().expect("a line")[2..];
    assert!(rates[0].is_number() && rates.iter().all(|rate| *rate == rates[0]), "a simulated card has one: {caches}");
}
