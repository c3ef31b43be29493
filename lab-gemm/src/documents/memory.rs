//! Pageable against pinned memory: the phases of a run with all statistics, and what pinned memory and tiles gain over n.

use crate::options::Options;
use common::device::Device;
use common::experiment::{Document, Measure, beside, fill_in, keep_fitting};
use common::host_memory::HostMemory;
use common::memory::Held;
use common::published;
use common::result::{Next, Note, Report, Row, Table, gain_of_rate, gain_of_time};
use common::timing::Runs;
use serde_json::Value;

/// A report of winter 2024/25, on an RTX 4060.
pub const DOCUMENT: Document<Options> = Document {
    key: "memory",
    title: "product with the result in pageable or in page-locked memory, naive and tiled; published for an RTX 4060",
    cards: &["rtx4060"],
    runs: Runs { warmup: 3, repeat: 1000, within: None },
    prepare,
    measure,
    tables,
    done,
    notes: &[
        "GFLOP/s are the document's: n³ operations over the time of the whole run, a multiplication and an addition as one; the lab's own are twice that",
        "the document allocates before its clock starts, and its copies of A and B are of pageable memory in all programs",
        "on a GPU, n = 16384 is left out, which would take a minute: --size 16384 runs it",
        "gains are of the mean times, and positive where pinned memory, or the tile, is better",
    ],
    next: Next::new("cargo run -rp lab-gemm -- --assignment methods", "work per thread, published for a GTX 1050"),
};

const SIZES: [usize; 6] = [512, 1024, 2048, 4096, 8192, 16384];
const RUNGS: [&str; 2] = ["naive", "shared"];
const MEMORIES: [&str; 2] = ["pinned", "pageable"];
/// The document's columns, and their keys here.
const STATISTICS: [(&str, &str); 5] =
    [("min", "min"), ("max", "max"), ("mean", "mean"), ("median", "median"), ("deviation", "stddev")];

/// The document's lines: how it is called here, and its key among the phases and among the published figures.
const LINES: [(&str, &str); 8] = [
    ("total", "total"),
    ("GFLOP/s", "gflops"),
    ("copy A, B", "copy_in"),
    ("copy C", "copy_out"),
    ("kernel", "kernel"),
    ("allocation", "allocation"),
    ("wait", "synchronisation"),
    ("free", "free"),
];
/// Those whose gains say something; of the others the document says that they are chance.
const COMPARED: [(&str, &str); 5] = [LINES[0], LINES[1], LINES[2], LINES[3], LINES[4]];

fn prepare(options: &mut Options, simulated: bool) {
    let sizes = if simulated { &SIZES[..] } else { &SIZES[..SIZES.len() - 1] };
    fill_in(&mut options.common, sizes, &RUNGS);
    if options.common.host_memory.is_empty() {
        options.common.host_memory = vec![HostMemory::Pinned, HostMemory::Pageable];
    }
    if simulated {
        options.common.sample.get_or_insert(2);
    }
    options.no_cublas = true;
}

/// All sizes that this machine has the memory for.
fn measure(options: &Options, device: &Device, own: Measure<Options>) -> anyhow::Result<Report> {
    let mut options = options.clone();
    // A, B and C; on a host that holds them, C is in two kinds of memory.
    let matrices = if device.held() == Held::Once { 4 } else { 3 };
    let bytes = |n: usize| device.held().bytes(matrices * n * n * size_of::<f32>());
    let left_out = keep_fitting(&mut options.common, |size| size.extents::<3>("mxkxn").map_or(0, |[n, ..]| bytes(n)));
    let mut report = own(&options, device)?;
    report.notes.extend(left_out.into_iter().map(Note::from));
    Ok(report)
}

fn tables(report: &Report) -> Vec<Table> {
    let sizes = sizes(report);
    let mut tables = Vec::new();
    for n in &sizes {
        tables.extend(RUNGS.iter().filter_map(|rung| phases(report, rung, n)));
    }
    for rung in RUNGS {
        let title = format!("pinned over pageable memory for C, {rung}: gain in %, over n");
        tables.extend(gains(report, &title, (rung, "pageable"), (rung, "pinned")));
    }
    for memory in MEMORIES.iter().rev() {
        let title = format!("shared over naive, C in {memory} memory: gain in %, over n");
        tables.extend(gains(report, &title, ("naive", memory), ("shared", memory)));
    }
    tables
}

/// Those of the phases, of every n that has been measured.
fn done(report: &Report) -> usize {
    sizes(report).iter().map(|n| RUNGS.iter().filter(|rung| phases(report, rung, n).is_some()).count()).sum()
}

/// The sizes of the rows, each once.
fn sizes(report: &Report) -> Vec<String> {
    let mut sizes: Vec<String> = report.rows.iter().map(|row| row.size.to_string()).collect();
    sizes.dedup();
    sizes
}

fn row<'r>(report: &'r Report, rung: &str, memory: &str, n: &str) -> Option<&'r Row> {
    report.rows.iter().find(|row| row.variant == rung && row.host_memory == memory && row.size.to_string() == n)
}

/// All statistics of all phases of a kernel at one n, pinned beside pageable.
fn phases(report: &Report, rung: &str, n: &str) -> Option<Table> {
    let rows: Vec<(&str, &Row)> =
        MEMORIES.iter().filter_map(|&memory| Some((memory, row(report, rung, memory, n)?))).collect();
    let runs = rows.first()?.1.time_ms.runs;
    let mut lines = Vec::new();
    for (name, key) in LINES {
        for (index, &(memory, row)) in rows.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            let own = STATISTICS.map(|(_, statistic)| self::statistic(row, key, statistic).into());
            let published = published::values("memory", rung, memory, n, key).unwrap_or_default();
            let published = published.iter().map(|&value| value.into()).collect();
            lines.extend(beside(report, &[name.into(), memory.into()], own.to_vec(), published));
        }
    }
    let counted = if runs > 1 { format!(", {runs} runs") } else { String::new() };
    let columns = ["ms", "C in", ""].into_iter().chain(STATISTICS.map(|(name, _)| name)).map(str::to_owned).collect();
    Some(Table { title: format!("n = {n}, {rung}{counted}"), columns, rows: lines })
}

/// One statistic of a line; that of the rate is the document's, of n³ operations.
fn statistic(row: &Row, key: &str, name: &str) -> Option<f64> {
    match key {
        "gflops" => Some(row.figures.get("total_gflops_statistics")?.get(name)?.as_f64()? / 2.0),
        phase => row.figures.get("phase_statistics_ms")?.get(phase)?.get(name)?.as_f64(),
    }
}

/// The gain of the second program over the first, each a rung with the memory of its result, over n.
fn gains(report: &Report, title: &str, before: (&str, &str), after: (&str, &str)) -> Option<Table> {
    let sizes = sizes(report);
    let gain = |key: &str, of: &dyn Fn((&str, &str)) -> Option<f64>| -> Option<f64> {
        let both = (of(before)?, of(after)?);
        if key == "gflops" { gain_of_rate(both.0, both.1) } else { gain_of_time(both.0, both.1) }
    };
    let mut rows = Vec::new();
    for (name, key) in COMPARED {
        let own = sizes
            .iter()
            .map(|n| gain(key, &|(rung, memory)| statistic(row(report, rung, memory, n)?, key, "mean")).into());
        let published =
            sizes.iter().map(|n| gain(key, &|(rung, memory)| published::value("memory", rung, memory, n, key)).into());
        rows.extend(beside(report, &[name.into()], own.collect(), published.collect()));
    }
    let has_own_figures =
        rows.iter().any(|row: &Vec<Value>| row[1] != "published" && row[2..].iter().any(Value::is_number));
    let columns = ["mean of".to_owned(), String::new()].into_iter().chain(sizes.iter().cloned()).collect();
    has_own_figures.then(|| Table { title: title.to_owned(), columns, rows })
}
