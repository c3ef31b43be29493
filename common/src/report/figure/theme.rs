//! Colours of a figure: one set for a light page, one for a dark page.

use plotters::style::RGBColor;

/// Most series of one panel: each has a colour and a marker of its own.
pub const MOST_SERIES: usize = 7;

/// One set of colours.
#[derive(Debug)]
pub struct Theme {
    /// What a file's name has after the figure's: nothing, or ".dark".
    pub suffix: &'static str,
    /// Behind everything.
    pub background: RGBColor,
    /// Titles, labels, axes.
    pub ink: RGBColor,
    /// Subtitles, ticks, leaders from a line's end to its label, limits.
    pub muted: RGBColor,
    /// Grid lines.
    pub grid: RGBColor,
    /// Series in order.
    pub series: [RGBColor; MOST_SERIES],
}

/// Okabe and Ito, "Color Universal Design" (2008), without the yellow that vanishes on white; black comes last.
pub static LIGHT: Theme = Theme {
    suffix: "",
    background: RGBColor(255, 255, 255),
    ink: RGBColor(26, 26, 26),
    muted: RGBColor(95, 95, 95),
    grid: RGBColor(228, 228, 228),
    series: [
        RGBColor(0, 114, 178),
        RGBColor(213, 94, 0),
        RGBColor(0, 158, 115),
        RGBColor(204, 121, 167),
        RGBColor(230, 159, 0),
        RGBColor(86, 180, 233),
        RGBColor(0, 0, 0),
    ],
};

/// The same hues, lightened until each has a contrast of at least 4.5 : 1 against the background; white in place of black.
pub static DARK: Theme = Theme {
    suffix: ".dark",
    background: RGBColor(24, 26, 30),
    ink: RGBColor(236, 236, 236),
    muted: RGBColor(170, 174, 180),
    grid: RGBColor(56, 60, 66),
    series: [
        RGBColor(86, 160, 240),
        RGBColor(255, 128, 64),
        RGBColor(50, 200, 150),
        RGBColor(222, 150, 190),
        RGBColor(240, 180, 60),
        RGBColor(150, 215, 250),
        RGBColor(245, 245, 245),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, WCAG 2.2.
    fn luminance(colour: RGBColor) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2)
    }

    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_is_readable_and_series_are_seen() {
        for theme in [&LIGHT, &DARK] {
            assert!(contrast(theme.ink, theme.background) >= 7.0);
            assert!(contrast(theme.muted, theme.background) >= 4.5);
            for colour in theme.series {
                let least = if theme.suffix.is_empty() { 2.0 } else { 4.5 };
                assert!(contrast(colour, theme.background) >= least, "{colour:?}");
            }
        }
    }
}
