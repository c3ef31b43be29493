//! The lecture's experiment, which `--assignment` runs: ten products in five orders, and the copies of one matrix.

use crate::options::Options;
use common::element::Dtype;
use common::experiment::{Document, beside, fill_in};
use common::published;
use common::result::{Next, Report, Table};
use common::timing::Runs;
use serde_json::Value;

/// Slides on a Fermi card.
pub const DOCUMENTS: &[Document<Options>] = &[Document {
    key: "lecture",
    title: "ten products of f64 in streams, with page-locked and with mapped memory; published for a Fermi card",
    cards: &["gt545"],
    runs: Runs::ONCE,
    prepare,
    measure: |options, device, own| own(options, device),
    tables,
    done,
    notes: &[
        "the lecture names neither its card nor its n: of 1312 a matrix takes its 2.36 ms over page-locked memory, and its 164 ms for a product are what the f64 lanes of a GeForce GT 545 take for that",
        "of each product some blocks are run for all, and what they compute is compared",
        "a Fermi has one queue for all streams, in which a copy out holds up the next copy in: the lecture's streams hide nothing. Simulated streams are independent, as they are since Kepler",
    ],
    next: Next::new("cargo run -rp lab-streams -- --timeline timeline.svg", "what ran when"),
}];

/// Those whose copies a table has.
const COPIED: [(&str, &str); 2] = [("pageable", "synchronous"), ("page-locked", "streamed_pinned")];
/// The lecture's strategies, in its order.
const STRATEGIES: [(&str, &str); 5] = [
    ("synchronous", "synchronous"),
    ("without_transfers", "without transfers"),
    ("streamed", "a stream each"),
    ("streamed_pinned", "streams, page-locked"),
    ("mapped", "mapped"),
];
const PRODUCTS: usize = 10;
/// n of a product, by the time that the lecture's copies take.
const N: usize = 1312;
/// Copies of a product: two matrices in, one out.
const COPIES: [(&str, &str, f64); 2] = [("in", "copy_in", 2.0), ("out", "copy_out", 1.0)];

fn prepare(options: &mut Options, simulated: bool) {
    // The table of copies is there as soon as its two strategies are.
    let others = STRATEGIES.iter().filter(|(rung, _)| COPIED.iter().all(|(_, copied)| copied != rung));
    let rungs: Vec<&str> = COPIED.iter().map(|(_, rung)| *rung).chain(others.map(|(rung, _)| *rung)).collect();
    fill_in(&mut options.common, &[N], &rungs);
    if options.common.dtype.is_empty() {
        options.common.dtype = vec![Dtype::F64];
    }
    if simulated {
        options.common.sample.get_or_insert(2);
    }
    options.count.get_or_insert(PRODUCTS);
}

fn tables(report: &Report) -> Vec<Table> {
    vec![copies(report), strategies(report)]
}

/// That of the copies, with its strategies.
fn done(report: &Report) -> usize {
    usize::from(COPIED.iter().all(|(_, rung)| report.rows.iter().any(|row| row.variant == *rung)))
}

/// The batch by strategy: all of it, its kernels and its copies, and how often the synchronous one's time it takes.
fn strategies(report: &Report) -> Table {
    let published = |rung: &str, figure: &str| published::value("lecture", rung, "", "", figure);
    let row = |rung: &str| report.rows.iter().find(|row| row.variant == rung);
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
    let row = report.rows.first();
    let n = row.map(|row| format!("{} products of n = {}", row.value("count").unwrap_or_default(), row.size));
    Table {
        title: format!("{} by strategy, ms", n.unwrap_or_default()),
        columns: ["strategy", "", "batch", "of synchronous", "kernels", "copies"].map(str::to_owned).to_vec(),
        rows: STRATEGIES.iter().flat_map(line).collect(),
    }
}

/// The copy of one matrix: in the batch there are two for each product on the way in, and one on the way out.
fn copies(report: &Report) -> Table {
    let lines = COPIED.into_iter().flat_map(|(memory, rung)| {
        let Some(row) = report.rows.iter().find(|row| row.variant == rung) else { return Vec::new() };
        let of_matrix =
            |all: Option<f64>, products: f64, matrices: f64| Value::from(all.map(|ms| ms / (products * matrices)));
        let products = row.number("count").unwrap_or(1.0);
        let own =
            COPIES.map(|(_, phase, matrices)| of_matrix(row.number(&format!("phases_ms.{phase}")), products, matrices));
        let published = |phase| published::value("lecture", rung, "", "", phase);
        let theirs = COPIES.map(|(_, phase, matrices)| of_matrix(published(phase), PRODUCTS as f64, matrices));
        beside(report, &[memory.into()], own.to_vec(), theirs.to_vec())
    });
    let columns = ["memory".to_owned(), String::new()].into_iter().chain(COPIES.map(|(name, ..)| name.to_owned()));
    Table { title: "the copy of one matrix, ms".to_owned(), columns: columns.collect(), rows: lines.collect() }
}
