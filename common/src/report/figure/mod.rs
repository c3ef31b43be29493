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

/// Each figure that the report has data for, and the lab's own pictures.
pub fn pictures(report: &Report) -> anyhow::Result<Vec<Picture>> {
    let draw = |figure: Figure| {
        let (light, dark) = (figure.svg(&theme::LIGHT)?, figure.svg(&theme::DARK)?);
        Ok(Picture { title: figure.title, light, dark })
    };
    let mut pictures = choose::figures(report).into_iter().map(draw).collect::<anyhow::Result<Vec<_>>>()?;
    pictures.extend(report.pictures.iter().map(|(title, svg)| Picture {
        title: title.clone(),
        light: svg.clone(),
        dark: svg.clone(),
    }));
    Ok(pictures)
}

impl Figure {
    /// The picture as the text of an SVG document.
    pub fn svg(&self, theme: &'static Theme) -> anyhow::Result<String> {
        if self.sizes().len() > 1 { lines::svg(self, theme) } else { bars::svg(self, theme) }
    }
}
