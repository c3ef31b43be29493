//! Figures: which ones a report has data for (`choose`), and how they are drawn as SVG (`draw`).
//!
//! A figure is data first: panels over common axes, at most [`theme::MOST_SERIES`] series in each. Sizes side by side are lines; one size is
//! bars. Every title says whether its numbers were measured or simulated, and on which card.

mod axis;
mod bars;
mod canvas;
mod choose;
mod data;
mod labels;
mod lines;
mod theme;

pub use data::{Figure, Panel, Series};

use crate::result::Report;
use anyhow::Context;
use std::path::Path;
use theme::Theme;

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
}
