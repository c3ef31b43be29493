//! `--sample`: what some blocks of a large matrix moved is compared element by element, out of place and in place.

use super::LAB;
use common::testing::assert_sampled_as_whole;

#[test]
fn some_blocks_stand_for_all_of_a_large_matrix() {
    let run = |arguments: &[&str]| {
        let fixed = ["--device", "sim:gt740m", "--size", "1500", "--place", "out,in", "--edge", "16"];
        LAB.json(&[&fixed, arguments].concat())["rows"].as_array().expect("rows").clone()
    };
    let (whole, sampled) = (run(&[]), run(&["--sample"]));
    let mut compared = 0;
    for (whole, sampled) in whole.iter().zip(&sampled).filter(|(_, sampled)| sampled.get("sampled").is_some()) {
        let name = format!("{} {}", whole["variant"], whole["place"]);
        assert!(sampled["correct"] == true, "{name}: {}", sampled["mismatch"]);
        for counter in ["instructions", "global_load_sectors", "global_store_efficiency", "shared_conflicts"] {
            let [other, value] = [sampled, whole].map(|row| row["counters"][counter].as_f64().unwrap_or(0.0));
            assert!((other - value).abs() <= 0.01 * value, "{name}: {counter} {other}, whole {value}");
        }
        compared += 1;
    }
    assert!(compared >= 5, "{compared} of {} rows were sampled", sampled.len());
    assert!(sampled.iter().all(|row| row["correct"] == true));
}

#[test]
fn a_sampled_run_counts_as_a_whole_one() {
    assert_sampled_as_whole(LAB, "rtx4060", "--size 2048", &["naive", "shared_static", "coarsened"], 2.0);
    // Rows that begin anywhere in a line: blocks share lines at their edges.
    assert_sampled_as_whole(LAB, "gt740m", "--size 1000", &["shared_dynamic", "padded"], 5.0);
}

#[test]
#[ignore = "minutes; next: just sampled"]
fn more_sampled_runs_count_as_whole_ones() {
    assert_sampled_as_whole(LAB, "rtx4060", "--size 2048", &["shared_dynamic", "padded", "swizzled"], 2.0);
    assert_sampled_as_whole(LAB, "gt740m", "--size 1000", &["naive", "shared_static"], 5.0);
    let variants = ["naive", "shared_static", "padded", "coarsened", "vectorised", "downward"];
    for (card, size, variants) in [
        ("rtx4060", "4096", &variants[..5]),
        ("rtx2070super", "2048", &variants[1..]),
        ("h200", "4096", &variants[..5]),
        ("p100", "4096", &variants),
    ] {
        assert_sampled_as_whole(LAB, card, &format!("--size {size}"), variants, 3.0);
    }
}

/// Matrices that the host does not hold, read and written along rows and down columns.
#[test]
fn a_matrix_that_is_not_held_counts_as_one_that_is() {
    assert_sampled_as_whole(LAB, "rtx4060", "--size 3008x3072 --edge 16", &["copy", "naive", "padded"], 8.0);
}
