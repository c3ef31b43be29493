//! `--assignment`: the source document's tables, with what was published below what is run here.

use super::LAB;
use common::testing::{assert_as_written, pair, table};
use serde_json::Value;

#[test]
fn the_lectures_strategies_stand_beside_what_it_published() {
    let report = LAB.json(&["--assignment", "--count", "1"]);
    assert_as_written(&report, 4);
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

/// The copies' table is printed before the last strategies run, and Ctrl-C leaves the strategies that were measured.
#[test]
fn the_copies_are_there_before_the_end() {
    let (code, printed) = LAB.interrupt(&["--assignment", "--count", "1"], "page-locked  simulated");
    assert_eq!(code, Some(130), "{printed}");
    for once in ["the copy of one matrix", "by strategy, ms", "note: interrupted"] {
        assert_eq!(printed.matches(once).count(), 1, "{once}: {printed}");
    }
    let (copies, strategies) = printed.split_once("by strategy, ms").expect("both");
    assert!(copies.contains("pageable") && strategies.contains("streams, page-locked"), "{printed}");
    assert!(!strategies.contains("mapped"), "the last one had not run: {printed}");
}
