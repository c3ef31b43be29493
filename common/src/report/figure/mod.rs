//! Figures: which ones a report has data for (`choose`, `gains`, `roofline`), and how they are drawn as SVG (`lines`, `bars`,
//! `roofline_svg`).
//!
//! A figure is data first: panels over common axes, at most [`theme::MOST_SERIES`] series in each. Sizes side by side are lines; one size is
//! bars; the roofline is a figure of its own. Every title says whether its numbers were measured or simulated, and on which card.

mod axis;
mod bars;
mod canvas;
mod choose;
mod data;
mod gains;
mod labels;
mod lines;
mod roofline;
mod roofline_svg;
mod theme;

pub use data::{Figure, Panel, Series};

use crate::result::Report;
use crate::whole_file;
use anyhow::Context;
use std::path::Path;
use theme::Theme;

/// Writes each figure that the report has data for, for light and for dark pages, and answers how many there are.
pub fn write_figures(report: &Report, folder: &Path) -> anyhow::Result<usize> {
    std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    let drawn = drawn(report)?;
    for (name, picture) in &drawn {
        for (theme, svg) in [(&theme::LIGHT, &picture.light), (&theme::DARK, &picture.dark)] {
            let path = folder.join(format!("{name}{}.svg", theme.suffix));
            whole_file::write(&path, svg)?;
        }
    }
    Ok(drawn.len())
}

/// A drawn figure, for pages of both kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows.
    pub title: String,
    /// SVG for a light page.
    pub light: String,
    /// SVG for a dark page.
    pub dark: String,
}

/// Each figure that the report has data for.
pub fn pictures(report: &Report) -> anyhow::Result<Vec<Picture>> {
    Ok(drawn(report)?.into_iter().map(|(_, picture)| picture).collect())
}

/// Each figure that the report has data for, with its file's name.
fn drawn(report: &Report) -> anyhow::Result<Vec<(String, Picture)>> {
    let mut drawn = Vec::new();
    let gains = report.comparisons.iter().filter_map(|comparison| gains::figure(report, comparison));
    for figure in choose::rates(report).chain(gains) {
        let (light, dark) = (figure.svg(&theme::LIGHT)?, figure.svg(&theme::DARK)?);
        drawn.push((figure.name, Picture { title: figure.title, light, dark }));
    }
    if let Some(roofline) = roofline::roofline(report) {
        let (light, dark) = (roofline.svg(&theme::LIGHT)?, roofline.svg(&theme::DARK)?);
        drawn.push((roofline.name, Picture { title: roofline.title, light, dark }));
    }
    Ok(drawn)
}

impl Figure {
    /// The picture as the text of an SVG document.
    pub fn svg(&self, theme: &'static Theme) -> anyhow::Result<String> {
        if self.sizes().len() > 1 { lines::svg(self, theme) } else { bars::svg(self, theme) }
    }
}
