//! `--sample`: what some blocks of a large matrix moved is compared element by element, out of place and in place.

use common::testing::Program;

const LAB: Program = Program(env!("CARGO_BIN_EXE_lab-transpose"));

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
