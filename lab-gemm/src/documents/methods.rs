//! Work per thread: methods by block edge, with the efficiencies and rates that a profiler shows, and GFLOP/s over n for each edge.

use crate::options::Options;
use common::experiment::{Document, beside, fill_in, here};
use common::host_memory::HostMemory;
use common::published;
use common::result::figures::EDGE;
use common::result::{Next, Report, Row, Table, distinct};
use common::timing::Runs;
use serde_json::Value;

/// A report on a GTX 1050, of Pascal.
pub const DOCUMENT: Document<Options> = Document {
    key: "methods",
    title: "product by one block, by many, and with 2 and 4 elements per thread; published for a GTX 1050",
    cards: &["gtx1050"],
    runs: Runs::ONCE,
    prepare,
    measure: |options, device, own| own(options, device),
    tables,
    done: |_| 0,
    notes: &[
        "the document's own kernels compute a wrong C (a block's place left out, an index, one accumulator for four): these are right, and load what a right one has to",
        "the document plots its GFLOP/s and prints none; --plot DIR draws ours",
    ],
    next: Next::new(
        "cargo run -rp lab-gemm -- --assignment memory",
        "pageable against pinned memory, published for an RTX 4060",
    ),
};

const SIZES: [usize; 3] = [64, 128, 256];
const EDGES: [usize; 3] = [8, 16, 32];

/// Rungs by the document's names.
const METHODS: [(&str, &str); 4] = [
    ("one_block", "method 1, one block"),
    ("naive", "method 2, many blocks"),
    ("shared_2", "method 6, 2 elements per thread"),
    ("shared_4", "method 6, 4 elements per thread"),
];

/// The document's columns and their keys, and what its theory has: the occupancy that the block allows, and flop per global access.
const COLUMNS: [(&str, &str); 9] = [
    ("shared B", "shared_bytes"),
    ("load eff. %", "global_load_efficiency"),
    ("store eff. %", "global_store_efficiency"),
    ("loads GB/s", "requested_load_gbytes_per_s"),
    ("stores GB/s", "requested_store_gbytes_per_s"),
    ("active %", "multiprocessor_activity"),
    ("occupancy %", "achieved_occupancy"),
    ("theory %", "theoretical_occupancy"),
    ("CGMA", "cgma"),
];

fn prepare(options: &mut Options, _simulated: bool) {
    fill_in(&mut options.common, &SIZES, &METHODS.map(|(rung, _)| rung));
    if options.common.edge.is_empty() {
        options.common.edge = EDGES.to_vec();
    }
    if options.common.host_memory.is_empty() {
        options.common.host_memory = vec![HostMemory::Pageable];
    }
    options.no_cublas = true;
}

fn tables(report: &Report) -> Vec<Table> {
    let tables = METHODS.iter().flat_map(|&method| [counters(report, method), rates(report, method)]);
    tables.filter(|table| !table.rows.is_empty()).collect()
}

fn of_method<'r>(report: &'r Report, rung: &'r str) -> impl Iterator<Item = &'r Row> {
    report.rows.iter().filter(move |row| row.variant == rung)
}

fn edge(row: &Row) -> String {
    row.get(&EDGE).map_or("null".to_owned(), |edge| edge.to_string())
}

/// The document's table 1 of one method: a line for each edge and n.
fn counters(report: &Report, (rung, name): (&str, &str)) -> Table {
    let mut rows: Vec<&Row> = of_method(report, rung).collect();
    rows.sort_by_key(|row| row.get(&EDGE));
    let lines = rows.into_iter().flat_map(|row| {
        let n = row.size.to_string();
        let own = COLUMNS.map(|(_, key)| row.value(key).unwrap_or_default());
        let published = COLUMNS.map(|(_, key)| Value::from(published::value("methods", rung, &edge(row), &n, key)));
        beside(report, &[edge(row).into(), n.as_str().into()], own.to_vec(), published.to_vec())
    });
    let columns = ["edge", "n", ""].into_iter().chain(COLUMNS.map(|(name, _)| name)).map(str::to_owned).collect();
    Table { title: name.to_owned(), columns, rows: lines.collect() }
}

/// The document's plot of one method: GFLOP/s over n, a line for each block edge.
fn rates(report: &Report, (rung, name): (&str, &str)) -> Table {
    let sizes = distinct(of_method(report, rung).map(|row| row.size.to_string()));
    let edges = distinct(of_method(report, rung).map(edge));
    let rate = |edge_of: &str, n: &str| {
        of_method(report, rung).find(|row| edge(row) == edge_of && row.size.to_string() == n).and_then(|row| row.gflops)
    };
    let lines = edges.iter().map(|edge| {
        let rates = sizes.iter().map(|n| Value::from(rate(edge, n)));
        [Value::from(edge.as_str()), here(report).into()].into_iter().chain(rates).collect()
    });
    let columns =
        ["edge", ""].into_iter().map(str::to_owned).chain(sizes.iter().map(|n| format!("n\u{a0}=\u{a0}{n}"))).collect();
    Table { title: format!("{name}: GFLOP/s over n for each block edge"), columns, rows: lines.collect() }
}
