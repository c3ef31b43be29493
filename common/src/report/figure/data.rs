//! A figure as data.

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

impl Figure {
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
