//! `--sample`: some blocks of a large grid stand for all of them. Beside a whole run: the counters within 1 %, the time within 2 %.

use common::testing::Program;
use serde_json::Value;

const LAB: Program = Program(env!("CARGO_BIN_EXE_lab-gemm"));

/// Counters of which a whole run has so few that one more is a per cent are none to compare.
const LEAST: f64 = 1000.0;
fn rows(arguments: &[&str]) -> Vec<Value> {
    let fixed = ["--device", "sim:gtx1050", "--host-memory", "pageable", "--edge", "16"];
    LAB.json(&[&fixed, arguments].concat())["rows"].as_array().expect("rows").clone()
}

#[test]
fn a_sampled_run_counts_as_a_whole_one() {
    // Whole tiles, and tiles of which the last ones are cut.
    for size in ["1024x64x1024", "1000x70x1010"] {
        let arguments = ["--size", size, "--variant", "naive,shared,shared_2,shared_4"];
        let (whole, sampled) = (rows(&arguments), rows(&[&arguments[..], &["--sample"]].concat()));
        for (whole, sampled) in whole.iter().zip(&sampled) {
            let name = format!("{} {size}", whole["variant"]);
            assert!(whole.get("sampled").is_none() && sampled["correct"] == true, "{name}");
            let percent = sampled["sampled"]["percent"].as_f64().expect("sampled");
            assert!(percent < 50.0, "{name}: {percent}");
            for (counter, value) in whole["counters"].as_object().expect("counters") {
                let Some(value) = value.as_f64().filter(|value| value.abs() > LEAST || *value <= 100.0) else {
                    continue;
                };
                let other = sampled["counters"][counter].as_f64().expect(counter);
                // The clock follows one cache line of several where all blocks are run: hit rates to five points, what rests on them to 5 %.
                let most = match counter.as_str() {
                    "l1_hit_rate" | "l2_hit_rate" => 5.0,
                    "l2_bytes" | "memory_bytes" | "eligible_warps" => 0.05 * value.abs(),
                    clock if clock.ends_with("per_s") || clock.starts_with("throughput") => 0.05 * value.abs(),
                    _ => 0.01 * value.abs(),
                };
                assert!((other - value).abs() <= most, "{name}: {counter} {other}, whole {value}");
            }
            let [other, value] = [sampled, whole].map(|row| row["time_ms"]["median"].as_f64().expect("a time"));
            assert!((other / value - 1.0).abs() < 0.02, "{name}: {other} ms, whole {value} ms");
        }
    }
}

/// What a run printed: standard output, and standard error.
fn printed(arguments: &[&str]) -> (String, String) {
    let output = LAB.run(arguments);
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_sampled_row_is_marked_wherever_it_is_shown() {
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
