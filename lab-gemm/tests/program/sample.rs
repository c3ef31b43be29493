//! `--sample`: some blocks of a large grid stand for all of them. Beside a whole run: the counters within 1 %, the time within 2 %, or 8 % where tiles are cut.

use super::LAB;
use common::testing::assert_sampled_as_whole;

fn beside_a_whole_run(variants: &[&str], (card, size, edge): (&str, &str, &str), most_percent_of_time: f64) {
    let flags = format!("--size {size} --edge {edge} --host-memory pageable");
    assert_sampled_as_whole(LAB, card, &flags, variants, most_percent_of_time);
}

#[test]
fn a_sampled_run_counts_as_a_whole_one() {
    // Whole tiles, and tiles of which the last ones are cut; a card without and one with a multiprocessor that is played through. That follows
    // few blocks, and rows of such tiles begin anywhere in a line.
    beside_a_whole_run(&["naive", "shared_2"], ("gtx1050", "1024x64x1024", "16"), 2.0);
    beside_a_whole_run(&["shared", "shared_4"], ("rtx4060", "1000x70x1010", "16"), 8.0);
}

#[test]
#[ignore = "minutes; next: just sampled"]
fn more_sampled_runs_count_as_whole_ones() {
    const ALL: &[&str] = &["naive", "shared", "shared_2", "shared_4"];
    beside_a_whole_run(&["naive", "shared_2"], ("rtx4060", "1000x70x1010", "16"), 8.0);
    for run in [
        ("gtx1050", "1024x64x1024", "16"),
        ("gtx1050", "1000x70x1010", "16"),
        ("rtx4060", "1024x64x1024", "32"),
        ("rtx4060", "1024x512x1024", "32"),
        ("rtx4060", "2048x128x2048", "32"),
        ("rtx2070super", "1024x256x1024", "16"),
        ("gtx1050", "1024x256x1024", "32"),
    ] {
        beside_a_whole_run(ALL, run, 3.0);
    }
}

/// The output of a run: standard output, and standard error.
fn printed(arguments: &[&str]) -> (String, String) {
    let output = LAB.run(arguments);
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_sampled_row_is_marked_wherever_it_is_printed() {
    let arguments =
        ["--device", "sim:gtx1050", "--size", "64,1024x16x1024", "--edge", "16", "--variant", "naive", "--sample"];
    let csv = printed(&[&arguments[..], &["--csv"]].concat()).0;
    assert!(csv.lines().next().is_some_and(|heading| heading.contains("sampled.percent")), "{csv}");
    let table = printed(&arguments).0;
    let line = |size: &str| {
        table.lines().find(|line| line.starts_with("naive") && line.contains(size)).expect("a line").to_owned()
    };
    assert!(line("1024").contains("sampled, ") && line("64 ").contains(" all "), "{table}");
    assert!(table.contains("the elements that they wrote were checked"), "{table}");
}

#[test]
fn what_needs_every_block_is_refused() {
    for (flag, words) in
        [("--sanitize", "--sample and --sanitize exclude each other"), ("--series", "--sample and --series")]
    {
        let (out, error) = printed(&["--device", "sim", "--size", "64", "--sample", flag]);
        assert!(error.contains(words), "{out} {error}");
    }
}
