//! Figures: which ones a report has data for (`choose`), and how they are drawn as SVG (`draw`).
//!
//! A figure is data first: panels over common axes, at most [`theme::MOST_SERIES`] series in each. Sizes side by side are lines; one size is
//! bars. Every title says whether its numbers were measured or simulated, and on which card.

mod axis;
mod bars;
mod canvas;
mod choose;
mod labels;
mod lines;
mod theme;

use crate::result::Report;
use anyhow::Context;
use std::path::Path;
use theme::Theme;

/// One picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Of its file, without the ending.
    pub name: String,
    /// What is shown.
    pub title: String,
    /// Where it was seen: lab, card, and what all series have in common.
    pub subtitle: String,
    /// Name of the vertical axis, with its unit.
    pub unit: String,
    /// Name of the horizontal axis.
    pub over: &'static str,
    /// Whether values are differences: an axis of those is linear, however far they are apart.
    pub differences: bool,
    /// Side by side, over the same axes.
    pub panels: Vec<Panel>,
}

/// Some of the series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// What its series have in common; empty where one panel is the whole figure.
    pub title: String,
    /// In the order of the report.
    pub series: Vec<Series>,
    /// What nothing can pass.
    pub limit: Option<Series>,
}

/// Values over sizes, by ascending size. A size with several extents is their geometric mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is called in the figure.
    pub label: String,
    /// Size and value.
    pub points: Vec<(f64, f64)>,
}

/// Writes each figure that the report has data for, for light and for dark pages, and answers how many there are.
pub fn write_figures(report: &Report, folder: &Path) -> anyhow::Result<usize> {
    std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    let figures = choose::figures(report);
    for figure in &figures {
        for theme in [&theme::LIGHT, &theme::DARK] {
            let path = folder.join(format!("{}{}.svg", figure.name, theme.suffix));
            std::fs::write(&path, figure.svg(theme)?).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    Ok(figures.len())
}

impl Figure {
    /// The picture as the text of an SVG document.
    pub fn svg(&self, theme: &'static Theme) -> anyhow::Result<String> {
        if self.sizes().len() > 1 { lines::svg(self, theme) } else { bars::svg(self, theme) }
    }

    /// All sizes, ascending.
    fn sizes(&self) -> Vec<f64> {
        let mut sizes: Vec<f64> = self.all_points().map(|point| point.0).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        sizes
    }

    /// Points of all series and limits.
    fn all_points(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        self.panels
            .iter()
            .flat_map(|panel| panel.series.iter().chain(&panel.limit))
            .flat_map(|s| s.points.iter().copied())
    }
}
