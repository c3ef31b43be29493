//! Bars for a single size: one per series, its value at its end.

use super::axis::Axis;
use super::canvas::{self, Anchor, Canvas, HEADING, MARGIN, text_width};
use super::theme::Theme;
use super::{Figure, Panel};
use crate::report::number::three_digits;
use anyhow::Context;

/// Sizes in pixels.
const WIDTH: f64 = 1000.0;
const BAR: f64 = 16.0;
const STEP: f64 = 24.0;
const PANEL_TITLE: f64 = 46.0;
const BELOW: f64 = 44.0;
const LABEL_SIZE: f64 = 13.0;
/// Between a number and the bar or the line beside it.
const GAP: f64 = 6.0;

/// Panels whose largest values are this many times apart have axes of their own.
const VANISH: f64 = 5.0;

/// The figure as SVG.
pub fn svg(figure: &Figure, theme: &'static Theme) -> anyhow::Result<String> {
    let axes = axes(figure).with_context(|| format!("figure {} without a bar", figure.name))?;
    let longest = figure.panels.iter().flat_map(|panel| &panel.series).map(|s| text_width(&s.label, LABEL_SIZE));
    let left = MARGIN + longest.fold(0.0, f64::max) + 14.0;
    let width = WIDTH - left - MARGIN - 80.0;
    let rows = |panel: &Panel| panel.series.len() as f64 * STEP;
    let height = HEADING + figure.panels.iter().map(|panel| PANEL_TITLE + rows(panel) + BELOW).sum::<f64>();
    canvas::page(theme, (WIDTH, height), |canvas| {
        canvas.heading(&figure.title, &figure.subtitle)?;
        let mut top = HEADING;
        for (panel, axis) in figure.panels.iter().zip(&axes) {
            top += PANEL_TITLE;
            draw_panel(canvas, figure, panel, axis, (left, top, width))?;
            top += rows(panel) + BELOW;
        }
        Ok(())
    })
}

/// The same axis for all panels, so that they compare, unless the bars of one would vanish beside another's.
fn axes(figure: &Figure) -> Option<Vec<Axis>> {
    let values = |panel: &Panel| {
        panel
            .series
            .iter()
            .chain(&panel.limit)
            .flat_map(|series| &series.points)
            .map(|point| point.1)
            .collect::<Vec<_>>()
    };
    let own: Option<Vec<Axis>> =
        figure.panels.iter().map(|panel| Axis::of_differences(values(panel).into_iter())).collect();
    let largest = |panel: &Panel| values(panel).into_iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let largest: Vec<f64> = figure.panels.iter().map(largest).collect();
    let (low, high) = (largest.iter().copied().reduce(f64::min)?, largest.iter().copied().reduce(f64::max)?);
    if high > VANISH * low {
        return own;
    }
    let common = Axis::of_differences(figure.all_points().map(|point| point.1))?;
    Some(vec![common; figure.panels.len()])
}

fn draw_panel(
    canvas: &Canvas,
    figure: &Figure,
    panel: &Panel,
    axis: &Axis,
    (left, top, width): (f64, f64, f64),
) -> anyhow::Result<()> {
    let theme = canvas.theme;
    let bottom = top + panel.series.len() as f64 * STEP;
    let x = |value: f64| left + axis.place(value) * width;
    canvas.text(&panel.title, (MARGIN, top - 30.0), 14.5, Anchor::Start, theme.ink)?;
    for (place, label) in axis.ticks(0.06) {
        let x = left + place * width;
        canvas.line(&[(x, top), (x, bottom)], 1, theme.grid)?;
        canvas.text(&label, (x, bottom + 10.0), 12.0, Anchor::Middle, theme.muted)?;
    }
    canvas.text(&figure.unit, (left + width / 2.0, bottom + 26.0), 12.5, Anchor::Middle, theme.ink)?;
    let limit = panel.limit.as_ref().and_then(|limit| limit.points.first()).map(|&(_, value)| value);
    if let (Some(series), Some(value)) = (&panel.limit, limit) {
        canvas.dashes(&[(x(value), top - 6.0), (x(value), bottom)], theme.muted)?;
        let anchor = if axis.place(value) > 0.5 { Anchor::End } else { Anchor::Start };
        canvas.text(&series.label, (x(value), top - 13.0), 12.0, anchor, theme.muted)?;
    }
    for (index, series) in panel.series.iter().enumerate() {
        let middle = top + (index as f64 + 0.5) * STEP;
        canvas.text(&series.label, (left - 8.0, middle), LABEL_SIZE, Anchor::End, theme.ink)?;
        let Some(&(_, value)) = series.points.first() else { continue };
        // A loss has another colour than a gain, as well as another direction.
        let colour = theme.series[usize::from(value < 0.0)];
        canvas.filled((x(value.min(0.0)), middle - BAR / 2.0), (x(value.max(0.0)), middle + BAR / 2.0), colour)?;
        let text = three_digits(value);
        let start = beside(x(value.max(0.0)) + GAP, text_width(&text, 12.0), limit.map(x));
        canvas.text(&text, (start, middle), 12.0, Anchor::Start, theme.ink)?;
    }
    canvas.line(&[(x(0.0), top), (x(0.0), bottom)], 1, theme.muted)
}

/// Where a number of this width begins: at `start`, or beyond the limit's line if that would pass through it.
fn beside(start: f64, width: f64, limit: Option<f64>) -> f64 {
    match limit {
        Some(limit) if limit > start - GAP && limit < start + width + GAP => limit + GAP,
        _ => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_the_limit_do_not_cross() {
        // The bar ends at 94, the number would stand from 100 to 120.
        for limit in [95.0, 100.0, 119.0, 125.0] {
            let start = beside(100.0, 20.0, Some(limit));
            assert!(start >= limit + GAP, "{limit}: {start}");
        }
        for limit in [None, Some(80.0), Some(94.0), Some(126.0)] {
            assert_eq!(beside(100.0, 20.0, limit), 100.0, "{limit:?}");
        }
    }
}
