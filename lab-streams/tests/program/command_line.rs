//! The program as its users meet it: bad input, exit codes, the JSON document, the picture, the trace.

use super::LAB;
use common::testing::assert_shared_keys;
use lab_streams::{Rung, VARIANTS};
use serde_json::Value;

#[test]
fn every_variant_has_its_row_and_every_row_the_shared_keys() {
    let arguments = ["--workload", "gemm,chunks", "--size", "40", "--dtype", "f32,f64", "--count", "3"];
    let report = LAB.json(&[&arguments[..], &["--device", "sim:rtx4060:2"]].concat());
    assert_shared_keys(&report);
    assert_eq!((&report["lab"], &report["timed"]), (&Value::from("streams"), &Value::from("batch")));
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 4 * VARIANTS.len());
    for variant in VARIANTS {
        let own: Vec<&Value> = rows.iter().filter(|row| row["variant"] == variant.name).collect();
        assert_eq!(own.len(), 4, "{}", variant.name);
        for row in own {
            match variant.rung {
                Rung::Batch(batch) => {
                    for key in ["first_use_ms", "limit_ms", "limit_percent", "speedup", "devices"] {
                        assert!(row[key].as_f64().is_some_and(|value| value > 0.0), "{key} of {row}");
                    }
                    assert!(row["first_use_ms"].as_f64() >= row["first_run_ms"].as_f64(), "{row}");
                    assert_eq!(row["host_memory"], batch.inputs.name());
                }
                Rung::Topic(_) => assert!(row["limit_ms"].is_null(), "{row}"),
            }
        }
    }
}

#[test]
fn one_device_is_no_place_for_several() {
    let report = LAB.json(&["--size", "16", "--count", "2"]);
    if report["device"]["simulated"] == true {
        let rows = report["rows"].as_array().expect("rows");
        assert!(rows.iter().all(|row| row["variant"] != "multi_gpu"));
        let notes = report["notes"].as_array().expect("notes");
        let mut notes = notes.iter().filter_map(Value::as_str);
        assert!(notes.any(|note| note.starts_with("multi_gpu is left out")));
    }
    let asked = LAB.json(&["--size", "16", "--count", "2", "--variant", "multi_gpu"]);
    assert_eq!(asked["rows"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_kernels_three_clocks_agree_on_the_order() {
    let report = LAB.json(&["--variant", "device_timed", "--size", "64"]);
    let row = &report["rows"][0];
    let [events, host] = [&row["time_ms"]["median"], &row["host_ms"]].map(|value| value.as_f64().expect("a time"));
    assert!(row["device_ms"].as_f64().is_some_and(|time| time > 0.0), "{row}");
    // The host's clock also sees the launch and the wait.
    assert!(events < host, "{row}");
}

#[test]
fn kernels_that_launch_kernels_are_faster_where_rows_differ_and_left_out_where_no_kernel_can() {
    let run = |card: &str| LAB.json(&["--device", card, "--variant", "children_flat,children", "--size", "64"]);
    let report = run("sim:rtx4060");
    let [flat, children] = [&report["rows"][0], &report["rows"][1]];
    assert_eq!(flat["launches"], 1);
    // 40,960 elements: of each 64 rows one has 4096 of 4600, so that nine have a child.
    assert_eq!(children["launches"], 10);
    let time = |row: &serde_json::Value| row["time_ms"]["median"].as_f64().expect("a time");
    assert!(time(flat) > 5.0 * time(children), "{} {}", time(flat), time(children));
    let old = run("sim:gt740m");
    assert!(old["rows"].as_array().is_some_and(Vec::is_empty), "{}", old["rows"]);
    assert!(old["notes"].to_string().contains("children is left out: it needs sm_50"), "{}", old["notes"]);
}

#[test]
fn the_picture_and_the_trace_show_every_batch() {
    let folder = tempfile::tempdir().expect("a folder");
    let [picture, trace] = ["timeline.svg", "trace.json"].map(|name| folder.path().join(name));
    let variants = "synchronous,pipelined,graph,mapped";
    let [to_picture, to_trace] = [&picture, &trace].map(|path| path.to_str().expect("a name"));
    let usual = ["--size", "32", "--count", "5", "--variant", variants];
    let report = LAB.json(&[&usual[..], &["--timeline", to_picture, "--trace", to_trace]].concat());
    let picture = std::fs::read_to_string(picture).expect("the picture");
    let trace: Value = serde_json::from_slice(&std::fs::read(trace).expect("the trace")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    for (process, row) in report["rows"].as_array().expect("rows").iter().enumerate() {
        let variant = row["variant"].as_str().expect("a name");
        // A row that is far longer than the others says so before the colon.
        assert!(picture.contains(&format!(">{variant}, 5 gemm of 32, f64")), "{variant} has no panel");
        let count = |track: &str| {
            let own = |event: &&Value| {
                let engine = format!("device 0: {track}");
                event["ph"] == "X" && event["pid"] == process && event["cat"] == engine.as_str()
            };
            events.iter().filter(own).count()
        };
        let copies = if variant == "mapped" { 0 } else { 5 };
        assert_eq!([count("copy in"), count("kernels"), count("copy out")], [copies, 5, copies], "{variant}");
        assert!(count("host") > 0, "{variant}");
        for event in events.iter().filter(|event| event["ph"] == "X") {
            assert!(event["dur"].as_f64().is_some_and(|time| time >= 0.0), "{event}");
        }
    }
}

/// Complete events of one thread nest or are disjoint: Perfetto drops others, and here they would be the overlap that the lab is about.
#[test]
fn no_events_of_a_trace_cross() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("trace.json");
    let path = trace.to_str().expect("a name");
    for arguments in [
        &["--size", "128", "--count", "4", "--variant", "streamed_pinned,mapped,without_transfers"][..],
        &["--size", "16", "--count", "6"],
        &["--size", "4096", "--workload", "chunks", "--count", "6"],
    ] {
        let output = LAB.run(&[&["--device", "sim:rtx4060:2", "--trace", path][..], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let document: Value = serde_json::from_slice(&std::fs::read(&trace).expect("the trace")).expect("JSON");
        assert_eq!(views::trace::crossings(&document), [] as [String; 0]);
        let events = document["traceEvents"].as_array().expect("events");
        let threads = events.iter().filter_map(|event| event["args"]["name"].as_str());
        let beside: Vec<&str> = threads.filter(|name| name.contains("beside")).collect();
        // An engine does one copy at a time; products of several streams overlap at their ends.
        assert!(beside.iter().all(|name| name.contains("kernels")), "{beside:?}");
        assert!(!beside.is_empty() || arguments[1] != "128", "no kernel ran beside another");
    }
}

#[test]
fn what_the_lab_does_not_take_is_refused() {
    LAB.assert_refuses_what_no_lab_takes::<lab_streams::Streams>();
    LAB.assert_refuses_each(include_str!("refused.txt"));
}

#[test]
fn tables_fit_the_terminal() {
    include_str!("fits.txt").lines().for_each(|arguments| LAB.assert_fits(arguments));
}

/// A batch's words are those of its parts: which of them binds it, what overlap would give, and its kernel's lines once.
#[test]
fn a_batch_is_bound_by_its_parts() {
    let run = "--workload chunks --size 262144 --count 16 --variant synchronous,pipelined --explain";
    let run: Vec<&str> = run.split(' ').collect();
    let text = String::from_utf8_lossy(&LAB.run(&run).stdout).into_owned();
    let headings: Vec<&str> = text.lines().filter(|line| line.contains(", bound by ")).collect();
    let [serial, overlapped] = headings[..] else { panic!("{text}") };
    assert!(serial.ends_with("bound by parts in turn") && overlapped.ends_with("bound by copies both ways"), "{text}");
    let (_, sentence) = text.split_once("overlapped perfectly it would take ").expect("a sentence");
    assert!(
        sentence.contains("as long as its copies both ways") && !sentence.contains("overlapped perfectly"),
        "{text}"
    );
    assert_eq!(text.matches("lines by their share").count(), 1, "{text}");
    assert_eq!(text.matches("the kernel is that of `synchronous`, above").count(), 1, "{text}");
}

#[test]
fn a_batch_of_small_items_is_bound_by_the_hosts_calls() {
    let run = "--workload chunks --size 256 --count 32 --variant streamed_pinned,without_transfers --explain";
    let run: Vec<&str> = run.split(' ').collect();
    let text = String::from_utf8_lossy(&LAB.run(&run).stdout).into_owned();
    assert_eq!(text.matches(", bound by the host's calls").count(), 2, "{text}");
    assert!(!text.contains("overlapped perfectly"), "{text}");
}

/// Nothing is printed twice, and each file is named.
#[test]
fn a_flag_that_asks_for_another_output_gets_that_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let usual = ["--size", "16", "--count", "2", "--variant", "synchronous"];
    let printed = |more: &[&str]| {
        let output = LAB.run(&[&usual[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{more:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    const ROWS: &str = "speedup";
    assert!(printed(&[]).contains(ROWS));
    for (flag, words) in [
        ("--lines", "lines by their share"),
        ("--explain", "bound by"),
        ("--counters", "counters of one launch"),
        ("--activities", "GPU activities"),
    ] {
        let text = printed(&[flag]);
        assert!(text.contains(words) && !text.contains(ROWS), "{flag}: {text}");
        let text = printed(&[flag, "--all"]);
        assert!(text.contains(words) && text.contains(ROWS), "{flag} --all: {text}");
    }
    for (flag, name) in [
        ("--json", "rows.json"),
        ("--csv", "rows.csv"),
        ("--html", "page.html"),
        ("--plot", "plots"),
        ("--timeline", "time.svg"),
        ("--trace", "trace.json"),
    ] {
        let path = folder.path().join(name);
        let path = path.to_str().expect("a name");
        let text = printed(&[flag, path]);
        assert!(std::path::Path::new(path).exists(), "{flag}");
        assert_eq!(text.matches(&format!("wrote {path}: ")).count(), 1, "{flag}: {text}");
        assert!(!text.contains(ROWS) && text.contains("the result agrees"), "{flag}: {text}");
    }
    // Standard output is the document alone.
    let path = folder.path().join("beside.json");
    let output = LAB.run(&[&usual[..], &["--csv", "-", "--json", path.to_str().expect("a name")]].concat());
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(out.starts_with("device,") && error.contains("wrote "), "{out} {error}");
}
