//! Figures: which ones a report has data for (`choose`, `gains`, `roofline`), and how they are drawn as SVG (`lines`, `bars`,
//! `roofline_svg`).
//!
//! A figure is data first: panels, at most [`theme::MOST_SERIES`] series in each. Sizes side by side are lines; one size is bars; the roofline
//! is a figure of its own. Every title says whether its numbers were measured or simulated, and on which card. A page lays a figure's panels
//! out itself; a file of its own has them in rows.

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

pub use axis::round_step;
pub use canvas::Drawn;
pub use data::{Figure, Panel, Series};
pub use theme::style;

use crate::result::Report;
use crate::whole_file;
use anyhow::Context;
use std::path::Path;

/// Writes each figure that the report has data for, and answers how many there are.
pub fn write_figures(report: &Report, folder: &Path) -> anyhow::Result<usize> {
    std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    let pictures = pictures(report)?;
    for picture in &pictures {
        let path = folder.join(format!("{}.svg", picture.name));
        whole_file::write(&path, &picture.document())?;
    }
    Ok(pictures.len())
}

/// A drawn figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Name of its file, without the ending.
    pub name: String,
    /// The subject of the picture.
    pub title: String,
    /// Where it was seen.
    pub subtitle: String,
    /// Side by side.
    pub panels: Vec<Drawn>,
}

impl Picture {
    /// As the text of an SVG document.
    pub fn document(&self) -> String {
        let columns = match self.panels.len() {
            1 => 1,
            2..=4 => 2,
            _ => 3,
        };
        canvas::document(&self.title, &self.subtitle, &self.panels, columns)
    }
}

/// Each figure that the report has data for.
pub fn pictures(report: &Report) -> anyhow::Result<Vec<Picture>> {
    let gains = report.comparisons.iter().filter_map(|comparison| gains::figure(report, comparison));
    let mut pictures: Vec<Picture> =
        choose::rates(report).chain(gains).map(|figure| figure.picture()).collect::<anyhow::Result<_>>()?;
    pictures.extend(roofline::roofline(report).map(|roofline| roofline.picture()));
    Ok(pictures)
}

/// Below the title of a figure whose panels have not the same axis.
const APART: &str = "the panels' axes differ: compare numbers, not heights";

impl Figure {
    fn picture(self) -> anyhow::Result<Picture> {
        let is_bars = self.sizes().len() <= 1;
        let drawn = self.axes(is_bars).and_then(|axes| {
            let panels = if is_bars { Some(bars::panels(&self, &axes)) } else { lines::panels(&self, &axes) };
            Some((panels?, axes.windows(2).any(|pair| pair[0] != pair[1])))
        });
        let (panels, differ) = drawn.with_context(|| format!("figure {} without a point", self.name))?;
        let said = [self.subtitle.as_str(), APART].into_iter().take(1 + usize::from(differ));
        let subtitle = said.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        Ok(Picture { name: self.name, title: self.title, subtitle, panels })
    }
}
