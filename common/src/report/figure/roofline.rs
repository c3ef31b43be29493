//! The roofline of a card with the rungs under it (Williams, Waterman and Patterson 2009): what a kernel computes per second over what it
//! computes for each byte that it moves, both logarithmic.
//!
//! A panel for each boundary that bytes cross: between L2 and the card's memory, and between L1 and L2. Where the simulator counted them they are the
//! bytes of one launch; on a GPU, which counts none here, those that the problem has to move at least once.

use super::choose::{subtitle, titled};
use super::data::Series;
use super::theme::MOST_SERIES;
use crate::ceiling::Roof;
use crate::element::Dtype;
use crate::result::{Report, Row};

/// A rung at its largest size: its label, the extent, and its point: operations per byte, and the rate.
type Rung = (String, f64, (f64, f64));

/// The picture as data.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    /// Name of its file, without the ending.
    pub name: String,
    /// The subject of the picture.
    pub title: String,
    /// Where it was seen.
    pub subtitle: String,
    /// At most [`MOST_SERIES`] rungs in each.
    pub panels: Vec<RoofPanel>,
}

/// Some of the rungs under one roof.
#[derive(Clone, Debug, PartialEq)]
pub struct RoofPanel {
    /// The bytes that are counted, and which rungs these are.
    pub title: String,
    /// Name of the horizontal axis.
    pub over: String,
    /// 10⁹ bytes per second that cross the boundary at most, and its name.
    pub bandwidth: (String, f64),
    /// 10⁹ floating-point operations per second at most, and the type's name.
    pub peaks: Vec<(String, f64)>,
    /// Flop per byte and 10⁹ flop per second: one point for each rung, at its largest size.
    pub series: Vec<Series>,
}

/// A boundary: the counter of its bytes, its names, and its rate.
type Boundary = (&'static str, &'static str, &'static str, fn(&Roof) -> Option<f64>);

const BOUNDARIES: [Boundary; 2] = [
    ("memory_bytes", "device memory", "flop per byte from or to device memory", |roof| roof.memory_gbytes_per_s),
    ("l2_bytes", "L2", "flop per byte between L1 and L2", |roof| roof.l2_gbytes_per_s),
];

/// The report's roofline; `None` where it has no kernel with a rate and bytes, or the card's limits are not known.
pub fn roofline(report: &Report) -> Option<Roofline> {
    let roof = report.roof.filter(|_| report.timed == "kernel")?;
    let known = [(Dtype::F32, "f32 peak", roof.f32_gflops), (Dtype::F64, "f64 peak", roof.f64_gflops)];
    let peak_of = |row: &Row| known.iter().find(|(dtype, ..)| *dtype == row.dtype).and_then(|(.., peak)| *peak);
    // Tensor cores have another peak, of which the card's attributes say nothing.
    let (other, rows): (Vec<&Row>, Vec<&Row>) =
        report.rows.iter().filter(|row| row.gflops.is_some()).partition(|row| {
            row.number("throughput_tensor").is_some_and(|percent| percent > 0.0) || row.gflops > peak_of(row)
        });
    let peaks: Vec<(String, f64)> = known
        .into_iter()
        .filter(|(dtype, ..)| rows.iter().any(|row| row.dtype == *dtype))
        .filter_map(|(_, name, peak)| Some((name.to_owned(), peak?)))
        .collect();
    let counted = rows.iter().any(|row| row.number("l2_bytes").is_some());
    let mut panels = Vec::new();
    for (key, name, over, rate) in BOUNDARIES {
        let Some(bandwidth) = rate(&roof) else { continue };
        let intensity = |row: &Row| -> Option<f64> {
            let (flops, bytes) = match (counted, key) {
                (true, _) => (row.number("flops")?, row.number(key)?),
                (false, "memory_bytes") => (row.gflops?, row.gbytes_per_s?),
                (false, _) => return None,
            };
            (flops > 0.0 && bytes > 0.0).then(|| flops / bytes)
        };
        let rungs = rungs(&rows, intensity);
        let over = if counted { over } else { "flop per byte that the problem has to move" };
        let parts = rungs.len().div_ceil(MOST_SERIES).max(1);
        for part in rungs.chunks(rungs.len().div_ceil(parts).max(1)) {
            let ends = [&part[0].label, &part[part.len() - 1].label].map(String::as_str);
            let which = if parts > 1 { format!(": {}", ends.join(" to ")) } else { String::new() };
            panels.push(RoofPanel {
                title: format!("under the roof of {name}{which}"),
                over: over.to_owned(),
                bandwidth: (name.to_owned(), bandwidth),
                peaks: peaks.clone(),
                series: part.to_vec(),
            });
        }
    }
    let in_l2 = counted && !panels.is_empty() && panels.iter().all(|panel| panel.bandwidth.0 == "L2");
    let note = if in_l2 { "everything stays in L2 at these sizes" } else { "" };
    let several = |row: &&Row| rows.iter().any(|other| other.variant == row.variant && other.block != row.block);
    let best = if rows.iter().any(several) {
        "each at its largest size with its fastest block"
    } else {
        "each at its largest size"
    };
    let mut left_out: Vec<&str> = other.iter().map(|row| row.variant.as_str()).collect();
    left_out.dedup();
    let left_out = match left_out.as_slice() {
        [] => String::new(),
        names => format!("without {}: tensor cores have another roof", names.join(", ")),
    };
    (!panels.is_empty() && !peaks.is_empty()).then(|| Roofline {
        name: format!("{}_roofline", report.lab),
        title: titled(report, "Roofline"),
        subtitle: subtitle(report, &rows, &[best, note, &left_out]),
        panels,
    })
}

/// A point for each method at its largest size, of several rows there the fastest.
fn rungs(rows: &[&Row], intensity: impl Fn(&Row) -> Option<f64>) -> Vec<Series> {
    let several_types = rows.iter().any(|row| row.dtype != rows[0].dtype);
    let mut rungs: Vec<Rung> = Vec::new();
    for row in rows {
        let (Some(intensity), Some(gflops)) = (intensity(row), row.gflops) else { continue };
        let label = if several_types { format!("{} {}", row.variant, row.dtype) } else { row.variant.clone() };
        let new = (label, row.size.mean_extent(), (intensity, gflops));
        match rungs.iter_mut().find(|known| known.0 == new.0) {
            Some(known) if (new.1, new.2.1) > (known.1, known.2.1) => *known = new,
            Some(_) => {}
            None => rungs.push(new),
        }
    }
    rungs.into_iter().map(|(label, _, at)| Series { label, points: vec![at] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::samples;

    const ROOF: Roof = Roof {
        f32_gflops: Some(15_000.0),
        f64_gflops: Some(236.0),
        memory_gbytes_per_s: Some(272.0),
        l2_gbytes_per_s: Some(1260.0),
        multiprocessors: None,
    };

    fn report(rows: Vec<Row>) -> Report {
        let mut report = Report { rows, roof: Some(ROOF), ..samples::report() };
        report.device.name = "a card".to_owned();
        report
    }

    fn row(variant: &str, n: usize, gflops: f64, counters: &[(&str, u64)]) -> Row {
        let mut row = samples::row(variant, n, "32x32", 1.0);
        row.gflops = Some(gflops);
        row.gbytes_per_s = Some(gflops / 4.0);
        row.counters.extend(counters.iter().map(|&(name, count)| (name.to_owned(), count.into())));
        row
    }

    #[test]
    fn a_rung_stands_at_its_flops_per_byte_of_each_boundary() {
        let roofline = roofline(&report(vec![
            row("naive", 128, 100.0, &[("flops", 4000), ("l2_bytes", 1000), ("memory_bytes", 10)]),
            row("naive", 64, 50.0, &[("flops", 2000), ("l2_bytes", 1000), ("memory_bytes", 0)]),
        ]))
        .unwrap();
        let [memory, l2] = roofline.panels.as_slice() else { panic!("{roofline:?}") };
        assert_eq!(memory.series[0].points, [(400.0, 100.0)], "the largest size");
        assert_eq!(l2.series[0].points, [(4.0, 100.0)]);
        assert!((memory.ridge(15_000.0) - 55.1).abs() < 0.1);
        let svg = roofline.picture().document();
        assert!(svg.contains("f32 peak 15.0 TFLOP/s") && !svg.contains("f64 peak"), "a roof of no row: {svg}");
        assert!(svg.contains("device memory 272 GB/s") && svg.contains("simulated a card"));
    }

    #[test]
    fn what_ran_on_tensor_cores_is_under_another_roof() {
        let mut tensor = row("tf32x3", 128, 9000.0, &[("flops", 4000), ("l2_bytes", 1000)]);
        tensor.counters.insert("throughput_tensor".into(), 40.0.into());
        let faster = row("last_round", 128, 16_000.0, &[("flops", 4000), ("l2_bytes", 1000)]);
        let naive = row("naive", 128, 100.0, &[("flops", 4000), ("l2_bytes", 1000)]);
        let roofline = roofline(&report(vec![naive, tensor, faster])).unwrap();
        assert_eq!(roofline.panels[0].series.len(), 1, "{roofline:?}");
        assert!(roofline.subtitle.ends_with("without tf32x3, last_round: tensor cores have another roof"));
    }

    #[test]
    fn where_nothing_is_counted_the_problem_says_how_much_moves() {
        let roofline = roofline(&report(vec![row("naive", 64, 50.0, &[])])).unwrap();
        let [memory] = roofline.panels.as_slice() else { panic!("{roofline:?}") };
        assert_eq!(memory.series[0].points, [(4.0, 50.0)]);
        assert!(memory.over.contains("has to move"));
    }

    #[test]
    fn more_rungs_than_colours_are_more_panels() {
        let rows = (0..9).map(|index| row(&format!("rung_{index}"), 64, 50.0, &[("flops", 10), ("l2_bytes", 10)]));
        let roofline = roofline(&report(rows.collect())).unwrap();
        assert!(roofline.panels.len() == 2 && roofline.panels.iter().all(|panel| panel.series.len() <= MOST_SERIES));
        assert!(roofline.subtitle.ends_with("everything stays in L2 at these sizes"));
    }
}
