//! `--assignment`: the source document's tables, with what was published below what is run here.

use super::LAB;
use common::testing::{pair, table};
use serde_json::Value;

#[test]
fn the_lectures_strategies_stand_beside_what_it_published() {
    let report = LAB.json(&["--assignment", "--count", "1"]);
    assert_eq!(report["device"]["profile"], "gt545", "a card of the lecture's generation");
    let strategies = table(&report, "1 products of n = 1312");
    let sampled = |row: &Value| row["sampled"]["percent"].as_f64().is_some_and(|percent| percent < 2.0);
    assert!(report["rows"].as_array().is_some_and(|rows| rows.len() == 5 && rows.iter().all(sampled)), "{report}");
    let [own, published] = pair(strategies, &["synchronous"]);
    assert_eq!((published[0], own[1], published[1]), (Some(2034.15), Some(1.0), Some(1.0)));
    let [own, published] = pair(strategies, &["mapped"]);
    assert!(own[1] > Some(1.0) && published[1] > Some(1.0), "mapped is the slowest: {own:?} {published:?}");
    let [own, published] = pair(table(&report, "the copy of one matrix"), &["page-locked"]);
    for (own, published) in own.iter().zip(published) {
        assert!((own.expect("a time") / published.expect("published") - 1.0).abs() < 0.05, "{own:?}");
    }
}
