//! The lecture's experiment, which `--assignment` runs: ten products in five orders, and the copies of one matrix of its size.

use crate::options::Options;
use crate::workload::Kind;
use common::device::Device;
use common::element::Dtype;
use common::experiment::{Document, Measure, beside, fill_in};
use common::published;
use common::result::figures::WORKLOAD;
use common::result::{Next, Report, Row, Table};
use common::shape::Shape;
use common::timing::Runs;
use serde_json::Value;

/// Slides on a Fermi card.
pub const DOCUMENTS: &[Document<Options>] = &[Document {
    key: "lecture",
    title: "ten products of f64 in streams, with page-locked and with mapped memory; published for a Fermi card",
    card: "c2050",
    runs: Runs::ONCE,
    prepare,
    measure,
    tables,
    done: |_| 0,
    notes: &[
        "the lecture names neither its card nor its n: of 1312 a matrix takes its 2.36 ms over page-locked memory; the products here are smaller, so compare the order and the parts, not the times",
        "its kernels take 164 ms each, four times what the simulated Tesla C2050 has: a GeForce of that generation has a quarter of its lanes for f64",
        "a Fermi has one queue for all streams, in which a copy out holds up the next copy in: the lecture's streams hide nothing. Simulated streams are independent, as they are since Kepler",
    ],
    next: Next::new("cargo run -rp lab-streams -- --timeline timeline.svg", "what ran when"),
}];

/// The lecture's strategies, in its order.
const STRATEGIES: [(&str, &str); 5] = [
    ("synchronous", "synchronous"),
    ("without_transfers", "without transfers"),
    ("streamed", "a stream each"),
    ("streamed_pinned", "streams, page-locked"),
    ("mapped", "mapped"),
];
const PRODUCTS: usize = 10;
/// n of a product: all of it is simulated, and checked.
const N: usize = 256;
/// Elements of a matrix of the lecture's size, which is copied by itself.
const MATRIX: usize = 1312 * 1312;
/// Copies of a product: two matrices in, one out.
const COPIES: [(&str, &str, f64); 2] = [("in", "copy_in", 2.0), ("out", "copy_out", 1.0)];

fn prepare(options: &mut Options, _simulated: bool) {
    fill_in(&mut options.common, &[N], &STRATEGIES.map(|(rung, _)| rung));
    if options.common.dtype.is_empty() {
        options.common.dtype = vec![Dtype::F64];
    }
    options.count.get_or_insert(PRODUCTS);
}

fn measure(options: &Options, device: &Device, own: Measure<Options>) -> anyhow::Result<Report> {
    let mut copies = options.clone();
    copies.workload = vec![Kind::Chunks];
    copies.common.size = vec![Shape::square(MATRIX)];
    copies.common.variant = ["synchronous", "pinned"].map(str::to_owned).to_vec();
    copies.count = Some(1);
    copies.timeline = None;
    let mut report = own(options, device)?;
    report.append(own(&copies, device)?);
    Ok(report)
}

fn of_kind<'r>(report: &'r Report, kind: &'r str) -> impl Iterator<Item = &'r Row> {
    report.rows.iter().filter(move |row| row.get(&WORKLOAD).is_some_and(|name| name == kind))
}

fn tables(report: &Report) -> Vec<Table> {
    vec![strategies(report), copies(report)]
}

/// The batch by strategy: all of it, its kernels and its copies, and how often the synchronous one's time it takes.
fn strategies(report: &Report) -> Table {
    let published = |rung: &str, figure: &str| published::value("lecture", rung, "", "", figure);
    let row = |rung: &str| of_kind(report, "gemm").find(|row| row.variant == rung);
    let synchronous = row("synchronous").map(|row| row.time_ms.median);
    let line = |&(rung, name): &(&str, &str)| {
        let Some(row) = row(rung) else { return Vec::new() };
        let phase = |name: &str| row.number(&format!("phases_ms.{name}")).filter(|&ms| ms > 0.0);
        let sum = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b);
        let ratio = |time: Option<f64>, whole: Option<f64>| time.zip(whole).map(|(time, whole)| time / whole);
        let total = Some(row.time_ms.median);
        let own = [total, ratio(total, synchronous), phase("kernel"), sum(phase("copy_in"), phase("copy_out"))];
        let of = |figure: &str| published(rung, figure);
        let theirs = [
            of("total"),
            ratio(of("total"), published("synchronous", "total")),
            of("kernel"),
            sum(of("copy_in"), of("copy_out")),
        ];
        beside(report, &[name.into()], own.map(Value::from).to_vec(), theirs.map(Value::from).to_vec())
    };
    let row = of_kind(report, "gemm").next();
    let n = row.map(|row| format!("{} products of n = {}", row.value("count").unwrap_or_default(), row.size));
    Table {
        title: format!("{} by strategy, ms", n.unwrap_or_default()),
        columns: ["strategy", "", "batch", "of synchronous", "kernels", "copies"].map(str::to_owned).to_vec(),
        rows: STRATEGIES.iter().flat_map(line).collect(),
    }
}

/// The copy of one matrix of the lecture's size.
fn copies(report: &Report) -> Table {
    let row = |rung: &str| of_kind(report, "chunks").find(|row| row.variant == rung);
    let lines = [("pageable", "synchronous", "synchronous"), ("page-locked", "pinned", "streamed_pinned")].into_iter();
    let lines = lines.flat_map(|(memory, own, theirs)| {
        let Some(row) = row(own) else { return Vec::new() };
        let own = COPIES.map(|(_, phase, _)| row.value(&format!("phases_ms.{phase}")).unwrap_or_default());
        let theirs = COPIES.map(|(_, phase, matrices)| {
            let all = published::value("lecture", theirs, "", "", phase);
            Value::from(all.map(|ms| ms / (PRODUCTS as f64 * matrices)))
        });
        beside(report, &[memory.into()], own.to_vec(), theirs.to_vec())
    });
    let columns = ["memory".to_owned(), String::new()].into_iter().chain(COPIES.map(|(name, ..)| name.to_owned()));
    Table {
        title: "the copy of one matrix of n = 1312 in f64, ms".to_owned(),
        columns: columns.collect(),
        rows: lines.collect(),
    }
}
