//! Lines over sizes: small panels over common axes, each line with its marker and its label at its end.

use super::axis::{Axis, Scale};
use super::canvas::{self, Anchor, Canvas, HEADING, MARGIN, Point};
use super::labels::{self, Label, Sample};
use super::theme::{MOST_SERIES, Theme};
use super::{Figure, Panel, Series};

/// Sizes in pixels.
const TICK_LABELS: f64 = 58.0;
const PANEL_TITLE: f64 = 46.0;
const BELOW: f64 = 46.0;

/// Width of the page and height of a panel's field, for one, two and three columns.
const PAGES: [(f64, f64); 3] = [(1000.0, 420.0), (1100.0, 270.0), (1400.0, 240.0)];
const LEAST_FIELD: f64 = 190.0;

/// The two axes of all panels, and how large a panel's field is.
struct Frame<'a> {
    figure: &'a Figure,
    x: Axis,
    y: Axis,
    width: f64,
    height: f64,
}

/// The figure as SVG.
pub fn svg(figure: &Figure, theme: &'static Theme) -> anyhow::Result<String> {
    let points = figure.all_points();
    let values = points.clone().map(|at| at.1);
    let y = if figure.differences { Axis::of_differences(values) } else { Axis::of_values(values) };
    let (Some(x), Some(y)) = (Axis::of_sizes(points.map(|at| at.0)), y) else {
        anyhow::bail!("figure {} without a point", figure.name);
    };
    let all = figure.panels.iter().flat_map(|panel| panel.series.iter().chain(&panel.limit));
    let labels = labels::room(all.map(|series| series.label.as_str()));
    let most = match figure.panels.len() {
        1 => 1,
        2..=4 => 2,
        _ => 3,
    };
    // As many columns as leave the fields of the panels wide enough beside their labels.
    let field = |columns: usize| (PAGES[columns - 1].0 - 2.0 * MARGIN) / columns as f64 - TICK_LABELS - labels;
    let columns = (1..=most).rev().find(|&columns| field(columns) >= LEAST_FIELD).unwrap_or(1);
    let (page, height) = PAGES[columns - 1];
    let rows = figure.panels.len().div_ceil(columns);
    let cell = (page - 2.0 * MARGIN) / columns as f64;
    let frame = Frame { figure, x, y, width: field(columns), height };
    let cell_height = PANEL_TITLE + height + BELOW;
    canvas::page(theme, (page, HEADING + rows as f64 * cell_height), |canvas| {
        canvas.heading(&figure.title, &figure.subtitle)?;
        for (index, panel) in figure.panels.iter().enumerate() {
            let (column, row) = ((index % columns) as f64, (index / columns) as f64);
            let corner = (MARGIN + column * cell + TICK_LABELS, HEADING + row * cell_height + PANEL_TITLE);
            frame.panel(canvas, panel, corner)?;
        }
        Ok(())
    })
}

impl Frame<'_> {
    fn place(&self, corner: Point, (size, value): (f64, f64)) -> Point {
        (corner.0 + self.x.place(size) * self.width, corner.1 + (1.0 - self.y.place(value)) * self.height)
    }

    /// One panel; `corner` is the top left of its field.
    fn panel(&self, canvas: &Canvas, panel: &Panel, corner: Point) -> anyhow::Result<()> {
        self.axes(canvas, &panel.title, corner)?;
        let mut labels: Vec<Label> = Vec::new();
        let mut label = |series: &Series, end: Option<&Point>, sample: Sample| {
            labels.extend(end.map(|&end| Label { text: series.label.clone(), end, sample }));
        };
        for (index, series) in panel.series.iter().enumerate() {
            let number = self.figure.colour_of(index, series);
            let places: Vec<Point> = series.points.iter().map(|&at| self.place(corner, at)).collect();
            canvas.line(&places, 2, canvas.theme.series[number])?;
            for &at in &places {
                canvas.marker(number, at)?;
            }
            label(series, places.last(), Sample::Series(number));
        }
        if let Some(limit) = &panel.limit {
            let places: Vec<Point> = limit.points.iter().map(|&at| self.place(corner, at)).collect();
            canvas.dashes(&places, canvas.theme.muted)?;
            label(limit, places.last(), Sample::Dashes);
        }
        labels::draw(canvas, &labels, corner, (self.width, self.height))
    }

    /// Grid, ticks and names.
    fn axes(&self, canvas: &Canvas, title: &str, (left, top): Point) -> anyhow::Result<()> {
        let theme = canvas.theme;
        let (right, bottom) = (left + self.width, top + self.height);
        for (place, label) in self.y.ticks(14.0 / self.height) {
            let y = bottom - place * self.height;
            canvas.line(&[(left, y), (right, y)], 1, theme.grid)?;
            canvas.text(&label, (left - 7.0, y), 12.0, Anchor::End, theme.muted)?;
        }
        for (place, label) in self.x.ticks(42.0 / self.width) {
            let x = left + place * self.width;
            canvas.line(&[(x, top), (x, bottom)], 1, theme.grid)?;
            canvas.text(&label, (x, bottom + 12.0), 12.0, Anchor::Middle, theme.muted)?;
        }
        canvas.line(&[(left, bottom), (right, bottom)], 1, theme.muted)?;
        if self.y.scale() == Scale::Linear && self.y.place(0.0) > 0.0 {
            let zero = bottom - self.y.place(0.0) * self.height;
            canvas.line(&[(left, zero), (right, zero)], 1, theme.muted)?;
        }
        canvas.text(self.figure.over, (left + self.width / 2.0, bottom + 29.0), 12.5, Anchor::Middle, theme.ink)?;
        let logarithmic = if self.y.scale() == Scale::Logarithmic { ", logarithmic" } else { "" };
        canvas.text(
            &format!("{}{logarithmic}", self.figure.unit),
            (left - 44.0, top - 14.0),
            12.0,
            Anchor::Start,
            theme.muted,
        )?;
        canvas.text(title, (left - 44.0, top - 33.0), 14.5, Anchor::Start, theme.ink)
    }
}

impl Figure {
    /// Colour and marker of a series: the same in all panels where the figure has few enough labels, else its place in its panel.
    fn colour_of(&self, index: usize, series: &Series) -> usize {
        let mut labels: Vec<&str> = Vec::new();
        for label in self.panels.iter().flat_map(|panel| &panel.series).map(|series| series.label.as_str()) {
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        let common = labels.iter().position(|label| *label == series.label).filter(|_| labels.len() <= MOST_SERIES);
        common.unwrap_or(index % MOST_SERIES)
    }
}
