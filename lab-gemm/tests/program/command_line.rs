//! The program as its users meet it: bad input, exit codes, the JSON document.

use super::LAB;
use common::ladder::select;
use common::testing::assert_shared_keys;
use serde_json::Value;

#[test]
fn a_gpu_that_is_not_there_is_refused() {
    let auto = LAB.json(&["--device", "auto", "--size", "8", "--variant", "naive"]);
    if auto["device"]["simulated"] == Value::Bool(true) {
        LAB.assert_refuses(&["--device", "gpu"], &["your command line", "--device gpu", "--device sim"]);
    } else {
        LAB.assert_refuses(&["--device", "gpu:99"], &["no device 99"]);
    }
}

#[test]
fn the_json_document_has_the_documented_keys() {
    let names = ["naive", "shared", "vectorised", "fp16x3"];
    let sizes = ["--size", "16,8x24x40", "--edge", "8", "--dtype", "f32,f64", "--variant", &names.join(",")];
    let report = LAB.json(&[&["--device", "sim:h200"][..], &sizes].concat());
    assert_shared_keys(&report);
    assert_eq!(report["lab"], "gemm");
    let rows = report["rows"].as_array().expect("rows");
    let kernels: usize = select(lab_gemm::VARIANTS, &names.map(str::to_owned))
        .expect("rungs")
        .iter()
        .map(|variant| variant.rung.dtypes.len())
        .sum();
    let own = rows.iter().filter(|row| row["variant"] != "cublas").count();
    assert_eq!(own, kernels * 2 * 2, "variants and their types × sizes × host memories");
    for row in rows {
        for key in ["allocation", "copy_in", "kernel", "copy_out", "synchronisation", "free", "total"] {
            assert!(row["phases_ms"][key].is_number(), "rows[].phases_ms.{key}");
        }
    }
    assert_eq!(rows[0]["size"], "16");
    assert!(rows.iter().any(|row| row["size"] == "8x24x40" && row["dtype"] == "f64"));
    let titles: Vec<_> = report["comparisons"].as_array().expect("comparisons").iter().map(|c| &c["title"]).collect();
    assert_eq!(titles, ["pinned over pageable host memory", "shared over naive"]);
}

#[test]
fn two_runs_with_one_seed_say_the_same_of_the_result() {
    let errors = |seed: &str| -> Vec<Value> {
        let report = LAB.json(&["--size", "20", "--edge", "8", "--variant", "naive,shared_4", "--seed", seed]);
        let rows = report["rows"].as_array().expect("rows").clone();
        rows.into_iter().map(|row| row["max_relative_error"].clone()).collect()
    };
    assert_eq!(errors("3"), errors("3"));
    assert_ne!(errors("3"), errors("4"));
}

#[test]
fn tables_go_to_standard_output_and_name_the_device_first() {
    let output = LAB.run(&["--size", "8", "--edge", "8"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let first = text.lines().next().unwrap_or_default();
    assert!(first.starts_with("simulated: ") || first.starts_with("measured: "), "{first}");
    for variant in lab_gemm::VARIANTS {
        assert!(text.contains(variant.name), "{} is not in the table", variant.name);
    }
    assert!(text.contains("next: "));
}

#[test]
fn csv_has_one_line_per_row() {
    let output = LAB.run(&["--size", "8", "--edge", "8", "--variant", "naive", "--no-cublas", "--csv", "-"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.lines().count(), 3, "heading and two host memories: {text}");
    assert!(text.starts_with("device,simulated,seed,variant,size,"), "{text}");
    assert!(!text.contains(['{', '[']), "JSON in a cell: {text}");
    let longest = text.lines().skip(1).flat_map(|line| line.split(',')).map(str::len).max();
    assert!(longest.is_some_and(|longest| longest <= 24), "a cell is a word or a number: {text}");
}

/// Assignment 4's figures for one block and for many, of nvprof on a GTX 1050.
#[test]
fn efficiencies_of_global_memory_are_the_published_ones() {
    let arguments =
        ["--device", "sim:gtx1050", "--size", "64", "--edge", "8,16,32", "--variant", "one_block,naive,shared"];
    let report = LAB.json(&arguments);
    let rows = report["rows"].as_array().expect("rows");
    assert!(rows.len() >= 9);
    for row in rows {
        let edge = ["8x8", "16x16", "32x32"].iter().position(|block| row["block"] == *block).expect("a block");
        let counters = &row["counters"];
        assert_eq!(counters["global_store_efficiency"], [50.0, 100.0, 100.0][edge], "{row}");
        if row["variant"] != "shared" {
            assert_eq!(counters["global_load_efficiency"], [30.0, 56.25, 82.5][edge], "{row}");
        }
    }
}

/// A large card gives a block the shared memory of deep slabs, others that of shallow ones.
#[test]
fn the_tensor_cores_rung_is_right_with_deep_slabs_and_with_shallow_ones() {
    for (device, bytes) in [("sim:h200", 143_360), ("sim:rtx4060", 75_776)] {
        let sizes = ["--variant", "tf32x3", "--size", "128,70x45x51", "--no-cublas"];
        let report = LAB.json(&[&["--device", device][..], &sizes].concat());
        let rows = report["rows"].as_array().expect("rows");
        assert!(!rows.is_empty());
        for row in rows {
            assert_eq!(row["correct"], true, "{row}");
            // A word or two that the kernel declares are there too.
            let taken = row["shared_bytes"].as_u64().expect("a number");
            assert!((bytes..bytes + 1024).contains(&taken), "{row}");
        }
    }
}

#[test]
fn a_rung_for_newer_cards_is_left_out_with_its_reason() {
    let arguments = ["--device", "sim:rtx4060", "--variant", "naive,fp16x3", "--size", "16", "--no-cublas"];
    let report = LAB.json(&arguments);
    let rows = report["rows"].as_array().expect("rows");
    assert!(rows.iter().all(|row| row["variant"] == "naive") && !rows.is_empty());
    let notes = report["notes"].as_array().expect("notes");
    let reason = "fp16x3 is left out: it needs sm_90a, and this device is sm_89";
    assert!(notes.iter().any(|note| note == reason), "{notes:?}");
}

/// Each kernel's dearest lines with reasons, gains and counters: a screen at most, and none is told twice.
#[test]
fn explanations_take_25_lines_a_kernel_and_name_the_page_that_has_the_rest() {
    let run =
        ["--device", "sim:rtx4060", "--size", "32,64", "--edge", "16,32", "--variant", "naive,shared,register_tile"];
    let text = LAB.on_terminal(80, &[&run[..], &["--explain", "--lines"]].concat());
    for variant in ["naive", "shared", "register_tile"] {
        let start = format!("{variant}, 64, block ");
        assert_eq!(text.matches(&format!("\n{start}")).count(), 1, "{variant}, once and at its largest size: {text}");
        let (_, rest) = text.split_once(&format!("\n{start}")).expect("its heading");
        let rows = rest.lines().take_while(|line| !line.is_empty()).count();
        assert!((5..=25).contains(&rows), "{variant} takes {rows} lines: {text}");
        for words in ["kernels/gemm/", "tried", " instructions", " % "] {
            assert!(rest.split("\n\n").next().expect("a text").contains(words), "'{words}' is not in: {rest}");
        }
    }
    assert!(text.contains("--html PAGE.html"), "{text}");
}

#[test]
fn kernels_whose_copies_run_by_themselves_are_explained() {
    let run = ["--device", "sim:h200", "--size", "256", "--variant", "producer_warp,async_copy", "--explain"];
    let text = LAB.on_terminal(100, &run);
    assert!(text.matches("×)").count() >= 2, "{text}");
}

#[test]
fn what_the_lab_does_not_take_is_refused() {
    LAB.assert_refuses_what_no_lab_takes::<lab_gemm::MatrixProduct>();
    LAB.assert_refuses_each(include_str!("refused.txt"));
}

#[test]
fn tables_fit_the_terminal() {
    include_str!("fits.txt").lines().for_each(|arguments| LAB.assert_fits(arguments));
}

#[test]
fn the_usual_table_has_one_line_per_variant_and_size_and_explains_its_columns() {
    let text = LAB.on_terminal(100, &["--size", "32,64", "--edge", "8,16", "--variant", "naive,shared"]);
    let (results, rest) = text.split_once("block by block").expect("the table of the blocks");
    assert_eq!(results.lines().filter(|line| line.starts_with("naive ")).count(), 2, "{text}");
    let blocks = rest.lines().take_while(|line| !line.contains("host memory"));
    assert_eq!(blocks.filter(|line| line.starts_with("naive ")).count(), 2, "{text}");
    for words in [
        "of C alone",
        "copy out",
        "changed by less than",
        "10⁹ floating-point operations per second",
        "--wide shows also",
    ] {
        assert!(text.contains(words), "'{words}' is not in: {text}");
    }
    let without = LAB.on_terminal(100, &["--size", "32", "--variant", "naive", "--no-legend"]);
    assert!(!without.contains("10⁹") && !without.contains("--wide shows"), "{without}");
}

#[test]
fn a_second_run_counts_the_same() {
    // Its warps wait for each other one by one; which host thread runs which block must not show.
    let counted = || {
        LAB.json(&["--device", "sim:h200", "--variant", "split_barrier", "--size", "512"])["rows"][0]["counters"]
            .clone()
    };
    let first = counted();
    assert!(first["l2_bytes"].is_u64(), "{first}");
    assert_eq!(first, counted());
}
