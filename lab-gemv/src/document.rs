//! The source document's experiment, which `--assignment` runs: GFLOP/s of five kernels over n and block width, the best of each beside what was
//! published, and the cache preference.
//!
//! Blocks of the kernels that add up over blocks cannot stand for each other, so that a simulated one runs whole. From n = 4096 on they get as
//! many rows as make four million elements: a row is as long as at that n, and so is the sum over blocks.

use crate::comparisons::CACHE;
use crate::options::{CachePreference, Options};
use common::device::Device;
use common::experiment::{Document, Measure, beside, fill_in, here, keep_fitting};
use common::published;
use common::result::{Next, Note, NoteKind, Report, Row, Table};
use common::shape::Shape;
use common::timing::Runs;
use serde_json::Value;

/// A report on a P100, an RTX 2070 Super and a GTX 780.
pub const DOCUMENTS: &[Document<Options>] = &[Document {
    key: "vector",
    title: "matrix times vector, five reductions over n and block width; published for a P100, an RTX 2070 Super and a GTX 780",
    cards: &["p100", "rtx2070super", "gtx780"],
    runs: Runs::ONCE,
    prepare,
    measure,
    tables,
    done,
    notes: &[
        "simulated, kernels 1 to 4 run whole, and from n = 4096 on they and the host's product have as many rows as make four million elements; the last kernel's blocks are sampled",
        "the document prints the best of all n and widths in its text; its tables of them are plots",
        "the published kernel 4 had as many blocks as fit on one multiprocessor, ours has as many as fit on all",
    ],
    next: Next::new(
        "cargo run -rp lab-gemv -- --assignment --device sim:rtx2070super",
        "or sim:gtx780: the document's other cards",
    ),
}];

const SIZES: [usize; 5] = [1024, 2048, 4096, 8192, 16384];
const WIDTHS: [usize; 5] = [4, 8, 16, 32, 64];
/// The elements of A with which a kernel runs whole where it is simulated.
const MOST_WHOLE: usize = 2048 * 2048;
/// Where the cache preference is tried.
const CACHES: (usize, usize) = (1024, 16);

/// Rungs by the document's names; blocks of the last one stand for each other.
const KERNELS: [(&str, &str); 5] = [
    ("repeated", "1 repeated"),
    ("shared_atomic", "2 shared, atomic"),
    ("atomic", "3 atomic"),
    ("cooperative", "4 whole grid"),
    ("shuffle", "5 shuffle"),
];
const SHUFFLE: &str = KERNELS[4].0;

fn prepare(options: &mut Options, simulated: bool) {
    fill_in(&mut options.common, &SIZES, &KERNELS.map(|(rung, _)| rung));
    if options.sx.is_empty() {
        options.sx = WIDTHS.to_vec();
    }
    if simulated {
        options.common.sample.get_or_insert(2);
    }
    options.no_cublas = true;
}

/// The sweep, then the cache preference at one n.
fn measure(options: &Options, device: &Device, own: Measure<Options>) -> anyhow::Result<Report> {
    let mut options = options.clone();
    // A, with the partial sums of the narrowest block.
    let bytes = |n: usize| device.held().bytes(2 * n * n * size_of::<f32>());
    let left_out = keep_fitting(&mut options.common, |size| size.extents::<2>("mxn").map_or(0, |[_, n]| bytes(n)));
    let is_whole = |rung: &str| device.facts.simulated && rung != SHUFFLE;
    // One kernel after the other, so that the table of each is there before the next one's.
    let part = |rung: &&str| {
        let mut part = options.clone();
        part.common.variant = vec![(*rung).to_owned()];
        // The host's own product is no kernel's: the first one's matrices serve, which have as many rows as its own table needs.
        part.no_cpu |= *rung != options.common.variant[0];
        if is_whole(rung) {
            part.common.size.iter_mut().for_each(|size| *size = slab(size));
        }
        part
    };
    let mut caches = options.clone();
    caches.common.variant.retain(|rung| KERNELS[..3].iter().any(|(first, _)| rung == first));
    caches.common.size.truncate(1);
    caches.sx = vec![CACHES.1];
    caches.cache = vec![CachePreference::PreferL1, CachePreference::PreferShared];
    caches.no_cpu = true;
    let mut whole: Option<Report> = None;
    let kernels = KERNELS.iter().map(|(rung, _)| rung).filter(|rung| options.common.variant.iter().any(|v| v == *rung));
    for part in kernels.map(part).chain([caches]).filter(|part| !part.common.variant.is_empty()) {
        let mut report = own(&part, device)?;
        // The document's notes say it once for all of them.
        report.notes.retain(|note| note.kind != NoteKind::NotSampled);
        match &mut whole {
            Some(whole) => whole.append(report),
            None => whole = Some(report),
        }
    }
    let mut whole = anyhow::Context::context(whole, "no kernel to run")?;
    whole.notes.extend(left_out.into_iter().map(Note::from));
    Ok(whole)
}

/// As many of the rows as run whole in little time.
fn slab(size: &Shape) -> Shape {
    match size.extents::<2>("mxn") {
        Ok([m, n]) if m * n > MOST_WHOLE => Shape::new(&[(MOST_WHOLE / n).max(1), n]),
        _ => size.clone(),
    }
}

/// The elements of a row of A.
fn columns(row: &Row) -> usize {
    row.size.extents::<2>("mxn").map_or(0, |[_, n]| n)
}

fn width(row: &Row) -> Option<usize> {
    row.block.split('x').next()?.parse().ok()
}

/// The rows of a kernel in the sweep, which leaves the cache's choice to the driver.
fn of_kernel<'r>(report: &'r Report, rung: &'r str) -> impl Iterator<Item = &'r Row> {
    let sweep = |row: &&Row| row.get(&CACHE).is_some_and(|cache| cache == CachePreference::PreferNone.name());
    report.rows.iter().filter(move |row| row.variant == rung).filter(sweep)
}

fn tables(report: &Report) -> Vec<Table> {
    let mut tables: Vec<Table> = KERNELS.iter().map(|&kernel| sweep(report, kernel)).collect();
    tables.push(best(report));
    tables.push(caches(report));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// The sweeps of all kernels but the last one of which there are rows: they are measured one after the other.
fn done(report: &Report) -> usize {
    KERNELS.iter().filter(|(rung, _)| of_kernel(report, rung).next().is_some()).count().saturating_sub(1)
}

/// GFLOP/s of one kernel: a line for each n, a column for each width.
fn sweep(report: &Report, (rung, name): (&str, &str)) -> Table {
    let (mut sizes, mut widths) = (Vec::new(), Vec::new());
    for row in of_kernel(report, rung) {
        if !sizes.contains(&columns(row)) {
            sizes.push(columns(row));
        }
        widths.extend(width(row).filter(|width| !widths.contains(width)));
    }
    let line = |&n: &usize| {
        let rates = widths.iter().map(|&own| {
            Value::from(of_kernel(report, rung).find(|row| columns(row) == n && width(row) == Some(own))?.gflops).into()
        });
        let rates = rates.map(|rate: Option<Value>| rate.unwrap_or_default());
        [Value::from(n), here(report).into()].into_iter().chain(rates).collect()
    };
    let headings = widths.iter().map(|sx| format!("sx\u{a0}=\u{a0}{sx}"));
    Table {
        title: format!("{name}: GFLOP/s over n and the columns of a block of 16 rows"),
        columns: ["n".to_owned(), String::new()].into_iter().chain(headings).collect(),
        rows: sizes.iter().map(line).collect(),
    }
}

/// The best of all n and widths for each kernel, and what part of the arithmetic peak that is.
fn best(report: &Report) -> Table {
    let card = report.device.profile.as_deref().unwrap_or_default();
    let published = |rung: &str, figure: &str| published::values("vector", rung, card, "", figure);
    let first = |rung: &str, figure: &str| published(rung, figure).and_then(|values| values.first().copied());
    let share =
        |rate: Option<f64>, peak: Option<f64>| Value::from(rate.zip(peak).map(|(rate, peak)| rate / peak * 100.0));
    let line = |&(rung, name): &(&str, &str)| {
        let fastest =
            of_kernel(report, rung).max_by(|a, b| a.gflops.unwrap_or(0.0).total_cmp(&b.gflops.unwrap_or(0.0)));
        let Some(row) = fastest else { return Vec::new() };
        let own = vec![
            row.gflops.into(),
            width(row).into(),
            columns(row).into(),
            row.value("peak_percent").unwrap_or_default(),
        ];
        let rate = first(rung, "gflops");
        let widths =
            published(rung, "sx").map(|widths| widths.iter().map(f64::to_string).collect::<Vec<_>>().join(", "));
        let theirs = vec![rate.into(), widths.into(), Value::Null, share(rate, first("peak", "gflops"))];
        beside(report, &[name.into()], own, theirs)
    };
    Table {
        title: format!("the best of each kernel, {card}"),
        columns: ["kernel", "", "GFLOP/s", "at sx", "at n", "of peak %"].map(str::to_owned).to_vec(),
        rows: KERNELS.iter().flat_map(line).collect(),
    }
}

/// GFLOP/s of the first three kernels by what they ask of L1 and shared memory.
fn caches(report: &Report) -> Table {
    let preferences = [CachePreference::PreferNone, CachePreference::PreferL1, CachePreference::PreferShared];
    let tried: Vec<&Row> = report.rows.iter().filter(|row| width(row) == Some(CACHES.1)).collect();
    let smallest = tried.iter().map(|row| columns(row)).min();
    let rate = |rung: &str, preference: CachePreference| {
        let is_it = |row: &&&Row| {
            row.variant == rung
                && Some(columns(row)) == smallest
                && row.get(&CACHE).is_some_and(|cache| cache == preference.name())
        };
        Value::from(tried.iter().find(is_it).and_then(|row| row.gflops))
    };
    let line = |&(rung, name): &(&str, &str)| {
        [Value::from(name), here(report).into()]
            .into_iter()
            .chain(preferences.map(|preference| rate(rung, preference)))
            .collect()
    };
    let rows: Vec<Vec<Value>> =
        KERNELS[..3].iter().map(line).filter(|line: &Vec<Value>| line[2..].iter().any(Value::is_number)).collect();
    Table {
        title: format!("the cache preference: GFLOP/s at n = {} in blocks of {} × 16", smallest.unwrap_or(0), CACHES.1),
        columns: ["kernel", "", "none", "L1", "shared"].map(str::to_owned).to_vec(),
        rows,
    }
}
