//! `--assignment`: the source document's tables, with what was published below what is run here.

use super::LAB;
use common::testing::{assert_as_written, pair, table};
use serde_json::Value;

#[test]
fn the_first_document_has_all_statistics_of_all_phases_and_the_gains() {
    let report = LAB.json(&["--assignment", "--size", "64,512"]);
    assert_as_written(&report, 80);
    assert_eq!(report["device"]["profile"], "rtx4060", "the document's own card");
    let phases = table(&report, "n = 512, naive");
    for memory in ["pinned", "pageable"] {
        let name = if memory == "pinned" { "kernel" } else { "" };
        let line = phases["rows"].as_array().expect("rows").iter().rposition(|row| row[0] == name && row[1] == memory);
        assert!(line.is_some(), "{memory}");
    }
    let [own, published] = pair(phases, &["copy C", "pinned"]);
    assert_eq!(published, [0.110912, 0.608832, 0.1442635, 0.144064, 0.0288057].map(Some), "as the document has them");
    let min = own[0].expect("a time");
    // One simulated run stands for all.
    assert_eq!(own, [min, min, min, min, 0.0].map(Some));
    let told = report["experiment"]["notes"].as_array().expect("notes").iter().filter_map(Value::as_str);
    assert!(told.filter(|note| note.contains("1000 runs")).count() == 1);
}

#[test]
fn the_second_document_has_methods_by_edge() {
    let report = LAB.json(&["--assignment", "methods", "--size", "64"]);
    assert_as_written(&report, 84);
    assert_eq!(report["device"]["profile"], "gtx1050");
    for (method, shared) in [("method 6, 2", [1536.0, 6144.0, 24576.0]), ("method 6, 4", [2048.0, 8192.0, 32768.0])] {
        for (edge, bytes) in ["8", "16", "32"].into_iter().zip(shared) {
            let [own, published] = pair(table(&report, method), &[edge, "64"]);
            assert_eq!((own[0], published[0]), (Some(bytes), Some(bytes)), "{method} {edge}");
            let [.., achieved, theory, cgma] = own[..] else { panic!("{own:?}") };
            assert!(
                achieved.zip(theory).is_some_and(|(achieved, theory)| achieved <= theory),
                "{method} {edge}: {own:?}"
            );
            // As the document has it: 4/3 of the edge with two elements, twice the edge with four.
            let edge: f64 = edge.parse().expect("a number");
            let flop = if method.ends_with('2') { 4.0 / 3.0 * edge } else { 2.0 * edge };
            assert!(cgma.is_some_and(|cgma| (cgma - flop).abs() < 0.01 * flop), "{method} {edge}: {cgma:?} for {flop}");
        }
    }
}
