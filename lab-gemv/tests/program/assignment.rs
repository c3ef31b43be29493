//! `--assignment`: the source document's tables, with what was published below what is run here.

use super::LAB;
use common::testing::{pair, table};
use serde_json::Value;

fn rows(report: &Value) -> &[Value] {
    report["rows"].as_array().expect("rows")
}

#[test]
fn all_cards_have_lines_in_one_table_and_the_best_stands_beside_the_published() {
    let report =
        LAB.json(&["--assignment", "--size", "256,4096", "--sx", "16,32", "--variant", "atomic,shuffle", "--no-cpu"]);
    let sweep = table(&report, "3 atomic");
    assert_eq!(sweep["columns"].as_array().map(Vec::len), Some(5));
    let lines = sweep["rows"].as_array().expect("lines").iter();
    let lines: Vec<(&str, u64)> =
        lines.map(|line| (line[0].as_str().expect("a card"), line[1].as_u64().expect("n"))).collect();
    let cards = ["p100", "rtx2070super", "gtx780"];
    assert_eq!(lines, cards.map(|card| [(card, 256), (card, 4096)]).concat());
    for row in rows(&report) {
        // The larger one has a part of the sums; the smaller one is checked to its last element.
        let is_sampled = row.get("sampled").is_some();
        assert!(row["variant"] != "atomic" || is_sampled == (row["size"] == "4096"), "{} {}", row["size"], row["card"]);
        assert_eq!(row["correct"], true, "{} {}", row["variant"], row["card"]);
    }
    let [own, published] = pair(table(&report, "the best of each kernel"), &["5 shuffle", "p100"]);
    assert_eq!(published[0], Some(237.0));
    assert!(own[0].is_some_and(|rate| rate > 50.0), "{own:?}");
    let caches = table(&report, "the cache preference");
    let rates = &caches["rows"][0].as_array().expect("a line")[3..];
    assert!(rates[0].is_number() && rates.iter().all(|rate| *rate == rates[0]), "a simulated card has one: {caches}");
}

/// A kernel's table is printed when all cards have it, and Ctrl-C leaves it as the last one.
#[test]
fn an_experiment_on_several_cards_that_is_interrupted_leaves_its_kernels() {
    let asked = ["--assignment", "--size", "256,16384", "--sx", "16", "--variant", "atomic,cooperative", "--no-cpu"];
    let (code, printed) = LAB.interrupt(&asked, "3 atomic: GFLOP/s");
    assert_eq!(code, Some(130), "{printed}");
    for once in ["3 atomic: GFLOP/s", "the best of each kernel", "note: interrupted"] {
        assert_eq!(printed.matches(once).count(), 1, "{once}: {printed}");
    }
    assert!(!printed.contains("4 whole grid: GFLOP/s"), "{printed}");
}

/// Where blocks of a kernel meet, some of them stand for all in the document's experiment alone: counts are those of a whole run, and so are times within 2 %.
#[test]
fn sums_that_are_sampled_count_as_whole_ones() {
    for card in ["p100", "rtx2070super"] {
        let device = format!("sim:{card}");
        let run = ["--device", &device, "--size", "2048", "--sx", "16", "--no-cpu", "--variant"];
        for variant in ["repeated", "shared_atomic", "atomic"] {
            let whole = LAB.json(&[&run[..], &[variant, "--no-cublas"]].concat());
            let sampled = LAB.json(&[&run[..], &[variant, "--assignment"]].concat());
            let of = |report: &Value| rows(report).iter().find(|row| row["variant"] == variant).expect("a row").clone();
            let (whole, sampled) = (of(&whole), of(&sampled));
            assert!(sampled["sampled"]["percent"].as_f64().is_some_and(|percent| percent < 30.0), "{sampled}");
            for count in ["instructions", "global_load_requests", "atomics", "shared_load_wavefronts"] {
                assert_eq!(sampled["counters"][count], whole["counters"][count], "{card} {variant} {count}");
            }
            let time = |row: &Value| row["time_ms"]["median"].as_f64().expect("a time");
            let apart = time(&sampled) / time(&whole) - 1.0;
            assert!(apart.abs() < 0.02, "{card} {variant}: {apart}");
        }
    }
}
