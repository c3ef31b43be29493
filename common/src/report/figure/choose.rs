//! Which figures a report has data for, and how its rows become panels and series.

use super::theme::MOST_SERIES;
use super::{Figure, Panel, Series};
use crate::report::number::three_digits;
use crate::result::figures::WORKLOAD;
use crate::result::{Report, Row};

/// Lines that are nowhere further apart than this part of the largest value are drawn as one, with all their names.
const SAME: f64 = 0.005;

/// A limit that is so many times as high as every line is told in words: drawn, it would press the lines together.
const FAR: f64 = 2.0;

/// How far operations per byte may lie apart from row to row: vectors beside a matrix are little.
const STREAMING: f64 = 1.02;

/// Ends the title of a panel whose rows know no limit.
const NO_LIMIT: &str = "without this limit";

/// A rate over sizes.
struct Rate {
    /// Name of the file.
    name: &'static str,
    /// As [`Row::value`] takes it.
    key: &'static str,
    /// The title's first words: the name of what is timed comes after them, "kernel" or "batch", unless it is the whole run.
    title: &'static str,
    unit: &'static str,
    /// True if the kind of host memory makes a difference to it.
    of_memory: bool,
}

const RATES: &[Rate] = &[
    Rate { name: "kernel_gflops", key: "gflops", title: "Rate of the", unit: "GFLOP/s", of_memory: false },
    Rate {
        name: "kernel_gbytes_per_s",
        key: "gbytes_per_s",
        title: "Bytes that have to move, per second of the",
        unit: "GB/s",
        of_memory: false,
    },
    Rate {
        name: "total_gflops",
        key: "total_gflops",
        title: "Rate of the whole run, with allocation and copies",
        unit: "GFLOP/s",
        of_memory: true,
    },
];

impl Rate {
    fn title_of(&self, report: &Report) -> String {
        if self.of_memory { self.title.to_owned() } else { format!("{} {}", self.title, report.timed) }
    }
}

/// Limits that a lab's rows tell as a share: the key of the share in %, the rate that it is a share of, and its name.
const LIMITS: &[(&str, &str, &str)] = &[
    ("memory_percent", "gflops", "memory limit: A read once"),
    ("memory_percent", "gbytes_per_s", "memory limit: A read once"),
    ("copy_percent", "gbytes_per_s", "copy of the same size"),
    ("limit_percent", "gbytes_per_s", "limit of bus and kernels"),
    ("peak_percent", "gflops", "arithmetic peak"),
];

/// The figures of the rates that this report has.
pub fn rates(report: &Report) -> impl Iterator<Item = Figure> {
    RATES.iter().filter_map(|rate| rate_figure(report, rate))
}

/// "Rate of the kernel, simulated RTX 4060": what is shown, and whose numbers these are.
pub fn titled(report: &Report, what: &str) -> String {
    let device = &report.device;
    let how = if device.simulated { "simulated" } else { "measured" };
    let name = device.name.trim_start_matches("NVIDIA ").trim_start_matches("GeForce ");
    format!("{what}, {how} {name}")
}

/// "lab-gemm, f32, block 32x32": where it was seen, and what all rows have in common.
pub fn subtitle(report: &Report, rows: &[&Row], common: &[&str]) -> String {
    let mut parts = vec![format!("lab-{}", report.lab)];
    parts.extend(common.iter().filter(|part| !part.is_empty()).map(|&part| part.to_owned()));
    let runs = rows.first().map_or(1, |row| row.time_ms.runs);
    if runs > 1 {
        parts.push(format!("median of {runs} runs"));
    }
    parts.join(", ")
}

/// The value that all rows share, if they do. An empty one is a library's own choice and counts as any.
fn shared<'a>(rows: &[&'a Row], parameter: impl Fn(&'a Row) -> &'a str) -> Option<&'a str> {
    let mut values = rows.iter().map(|row| parameter(row)).filter(|value| !value.is_empty());
    let first = values.next().unwrap_or_default();
    values.all(|value| value == first).then_some(first)
}

fn rate_figure(report: &Report, rate: &Rate) -> Option<Figure> {
    let rows: Vec<&Row> = report.rows.iter().filter(|row| row.number(rate.key).is_some()).collect();
    let has_limit =
        |row: &Row| LIMITS.iter().any(|(share, rated, _)| *rated == rate.key && row.number(share).is_some());
    let some_have = rows.iter().any(|row| has_limit(row));
    // The same lines again, in another unit.
    if rate.key == "gbytes_per_s" && !some_have && rows.iter().all(|row| row.gflops.is_some()) {
        return None;
    }
    if rate.key == "gflops" && is_streaming(&rows) {
        return None;
    }
    let workload = |row: &Row| row.get(&WORKLOAD).unwrap_or_default();
    let several_workloads = rows.iter().any(|row| workload(row) != workload(rows[0]));
    let dtype = shared(&rows, |row| row.dtype.name());
    let block = shared(&rows, |row| &row.block);
    let memory = if rate.of_memory { shared(&rows, |row| &row.host_memory) } else { Some("") };
    let block_name = block.filter(|block| !block.is_empty()).map(|block| format!("block {block}"));
    let common = [dtype.unwrap_or_default(), block_name.as_deref().unwrap_or_default(), memory.unwrap_or_default()];
    let differing = |row: &Row, varies: [bool; 3]| {
        let parts = [row.dtype.name(), &row.host_memory, &row.block];
        let parts = parts.into_iter().zip(varies).filter(|(part, varies)| *varies && !part.is_empty());
        parts.map(|(part, _)| part.to_owned()).collect::<Vec<_>>()
    };
    // Where a method has several blocks, each method has a panel with a line for each block; otherwise the methods are the lines.
    let of_method = rows.iter().any(|row| {
        let same = |other: &&&Row| other.variant == row.variant && workload(other) == workload(row);
        rows.iter().filter(same).any(|other| other.block != row.block)
    });
    let mut panels: Vec<(Panel, Vec<&Row>)> = Vec::new();
    for &row in &rows {
        let mut title = differing(row, [dtype.is_none(), memory.is_none(), false]);
        if several_workloads && !workload(row).is_empty() {
            title.insert(0, workload(row));
        }
        let label = if of_method {
            title.insert(0, row.variant.clone());
            if row.block.is_empty() { row.variant.clone() } else { row.block.clone() }
        } else {
            row.variant.clone()
        };
        // A row without the limit is another problem than a row with it: its rates are not to be compared.
        if some_have && !has_limit(row) {
            title.push(NO_LIMIT.to_owned());
        }
        let title = title.join(", ");
        let known = panels.iter().position(|(panel, _)| panel.title == title).unwrap_or_else(|| {
            panels.push((Panel { title, ..Panel::default() }, Vec::new()));
            panels.len() - 1
        });
        let (panel, members) = &mut panels[known];
        add_point(&mut panel.series, label, row.size.mean_extent(), row.number(rate.key)?);
        members.push(row);
    }
    if of_method {
        gather_single(&mut panels);
    }
    if let [(panel, _)] = panels.as_mut_slice() {
        panel.title.clear();
    }
    for (panel, members) in &mut panels {
        panel.limit = limit(members, rate.key);
        if let Some(limit) = &panel.limit {
            panel.series.retain(|series| !alike(series, limit));
            if top(limit) > FAR * panel.series.iter().map(top).fold(0.0, f64::max) {
                panel.note = format!("{}: {}", limit.label, three_digits(top(limit)));
                panel.limit = None;
            }
        }
    }
    let panels: Vec<Panel> = panels.into_iter().flat_map(|(panel, _)| split(panel)).collect();
    panels.iter().any(|panel| !panel.series.is_empty()).then(|| Figure {
        name: format!("{}_{}", report.lab, rate.name),
        title: titled(report, &rate.title_of(report)),
        subtitle: subtitle(report, &rows, &common),
        unit: rate.unit.to_owned(),
        over: "n",
        linear: of_method,
        panels,
    })
}

/// Rows that do equally many operations for each byte: their bytes per second say all, beside what the memory could give.
fn is_streaming(rows: &[&Row]) -> bool {
    let known = |row: &&Row| row.number("memory_percent").is_some().then_some(row.gflops? / row.gbytes_per_s?);
    let Some(ratios) = rows.iter().map(known).collect::<Option<Vec<f64>>>() else { return false };
    let (low, high) =
        (ratios.iter().copied().fold(f64::INFINITY, f64::min), ratios.iter().copied().fold(0.0, f64::max));
    high <= STREAMING * low
}

/// Methods with one block each stand together under the methods' names: those with a limit in one panel, the others in another.
fn gather_single(panels: &mut Vec<(Panel, Vec<&Row>)>) {
    let (single, rest): (Vec<_>, Vec<_>) = panels.drain(..).partition(|(panel, _)| panel.series.len() == 1);
    *panels = rest;
    let (other, main): (Vec<_>, Vec<_>) = single.into_iter().partition(|(panel, _)| panel.title.ends_with(NO_LIMIT));
    for (title, single) in [("one block shape each", main), ("other kernels, without this limit", other)] {
        let mut gathered = Panel { title: title.to_owned(), ..Panel::default() };
        let mut members = Vec::new();
        for (panel, rows) in single {
            let label = panel.title.trim_end_matches(NO_LIMIT).trim_end_matches(", ").to_owned();
            gathered.series.extend(panel.series.into_iter().map(|series| Series { label: label.clone(), ..series }));
            members.extend(rows);
        }
        if !gathered.series.is_empty() {
            panels.push((gathered, members));
        }
    }
}

/// The limit that these rows tell of, at each of their sizes.
fn limit(rows: &[&Row], key: &str) -> Option<Series> {
    let limits = LIMITS.iter().filter(|(_, rate, _)| *rate == key);
    let mut found = limits.filter_map(|(share, rate, name)| {
        let mut series = Vec::new();
        for row in rows {
            if let (Some(share), Some(rate)) = (row.number(share), row.number(rate))
                && share > 0.0
            {
                add_point(&mut series, (*name).to_owned(), row.size.mean_extent(), rate / share * 100.0);
            }
        }
        series.pop()
    });
    found.next()
}

/// Panels of at most [`MOST_SERIES`] lines, as even as can be, named by their first and last. Bars need no colour each: they stay together.
pub fn split(panel: Panel) -> Vec<Panel> {
    let parts = panel.series.len().div_ceil(MOST_SERIES).max(1);
    if parts == 1 || panel.series.iter().all(|series| series.points.len() == 1) {
        return vec![panel];
    }
    let piece = |series: &[Series]| {
        let ends = [&series[0].label, &series[series.len() - 1].label].map(String::as_str).join(" to ");
        let title = if panel.title.is_empty() { ends } else { format!("{}: {ends}", panel.title) };
        Panel { title, series: series.to_vec(), ..panel.clone() }
    };
    panel.series.chunks(panel.series.len().div_ceil(parts)).map(piece).collect()
}

/// The largest value.
fn top(series: &Series) -> f64 {
    series.points.iter().map(|point| point.1).fold(0.0, f64::max)
}

/// Returns whether two lines cannot be told apart in a figure.
pub fn alike(a: &Series, b: &Series) -> bool {
    let largest = a.points.iter().chain(&b.points).fold(0.0, |largest: f64, point| largest.max(point.1.abs()));
    a.points.len() == b.points.len()
        && a.points.iter().zip(&b.points).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= SAME * largest)
}

/// Adds a point to the series of that label; of several at a size the best stands.
pub fn add_point(series: &mut Vec<Series>, label: String, size: f64, value: f64) {
    let index = series.iter().position(|known| known.label == label).unwrap_or_else(|| {
        series.push(Series { label, points: Vec::new() });
        series.len() - 1
    });
    let points = &mut series[index].points;
    match points.iter_mut().find(|point| point.0 == size) {
        Some(point) => point.1 = point.1.max(value),
        None => points.push((size, value)),
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
}

/// Letters and digits of a title, the rest as underscores: part of a file name.
pub fn file_name(title: &str) -> String {
    title.to_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observations::DeviceFacts;
    use crate::result::figures::PEAK_PERCENT;
    use crate::result::samples;

    fn report(rows: Vec<Row>) -> Report {
        let device = DeviceFacts { name: "NVIDIA H200".to_owned(), ..DeviceFacts::default() };
        Report { rows, device, ..samples::report() }
    }

    fn row(variant: &str, n: usize, block: &str, gflops: f64, share: Option<f64>) -> Row {
        let mut row = samples::row(variant, n, block, 1.0);
        row.gflops = Some(gflops);
        if let Some(share) = share {
            row.set(&PEAK_PERCENT, share);
        }
        row
    }

    fn labels(panel: &Panel) -> Vec<&str> {
        panel.series.iter().map(|series| series.label.as_str()).collect()
    }

    #[test]
    fn methods_are_lines_and_the_limit_follows_from_their_shares() {
        let figures: Vec<Figure> = rates(&report(vec![
            row("naive", 128, "32x32", 10.0, Some(10.0)),
            row("shared", 128, "32x32", 20.0, Some(20.0)),
            row("naive", 64, "32x32", 5.0, Some(5.0)),
            row("naive", 64, "32x32", 6.0, Some(6.0)),
        ]))
        .collect();
        let [figure] = figures.as_slice() else { panic!("{figures:?}") };
        let [panel] = figure.panels.as_slice() else { panic!("{figure:?}") };
        assert_eq!(labels(panel), ["naive", "shared"]);
        // Ascending, and the best of a size.
        assert_eq!(panel.series[0].points, [(64.0, 6.0), (128.0, 10.0)]);
        assert_eq!((&panel.limit, panel.note.as_str()), (&None, "arithmetic peak: 100"), "five times as high");
        assert_eq!(figure.subtitle, "lab-gemm, f32, block 32x32");
        assert_eq!(figure.title, "Rate of the kernel, measured H200");
        assert!(panel.title.is_empty());
    }

    #[test]
    fn where_blocks_differ_a_method_has_a_panel() {
        let figures: Vec<Figure> = rates(&report(vec![
            row("naive", 64, "8x8", 1.0, None),
            row("naive", 64, "16x16", 2.0, None),
            row("cublas", 64, "", 9.0, None),
        ]))
        .collect();
        let panels = &figures[0].panels;
        assert_eq!(panels[0].title, "naive");
        assert_eq!(labels(&panels[0]), ["8x8", "16x16"]);
        assert_eq!(labels(&panels[1]), ["cublas"]);
    }

    #[test]
    fn more_lines_than_colours_are_more_panels_and_more_bars_are_not() {
        let names: Vec<String> = (0..9).map(|index| format!("rung_{index}")).collect();
        let at = |n: usize| names.iter().map(move |name| row(name, n, "32x32", 1.0 + n as f64, None));
        let lines: Vec<Figure> = rates(&report(at(64).chain(at(128)).collect())).collect();
        assert_eq!(lines[0].panels.len(), 2);
        assert_eq!(lines[0].panels[0].title, "rung_0 to rung_4");
        assert!(lines[0].panels.iter().all(|panel| panel.series.len() <= MOST_SERIES));
        let bars: Vec<Figure> = rates(&report(at(64).collect())).collect();
        assert_eq!(bars[0].panels.len(), 1);
    }

    #[test]
    fn a_limit_that_is_near_is_drawn() {
        let figures: Vec<Figure> = rates(&report(vec![row("naive", 64, "32x32", 60.0, Some(60.0))])).collect();
        assert_eq!(figures[0].panels[0].limit.as_ref().unwrap().points, [(64.0, 100.0)]);
    }

    #[test]
    fn each_figure_is_an_svg_that_says_its_device() {
        let report = report(vec![row("naive", 64, "32x32", 5.0, None), row("naive", 128, "32x32", 500.0, None)]);
        let pictures = super::super::pictures(&report).unwrap();
        let svg = pictures[0].document();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("measured H200") && svg.contains("GFLOP/s, logarithmic"));
        assert_eq!(svg.matches(&pictures[0].title).count(), 1, "a title stands once");
    }
}
