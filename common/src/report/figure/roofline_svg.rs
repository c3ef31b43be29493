//! How a roofline is drawn.

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Drawn, PANEL, Point, text_width};
use super::roofline::{RoofPanel, Roofline};
use super::theme::Colour;
use crate::report::number::three_digits;

/// Sizes in pixels.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 56.0;
const FIELD: f64 = 280.0;
const LEGEND: f64 = 50.0;
const LEGEND_ROW: f64 = 19.0;
const TEXT: f64 = 12.0;

impl Roofline {
    /// The roofline's panels.
    pub fn picture(self) -> Picture {
        let axes = self.axes();
        let panels = self.panels.iter().map(|panel| Field { panel, axes: &axes }.drawn(&self.title)).collect();
        Picture { name: self.name, title: self.title, subtitle: self.subtitle, panels }
    }

    /// The axes of every panel: they hold all points, all ridges and all peaks, so that one panel can be compared with another.
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

/// A panel and its axes.
struct Field<'a> {
    panel: &'a RoofPanel,
    axes: &'a [Axis; 2],
}

const WIDTH: f64 = PANEL - LEFT - RIGHT;
const BOTTOM: f64 = TOP + FIELD;

impl Field<'_> {
    fn place(&self, (intensity, gflops): (f64, f64)) -> Point {
        let [across, up] = self.axes;
        (LEFT + across.place(intensity) * WIDTH, TOP + (1.0 - up.place(gflops)) * FIELD)
    }

    fn drawn(&self, title: &str) -> Drawn {
        let mut canvas = Canvas::default();
        self.grid(&mut canvas);
        self.roof(&mut canvas);
        let below = self.points(&mut canvas);
        canvas.done((PANEL, below + 8.0), &format!("{title} {}", self.panel.title))
    }

    fn grid(&self, canvas: &mut Canvas) {
        let right = LEFT + WIDTH;
        for (place, label) in self.axes[1].ticks(14.0 / FIELD) {
            let y = BOTTOM - place * FIELD;
            canvas.line(&[(LEFT, y), (right, y)], 1, Colour::Grid);
            canvas.text(&label, (LEFT - 7.0, y), TEXT, Anchor::End, Colour::Muted);
        }
        for (place, label) in self.axes[0].ticks(42.0 / WIDTH) {
            let x = LEFT + place * WIDTH;
            canvas.line(&[(x, TOP), (x, BOTTOM)], 1, Colour::Grid);
            canvas.text(&label, (x, BOTTOM + 12.0), TEXT, Anchor::Middle, Colour::Muted);
        }
        canvas.line(&[(LEFT, BOTTOM), (right, BOTTOM)], 1, Colour::Muted);
        let over = format!("{}, logarithmic", self.panel.over);
        canvas.text(&over, (LEFT + WIDTH / 2.0, BOTTOM + 30.0), 12.5, Anchor::Middle, Colour::Ink);
        canvas.text("GFLOP/s, logarithmic", (8.0, TOP - 15.0), TEXT, Anchor::Start, Colour::Muted);
        canvas.text(&self.panel.title, (8.0, TOP - 38.0), 14.5, Anchor::Start, Colour::Ink);
    }

    /// The slope of the bandwidth with its name along it, and the peaks from their ridges on, each with its name and its ridge's place.
    fn roof(&self, canvas: &mut Canvas) {
        let right = LEFT + WIDTH;
        let (name, bandwidth) = &self.panel.bandwidth;
        let highest = self.panel.peaks.iter().map(|(_, peak)| *peak).fold(0.0, f64::max);
        // From where the slope enters the field: at its left side, or at its bottom.
        let start = self.axes[0].low().max(self.axes[1].low() / bandwidth);
        let (from, to) = (self.place((start, start * bandwidth)), self.place((self.panel.ridge(highest), highest)));
        canvas.line(&[from, to], 2, Colour::Ink);
        let (rise, run) = (from.1 - to.1, to.0 - from.0);
        let middle = (from.0 + run / 2.0, from.1 - rise / 2.0);
        let (length, label) = (rise.hypot(run), format!("{name} {}", bytes(*bandwidth)));
        // Above the slope: a step at a right angle to it.
        let at = (middle.0 - 10.0 * rise / length, middle.1 - 10.0 * run / length);
        canvas.turned_text(&label, at, rise.atan2(run).to_degrees(), TEXT, Anchor::Middle, Colour::Ink);
        for (name, peak) in &self.panel.peaks {
            let ridge = self.panel.ridge(*peak);
            let from = self.place((ridge, *peak));
            let line = [from, (right, from.1)];
            if *peak == highest {
                canvas.line(&line, 2, Colour::Ink);
            } else {
                canvas.dashes(&line, Colour::Ink);
            }
            canvas.filled((from.0 - 3.0, from.1 - 3.0), (from.0 + 3.0, from.1 + 3.0), Colour::Ink);
            let label = format!("{name} {}, from {} flop/byte on", flops(*peak), three_digits(ridge));
            let begin = from.0.min(right - text_width(&label, TEXT)).max(LEFT);
            canvas.text(&label, (begin, from.1 - 11.0), TEXT, Anchor::Start, Colour::Ink);
        }
    }

    /// The rungs, and below the field their names with what they reach, the fastest first; answers where that ends.
    fn points(&self, canvas: &mut Canvas) -> f64 {
        let mut rungs: Vec<(usize, &str, f64)> = Vec::new();
        for (number, series) in self.panel.series.iter().enumerate() {
            for &at in &series.points {
                canvas.marker(number, self.place(at));
                rungs.push((number, &series.label, at.1));
            }
        }
        rungs.sort_by(|a, b| b.2.total_cmp(&a.2));
        let rows = rungs.len().div_ceil(2);
        for (index, (number, name, gflops)) in rungs.into_iter().enumerate() {
            let x = LEFT + (index / rows.max(1)) as f64 * WIDTH / 2.0;
            let y = BOTTOM + LEGEND + (index % rows.max(1)) as f64 * LEGEND_ROW;
            canvas.marker(number, (x, y));
            let reached = format!("{name} {}", flops(gflops));
            canvas.text(&reached, (x + 12.0, y), 11.5, Anchor::Start, Colour::Ink);
        }
        BOTTOM + LEGEND + rows as f64 * LEGEND_ROW
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
