//! The roofline of a card with the rungs under it (Williams, Waterman and Patterson 2009): what a kernel computes per second over what it
//! computes for each byte that it moves, both logarithmic.
//!
//! A panel for each boundary that bytes cross: between L2 and the card's memory, and between L1 and L2. Where the simulator counted them they are the
//! bytes of one launch; on a GPU, which counts none here, those that the problem has to move at least once.

use super::choose::{subtitle, titled};
use super::data::Series;
use super::theme::MOST_SERIES;
use crate::ceiling::Roof;
use crate::result::{Report, Row};

/// Elements of a size, its label, and its point: operations per byte, and the rate.
type SizedPoint = (f64, String, (f64, f64));

/// The picture as data.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    /// Of its file, without the ending.
    pub name: String,
    /// What is shown.
    pub title: String,
    /// Where it was seen.
    pub subtitle: String,
    /// At most [`MOST_SERIES`] rungs in each.
    pub panels: Vec<RoofPanel>,
}

/// Some of the rungs under one roof.
#[derive(Clone, Debug, PartialEq)]
pub struct RoofPanel {
    /// What bytes are counted, and which rungs these are.
    pub title: String,
    /// Name of the horizontal axis.
    pub over: String,
    /// 10⁹ bytes per second that cross the boundary at most, and its name.
    pub bandwidth: (String, f64),
    /// 10⁹ floating-point operations per second at most, and the type's name.
    pub peaks: Vec<(String, f64)>,
    /// Flop per byte and 10⁹ flop per second, by ascending size.
    pub series: Vec<Series>,
    /// The sizes of each series' points, as the command line has them.
    pub sizes: Vec<Vec<String>>,
}

/// A boundary: the counter of its bytes, its names, and its rate.
type Boundary = (&'static str, &'static str, &'static str, fn(&Roof) -> Option<f64>);

const BOUNDARIES: [Boundary; 2] = [
    ("memory_bytes", "device memory", "flop per byte from or to device memory", |roof| roof.memory_gbytes_per_s),
    ("l2_bytes", "L2", "flop per byte between L1 and L2", |roof| roof.l2_gbytes_per_s),
];

/// A series with its sizes, while it is gathered.
type Rung = (Series, Vec<String>);

/// The report's roofline; `None` where it has no kernel with a rate and bytes, or the card's limits are not known.
pub fn roofline(report: &Report) -> Option<Roofline> {
    let roof = report.roof.filter(|_| report.timed == "kernel")?;
    let peaks: Vec<(String, f64)> = [("f32 peak", roof.f32_gflops), ("f64 peak", roof.f64_gflops)]
        .into_iter()
        .filter_map(|(name, peak)| Some((name.to_owned(), peak?)))
        .collect();
    let rows: Vec<&Row> = report.rows.iter().filter(|row| row.gflops.is_some()).collect();
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
            let ends = [&part[0].0.label, &part[part.len() - 1].0.label].map(String::as_str);
            let which = if parts > 1 { format!(": {}", ends.join(" to ")) } else { String::new() };
            let (series, sizes) = part.iter().cloned().unzip();
            panels.push(RoofPanel {
                title: format!("under the roof of {name}{which}"),
                over: over.to_owned(),
                bandwidth: (name.to_owned(), bandwidth),
                peaks: peaks.clone(),
                series,
                sizes,
            });
        }
    }
    let in_l2 = counted && !panels.is_empty() && panels.iter().all(|panel| panel.bandwidth.0 == "L2");
    let note = if in_l2 { "everything stays in L2 at these sizes" } else { "" };
    let several = |row: &&Row| rows.iter().any(|other| other.variant == row.variant && other.block != row.block);
    let best = if rows.iter().any(several) { "each with its fastest block" } else { "" };
    (!panels.is_empty() && !peaks.is_empty()).then(|| Roofline {
        name: format!("{}_roofline", report.lab),
        title: titled(report, "Roofline"),
        subtitle: subtitle(report, &rows, &[best, note]),
        panels,
    })
}

/// A series for each method, of several rows at a size the fastest.
fn rungs(rows: &[&Row], intensity: impl Fn(&Row) -> Option<f64>) -> Vec<Rung> {
    let several_types = rows.iter().any(|row| row.dtype != rows[0].dtype);
    let mut rungs: Vec<(String, Vec<SizedPoint>)> = Vec::new();
    for row in rows {
        let (Some(intensity), Some(gflops)) = (intensity(row), row.gflops) else { continue };
        let label = if several_types { format!("{} {}", row.variant, row.dtype) } else { row.variant.clone() };
        let index = rungs.iter().position(|known| known.0 == label).unwrap_or_else(|| {
            rungs.push((label, Vec::new()));
            rungs.len() - 1
        });
        let points = &mut rungs[index].1;
        let size = row.size.to_string();
        match points.iter_mut().find(|point| point.1 == size) {
            Some(point) if point.2.1 < gflops => point.2 = (intensity, gflops),
            Some(_) => {}
            None => points.push((row.size.mean_extent(), size, (intensity, gflops))),
        }
    }
    rungs
        .into_iter()
        .map(|(label, mut points)| {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (sizes, points) = points.into_iter().map(|(_, size, at)| (size, at)).unzip();
            (Series { label, points }, sizes)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Check;
    use crate::element::Dtype;
    use crate::observations::DeviceFacts;
    use crate::shape::Shape;
    use crate::statistics::Statistics;

    const ROOF: Roof = Roof {
        f32_gflops: Some(15_000.0),
        f64_gflops: Some(236.0),
        memory_gbytes_per_s: Some(272.0),
        l2_gbytes_per_s: Some(1260.0),
    };

    fn report(rows: Vec<Row>) -> Report {
        let facts = DeviceFacts {
            name: "a card".to_owned(),
            simulated: true,
            profile: None,
            compute_capability: "8.9".to_owned(),
        };
        Report { rows, roof: Some(ROOF), ..Report::new(facts, "gemm", 1) }
    }

    fn row(variant: &str, n: usize, gflops: f64, counters: &[(&str, u64)]) -> Row {
        let check = Check { correct: true, max_relative_error: 0.0, mismatch: None };
        let time = Statistics::of(&[1.0]).unwrap();
        let mut row = Row::new(variant, Shape::square(n), "32x32".to_owned(), Dtype::F32, check, time);
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
        assert_eq!(memory.series[0].points, [(400.0, 100.0)], "what stays in L2 has no place here");
        assert_eq!(l2.series[0].points, [(2.0, 50.0), (4.0, 100.0)]);
        assert_eq!(l2.sizes, [["64", "128"]]);
        assert!((memory.ridge(15_000.0) - 55.1).abs() < 0.1);
        for theme in [&super::super::theme::LIGHT, &super::super::theme::DARK] {
            let svg = roofline.svg(theme).unwrap();
            assert!(svg.contains("ridge f32: 55.1 flop/byte") && svg.contains("f64 peak 236 GFLOP/s"));
            assert!(svg.contains("device memory 272 GB/s") && svg.contains("simulated a card"));
        }
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
