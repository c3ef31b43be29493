//! `--html`: one page that needs nothing else, with the answer first: times, what ran when, sources with their costs, findings.
use crate::arguments::Arguments;
use crate::explain::{self, Sources};
use crate::journal::{Journal, Kernel, Span};
use crate::report::{cells, count, extents, three_digits};
use serde_json::{Map, Value};
use simulator::diagnostics::kernel_name;
use simulator::driver::Certificate;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use views::explain::Wanted;

/// Columns of the text about a kernel's costly lines.
const TOLD_WIDTH: usize = 100;

/// The page.
pub fn render(journal: &Journal, certificate: &Certificate, arguments: &Arguments) -> String {
    let command: Vec<_> = arguments.command.iter().map(|word| word.to_string_lossy()).collect();
    let command = escaped(&command.join(" "));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>sim {command}</title>\n\
         <style>\n{}</style></head>\n<body>\n<h1><code>{command}</code></h1>\n",
        include_str!("page.css")
    );
    let device = journal.device.as_deref().unwrap_or("no kernel was run");
    let _ = writeln!(
        page,
        "<p class=\"hint\">simulated: {}; sim {}; <span id=\"when\"></span>. Times are those of the simulated card.</p>",
        escaped(device),
        env!("CARGO_PKG_VERSION")
    );
    answer(&mut page, journal, certificate);
    told(&mut page, journal, certificate);
    kernels(&mut page, journal);
    timelines(&mut page, journal);
    sources(&mut page, journal);
    texts(&mut page, certificate);
    let _ = write!(page, "<script>\n{}</script>\n</body></html>\n", include_str!("page.js"));
    page
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn total_ns(journal: &Journal) -> u64 {
    journal.kernels.iter().map(|kernel| kernel.time_ns).sum()
}

fn answer(page: &mut String, journal: &Journal, certificate: &Certificate) {
    let all = total_ns(journal);
    let _ = write!(
        page,
        "<p>{} took {} µs on the card. ",
        count(journal.launches(), "launch"),
        three_digits(all as f64 / 1e3)
    );
    if let Some(first) = journal.kernels.first() {
        let share = 100.0 * first.time_ns as f64 / all.max(1) as f64;
        let _ = write!(
            page,
            "<code>{}</code> had {} % of it, bound by {}. ",
            escaped(&kernel_name(&first.kernel)),
            three_digits(share),
            escaped(&first.bound_by)
        );
    }
    let _ =
        writeln!(page, "{}; {}.</p>", count(journal.findings.len() as u64, "finding"), escaped(&certificate.line()));
}

fn told(page: &mut String, journal: &Journal, certificate: &Certificate) {
    if !journal.findings.is_empty() {
        page.push_str("<h2>Findings</h2>\n");
    }
    for finding in &journal.findings {
        let message = finding.diagnosis.get("message").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(page, "<pre>{}</pre>", escaped(message));
    }
    if !certificate.refused.is_empty() {
        page.push_str("<h2>Refused</h2>\n<p>What depends on it was not computed.</p>\n");
        for why in &certificate.refused {
            let _ = writeln!(page, "<pre>{}</pre>", escaped(why));
        }
    }
}

fn kernels(page: &mut String, journal: &Journal) {
    if journal.kernels.is_empty() {
        return;
    }
    page.push_str("<h2>Kernels</h2>\n<p class=\"hint\">Press a heading to sort.</p>\n<div class=\"scroll\"><table class=\"sortable\"><thead><tr>");
    let kernels: Vec<&Kernel> = journal.kernels.iter().collect();
    let columns = cells(&kernels);
    for (column, _) in &columns {
        let _ = write!(page, "<th title=\"{}\">{}</th>", escaped(column.meaning), escaped(column.heading));
    }
    page.push_str("</tr></thead><tbody>\n");
    for row in 0..kernels.len() {
        page.push_str("<tr>");
        for (column, cells) in &columns {
            let class = if column.is_word { "" } else { " class=\"number\"" };
            let _ = write!(page, "<td{class}>{}</td>", escaped(&cells[row]));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

/// A picture for each process, whose clock is its own.
fn timelines(page: &mut String, journal: &Journal) {
    if journal.spans.is_empty() {
        return;
    }
    page.push_str("<h2>What ran when</h2>\n<p class=\"hint\">Rest on a bar to read its name and time; --trace FILE has the same for a viewer that zooms.</p>\n");
    for (process, spans) in &journal.spans {
        if journal.spans.len() > 1 {
            let _ = writeln!(page, "<h3>process {process}</h3>");
        }
        timeline(page, spans);
    }
}

/// Tracks from top to bottom, with the style's names of their colours.
const TRACKS: [(&str, &str); 5] = [
    ("host calls", "--call"),
    ("copies to the card", "--copy"),
    ("kernels", "--bar"),
    ("copies from the card", "--copy"),
    ("copies and sets", "--copy"),
];

/// The number of the track that a kind of span belongs to.
fn track(kind: &str) -> usize {
    match kind {
        "api" => 0,
        "memcpy HtoD" => 1,
        "kernel" => 2,
        "memcpy DtoH" => 3,
        _ => 4,
    }
}

/// Spans, in the order of their start, with their track and the first lane of it that is free by then.
fn laned(spans: &[Span]) -> Vec<((usize, usize), &Span)> {
    let mut ends: [Vec<u64>; TRACKS.len()] = Default::default();
    let placed = spans.iter().map(|span| {
        let track = track(&span.kind);
        let lanes = &mut ends[track];
        let lane = lanes.iter().position(|&end| end <= span.start_ns).unwrap_or(lanes.len());
        lanes.resize(lanes.len().max(lane + 1), 0);
        lanes[lane] = span.end_ns;
        ((track, lane), span)
    });
    placed.collect()
}

fn timeline(page: &mut String, spans: &[Span]) {
    /// Bars beyond these are left to the trace.
    const MOST: usize = 2000;
    const LEFT: f64 = 190.0;
    const WIDTH: f64 = 940.0;
    const ROW: f64 = 20.0;
    let shown = laned(&spans[..spans.len().min(MOST)]);
    let start = spans.iter().map(|span| span.start_ns).min().unwrap_or(0);
    let end = shown.iter().map(|(_, span)| span.end_ns).max().unwrap_or(1).max(start + 1);
    let lanes: BTreeSet<(usize, usize)> = shown.iter().map(|(lane, _)| *lane).collect();
    let row_of = |lane: &(usize, usize)| lanes.iter().position(|known| known == lane).unwrap_or(0) as f64;
    let x = |ns: u64| LEFT + WIDTH * (ns.saturating_sub(start)) as f64 / (end - start) as f64;
    let height = ROW * (lanes.len() + 1) as f64;
    let _ =
        write!(page, "<div class=\"scroll\"><svg width=\"{}\" height=\"{height}\" role=\"img\">", LEFT + WIDTH + 60.0);
    for lane in &lanes {
        let beside = if lane.1 == 0 { "" } else { ", beside" };
        let _ = write!(page, "<text x=\"0\" y=\"{}\">{}{beside}</text>", ROW * row_of(lane) + 14.0, TRACKS[lane.0].0);
    }
    for (lane, span) in &shown {
        let (from, to) = (x(span.start_ns), x(span.end_ns));
        let name = match span.kind.as_str() {
            "kernel" => kernel_name(&span.name),
            "api" => span.name.clone(),
            kind => kind.to_owned(),
        };
        let _ = write!(
            page,
            "<rect x=\"{from:.1}\" y=\"{}\" width=\"{:.1}\" height=\"14\" style=\"fill:var({})\"><title>{}: {} µs, from {} µs</title></rect>",
            ROW * row_of(lane) + 3.0,
            (to - from).max(0.5),
            TRACKS[lane.0].1,
            escaped(&name),
            three_digits((span.end_ns - span.start_ns) as f64 / 1e3),
            three_digits((span.start_ns - start) as f64 / 1e3),
        );
    }
    let step = step((end - start) as f64 / 1e3);
    let foot = ROW * lanes.len() as f64;
    for tick in 0..=((end - start) as f64 / 1e3 / step) as u64 {
        let at = x(start + (tick as f64 * step * 1e3) as u64);
        let label = tick as f64 * step;
        let _ = write!(
            page,
            "<path d=\"M{at:.1} 0V{foot}\" stroke=\"currentColor\" opacity=\".15\"/><text x=\"{at:.1}\" y=\"{}\">{label} µs</text>",
            foot + 14.0
        );
    }
    page.push_str("</svg></div>\n");
    if spans.len() > MOST {
        let _ = writeln!(page, "<p class=\"hint\">The first {MOST} of {} spans.</p>", spans.len());
    }
}

/// 1, 2 or 5 times a power of ten, for at most ten ticks.
fn step(length: f64) -> f64 {
    let power = 10f64.powf((length / 10.0).max(1e-3).log10().floor());
    [1.0, 2.0, 5.0].iter().map(|factor| factor * power).find(|step| length / step <= 10.0).unwrap_or(10.0 * power)
}

/// The texts that all this is about.
fn texts(page: &mut String, certificate: &Certificate) {
    if !certificate.has_kernels() {
        return;
    }
    page.push_str("<h2>Texts</h2>\n<p class=\"hint\">The SHA-256 of the PTX that each kernel was made from, as sha256sum prints it.</p>\n");
    page.push_str("<div class=\"scroll\"><table><tr><th>kernel</th><th>SHA-256</th></tr>\n");
    for (kernel, sha256) in certificate.kernels() {
        let _ = writeln!(page, "<tr><td>{}</td><td><code>{sha256}</code></td></tr>", escaped(kernel));
    }
    page.push_str("</table></div>\n");
}

/// Each kernel with its costly lines in words, and its files whole.
fn sources(page: &mut String, journal: &Journal) {
    let counted: Vec<&Kernel> = journal.kernels.iter().filter(|kernel| !kernel.lines.is_empty()).collect();
    if counted.is_empty() {
        return;
    }
    page.push_str("<h2>Source, line by line</h2>\n");
    let texts = Sources::default();
    for (index, kernel) in counted.iter().enumerate() {
        let title = format!(
            "{}, {} x {}, {}",
            kernel_name(&kernel.kernel),
            extents(kernel.grid),
            extents(kernel.block),
            count(kernel.launches, "launch")
        );
        let open = if index == 0 { " open" } else { "" };
        let _ = writeln!(page, "<details{open}><summary><code>{}</code></summary>", escaped(&title));
        let wanted = Wanted { reasons: true, counters: false };
        let told = explain::kernel(kernel, &title, wanted, TOLD_WIDTH, &texts);
        let _ = writeln!(page, "<pre class=\"told\">{}</pre>", escaped(&told));
        listing(page, kernel, &texts);
        page.push_str("</details>\n");
    }
}

/// A line's part of the cost: the waits of its warps where the clock has played blocks through, else its part of the term that bounds the
/// launch.
fn cost(line: &Map<String, Value>, bound_by: &str) -> f64 {
    match line.get("stalls").and_then(Value::as_object) {
        Some(stalls) => stalls.values().filter_map(Value::as_f64).sum(),
        None => line.get("clock_ns").and_then(|terms| terms.get(bound_by)).and_then(Value::as_f64).unwrap_or(0.0),
    }
}

/// The files that a kernel's lines are of, around these lines.
fn listing(page: &mut String, kernel: &Kernel, texts: &Sources) {
    /// Lines before and after one that costs something.
    const AROUND: usize = 3;
    let mut files: BTreeMap<&str, BTreeMap<usize, &Map<String, Value>>> = BTreeMap::new();
    for line in &kernel.lines {
        let file = line.get("file").and_then(Value::as_str).unwrap_or_default();
        let number = line.get("line").and_then(Value::as_u64).unwrap_or(0) as usize;
        files.entry(file).or_default().insert(number, line);
    }
    let all: f64 = kernel.lines.iter().map(|line| cost(line, &kernel.bound_by)).sum();
    for (file, lines) in files {
        let Some(text) = texts.text(file) else { continue };
        let _ = writeln!(
            page,
            "<p><code>{}</code></p><div class=\"scroll\"><table class=\"listing\"><tr><th>line</th><th>cost %</th><th>instructions</th><th>source</th></tr>",
            escaped(file)
        );
        for (index, source) in text.lines().enumerate() {
            let number = index + 1;
            if lines.range(number.saturating_sub(AROUND)..=number + AROUND).next().is_none() {
                continue;
            }
            let line = lines.get(&number);
            let share = line.map_or(0.0, |line| cost(line, &kernel.bound_by) / all.max(f64::MIN_POSITIVE));
            let shown = if share > 0.0 { format!("{:.1}", 100.0 * share) } else { String::new() };
            let instructions =
                line.and_then(|line| line.get("instructions")).map_or_else(String::new, Value::to_string);
            let _ = writeln!(
                page,
                "<tr style=\"background:rgba(var(--heat),{:.3})\"><td class=\"number\">{number}</td><td class=\"number\">{shown}</td><td class=\"number\">{instructions}</td><td>{}</td></tr>",
                0.7 * share,
                escaped(source)
            );
        }
        page.push_str("</table></div>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    #[test]
    fn nothing_in_the_data_is_markup_and_nothing_is_loaded() {
        let arguments = Arguments { command: vec![OsString::from("<script>a")], ..Arguments::default() };
        let mut certificate = Certificate::default();
        certificate.refused.push("</script><b>".into());
        let page = render(&Journal::default(), &certificate, &arguments);
        assert_eq!(page.matches("<script").count(), 1, "the page's own");
        assert!(page.contains("&lt;script&gt;a") && page.contains("&lt;b&gt;"), "{page}");
        for loading in ["src=", "href=", "@import", "url(", "fetch("] {
            assert!(!page.contains(loading), "{loading}");
        }
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!([step(7.0), step(94.0), step(0.5), step(1234.0)], [1.0, 10.0, 0.05, 200.0]);
    }
}
