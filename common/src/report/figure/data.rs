//! A figure as data.

use super::axis::Axis;

/// One picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Name of its file, without the ending.
    pub name: String,
    /// The subject of the picture.
    pub title: String,
    /// Where it was seen: lab, card, and what all series have in common.
    pub subtitle: String,
    /// Name of the vertical axis, with its unit.
    pub unit: String,
    /// Name of the horizontal axis.
    pub over: &'static str,
    /// True if the axis of values is linear, however far they are apart: lines of one panel are to be compared, or values are differences.
    pub linear: bool,
    /// Side by side.
    pub panels: Vec<Panel>,
}

/// Some of the series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Properties that its series have in common; empty where one panel is the whole figure.
    pub title: String,
    /// In the order of the report.
    pub series: Vec<Series>,
    /// The limit that nothing can pass, where it is near enough to be drawn.
    pub limit: Option<Series>,
    /// A limit that is too far away to be drawn, in words; may be empty.
    pub note: String,
}

/// Values over sizes, by ascending size. A size with several extents is their geometric mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the figure.
    pub label: String,
    /// Size and value.
    pub points: Vec<(f64, f64)>,
}

impl Panel {
    /// Its title without the names of its lines.
    fn subject(&self) -> &str {
        self.title.split(": ").next().unwrap_or_default()
    }

    /// Values of its series and its limit.
    fn values(&self) -> impl Iterator<Item = f64> + Clone {
        self.series.iter().chain(&self.limit).flat_map(|series| &series.points).map(|point| point.1)
    }
}

impl Figure {
    /// One axis for all panels, so that they compare, unless what one shows would lie on the floor of another's; `None` without a point.
    pub(super) fn axes(&self, is_bars: bool) -> Option<Vec<Axis>> {
        let apart = match (is_bars, self.linear) {
            (true, _) => 5.0,
            (false, true) => 2.0,
            (false, false) => f64::INFINITY,
        };
        let heights = || self.panels.iter().map(|panel| panel.values().map(f64::abs).fold(0.0, f64::max));
        let is_common = heights().reduce(f64::max)? <= apart * heights().reduce(f64::min)?;
        let axis = |panel: &Panel| {
            // Parts of what would be one panel, had it fewer lines, compare.
            let shared = self.panels.iter().filter(|other| is_common || other.subject() == panel.subject());
            let values: Vec<f64> = shared.flat_map(Panel::values).collect();
            let of = values.into_iter();
            if is_bars || self.linear { Axis::of_differences(of) } else { Axis::of_values(of) }
        };
        self.panels.iter().map(axis).collect()
    }

    /// All sizes, ascending.
    pub(super) fn sizes(&self) -> Vec<f64> {
        let mut sizes: Vec<f64> = self.all_points().map(|point| point.0).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        sizes
    }

    /// Points of all series and limits.
    pub(super) fn all_points(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        self.panels
            .iter()
            .flat_map(|panel| panel.series.iter().chain(&panel.limit))
            .flat_map(|s| s.points.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::super::APART;
    use super::*;

    fn figure<const N: usize>(linear: bool, values: [f64; N]) -> Figure {
        let panel = |(title, value): (&str, f64)| {
            let points = vec![(64.0, value / 2.0), (128.0, value)];
            Panel { title: title.into(), series: vec![Series { label: "a".into(), points }], ..Panel::default() }
        };
        let titles = ["copy", "total: a to c", "total: d to f"];
        Figure { linear, panels: titles.into_iter().zip(values).map(panel).collect(), ..Figure::default() }
    }

    #[test]
    fn a_gain_of_14_percent_does_not_lie_on_the_floor_of_one_of_60() {
        let tops = |linear, is_bars, values: [f64; 3]| -> Vec<String> {
            let axes = figure(linear, values).axes(is_bars).unwrap();
            axes.iter().map(|axis| axis.ticks(0.0).pop().unwrap().1).collect()
        };
        assert_eq!(tops(true, false, [60.0, 4.0, 14.0]), ["60", "15", "15"], "parts of one panel compare");
        assert_eq!(tops(true, false, [60.0, 40.0, 40.0]), ["60"; 3], "what compares has one axis");
        assert_eq!(tops(true, true, [60.0, 14.0, 14.0]), ["60"; 3], "a bar of a fifth is seen");
        assert_eq!(tops(false, false, [60.0, 14.0, 14.0]), ["60"; 3]);
    }

    #[test]
    fn panels_say_that_their_axes_differ() {
        let subtitle = |values| figure(true, values).picture().unwrap().subtitle;
        assert!(subtitle([60.0, 14.0]).contains(APART));
        assert_eq!(subtitle([60.0, 40.0]), "");
    }
}
