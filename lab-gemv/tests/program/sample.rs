//! `--sample`: rungs whose blocks work for themselves are sampled; the others are run whole, and the reason names the line.

use super::LAB;
use common::testing::assert_sampled_as_whole;

#[test]
fn rungs_whose_blocks_meet_are_run_whole_and_say_why() {
    let rungs = "repeated,shared_atomic,cooperative,shuffle,block_per_row";
    let run = ["--device", "sim:p100", "--size", "16384x64", "--sx", "16", "--variant", rungs, "--no-cpu", "--sample"];
    let report = LAB.json(&run);
    let rows = report["rows"].as_array().expect("rows");
    let row = |variant: &str| rows.iter().find(|row| row["variant"] == variant).expect("a row");
    assert!(rows.iter().all(|row| row["correct"] == true));
    for variant in ["shuffle", "block_per_row"] {
        assert!(row(variant)["sampled"]["percent"].as_f64().is_some_and(|percent| percent < 50.0), "{variant}");
    }
    for (variant, reason) in [
        ("repeated", "each of its launches reads all of what the one before writes"),
        ("shared_atomic", "its blocks update memory that they share (kernels/gemv/2_shared_atomic.cu:"),
        ("cooperative", "its blocks wait for each other at a barrier of the whole grid"),
    ] {
        let row = row(variant);
        assert!(row.get("sampled").is_none(), "{variant}");
        assert!(
            row["not_sampled"].as_str().is_some_and(|said| said.contains(reason)),
            "{variant}: {}",
            row["not_sampled"]
        );
        let notes = report["notes"].as_array().expect("notes").iter().filter_map(|note| note.as_str());
        assert_eq!(notes.filter(|note| note.starts_with(&format!("{variant} at 16384x64 is not sampled"))).count(), 1);
    }
}

fn beside_a_whole_run(card: &str, size: &str, variants: &[&str]) {
    assert_sampled_as_whole(LAB, card, &format!("--size {size} --sx 16 --no-cpu"), variants, 3.0);
}

#[test]
fn a_sampled_run_counts_as_a_whole_one() {
    beside_a_whole_run("rtx4060", "16384x256", &["shuffle", "block_per_row"]);
    beside_a_whole_run("p100", "16384x64", &["shuffle", "block_per_row"]);
}

#[test]
#[ignore = "minutes; next: just sampled"]
fn more_sampled_runs_count_as_whole_ones() {
    beside_a_whole_run("rtx4060", "32768x512", &["shuffle", "vectorised", "block_per_row"]);
    beside_a_whole_run("rtx2070super", "16384x1024", &["shuffle", "block_per_row"]);
    beside_a_whole_run("h200", "65536x256", &["block_per_row"]);
}
