//! `--assignment`: the source document's tables, with what was published below what is run here.

use super::LAB;
use common::testing::{pair, table};

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
