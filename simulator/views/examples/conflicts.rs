//! Tells of a kernel whose lanes read a column of a tile, all in one bank. `cargo run -p views --example conflicts`
use serde_json::{Map, Value, json};
use views::explain::{Kernel, Wanted, text};

fn main() {
    let lines: Vec<Map<String, Value>> = serde_json::from_value(json!([
        {"file": "transpose.cu", "line": 12, "instructions": 6144, "shared_load_wavefronts": 32768, "shared_conflicts": 31744,
         "clock_ns": {"shared-memory wavefronts": 3200.0}, "stalls": {"MIO throttle": 71.0, "short scoreboard": 9.0}},
        {"file": "transpose.cu", "line": 9, "instructions": 6144, "global_load_sectors": 4096, "global_load_efficiency": 100.0,
         "clock_ns": {"device memory": 800.0}, "stalls": {"long scoreboard": 20.0}},
    ]))
    .expect("objects");
    let trials: Vec<Map<String, Value>> = serde_json::from_value(json!([
        {"parts": [{"cause": "conflicts", "array": "`tile`", "lines": [12]}], "time_ns": 3400, "without_ns": 1100},
    ]))
    .expect("objects");
    let kernel = Kernel {
        trials: Some(&trials),
        title: "transpose, 1024",
        time_ms: 0.0034,
        bound_by: Some("shared-memory wavefronts"),
        lines: &lines,
    };
    let source = |_: &str, line: u64| {
        let text = if line == 12 { "out[at(col, row)] = tile[x][y];" } else { "tile[y][x] = in[at(row, col)];" };
        Some(text.to_owned())
    };
    print!("{}", text(&kernel, Wanted { reasons: true, counters: true }, 80, &source));
}
