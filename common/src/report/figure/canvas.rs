//! A page in pixels: text, lines, markers and boxes in a theme's colours, as SVG.

use super::theme::Theme;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Pixels from the left and from the top.
pub type Point = (f64, f64);

/// A page that is drawn on.
pub struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    /// Its colours.
    pub theme: &'static Theme,
}

/// Where a text lies at its point.
#[derive(Clone, Copy)]
pub enum Anchor {
    /// Begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// Ends there.
    End,
}

/// Width of a text in pixels, about: sans-serif letters are somewhat over half as wide as high.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

/// Draws a page of that many pixels with `content` on it, and answers it as SVG.
pub fn page(
    theme: &'static Theme,
    (width, height): Point,
    content: impl FnOnce(&Canvas) -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (width.ceil() as u32, height.ceil() as u32)).into_drawing_area();
        area.fill(&theme.background)?;
        let canvas = Canvas { area, theme };
        content(&canvas)?;
        canvas.area.present()?;
    }
    Ok(svg)
}

impl Canvas<'_> {
    /// A text whose vertical middle is at the point.
    pub fn text(&self, text: &str, at: Point, size: f64, anchor: Anchor, colour: RGBColor) -> anyhow::Result<()> {
        let horizontal = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let style = TextStyle::from(("sans-serif", size).into_font()).color(&colour);
        let style = style.pos(Pos::new(horizontal, VPos::Center));
        Ok(self.area.draw(&Text::new(text, rounded(at), style))?)
    }

    /// A line through the points.
    pub fn line(&self, points: &[Point], width: u32, colour: RGBColor) -> anyhow::Result<()> {
        let points: Vec<(i32, i32)> = points.iter().copied().map(rounded).collect();
        Ok(self.area.draw(&PathElement::new(points, colour.stroke_width(width)))?)
    }

    /// A line of dashes through the points.
    pub fn dashes(&self, points: &[Point], colour: RGBColor) -> anyhow::Result<()> {
        const DASH: f64 = 6.0;
        for pair in points.windows(2) {
            let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            let length = dx.hypot(dy);
            let at = |along: f64| (pair[0].0 + dx * along / length, pair[0].1 + dy * along / length);
            let mut along = 0.0;
            while along < length {
                self.line(&[at(along), at((along + DASH).min(length))], 2, colour)?;
                along += 1.7 * DASH;
            }
        }
        Ok(())
    }

    /// A filled box between two corners.
    pub fn filled(&self, from: Point, to: Point, colour: RGBColor) -> anyhow::Result<()> {
        Ok(self.area.draw(&Rectangle::new([rounded(from), rounded(to)], colour.filled()))?)
    }

    /// The marker of a series, by its number: shapes differ as well as colours, for readers and printers without colour.
    pub fn marker(&self, series: usize, at: Point) -> anyhow::Result<()> {
        let colour = self.theme.series[series];
        let (x, y) = rounded(at);
        let corners: &[(i32, i32)] = match series {
            0 => return Ok(self.area.draw(&Circle::new((x, y), 4, colour.filled()))?),
            1 => &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
            2 => &[(0, -5), (5, 4), (-5, 4)],
            3 => &[(0, -5), (5, 0), (0, 5), (-5, 0)],
            4 => &[(0, 5), (5, -4), (-5, -4)],
            _ => {
                // Hollow: the page shows through.
                self.area.draw(&Circle::new((x, y), 4, self.theme.background.filled()))?;
                if series == 5 {
                    return Ok(self.area.draw(&Circle::new((x, y), 4, colour.stroke_width(2)))?);
                }
                let corners = [(x - 4, y - 4), (x + 4, y + 4)];
                return Ok(self.area.draw(&Rectangle::new(corners, colour.stroke_width(2)))?);
            }
        };
        let corners: Vec<(i32, i32)> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        Ok(self.area.draw(&Polygon::new(corners, colour.filled()))?)
    }

    /// Title and subtitle at the top left.
    pub fn heading(&self, title: &str, subtitle: &str) -> anyhow::Result<()> {
        self.text(title, (MARGIN, 24.0), 19.0, Anchor::Start, self.theme.ink)?;
        self.text(subtitle, (MARGIN, 46.0), 13.0, Anchor::Start, self.theme.muted)
    }
}

/// Around everything, in pixels.
pub const MARGIN: f64 = 16.0;

/// Below title and subtitle, in pixels from the top.
pub const HEADING: f64 = 66.0;

fn rounded(at: Point) -> (i32, i32) {
    (at.0.round() as i32, at.1.round() as i32)
}
