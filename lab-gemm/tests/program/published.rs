//! The simulated RTX 4060 and GTX 1050 beside the assignments' own: `docs/measurements/published.md` has the whole tables.

use super::LAB;
use common::published;

/// At n = 512 the published kernels take 1.6 times what the same work takes from 2048 on.
const N: &str = "1024";

#[test]
fn the_kernels_come_in_the_published_order_and_near_the_published_times() {
    let report = LAB.json(&["--device", "sim:rtx4060", "--size", N, "--variant", "naive,shared", "--sample"]);
    let rows = report["rows"].as_array().expect("rows");
    let times = ["naive", "shared"].map(|variant| {
        let published = published::value("memory", variant, "pinned", N, "kernel").expect("published") * 1e3;
        let row = rows.iter().find(|row| row["variant"] == variant).expect("a row");
        let model = row["time_ms"]["median"].as_f64().expect("a time") * 1e3;
        assert!((model / published - 1.0).abs() <= 0.25, "{variant}: {model} µs, published {published} µs");
        model
    });
    assert!(times[0] > times[1], "{times:?}");
}

/// At n = 64 on the GTX 1050: variant, block edge. A third of these times and more is a launch's own, before its first block, and what the loads of
/// `naive` take is L2's time, since L1 does not keep global memory.
const SHORT: [(&str, u64); 4] = [("naive", 16), ("naive", 32), ("shared_2", 16), ("shared_4", 32)];

#[test]
fn short_kernels_are_as_active_as_published_and_store_at_the_published_rates() {
    let arguments = ["--device", "sim:gtx1050", "--size", "64", "--edge", "16,32", "--host-memory", "pageable"];
    let report = LAB.json(&[&arguments[..], &["--variant", "naive,shared_2,shared_4"]].concat());
    let rows = report["rows"].as_array().expect("rows");
    for (variant, edge) in SHORT {
        let published =
            |figure| published::value("methods", variant, &edge.to_string(), "64", figure).expect("published");
        let (activity, stores) = (published("multiprocessor_activity"), published("requested_store_gbytes_per_s"));
        let row = rows.iter().find(|row| row["variant"] == variant && row["edge"] == edge).expect("a row");
        let of = |counter: &str| row["counters"][counter].as_f64().expect("a figure");
        let [active, rate] = ["multiprocessor_activity", "requested_store_gbytes_per_s"].map(of);
        assert!((active - activity).abs() <= 12.0, "{variant} {edge}: {active} %, published {activity} %");
        assert!((rate / stores - 1.0).abs() <= 0.25, "{variant} {edge}: {rate} GB/s, published {stores} GB/s");
    }
}
