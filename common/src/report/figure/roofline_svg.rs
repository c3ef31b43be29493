//! How a roofline is drawn.

use super::axis::Axis;
use super::canvas::{self, Anchor, Canvas, HEADING, MARGIN, Point, text_width};
use super::labels::{self, Label, Sample};
use super::roofline::{RoofPanel, Roofline};
use super::theme::Theme;
use crate::report::number::three_digits;

/// From one point to another.
type Segment = (Point, Point);

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
    pub fn ridge(&self, peak: f64) -> f64 {
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
