//! Bars for a single size: one per series, its value at its end.

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Drawn, PANEL, text_width};
use super::theme::Colour;
use super::{Figure, Panel};
use crate::report::number::three_digits;

/// Sizes in pixels.
const BAR: f64 = 16.0;
const STEP: f64 = 24.0;
const TOP: f64 = 46.0;
const BELOW: f64 = 50.0;
const LABEL_SIZE: f64 = 13.0;
/// For the number at the end of the longest bar.
const NUMBER: f64 = 62.0;
/// Between a number and the bar or the line beside it.
const GAP: f64 = 6.0;

/// The figure's panels, each over its axis.
pub fn panels(figure: &Figure, axes: &[Axis]) -> Vec<Drawn> {
    let longest = figure.panels.iter().flat_map(|panel| &panel.series).map(|s| text_width(&s.label, LABEL_SIZE));
    let left = 8.0 + longest.fold(0.0, f64::max) + 14.0;
    figure.panels.iter().zip(axes).map(|(panel, axis)| drawn(figure, panel, axis, left)).collect()
}

fn drawn(figure: &Figure, panel: &Panel, axis: &Axis, left: f64) -> Drawn {
    let mut canvas = Canvas::default();
    let width = (PANEL - left - NUMBER).max(120.0);
    let bottom = TOP + panel.series.len() as f64 * STEP;
    let x = |value: f64| left + axis.place(value) * width;
    canvas.text(&panel.title, (8.0, TOP - 32.0), 14.5, Anchor::Start, Colour::Ink);
    for (place, label) in axis.ticks(42.0 / width) {
        let x = left + place * width;
        canvas.line(&[(x, TOP), (x, bottom)], 1, Colour::Grid);
        canvas.text(&label, (x, bottom + 10.0), 12.0, Anchor::Middle, Colour::Muted);
    }
    let note = if panel.note.is_empty() { String::new() } else { format!(" ({})", panel.note) };
    let unit = format!("{}{note}", figure.unit);
    canvas.text(&unit, (PANEL / 2.0, bottom + 28.0), 12.5, Anchor::Middle, Colour::Ink);
    let limit = panel.limit.as_ref().and_then(|limit| limit.points.first()).map(|&(_, value)| value);
    if let (Some(series), Some(value)) = (&panel.limit, limit) {
        canvas.dashes(&[(x(value), TOP - 6.0), (x(value), bottom)], Colour::Muted);
        let anchor = if axis.place(value) > 0.5 { Anchor::End } else { Anchor::Start };
        canvas.text(&series.label, (x(value), TOP - 13.0), 12.0, anchor, Colour::Muted);
    }
    for (index, series) in panel.series.iter().enumerate() {
        let middle = TOP + (index as f64 + 0.5) * STEP;
        canvas.text(&series.label, (left - 8.0, middle), LABEL_SIZE, Anchor::End, Colour::Ink);
        let Some(&(_, value)) = series.points.first() else { continue };
        // A loss has another colour than a gain, as well as another direction.
        let colour = Colour::Series(usize::from(value < 0.0));
        canvas.filled((x(value.min(0.0)), middle - BAR / 2.0), (x(value.max(0.0)), middle + BAR / 2.0), colour);
        let text = three_digits(value);
        let start = beside(x(value.max(0.0)) + GAP, text_width(&text, 12.0), limit.map(x));
        canvas.text(&text, (start, middle), 12.0, Anchor::Start, Colour::Ink);
    }
    canvas.line(&[(x(0.0), TOP), (x(0.0), bottom)], 1, Colour::Muted);
    canvas.done((PANEL, bottom + BELOW), &format!("{} {}", figure.title, panel.title))
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
