//! Colours of a figure: one set for a light page, one for a dark page. A figure names a colour; its style says which one that is where it is
//! looked at, so one file serves both.

use std::fmt::Write;

/// Most series of one panel: each has a colour and a marker of its own.
pub const MOST_SERIES: usize = 7;

/// A colour by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Behind everything.
    Page,
    /// Titles, labels, axes.
    Ink,
    /// Subtitles, ticks, leaders from a line's end to its label, limits.
    Muted,
    /// Grid lines.
    Grid,
    /// A series, by its number in its panel.
    Series(usize),
}

impl Colour {
    /// Its name in the style.
    pub fn name(self) -> String {
        match self {
            Colour::Page => "page".to_owned(),
            Colour::Ink => "ink".to_owned(),
            Colour::Muted => "muted".to_owned(),
            Colour::Grid => "grid".to_owned(),
            Colour::Series(number) => format!("s{}", number % MOST_SERIES),
        }
    }
}

/// Red, green and blue.
type Rgb = [u8; 3];

/// Name, on a light page, and on a dark one. The series are Okabe and Ito's, "Color Universal Design" (2008), without the yellow that vanishes
/// on white; black comes last. The dark ones have the same hues, lightened until each has a contrast of at least 4.5 : 1 to the page.
#[rustfmt::skip]
const COLOURS: [(Colour, Rgb, Rgb); 4 + MOST_SERIES] = [
    (Colour::Page, [255, 255, 255], [24, 26, 30]),
    (Colour::Ink, [26, 26, 26], [236, 236, 236]),
    (Colour::Muted, [95, 95, 95], [170, 174, 180]),
    (Colour::Grid, [228, 228, 228], [56, 60, 66]),
    (Colour::Series(0), [0, 114, 178], [86, 160, 240]),
    (Colour::Series(1), [213, 94, 0], [255, 128, 64]),
    (Colour::Series(2), [0, 158, 115], [50, 200, 150]),
    (Colour::Series(3), [204, 121, 167], [222, 150, 190]),
    (Colour::Series(4), [230, 159, 0], [240, 180, 60]),
    (Colour::Series(5), [86, 180, 233], [150, 215, 250]),
    (Colour::Series(6), [0, 0, 0], [245, 245, 245]),
];

/// The rules that give every colour's name its colour: `f-NAME` to fill, `l-NAME` for lines. Readers that know no dark pages take the light one.
pub fn style() -> String {
    let rules = |of: fn(&(Colour, Rgb, Rgb)) -> Rgb| {
        COLOURS.iter().fold(String::new(), |mut rules, colour| {
            let ([red, green, blue], name) = (of(colour), colour.0.name());
            let code = format!("#{red:02x}{green:02x}{blue:02x}");
            let _ = write!(rules, ".f-{name}{{fill:{code}}}.l-{name}{{stroke:{code}}}");
            rules
        })
    };
    format!("{}@media (prefers-color-scheme:dark){{{}}}", rules(|colour| colour.1), rules(|colour| colour.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, WCAG 2.2.
    fn luminance(colour: Rgb) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2])
    }

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_is_readable_and_series_are_seen() {
        let page = COLOURS[0];
        assert_eq!(page.0, Colour::Page);
        for (colour, light, dark) in COLOURS {
            let least = match colour {
                Colour::Ink => [7.0, 7.0],
                Colour::Muted => [4.5, 4.5],
                Colour::Series(_) => [2.0, 4.5],
                Colour::Page | Colour::Grid => continue,
            };
            assert!(contrast(light, page.1) >= least[0] && contrast(dark, page.2) >= least[1], "{colour:?}");
        }
    }

    #[test]
    fn every_colour_has_its_rules_for_both_pages() {
        let style = style();
        for (colour, ..) in COLOURS {
            assert_eq!(style.matches(&format!(".f-{}{{", colour.name())).count(), 2, "{colour:?}");
            assert_eq!(style.matches(&format!(".l-{}{{", colour.name())).count(), 2, "{colour:?}");
        }
    }
}
