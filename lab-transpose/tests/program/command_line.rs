//! The program as its users meet it: bad input, the JSON document, and the published counters.

use super::LAB;
use common::testing::assert_shared_keys;
use serde_json::Value;

#[test]
fn every_row_is_compared_with_the_copy_and_has_the_shared_keys() {
    let sizes = ["--size", "40,24x72", "--edge", "8,16", "--dtype", "f32,f64", "--place", "out,in"];
    // A card that runs every rung.
    let report = LAB.json(&[&["--device", "sim:h200"], &sizes[..]].concat());
    assert_shared_keys(&report);
    assert_eq!(report["lab"], "transpose");
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows[0]["variant"], "copy", "the ceiling is measured first");
    for row in rows {
        for key in ["copy_in", "kernel", "copy_out", "total"] {
            assert!(row["phases_ms"][key].is_number(), "phases_ms.{key}");
        }
        assert!(row["copy_percent"].is_number(), "{row}");
        assert!(row["gflops"].is_null());
        assert!(row["place"] != "in" || row["size"] == "40", "only square ones in place: {row}");
    }
    for variant in lab_transpose::VARIANTS {
        let places = rows.iter().filter(|row| row["variant"] == variant.name).map(|row| &row["place"]);
        assert!(places.clone().any(|place| place == "out"), "{}", variant.name);
        assert_eq!(places.clone().any(|place| place == "in"), variant.rung.in_place, "{}", variant.name);
    }
    let titles: Vec<_> = report["comparisons"].as_array().expect("comparisons").iter().map(|c| &c["title"]).collect();
    assert_eq!(titles, ["over naive"]);
}

/// Shared efficiencies and conflicts per access of the tile kernels, as the assignment published them for its card and as they are on
/// every later one.
#[test]
fn published_shared_efficiencies() {
    // An unpadded tile of 32×32: a row takes 1 pass, a column 16 where two rows share a bank of 8 bytes, and 32 where none do.
    // With padding both take 1, which on wide banks still wastes half.
    let kepler = [("shared_dynamic", 5.88, 7.5), ("shared_static", 5.88, 7.5), ("padded", 50.0, 0.0)];
    let later = [
        ("shared_dynamic", 6.06, 15.5),
        ("shared_static", 6.06, 15.5),
        ("padded", 100.0, 0.0),
        ("swizzled", 100.0, 0.0),
        ("coarsened", 100.0, 0.0),
    ];
    assert_shared("sim:gt740m", &kepler);
    for card in ["sim:gtx1050", "sim:rtx4060", "sim:h200"] {
        assert_shared(card, &later);
    }
}

fn assert_shared(device: &str, published: &[(&str, f64, f64)]) {
    let report = LAB.json(&["--device", device, "--size", "32,64,128,256"]);
    let rows = report["rows"].as_array().expect("rows");
    for &(variant, efficiency, conflicts) in published {
        let own: Vec<&Value> = rows.iter().filter(|row| row["variant"] == variant).collect();
        assert_eq!(own.len(), 4, "one row per size");
        for row in own {
            let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
            let label = format!("{device} {variant} {}", row["size"]);
            let found = number(&row["counters"]["shared_efficiency"]);
            assert!((found - efficiency).abs() < 0.005, "{label}: {found} %, published {efficiency} %");
            let found = number(&row["conflicts_per_access"]);
            assert!((found - conflicts).abs() < 1e-9, "{label}: {found} conflicts per access, not {conflicts}");
        }
    }
    let notes = report["notes"].as_array().expect("notes");
    let explained = notes.iter().filter_map(Value::as_str).filter(|note| note.starts_with("shared efficiency"));
    assert_eq!(explained.count(), 2);
}

#[test]
fn activities_are_nvprofs_two_tables() {
    let report = LAB.json(&["--size", "64", "--variant", "naive", "--activities"]);
    let tables = report["tables"].as_array().expect("tables");
    let named = |title: &str| tables.iter().find(|table| table["title"] == title).expect("the table");
    for title in ["GPU activities", "API calls"] {
        let table = named(title);
        assert_eq!(table["columns"].as_array().map(Vec::len), Some(7), "share, total, calls, mean, min, max, name");
        assert!(table["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{title} is empty");
    }
    let names: Vec<&str> =
        named("GPU activities")["rows"].as_array().expect("rows").iter().filter_map(|row| row[6].as_str()).collect();
    for name in ["naive_f32", "copy_f32", "memcpy HtoD", "memcpy DtoH"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
}

/// A problem is a process of the trace, its calls, copies and kernels are tracks; nothing that is only examined is among them.
#[test]
fn a_trace_has_a_process_for_each_problem() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("trace.json");
    let file = path.to_str().expect("UTF-8");
    let output = LAB.run(&["--size", "32,64", "--variant", "naive", "--no-yardsticks", "--trace", file]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains(&format!("wrote {file}: what ran when")), "{said}");
    let trace: Value = serde_json::from_slice(&std::fs::read(&path).expect("written")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let names = |kind: &str| {
        events.iter().filter(|event| event["name"] == kind).map(|event| &event["args"]["name"]).collect::<Vec<_>>()
    };
    assert_eq!(names("process_name"), ["32 in f32", "64 in f32"]);
    assert!(names("thread_name").iter().any(|name| **name == "copies to the device"), "{trace}");
    for process in 0..2 {
        let kernels = events.iter().filter(|event| event["cat"] == "kernels" && event["pid"] == process);
        let naive = kernels.filter(|event| event["name"] == "naive_f32").count();
        assert_eq!(naive, 1, "process {process}");
        let begins = events.iter().filter(|event| event["ph"] == "X" && event["pid"] == process);
        assert_eq!(begins.filter_map(|event| event["ts"].as_f64()).fold(f64::INFINITY, f64::min), 0.0);
    }
}

#[test]
fn what_the_lab_does_not_take_is_refused() {
    LAB.assert_refuses_what_no_lab_takes::<lab_transpose::Transpose>();
    LAB.assert_refuses_each(include_str!("refused.txt"));
}

#[test]
fn tables_fit_the_terminal() {
    include_str!("fits.txt").lines().for_each(|arguments| LAB.assert_fits(arguments));
}
