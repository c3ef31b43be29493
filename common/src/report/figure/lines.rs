//! Lines over sizes: small panels, each line with its marker and its label at its end.

use super::axis::{Axis, Scale};
use super::canvas::{Anchor, Canvas, Drawn, PANEL, Point};
use super::labels::{self, Label, Sample};
use super::theme::{Colour, MOST_SERIES};
use super::{Figure, Panel, Series};
use crate::result::distinct;

/// Sizes in pixels.
const TICK_LABELS: f64 = 58.0;
const TOP: f64 = 52.0;
const FIELD: f64 = 230.0;
const BELOW: f64 = 50.0;
const LEAST_FIELD: f64 = 150.0;

/// The axes of one panel, and how wide its field is.
struct Frame<'a> {
    figure: &'a Figure,
    x: &'a Axis,
    y: &'a Axis,
    width: f64,
}

/// The figure's panels, each over its axis; `None` without a point.
pub fn panels(figure: &Figure, axes: &[Axis]) -> Option<Vec<Drawn>> {
    let x = Axis::of_sizes(figure.all_points().map(|at| at.0))?;
    let all = figure.panels.iter().flat_map(|panel| panel.series.iter().chain(&panel.limit));
    let labels = labels::room(all.map(|series| series.label.as_str()));
    let width = (PANEL - TICK_LABELS - labels).max(LEAST_FIELD);
    let frames = figure.panels.iter().zip(axes);
    Some(frames.map(|(panel, y)| Frame { figure, x: &x, y, width }.panel(panel)).collect())
}

impl Frame<'_> {
    fn place(&self, (size, value): (f64, f64)) -> Point {
        (TICK_LABELS + self.x.place(size) * self.width, TOP + (1.0 - self.y.place(value)) * FIELD)
    }

    fn panel(&self, panel: &Panel) -> Drawn {
        let mut canvas = Canvas::default();
        self.axes(&mut canvas, panel);
        let mut labels: Vec<Label> = Vec::new();
        let mut label = |series: &Series, end: Option<&Point>, sample: Sample| {
            labels.extend(end.map(|&end| Label { text: series.label.clone(), end, sample }));
        };
        for (index, series) in panel.series.iter().enumerate() {
            let number = self.figure.colour_of(index, series);
            let places: Vec<Point> = series.points.iter().map(|&at| self.place(at)).collect();
            canvas.line(&places, 2, Colour::Series(number));
            for &at in &places {
                canvas.marker(number, at);
            }
            label(series, places.last(), Sample::Series(number));
        }
        if let Some(limit) = &panel.limit {
            let places: Vec<Point> = limit.points.iter().map(|&at| self.place(at)).collect();
            canvas.dashes(&places, Colour::Muted);
            label(limit, places.last(), Sample::Dashes);
        }
        labels::draw(&mut canvas, &labels, (TICK_LABELS, TOP), (self.width, FIELD));
        let names: Vec<&str> = panel.series.iter().map(|series| series.label.as_str()).collect();
        canvas
            .done((PANEL, TOP + FIELD + BELOW), &format!("{} {}: {}", self.figure.title, panel.title, names.join(", ")))
    }

    /// Grid, ticks and names.
    fn axes(&self, canvas: &mut Canvas, panel: &Panel) {
        let (left, right, bottom) = (TICK_LABELS, TICK_LABELS + self.width, TOP + FIELD);
        for (place, label) in self.y.ticks(14.0 / FIELD) {
            let y = bottom - place * FIELD;
            canvas.line(&[(left, y), (right, y)], 1, Colour::Grid);
            canvas.text(&label, (left - 7.0, y), 12.0, Anchor::End, Colour::Muted);
        }
        for (place, label) in self.x.ticks(42.0 / self.width) {
            let x = left + place * self.width;
            canvas.line(&[(x, TOP), (x, bottom)], 1, Colour::Grid);
            canvas.text(&label, (x, bottom + 12.0), 12.0, Anchor::Middle, Colour::Muted);
        }
        canvas.line(&[(left, bottom), (right, bottom)], 1, Colour::Muted);
        if self.y.scale() == Scale::Linear && self.y.place(0.0) > 0.0 {
            let zero = bottom - self.y.place(0.0) * FIELD;
            canvas.line(&[(left, zero), (right, zero)], 1, Colour::Muted);
        }
        canvas.text(self.figure.over, (left + self.width / 2.0, bottom + 30.0), 12.5, Anchor::Middle, Colour::Ink);
        let logarithmic = if self.y.scale() == Scale::Logarithmic { ", logarithmic" } else { "" };
        let note = if panel.note.is_empty() { String::new() } else { format!(" ({})", panel.note) };
        let unit = format!("{}{logarithmic}{note}", self.figure.unit);
        canvas.text(&unit, (8.0, TOP - 15.0), 12.0, Anchor::Start, Colour::Muted);
        canvas.text(&panel.title, (8.0, TOP - 36.0), 14.5, Anchor::Start, Colour::Ink);
    }
}

impl Figure {
    /// Colour and marker of a series: the same in all panels where the figure has few enough labels, else its place in its panel.
    fn colour_of(&self, index: usize, series: &Series) -> usize {
        let labels = distinct(self.panels.iter().flat_map(|panel| &panel.series).map(|series| series.label.as_str()));
        let common = labels.iter().position(|label| *label == series.label).filter(|_| labels.len() <= MOST_SERIES);
        common.unwrap_or(index % MOST_SERIES)
    }
}
