//! Panels in pixels: text, lines, markers and boxes in a theme's colours, as SVG; and panels side by side as one document.

use super::theme::{Colour, style};
use std::fmt::Write;

/// Pixels from the left and from the top.
pub type Point = (f64, f64);

/// Width of a panel: on a telephone its letters are still readable, and a desk shows several side by side.
pub const PANEL: f64 = 480.0;

/// Around everything, in pixels.
pub const MARGIN: f64 = 16.0;

/// Below title and subtitle of a document, in pixels from the top.
const HEADING: f64 = 66.0;

/// A drawn panel: the inside of an SVG element, and its size.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// In pixels.
    pub size: Point,
    /// Its content in words, for readers who do not see it.
    pub label: String,
    body: String,
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

/// A panel that is drawn on.
#[derive(Default)]
pub struct Canvas {
    body: String,
}

impl Canvas {
    /// The panel as it was drawn.
    pub fn done(self, size: Point, label: &str) -> Drawn {
        Drawn { size, label: label.to_owned(), body: self.body }
    }

    /// A text whose vertical middle is at the point.
    pub fn text(&mut self, text: &str, at: Point, size: f64, anchor: Anchor, colour: Colour) {
        self.turned_text(text, at, 0.0, size, anchor, colour);
    }

    /// A text that rises by so many degrees.
    pub fn turned_text(&mut self, text: &str, at: Point, degrees: f64, size: f64, anchor: Anchor, colour: Colour) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y) = (number(at.0), number(at.1 + 0.36 * size));
        let turn =
            if degrees == 0.0 { String::new() } else { format!(" transform=\"rotate({} {x} {y})\"", number(-degrees)) };
        let (size, colour, text) = (number(size), colour.name(), escaped(text));
        let _ = write!(
            self.body,
            "<text class=\"f-{colour}\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{anchor}{turn}>{text}</text>"
        );
    }

    /// A line through the points.
    pub fn line(&mut self, points: &[Point], width: u32, colour: Colour) {
        self.stroke(points, width, colour, "");
    }

    /// A line of dashes through the points.
    pub fn dashes(&mut self, points: &[Point], colour: Colour) {
        self.stroke(points, 2, colour, " stroke-dasharray=\"6 4\"");
    }

    fn stroke(&mut self, points: &[Point], width: u32, colour: Colour, more: &str) {
        let points: Vec<String> = points.iter().map(|&(x, y)| format!("{},{}", number(x), number(y))).collect();
        let (points, colour) = (points.join(" "), colour.name());
        let _ = write!(
            self.body,
            "<polyline class=\"l-{colour}\" points=\"{points}\" fill=\"none\" stroke-width=\"{width}\"{more}/>"
        );
    }

    /// A filled box between two corners.
    pub fn filled(&mut self, from: Point, to: Point, colour: Colour) {
        let (x, y, width, height) = (number(from.0), number(from.1), number(to.0 - from.0), number(to.1 - from.1));
        let _ = write!(
            self.body,
            "<rect class=\"f-{}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>",
            colour.name()
        );
    }

    /// The marker of a series, by its number: shapes differ as well as colours, for readers and printers without colour.
    pub fn marker(&mut self, series: usize, (x, y): Point) {
        let colour = Colour::Series(series).name();
        let corners: &[Point] = match series {
            0 => {
                let _ = write!(
                    self.body,
                    "<circle class=\"f-{colour}\" cx=\"{}\" cy=\"{}\" r=\"4\"/>",
                    number(x),
                    number(y)
                );
                return;
            }
            1 => &[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)],
            2 => &[(0.0, -5.0), (5.0, 4.0), (-5.0, 4.0)],
            3 => &[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)],
            4 => &[(0.0, 5.0), (5.0, -4.0), (-5.0, -4.0)],
            // Hollow: the page shows through.
            5 => {
                let at = format!("cx=\"{}\" cy=\"{}\" r=\"4\"", number(x), number(y));
                let _ = write!(self.body, "<circle class=\"f-page l-{colour}\" {at} stroke-width=\"2\"/>");
                return;
            }
            _ => {
                let at = format!("x=\"{}\" y=\"{}\" width=\"8\" height=\"8\"", number(x - 4.0), number(y - 4.0));
                let _ = write!(self.body, "<rect class=\"f-page l-{colour}\" {at} stroke-width=\"2\"/>");
                return;
            }
        };
        let corners: Vec<String> =
            corners.iter().map(|(dx, dy)| format!("{},{}", number(x + dx), number(y + dy))).collect();
        let _ = write!(self.body, "<polygon class=\"f-{colour}\" points=\"{}\"/>", corners.join(" "));
    }
}

impl Drawn {
    /// As an element of a page that has the colours' style.
    pub fn element(&self) -> String {
        let (width, height) = (number(self.size.0), number(self.size.1));
        let label = escaped(&self.label).replace('"', "&quot;");
        format!("<svg role=\"img\" aria-label=\"{label}\" viewBox=\"0 0 {width} {height}\">{}</svg>", self.body)
    }
}

/// Panels side by side, in rows of so many, under a heading: a document of its own for light pages and for dark ones.
pub fn document(title: &str, subtitle: &str, panels: &[Drawn], columns: usize) -> String {
    let mut heading = Canvas::default();
    heading.text(title, (MARGIN, 24.0), 19.0, Anchor::Start, Colour::Ink);
    heading.text(subtitle, (MARGIN, 46.0), 13.0, Anchor::Start, Colour::Muted);
    let mut body = heading.body;
    let mut y = HEADING;
    for row in panels.chunks(columns.max(1)) {
        for (column, panel) in row.iter().enumerate() {
            let x = MARGIN + column as f64 * PANEL;
            let _ = write!(body, "<g transform=\"translate({} {})\">{}</g>", number(x), number(y), panel.body);
        }
        y += row.iter().map(|panel| panel.size.1).fold(0.0, f64::max);
    }
    let words = [text_width(title, 19.0), text_width(subtitle, 13.0)].into_iter().fold(0.0, f64::max);
    let width = number((columns.min(panels.len()).max(1) as f64 * PANEL).max(words) + 2.0 * MARGIN);
    let (height, style) = (number(y + MARGIN), style());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\"><style>{style}</style><rect class=\"f-page\" width=\"100%\" height=\"100%\"/>{body}</svg>\n"
    )
}

/// A place in pixels, to a tenth of one.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_each_panel_and_each_colour_once_and_no_decimals_that_say_nothing() {
        let panel = |label: &str| {
            let mut canvas = Canvas::default();
            canvas.text("a < b & c", (1.0, 2.04), 12.5, Anchor::End, Colour::Ink);
            (0..super::super::theme::MOST_SERIES).for_each(|series| canvas.marker(series, (3.333_333, 4.0)));
            canvas.done((PANEL, 100.0), label)
        };
        let svg = document("title", "subtitle", &[panel("one"), panel("two"), panel("three")], 2);
        assert_eq!(svg.matches("a &lt; b &amp; c").count(), 3);
        assert_eq!(svg.matches("<style>").count(), 1);
        assert!(
            svg.contains("translate(496 66)") && svg.contains("translate(16 166)") && svg.contains("width=\"992\""),
            "{svg}"
        );
        assert!(svg.contains("cx=\"3.3\" cy=\"4\""), "{svg}");
    }
}
