//! The simulated GT 740M beside the assignment's own: `docs/measurements/published.md` has the whole table.

use super::LAB;
use common::published;
use serde_json::Value;

const VARIANTS: [&str; 4] = ["naive", "shared_dynamic", "shared_static", "padded"];

#[test]
fn the_kernels_come_in_the_published_order_and_near_the_published_times() {
    let report = LAB.json(&["--device", "sim:gt740m", "--size", "256,512", "--variant", &VARIANTS.join(",")]);
    let rows = report["rows"].as_array().expect("rows");
    let time_us = |size: &str, variant: &str| -> f64 {
        let row = rows.iter().find(|row| row["size"] == size && row["variant"] == variant);
        row.and_then(|row: &Value| row["time_ms"]["median"].as_f64()).expect("a time") * 1e3
    };
    for size in ["256", "512"] {
        let published =
            VARIANTS.map(|variant| published::value("transpose", variant, "", size, "kernel_us").expect("published"));
        let model = VARIANTS.map(|variant| time_us(size, variant));
        assert!(model.windows(2).all(|pair| pair[0] > pair[1]), "n = {size}: {model:?}");
        for (variant, (model, published)) in VARIANTS.iter().zip(model.iter().zip(published)) {
            let error = model / published - 1.0;
            assert!(error.abs() <= 0.4, "{variant}, n = {size}: {model} µs, published {published} µs");
        }
    }
}
