//! The source document's experiment, which `--assignment` runs: kernel times by n, shared efficiency by n, and nvprof's two tables of one n.

use crate::options::Options;
use common::device::Device;
use common::experiment::{Document, Measure, beside, fill_in};
use common::published;
use common::result::{Next, Report, Table};
use common::timing::Runs;
use serde_json::Value;

/// A report on a GeForce GT 740M, of Kepler.
pub const DOCUMENTS: &[Document<Options>] = &[Document {
    key: "transpose",
    title: "transposes without and with shared memory, and with a padded tile; published for a GeForce GT 740M",
    cards: &["gt740m"],
    runs: Runs::ONCE,
    prepare,
    measure,
    tables,
    done: |_| 0,
    notes: &[
        "kernel times are the device's own, as in nvprof's \"GPU activities\"; each published one is of a single run",
    ],
    next: Next::new(
        "cargo run -rp lab-transpose -- --device sim:gt740m --size 64 --lines --variant shared_static,padded",
        "which line waits for the banks",
    ),
}];

const SIZES: [usize; 7] = [32, 64, 128, 256, 512, 1024, 2048];
/// The n for which the document shows nvprof's whole tables.
const PROFILED: &str = "256";

/// Rungs by the document's names.
const KERNELS: [(&str, &str); 4] = [
    ("naive", "0 naive"),
    ("shared_dynamic", "1 shared, dynamic"),
    ("shared_static", "2 shared, static"),
    ("padded", "3 shared, padded"),
];

/// A row's figure: the kernel's time by the device.
const KERNEL_US: &str = "kernel_us";

fn prepare(options: &mut Options, simulated: bool) {
    fill_in(&mut options.common, &SIZES, &KERNELS.map(|(rung, _)| rung));
    options.common.activities = true;
    if simulated {
        options.common.sample.get_or_insert(2);
    }
    options.no_yardsticks = true;
}

/// Size by size, because activities are told of a whole run.
fn measure(options: &Options, device: &Device, own: Measure<Options>) -> anyhow::Result<Report> {
    let mut whole: Option<Report> = None;
    for size in &options.common.size {
        let mut of_size = options.clone();
        of_size.common.size = vec![size.clone()];
        let mut report = own(&of_size, device)?;
        let activities = std::mem::take(&mut report.tables);
        for row in &mut report.rows {
            if let Some(time) = activities.first().and_then(|gpu| kernel_us(gpu, &row.variant)) {
                row.figures.insert(KERNEL_US.into(), time);
            }
        }
        if size.to_string() == PROFILED {
            let titled = |table: Table| Table { title: format!("n = {size}: {}", table.title), ..table };
            report.tables = activities.into_iter().map(titled).collect();
        }
        match &mut whole {
            Some(whole) => whole.append(report),
            None => whole = Some(report),
        }
    }
    anyhow::Context::context(whole, "no size to run")
}

/// The mean time of a rung's kernel in nvprof's table of activities, whose first column from the right is the kernel's name.
fn kernel_us(activities: &Table, rung: &str) -> Option<Value> {
    let mean = activities.columns.iter().position(|column| column == "mean µs")?;
    let of_rung = |line: &&Vec<Value>| {
        let name = line.last().and_then(Value::as_str);
        name.and_then(|name| name.strip_prefix(rung)).is_some_and(|rest| rest.starts_with("_f"))
    };
    activities.rows.iter().find(of_rung).map(|line| line[mean].clone())
}

fn tables(report: &Report) -> Vec<Table> {
    let efficiency = &KERNELS[1..];
    vec![
        over_n(report, "kernel time in µs, over n", &KERNELS, KERNEL_US),
        over_n(report, "shared efficiency in %, over n", efficiency, "shared_efficiency"),
    ]
}

/// A line for each kernel, a column for each n.
fn over_n(report: &Report, title: &str, kernels: &[(&str, &str)], key: &str) -> Table {
    let mut sizes: Vec<String> = report.rows.iter().map(|row| row.size.to_string()).collect();
    sizes.dedup();
    let lines = kernels.iter().flat_map(|&(rung, name)| {
        let own = |n: &String| {
            let row = report.rows.iter().find(|row| row.variant == rung && row.size.to_string() == *n);
            row.and_then(|row| row.value(key)).unwrap_or_default()
        };
        let published = |n: &String| Value::from(published::value("transpose", rung, "", n, key));
        beside(report, &[name.into()], sizes.iter().map(own).collect(), sizes.iter().map(published).collect())
    });
    let columns = ["kernel".to_owned(), String::new()].into_iter().chain(sizes.iter().cloned()).collect();
    Table { title: title.to_owned(), columns, rows: lines.collect() }
}
