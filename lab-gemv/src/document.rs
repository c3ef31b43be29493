//! The source document's experiment, which `--assignment` runs: GFLOP/s of five kernels over n and block width, the best of each beside what was
//! published, and the cache preference.
//!
//! Where cards are simulated, blocks are sampled, of the first three kernels as well: what those add up that ran is checked, and their times stand for
//! the whole square. Only the fourth, whose blocks wait for all others, runs whole, and from n = 4096 on with as many rows as make four million elements.
//! Each kernel on each card is a process of its own, so that all cards have lines in one table.

use crate::comparisons::CACHE;
use crate::options::{CachePreference, Options};
use common::device::Device;
use common::experiment::{Document, Measure, beside, fill_in, here, keep_fitting};
use common::processes::{self, Part};
use common::published;
use common::result::{Next, Note, NoteKind, Report, Row, Side, Table, distinct};
use common::shape::Shape;
use common::so_far;
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
        "simulated, blocks are sampled, but for those of kernel 4, which runs whole and from n = 4096 on has as many rows as make four million elements, as the host's product has; each later launch of kernel 1 reads A in place of partial sums there",
        "the document prints the best of all n and widths in its text; its tables of them are plots",
        "the published kernel 4 had as many blocks as fit on one multiprocessor, ours has as many as fit on all",
    ],
    next: Next::new("cargo run -rp lab-gemv -- --assignment --device sim:h200", "the same on a card of today"),
}];

const SIZES: [usize; 5] = [1024, 2048, 4096, 8192, 16384];
const WIDTHS: [usize; 5] = [4, 8, 16, 32, 64];
/// The elements of A with which a kernel runs whole where it is simulated.
const MOST_WHOLE: usize = 2048 * 2048;
/// The card that a row is of, where processes measured it.
const CARD: &str = "card";
/// Where the cache preference is tried.
const CACHES: (usize, usize) = (1024, 16);

/// Rungs by the document's names, in the order in which it compares them.
const KERNELS: [(&str, &str); 5] = [
    ("atomic", "3 atomic"),
    (WHOLE, "4 whole grid"),
    ("shared_atomic", "2 shared, atomic"),
    ("repeated", "1 repeated"),
    (SHUFFLE, "5 shuffle"),
];
/// The kernel whose blocks wait for each other.
const WHOLE: &str = "cooperative";
const SHUFFLE: &str = "shuffle";

fn prepare(options: &mut Options, simulated: bool) {
    fill_in(&mut options.common, &SIZES, &KERNELS.map(|(rung, _)| rung));
    if options.sx.is_empty() {
        options.sx = WIDTHS.to_vec();
    }
    if simulated {
        options.common.sample.get_or_insert(2);
        options.common.sample_sums = true;
    }
    options.no_ceiling = simulated;
    options.no_cublas = true;
}

/// The sweep, then the cache preference at one n.
fn measure(options: &Options, device: &Device, own: Measure<Options>) -> anyhow::Result<Report> {
    let args = &options.common;
    let of_one = args.html.is_some() || args.lines || args.explain || args.sanitize || args.records();
    if device.facts.simulated && !of_one && (args.cards.len() > 1 || args.variant.len() > 1) {
        return apart(options, device, own);
    }
    let mut options = options.clone();
    // A, with the partial sums of the narrowest block.
    let bytes = |n: usize| device.held().bytes(2 * n * n * size_of::<f32>());
    let bytes = |size: &Shape| size.extents::<2>("mxn").map_or(0, |[_, n]| bytes(n));
    let left_out = keep_fitting(&mut options.common, bytes);
    // One kernel after the other, so that the table of each is there before the next one's.
    let part = |rung: &&str| {
        let mut part = options.clone();
        part.common.variant = vec![(*rung).to_owned()];
        // The host's own product is no kernel's.
        part.no_cpu |= device.facts.simulated || *rung != options.common.variant[0];
        if device.facts.simulated && *rung == WHOLE {
            part.common.size.iter_mut().for_each(|size| *size = slab(size));
        }
        part
    };
    let mut caches = options.clone();
    caches.common.variant.retain(|rung| ![WHOLE, SHUFFLE].contains(&rung.as_str()));
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
    if device.facts.simulated && !options.no_cpu {
        whole.append(on_host(&options, device, own)?);
    }
    Ok(whole)
}

/// Each kernel on each card by a process of its own.
fn apart(options: &Options, device: &Device, own: Measure<Options>) -> anyhow::Result<Report> {
    let args = &options.common;
    let own_card = device.facts.profile.iter().cloned().collect();
    let cards = if args.cards.is_empty() { &own_card } else { &args.cards };
    let kernels: Vec<&str> =
        KERNELS.iter().map(|(rung, _)| *rung).filter(|rung| args.variant.iter().any(|v| v == rung)).collect();
    let list = |values: &[usize]| values.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let sizes = args.size.iter().map(Shape::to_string).collect::<Vec<_>>().join(",");
    let part = |rung: &str, card: &String| {
        let line = format!(
            "--assignment vector --device sim:{card} --variant {rung} --size {sizes} --seed {} --no-cpu",
            args.seed
        );
        let mut line: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for (flag, values) in [("--sx", list(&options.sx)), ("--sy", list(&options.sy))] {
            line.extend((!values.is_empty()).then(|| [flag.to_owned(), values]).into_iter().flatten());
        }
        line.extend(args.sample.map(|waves| format!("--sample={waves}")));
        Part { label: format!("{rung}, {card}"), args: line }
    };
    let parts: Vec<Part> = kernels.iter().flat_map(|rung| cards.iter().map(|card| part(rung, card))).collect();
    let mut report = Report::new(device.facts.clone(), "gemv", args.seed);
    for rung in &kernels {
        device.texts.note(&kernels::source("gemv", rung)?);
    }
    so_far::begin(&report);
    let mut measured: Vec<Option<Side>> = parts.iter().map(|_| None).collect();
    let mut next = 0;
    processes::run(&parts, processes::cores(), |number, of_part| {
        measured[number] = Some(of_part);
        // A kernel's table is there with the last of its cards, in the order of the kernels.
        while measured[next..].len() >= cards.len() && measured[next..next + cards.len()].iter().all(Option::is_some) {
            let mut rows = Vec::new();
            for (card, part) in cards.iter().zip(&mut measured[next..]) {
                let Some(part) = part.take() else { continue };
                let told = part.notes.into_iter().map(|note| Note::from(format!("{card}: {note}")));
                let new: Vec<Note> = told.filter(|note| !report.notes.contains(note)).collect();
                report.notes.extend(new);
                rows.extend(part.rows.into_iter().map(|mut row| {
                    row.figures.insert(CARD.to_owned(), card.clone().into());
                    row
                }));
            }
            so_far::end_problem(&rows);
            report.rows.extend(rows);
            next += cards.len();
        }
        Ok(())
    })?;
    if !options.no_cpu {
        let Report { tables, .. } = on_host(options, device, own)?;
        report.tables.extend(tables);
    }
    Ok(report)
}

/// The product on the host's cores, with the ceiling on the card, which needs the same matrices.
fn on_host(options: &Options, device: &Device, own: Measure<Options>) -> anyhow::Result<Report> {
    let mut options = options.clone();
    options.no_ceiling = false;
    options.common.variant = vec!["read".to_owned()];
    options.common.size.iter_mut().for_each(|size| *size = slab(size));
    own(&options, device)
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

/// The card that a row is of.
fn card<'r>(report: &'r Report, row: &'r Row) -> &'r str {
    let own = report.device.profile.as_deref().unwrap_or(&report.device.name);
    row.figures.get(CARD).and_then(Value::as_str).unwrap_or(own)
}

/// The cards of a report, each once.
fn cards(report: &Report) -> Vec<&str> {
    distinct(report.rows.iter().map(|row| card(report, row)))
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

/// The sweeps of all kernels of which there are rows; but for the last one, where kernels are measured one after the other, size by size.
fn done(report: &Report) -> usize {
    let kernels = KERNELS.iter().filter(|(rung, _)| of_kernel(report, rung).next().is_some()).count();
    let apart = report.rows.iter().all(|row| row.figures.contains_key(CARD));
    kernels.saturating_sub(usize::from(!apart))
}

/// GFLOP/s of one kernel: a line for each card and n, a column for each width.
fn sweep(report: &Report, (rung, name): (&str, &str)) -> Table {
    let of_rung = || of_kernel(report, rung);
    let lines = distinct(of_rung().map(|row| (card(report, row), columns(row))));
    let widths = distinct(of_rung().filter_map(width));
    let line = |&(of, n): &(&str, usize)| {
        let rate = |&own: &usize| {
            let is_it = |row: &&Row| card(report, row) == of && columns(row) == n && width(row) == Some(own);
            Value::from(of_rung().find(is_it).and_then(|row| row.gflops))
        };
        [Value::from(of), n.into(), here(report).into()].into_iter().chain(widths.iter().map(rate)).collect()
    };
    let headings = widths.iter().map(|sx| format!("sx\u{a0}=\u{a0}{sx}"));
    Table {
        title: format!("{name}: GFLOP/s over n and the columns of a block of 16 rows"),
        columns: ["card", "n", ""].map(str::to_owned).into_iter().chain(headings).collect(),
        rows: lines.iter().map(line).collect(),
    }
}

/// The best of all n and widths for each kernel on each card, and what part of the arithmetic peak that is.
fn best(report: &Report) -> Table {
    let share =
        |rate: Option<f64>, peak: Option<f64>| Value::from(rate.zip(peak).map(|(rate, peak)| rate / peak * 100.0));
    let line = |&(rung, name): &(&str, &str), of: &str| {
        let published = |rung: &str, figure: &str| published::values("vector", rung, of, "", figure);
        let first = |rung: &str, figure: &str| published(rung, figure).and_then(|values| values.first().copied());
        let fastest = of_kernel(report, rung)
            .filter(|row| card(report, row) == of)
            .max_by(|a, b| a.gflops.unwrap_or(0.0).total_cmp(&b.gflops.unwrap_or(0.0)));
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
        beside(report, &[name.into(), of.into()], own, theirs)
    };
    let of_kernel = |kernel| cards(report).into_iter().flat_map(move |of| line(kernel, of)).collect::<Vec<_>>();
    Table {
        title: "the best of each kernel".to_owned(),
        columns: ["kernel", "card", "", "GFLOP/s", "at sx", "at n", "of peak %"].map(str::to_owned).to_vec(),
        rows: KERNELS.iter().flat_map(of_kernel).collect(),
    }
}

/// GFLOP/s of the first three kernels by what they ask of L1 and shared memory.
fn caches(report: &Report) -> Table {
    let preferences = [CachePreference::PreferNone, CachePreference::PreferL1, CachePreference::PreferShared];
    let tried: Vec<&Row> = report.rows.iter().filter(|row| width(row) == Some(CACHES.1)).collect();
    let smallest = tried.iter().map(|row| columns(row)).min();
    let line = |&(rung, name): &(&str, &str), of: &str| {
        let rate = |preference: CachePreference| {
            let is_it = |row: &&&Row| {
                row.variant == rung
                    && card(report, row) == of
                    && Some(columns(row)) == smallest
                    && row.get(&CACHE).is_some_and(|cache| cache == preference.name())
            };
            Value::from(tried.iter().find(is_it).and_then(|row| row.gflops))
        };
        let line: Vec<Value> =
            [name.into(), of.into(), here(report).into()].into_iter().chain(preferences.map(rate)).collect();
        line[3..].iter().any(Value::is_number).then_some(line)
    };
    let of_kernel = |kernel| cards(report).into_iter().filter_map(move |of| line(kernel, of)).collect::<Vec<_>>();
    Table {
        title: format!("the cache preference: GFLOP/s at n = {} in blocks of {} × 16", smallest.unwrap_or(0), CACHES.1),
        columns: ["kernel", "card", "", "none", "L1", "shared"].map(str::to_owned).to_vec(),
        rows: KERNELS.iter().filter(|(rung, _)| ![WHOLE, SHUFFLE].contains(rung)).flat_map(of_kernel).collect(),
    }
}
