//! The program as its users meet it: bad input, exit codes, the JSON document, the two ceilings.

use super::LAB;
use common::testing::assert_shared_keys;
use serde_json::Value;

#[test]
fn cold_rows_have_a_copy_of_the_matrix_for_each_run() {
    let arguments =
        ["--size", "40,512", "--sx", "16", "--dtype", "f32,f64", "--no-cublas", "--no-cpu", "--repeat", "3"];
    // The copies are as large as a card's cache asks for: one with a small one.
    let report = LAB.json(&[&arguments[..], &["--cold", "--device", "sim:gtx1050"]].concat());
    for row in report["rows"].as_array().expect("rows") {
        assert_eq!(row["correct"], true, "{row}");
        assert!(row["cold_gbytes_per_s"].as_f64().is_some_and(|rate| rate > 0.0), "{row}");
    }
    assert_best_read_is_the_ceiling(&report, "cold_memory_percent");
}

/// The fastest run of `read`, with any number of chunks, is 100 % at n = 512, and nothing passes it; at n = 40 there is no ceiling, nor
/// in f64 on these cards, which have few units for it.
fn assert_best_read_is_the_ceiling(report: &Value, share: &str) {
    let rows = report["rows"].as_array().expect("rows");
    let of = |read: bool| {
        let rows = rows.iter().filter(move |row| row["size"] == "512" && row["dtype"] == "f32");
        let rows = rows.filter(move |row| (row["variant"] == "read") == read);
        rows.map(|row| row[share].as_f64().expect("a share")).collect::<Vec<_>>()
    };
    let (read, products) = (of(true), of(false));
    assert_eq!(read.len(), 3);
    // Its median beside its own fastest run.
    assert!(read.iter().copied().fold(0.0, f64::max) > 90.0, "{read:?}");
    assert!(read.iter().chain(&products).all(|&share| share > 0.0 && share <= 100.0), "{products:?}");
    // The launch limits all of them there, and no share is told.
    assert!(rows.iter().filter(|row| row["size"] == "40" || row["dtype"] == "f64").all(|row| row[share].is_null()));
    let notes = report["notes"].as_array().expect("notes").iter().filter_map(Value::as_str).collect::<String>();
    assert!(notes.contains("no share of memory's limit for 40 in f32, 40 in f64"), "{notes}");
    assert!(notes.contains("no share of memory's limit for 512 in f64: this card computes so slowly"), "{notes}");
}

#[test]
fn every_row_has_both_ceilings_and_the_shared_keys() {
    let report = LAB.json(&["--size", "40,512", "--sx", "8,16", "--dtype", "f32,f64", "--no-cublas"]);
    assert_shared_keys(&report);
    assert_eq!(report["lab"], "gemv");
    let rows = report["rows"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["size"] == "512" && row["dtype"] == "f64"));
    for row in rows {
        for key in ["copy_in", "kernel", "copy_out", "total"] {
            assert!(row["phases_ms"][key].is_number(), "phases_ms.{key}");
        }
        if row["variant"] == "read" {
            assert!(row["gflops"].is_null());
        } else if row["dtype"] == "f32" {
            assert!(row["peak_percent"].as_f64().is_some_and(|share| share > 0.0 && share < 100.0), "{row}");
        }
    }
    assert_best_read_is_the_ceiling(&report, "memory_percent");
    for variant in lab_gemv::VARIANTS {
        assert!(rows.iter().any(|row| row["variant"] == variant.name), "{} has no row", variant.name);
    }
    let tables = report["tables"].as_array().expect("tables");
    let titled = |words: &str| tables.iter().find(|table| table["title"].as_str().is_some_and(|t| t.contains(words)));
    let host = titled("on this host").expect("the host's own figures");
    assert_eq!(host["rows"].as_array().map(Vec::len), Some(3 * 4), "three ways, four problems");
}

#[test]
fn a_repeated_reduction_says_how_often_it_launches() {
    let report = LAB.json(&["--size", "3x300", "--sx", "4", "--variant", "repeated", "--no-cpu", "--no-cublas"]);
    let rows = report["rows"].as_array().expect("rows");
    let repeated = rows.iter().find(|row| row["variant"] == "repeated").expect("its row");
    // 300 → 75 → 19 → 5 → 2 → 1.
    assert_eq!(repeated["launches"], 5);
}

#[test]
fn the_cache_preference_is_compared_and_its_effect_explained() {
    let report =
        LAB.json(&["--size", "64", "--sx", "16", "--cache", "prefer-none,prefer-l1,prefer-shared", "--no-cpu"]);
    let comparison = &report["comparisons"][0];
    assert_eq!(comparison["columns"], Value::from(vec!["prefer-l1", "prefer-shared"]));
    assert!(
        comparison["rows"].as_array().is_some_and(|rows| rows.len() == lab_gemv::VARIANTS.len() + 2),
        "read has three"
    );
    let notes = report["notes"].as_array().expect("notes");
    assert!(notes.iter().any(|note| note.as_str().is_some_and(|note| note.contains("cache preference"))));
}

#[test]
fn a_card_without_cooperative_launch_leaves_it_out_and_says_why() {
    let report = LAB.json(&["--device", "sim:gt740m", "--size", "16", "--sx", "4", "--no-cpu"]);
    let rows = report["rows"].as_array().expect("rows");
    assert!(rows.iter().all(|row| row["variant"] != "cooperative"));
    let notes = report["notes"].as_array().expect("notes");
    assert!(notes.iter().any(|note| note.as_str().is_some_and(|note| note.contains("no cooperative launch"))));
}

#[test]
fn what_the_lab_does_not_take_is_refused() {
    LAB.assert_refuses_what_no_lab_takes::<lab_gemv::MatrixVector>();
    LAB.assert_refuses_each(include_str!("refused.txt"));
}

#[test]
fn tables_fit_the_terminal() {
    include_str!("fits.txt").lines().for_each(|arguments| LAB.assert_fits(arguments));
}
