//! The roofline of a card with the rungs under it (Williams, Waterman and Patterson 2009): what a kernel computes per second over what it
//! computes for each byte that it moves, both logarithmic.
//!
//! A panel for each boundary that bytes cross: between L2 and the card's memory, and between L1 and L2. Where the simulator counted them they are the
//! bytes of one launch; on a GPU, which counts none here, those that the problem has to move at least once.

use super::axis::Axis;
use super::canvas::{self, Anchor, Canvas, HEADING, MARGIN, Point, text_width};
use super::choose::{subtitle, titled};
use super::data::Series;
use super::labels::{self, Label, Sample};
use super::theme::{MOST_SERIES, Theme};
use crate::ceiling::Roof;
use crate::report::number::three_digits;
use crate::result::{Report, Row};

/// Elements of a size, its label, and its point: operations per byte, and the rate.
type SizedPoint = (f64, String, (f64, f64));
/// From one point to another.
type Segment = (Point, Point);

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

/// Sizes in pixels.
const TICK_LABELS: f64 = 62.0;
const PANEL_TITLE: f64 = 46.0;
const BELOW: f64 = 46.0;
const SIZE_LABEL: f64 = 10.5;

impl Roofline {
    /// The picture as the text of an SVG document.
    pub fn svg(&self, theme: &'static Theme) -> anyhow::Result<String> {
        let columns = if self.panels.len() == 1 { 1 } else { 2 };
        let rows = self.panels.len().div_ceil(columns);
        let names: Vec<String> = self.panels.iter().flat_map(RoofPanel::names).collect();
        let (page, height) = [(1000.0, 440.0), (1400.0, 360.0)][columns - 1];
        let cell = (page - 2.0 * MARGIN) / columns as f64;
        let width = cell - TICK_LABELS - labels::room(names.iter().map(String::as_str));
        let cell_height = PANEL_TITLE + height + BELOW;
        canvas::page(theme, (page, HEADING + rows as f64 * cell_height), |canvas| {
            canvas.heading(&self.title, &self.subtitle)?;
            let axes = self.axes();
            for (index, panel) in self.panels.iter().enumerate() {
                let (column, row) = ((index % columns) as f64, (index / columns) as f64);
                let corner = (MARGIN + column * cell + TICK_LABELS, HEADING + row * cell_height + PANEL_TITLE);
                Field { panel, axes: &axes, corner, width, height }.draw(canvas)?;
            }
            Ok(())
        })
    }

    /// Of every panel: they hold all points, all ridges and all peaks, so that one panel can be compared with another.
    fn axes(&self) -> [Axis; 2] {
        let range = |of: fn(Point) -> f64| {
            let values = || self.panels.iter().flat_map(RoofPanel::marks).map(of);
            (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max))
        };
        let ((left, right), (low, high)) = (range(|mark| mark.0), range(|mark| mark.1));
        [Axis::of_decades(left / 1.5, right * 2.0), Axis::of_decades(low / 1.5, high * 1.5)]
    }
}

impl RoofPanel {
    /// Of the rungs and of the peaks.
    fn names(&self) -> impl Iterator<Item = String> {
        let series = self.series.iter().map(|series| series.label.clone());
        series.chain(self.peaks.iter().map(|(name, peak)| format!("{name} {}", flops(*peak))))
    }

    /// Flop per byte from which on a peak is in reach.
    fn ridge(&self, peak: f64) -> f64 {
        peak / self.bandwidth.1
    }

    /// The points, and each ridge at its peak.
    fn marks(&self) -> impl Iterator<Item = Point> {
        let points = self.series.iter().flat_map(|series| series.points.iter().copied());
        points.chain(self.peaks.iter().map(|(_, peak)| (self.ridge(*peak), *peak)))
    }
}

/// A panel and where it is drawn.
struct Field<'a> {
    panel: &'a RoofPanel,
    axes: &'a [Axis; 2],
    corner: Point,
    width: f64,
    height: f64,
}

impl Field<'_> {
    fn place(&self, (intensity, gflops): (f64, f64)) -> Point {
        let [across, up] = self.axes;
        (self.corner.0 + across.place(intensity) * self.width, self.corner.1 + (1.0 - up.place(gflops)) * self.height)
    }

    fn draw(&self, canvas: &Canvas) -> anyhow::Result<()> {
        self.grid(canvas)?;
        let (roof_ends, written) = self.roof(canvas)?;
        let ends = self.points(canvas, written)?;
        let rungs = (0..ends.len()).map(Sample::Series);
        let samples = rungs.chain(roof_ends.iter().map(|_| Sample::Nothing));
        let labels: Vec<Label> = (self.panel.names().zip(ends.iter().chain(&roof_ends)).zip(samples))
            .map(|((text, &end), sample)| Label { text, end, sample })
            .collect();
        labels::draw(canvas, &labels, self.corner, (self.width, self.height))
    }

    fn grid(&self, canvas: &Canvas) -> anyhow::Result<()> {
        let (theme, (left, top)) = (canvas.theme, self.corner);
        let (right, bottom) = (left + self.width, top + self.height);
        for (place, label) in self.axes[1].ticks(14.0 / self.height) {
            let y = bottom - place * self.height;
            canvas.line(&[(left, y), (right, y)], 1, theme.grid)?;
            canvas.text(&label, (left - 7.0, y), 12.0, Anchor::End, theme.muted)?;
        }
        for (place, label) in self.axes[0].ticks(42.0 / self.width) {
            let x = left + place * self.width;
            canvas.line(&[(x, top), (x, bottom)], 1, theme.grid)?;
            canvas.text(&label, (x, bottom + 12.0), 12.0, Anchor::Middle, theme.muted)?;
        }
        canvas.line(&[(left, bottom), (right, bottom)], 1, theme.muted)?;
        let over = format!("{}, logarithmic", self.panel.over);
        canvas.text(&over, (left + self.width / 2.0, bottom + 29.0), 12.5, Anchor::Middle, theme.ink)?;
        canvas.text("GFLOP/s, logarithmic", (left - 44.0, top - 14.0), 12.0, Anchor::Start, theme.muted)?;
        canvas.text(&self.panel.title, (left - 44.0, top - 33.0), 14.5, Anchor::Start, theme.ink)
    }

    /// The slope of the bandwidth, the peaks from their ridges on, and their names; answers where the peaks end, and where
    /// something is written.
    fn roof(&self, canvas: &Canvas) -> anyhow::Result<(Vec<Point>, Vec<Segment>)> {
        let (theme, (left, top)) = (canvas.theme, self.corner);
        let right = left + self.width;
        let (name, bandwidth) = &self.panel.bandwidth;
        let highest = self.panel.peaks.iter().map(|(_, peak)| *peak).fold(0.0, f64::max);
        // From where the slope enters the field: at its left side, or at its bottom.
        let start = self.axes[0].low().max(self.axes[1].low() / bandwidth);
        let slope = [self.place((start, start * bandwidth)), self.place((self.panel.ridge(highest), highest))];
        canvas.line(&slope, 2, theme.ink)?;
        let label = format!("{name} {}", bytes(*bandwidth));
        let rise = (slope[0].1 - slope[1].1) / (slope[1].0 - slope[0].0);
        let end = slope[0].0 + 8.0 + text_width(&label, 12.0);
        canvas.text(
            &label,
            (slope[0].0 + 8.0, (slope[0].1 - rise * (end - slope[0].0) - 8.0).max(top + 8.0)),
            12.0,
            Anchor::Start,
            theme.ink,
        )?;
        let (mut ends, mut written) = (Vec::new(), Vec::new());
        for (name, peak) in &self.panel.peaks {
            let ridge = self.panel.ridge(*peak);
            let from = self.place((ridge, *peak));
            let to = (right, from.1);
            if *peak == highest {
                canvas.line(&[from, to], 2, theme.ink)?;
            } else {
                canvas.dashes(&[from, to], theme.ink)?;
            }
            canvas.filled((from.0 - 3.0, from.1 - 3.0), (from.0 + 3.0, from.1 + 3.0), theme.ink)?;
            let type_name = name.split(' ').next().unwrap_or_default();
            let label = format!("ridge {type_name}: {} flop/byte", three_digits(ridge));
            let width = text_width(&label, 12.0);
            let x = (from.0 + 6.0).min(right - width);
            canvas.text(&label, (x, from.1 - 10.0), 12.0, Anchor::Start, theme.ink)?;
            written.push(((x, from.1 - 17.0), (x + width, from.1)));
            ends.push(to);
        }
        Ok((ends, written))
    }

    /// The rungs, a line through the sizes of each; answers where the lines end.
    fn points(&self, canvas: &Canvas, mut taken: Vec<(Point, Point)>) -> anyhow::Result<Vec<Point>> {
        let theme = canvas.theme;
        let mut ends = Vec::new();
        let all: Vec<Vec<Point>> =
            self.panel.series.iter().map(|series| series.points.iter().map(|&at| self.place(at)).collect()).collect();
        for (number, places) in all.iter().enumerate() {
            canvas.line(places, 1, theme.series[number])?;
            for &at in places {
                canvas.marker(number, at)?;
                taken.push(((at.0 - 5.0, at.1 - 5.0), (at.0 + 5.0, at.1 + 5.0)));
            }
            ends.extend(places.last());
        }
        // A size beside its point where there is room for it.
        for (places, sizes) in all.iter().zip(&self.panel.sizes) {
            for (at, size) in places.iter().zip(sizes) {
                let width = text_width(size, SIZE_LABEL);
                let below = (at.0 - width / 2.0, at.1 + 7.0);
                let above = (at.0 - width / 2.0, at.1 - 7.0 - SIZE_LABEL);
                let free = [below, above].into_iter().find(|corner| {
                    let end = (corner.0 + width, corner.1 + SIZE_LABEL);
                    taken
                        .iter()
                        .all(|(from, to)| end.0 < from.0 || to.0 < corner.0 || end.1 < from.1 || to.1 < corner.1)
                });
                if let Some(corner) = free {
                    let middle = (at.0, corner.1 + SIZE_LABEL / 2.0);
                    canvas.text(size, middle, SIZE_LABEL, Anchor::Middle, theme.muted)?;
                    taken.push((corner, (corner.0 + width, corner.1 + SIZE_LABEL)));
                }
            }
        }
        Ok(ends)
    }
}

/// 10⁹ flop per second in the unit that keeps it short.
fn flops(gflops: f64) -> String {
    if gflops >= 1e3 {
        format!("{} TFLOP/s", three_digits(gflops / 1e3))
    } else {
        format!("{} GFLOP/s", three_digits(gflops))
    }
}

/// 10⁹ bytes per second, likewise.
fn bytes(gbytes: f64) -> String {
    if gbytes >= 1e3 {
        format!("{} TB/s", three_digits(gbytes / 1e3))
    } else {
        format!("{} GB/s", three_digits(gbytes))
    }
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
