//! Ctrl-C: what has been measured is printed, and written where a file was asked for.

use super::LAB;
use serde_json::Value;

#[test]
fn an_experiment_that_is_interrupted_leaves_its_tables() {
    let file = std::env::temp_dir().join(format!("interrupted-{}.json", std::process::id()));
    let path = file.to_str().expect("a path");
    let asked = ["--assignment", "--size", "64,16384", "--json", path];
    let (code, printed) = LAB.interrupt(&asked, "n = 64, shared");
    assert_eq!(code, Some(130), "{printed}");
    for once in
        ["n = 64, naive", "n = 64, shared", "simulated: NVIDIA", "shared over naive, C in pinned", "note: interrupted"]
    {
        assert_eq!(printed.matches(once).count(), 1, "{once}: {printed}");
    }
    assert!(!printed.contains("n = 16384, "), "{printed}");
    let written = std::fs::read(&file).expect("the file was asked for");
    std::fs::remove_file(&file).expect("it is there");
    let report: Value = serde_json::from_slice(&written).expect("a whole document");
    let sizes: Vec<&str> =
        report["rows"].as_array().expect("rows").iter().filter_map(|row| row["size"].as_str()).collect();
    assert_eq!(sizes, ["64"; 4], "two kernels, and C in two kinds of memory");
}

#[test]
fn a_run_that_is_interrupted_has_the_rows_before() {
    // The line about a long run comes when its first rows are there.
    let asked = ["--device", "sim:rtx4060", "--size", "64,4096", "--variant", "naive", "--host-memory", "pageable"];
    let (code, printed) = LAB.interrupt(&asked, "this run takes");
    assert_eq!(code, Some(130), "{printed}");
    assert!(printed.contains("note: interrupted") && !printed.contains("panicked"), "{printed}");
    assert_eq!(printed.lines().filter(|line| line.contains("naive")).count(), 1, "{printed}");
}

#[test]
fn a_run_that_ends_by_itself_is_not_told_to_be_interrupted() {
    let output = LAB.run(&["--assignment", "--size", "64"]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!((output.status.code(), printed.matches("interrupted").count()), (Some(0), 0), "{printed}");
    assert_eq!(printed.matches("n = 64, naive").count(), 1, "printed as it is done, and not again: {printed}");
}
