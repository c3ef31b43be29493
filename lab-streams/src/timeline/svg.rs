//! Timelines as one SVG picture: a panel per row of the report, all on the same time scale, so that a shorter one is a faster one. Only a
//! row that would squeeze the others is drawn to a scale of its own, and says so.
//!
//! Each item has its colour and, where its box is wide enough, its number; boxes have a dark edge, so that a print in grey is still readable.

use super::{Span, Timeline, Track};
use common::report::{round_step, three_digits};
use std::fmt::Write;

const WIDTH: f64 = 1100.0;
const MARGIN: f64 = 16.0;
/// Width of the labels left of the rows.
const LABELS: f64 = 110.0;
const TITLE: f64 = 26.0;
const ROW: f64 = 18.0;
const GAP: f64 = 4.0;
const AXIS: f64 = 34.0;
/// A box narrower than this has no number in it.
const NUMBER: f64 = 10.0;
/// Light enough for black numbers, distinct for most colour-blind readers (after Tol's light scheme, 2021).
const COLOURS: [&str; 10] =
    ["#77AADD", "#EE8866", "#EEDD88", "#FFAABB", "#99DDFF", "#44BB99", "#BBCC33", "#AAAA00", "#DDDDDD", "#CC99CC"];

/// On a light page, and on a dark one where the reader's system prefers that.
const STYLE: &str = "\
    .page { fill: #ffffff } .ink { fill: #1a1a1a } .on-item { fill: #1a1a1a } .wait { fill: #f2f2f2; stroke: #888888 } .rule { stroke: #cccccc } \
    .end { stroke: #1a1a1a } @media (prefers-color-scheme: dark) { .page { fill: #181a1e } .ink { fill: #ececec } \
    .wait { fill: #2c3036; stroke: #888888 } .rule { stroke: #3c4148 } .end { stroke: #ececec } }";

/// A row that takes this many times as long as the next longest has a scale of its own.
const TOO_LONG: f64 = 2.0;

/// The picture; `heading` names the device.
pub fn render(heading: &str, timelines: &[Timeline]) -> String {
    let longest = common_extent(timelines);
    let to_fit = |extent: f64| Scale { x0: MARGIN + LABELS, per_ms: (WIDTH - 2.0 * MARGIN - LABELS) / extent };
    let scale = to_fit(longest);
    let mut body = String::new();
    let mut y = MARGIN + 20.0;
    text(&mut body, (MARGIN, y), "start", 15, "ink", heading);
    for timeline in timelines {
        let own = extent(timeline);
        if own > longest {
            let title = format!("{} (drawn {:.0} times as narrow)", timeline.title, own / longest);
            y = panel(&mut body, &Timeline { title, ..timeline.clone() }, to_fit(own), y + TITLE);
        } else {
            y = panel(&mut body, timeline, scale, y + TITLE);
        }
    }
    // Lines lie below the boxes.
    let mut lines = String::new();
    axis(&mut lines, scale, longest, MARGIN + 30.0, y);
    let height = y + AXIS;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height:.0}\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
         font-family=\"sans-serif\">\n<style>{STYLE}</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{lines}{body}</svg>\n"
    )
}

#[derive(Clone, Copy)]
struct Scale {
    x0: f64,
    per_ms: f64,
}

impl Scale {
    fn x(self, ms: f64) -> f64 {
        self.x0 + ms.max(0.0) * self.per_ms
    }
}

fn extent(timeline: &Timeline) -> f64 {
    timeline.spans.iter().map(|span| span.end_ms).fold(timeline.elapsed_ms, f64::max)
}

/// The extent of the common axis: the longest row, but none that is far longer than the next.
fn common_extent(timelines: &[Timeline]) -> f64 {
    let mut extents: Vec<f64> = timelines.iter().map(extent).filter(|&extent| extent > 0.0).collect();
    extents.sort_by(f64::total_cmp);
    while let [.., next, last] = extents[..]
        && last > TOO_LONG * next
    {
        extents.pop();
    }
    extents.last().copied().unwrap_or(1.0)
}

/// Title and rows of one timeline; answers where it ends.
fn panel(body: &mut String, timeline: &Timeline, scale: Scale, mut y: f64) -> f64 {
    let (traced, median) = (milliseconds(timeline.elapsed_ms), milliseconds(timeline.median_ms));
    // Events around each part take their time: without them the table has another figure.
    let why =
        if traced == median { String::new() } else { format!(" with an event around each part, {median} without") };
    let title = format!("{}: {traced}{why}", timeline.title);
    text(body, (MARGIN, y), "start", 13, "ink", &title);
    y += GAP + 2.0;
    let top = y;
    let devices = timeline.spans.iter().map(|span| span.device + 1).max().unwrap_or(1);
    for device in 0..devices {
        for track in Track::ALL {
            let mut spans: Vec<Span> =
                timeline.spans.iter().filter(|span| (span.device, span.track) == (device, track)).copied().collect();
            spans.sort_by(|a, b| a.start_ms.total_cmp(&b.start_ms));
            let (places, rows) = stack(&spans);
            let name = if devices > 1 { format!("{} {device}", track.name()) } else { track.name().to_owned() };
            text(body, (MARGIN + LABELS - 8.0, y + ROW - 5.0), "end", 11, "ink", &name);
            // Rows that share a track are thinner, so that a panel stays a panel.
            let height = if rows > 1 { (ROW * 2.0 / rows as f64).clamp(5.0, ROW) } else { ROW };
            line(body, scale.x0, y, WIDTH - MARGIN, y, "rule");
            for (span, place) in spans.iter().zip(places) {
                draw_box(body, span, scale, y + place as f64 * height, height);
            }
            y += height * rows.max(1) as f64;
        }
        line(body, scale.x0, y, WIDTH - MARGIN, y, "rule");
        y += GAP;
    }
    let end = scale.x(timeline.elapsed_ms);
    line(body, end, top, end, y - GAP, "end");
    y
}

/// Puts spans that overlap in time below each other: the row of each, and how many rows there are.
fn stack(spans: &[Span]) -> (Vec<usize>, usize) {
    let mut ends: Vec<f64> = Vec::new();
    let places = spans.iter().map(|span| {
        // Neighbours that touch differ by the clock's resolution.
        let free = ends.iter().position(|&end| end <= span.start_ms + 1e-3);
        let place = free.unwrap_or_else(|| {
            ends.push(0.0);
            ends.len() - 1
        });
        ends[place] = span.end_ms;
        place
    });
    let places: Vec<usize> = places.collect();
    (places, ends.len())
}

fn draw_box(body: &mut String, span: &Span, scale: Scale, y: f64, height: f64) {
    let (x, end) = (scale.x(span.start_ms), scale.x(span.end_ms));
    let width = (end - x).max(0.6);
    let waits = span.track == Track::Host && span.item.is_none();
    let colours = match span.item {
        _ if waits => "class=\"wait\"".to_owned(),
        Some(item) => format!("fill=\"{}\" stroke=\"#333333\"", COLOURS[item % COLOURS.len()]),
        None => "fill=\"#ffffff\" stroke=\"#333333\"".to_owned(),
    };
    // A dark edge on a sliver would be all edge.
    let stroke = if width > 3.0 { 0.6 } else { 0.15 };
    let _ = writeln!(
        body,
        "<rect x=\"{x:.2}\" y=\"{:.2}\" width=\"{width:.2}\" height=\"{:.2}\" {colours} stroke-width=\"{stroke}\"/>",
        y + 1.0,
        height - 2.0
    );
    let label = match span.item {
        _ if waits => "waits".to_owned(),
        Some(item) => item.to_string(),
        None => String::new(),
    };
    if height >= 10.0 && width >= NUMBER.max(6.5 * label.len() as f64) {
        let class = if waits { "ink" } else { "on-item" };
        text(body, (x + width / 2.0, y + height / 2.0 + 4.0), "middle", 10, class, &label);
    }
}

/// The common time axis with thin lines through all panels.
fn axis(body: &mut String, scale: Scale, longest: f64, top: f64, bottom: f64) {
    let step = round_step(longest / 8.0);
    let mut tick = 0;
    while tick as f64 * step <= longest * 1.0001 {
        let at = tick as f64 * step;
        let x = scale.x(at);
        let _ = writeln!(
            body,
            "<line x1=\"{x:.2}\" y1=\"{top:.2}\" x2=\"{x:.2}\" y2=\"{bottom:.2}\" stroke=\"#999999\" stroke-width=\"0.4\" stroke-dasharray=\"2 3\"/>"
        );
        text(body, (x, bottom + 16.0), "middle", 11, "ink", &milliseconds(at));
        tick += 1;
    }
}

fn milliseconds(ms: f64) -> String {
    if ms == 0.0 {
        "0".to_owned()
    } else if ms < 0.1 {
        format!("{} µs", trimmed(ms * 1e3))
    } else {
        format!("{} ms", trimmed(ms))
    }
}

/// Three digits, no trailing zeros.
fn trimmed(value: f64) -> String {
    let text = three_digits(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn line(body: &mut String, x1: f64, y1: f64, x2: f64, y2: f64, class: &str) {
    let _ = writeln!(
        body,
        "<line class=\"{class}\" x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke-width=\"0.8\"/>"
    );
}

fn text(body: &mut String, at: (f64, f64), anchor: &str, size: u32, class: &str, content: &str) {
    let (x, y) = at;
    let content = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        body,
        "<text class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" font-size=\"{size}\">{content}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(track: Track, item: Option<usize>, start_ms: f64, end_ms: f64) -> Span {
        Span { track, device: 0, item, start_ms, end_ms }
    }

    #[test]
    fn what_overlaps_goes_below_and_what_touches_does_not() {
        let spans = [
            span(Track::Kernel, Some(0), 0.0, 2.0),
            span(Track::Kernel, Some(1), 1.0, 3.0),
            span(Track::Kernel, Some(2), 2.0, 4.0),
        ];
        assert_eq!(stack(&spans), (vec![0, 1, 0], 2));
        assert_eq!(stack(&[]), (vec![], 0));
    }

    #[test]
    fn a_picture_has_every_row_every_box_and_its_number() {
        let timeline = Timeline {
            title: "a < b".into(),
            elapsed_ms: 4.0,
            median_ms: 3.5,
            spans: vec![
                span(Track::Host, None, 0.0, 4.0),
                span(Track::CopyIn, Some(7), 0.0, 1.0),
                span(Track::Kernel, Some(7), 1.0, 3.0),
            ],
        };
        let picture = render("a card", &[timeline]);
        for track in Track::ALL {
            assert!(picture.contains(&format!(">{}</text>", track.name())), "{}", track.name());
        }
        // The background, the wait, the copy, the kernel.
        assert_eq!(picture.matches("<rect").count(), 4);
        assert_eq!(picture.matches(">7</text>").count(), 2);
        assert!(
            picture.contains("a &lt; b: 4 ms with an event around each part, 3.5 ms without")
                && !picture.contains("a < b")
        );
    }

    #[test]
    fn one_far_longer_row_does_not_squeeze_the_others() {
        let of = |elapsed_ms: f64| Timeline {
            title: format!("row{elapsed_ms}"),
            elapsed_ms,
            median_ms: elapsed_ms,
            spans: vec![],
        };
        assert_eq!(common_extent(&[of(1.0), of(30.0), of(2.0)]), 2.0);
        assert_eq!(common_extent(&[of(20.0), of(30.0)]), 30.0);
        assert_eq!(common_extent(&[of(7.0)]), 7.0);
        let picture = render("a card", &[of(1.0), of(30.0), of(2.0)]);
        assert!(picture.contains("row30 (drawn 15 times as narrow)") && picture.contains(">row2: 2 ms<"), "{picture}");
    }

    #[test]
    fn no_timeline_is_still_a_picture() {
        assert!(render("a card", &[]).ends_with("</svg>\n"));
    }
}
