//! The answer to a lab's question on one screen: bars, the reason of each gain, what was learnt, and what to type next.
//!
//! At most 30 lines of 80 columns where all is right; what is wrong is told in full below the bars.

use super::columns::Column;
use super::layout::{paragraph, table_width, width, write_table};
use super::rows::{chosen, results};
use super::table::print_failures;
use crate::ladder::Variant;
use crate::question::{Bar, Bars, Question};
use crate::result::{Next, NoteKind, Report, Row, Table};
use anstyle::{AnsiColor, Style};
use serde_json::Value;
use std::io::Write;

/// Columns of a usual terminal, and the most that the screen takes.
const MOST_WIDTH: usize = 80;
/// Columns of the longest bar, at least and at most.
const BAR_WIDTH: [usize; 2] = [8, 32];

const NAME: Style = Style::new().bold();
const BAR: Style = AnsiColor::Cyan.on_default();
const BEST: Style = AnsiColor::Green.on_default();
const DIM: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Prints the answer on standard output: in colour where that is a terminal which has it, or `CLICOLOR_FORCE` asks for it, and `NO_COLOR` does not
/// forbid it.
pub fn print<P>(
    report: &Report,
    question: &Question,
    columns: &[Column],
    variants: &[Variant<P>],
) -> std::io::Result<()> {
    let ideas: Vec<(&str, &str)> = variants.iter().map(|variant| (variant.name, variant.idea)).collect();
    write(&mut anstream::stdout().lock(), report, question, columns, &ideas, width())
}

/// Writes the answer in so many columns, with colours.
pub(crate) fn write(
    out: &mut impl Write,
    report: &Report,
    question: &Question,
    columns: &[Column],
    ideas: &[(&str, &str)],
    width: usize,
) -> std::io::Result<()> {
    let width = width.min(MOST_WIDTH);
    let rows = chosen(&report.rows, columns);
    let bars = bars(&rows, format!("{} ms", report.timed), question, columns, ideas);
    let beside = (question.beside)(report);
    heading(out, report, &rows, width)?;
    paragraph(out, "", question.asks, width)?;
    writeln!(out)?;
    write_bars(out, &bars, width)?;
    if let Some(beside) = &beside {
        write_bars(out, beside, width)?;
    }
    let all = report.rows.len();
    let wrong = report.rows.iter().filter(|row| !is_right(row)).count();
    for note in report.notes.iter().filter(|note| matches!(note.kind, NoteKind::Rates | NoteKind::LeftOut)) {
        paragraph(out, "note: ", &note.text, width)?;
    }
    if wrong > 0 {
        writeln!(out, "{BAD}{wrong} of {all} results are WRONG{BAD:#}\n")?;
        print_failures(out, report)?;
    } else {
        let error = report.rows.iter().map(|row| row.max_relative_error).fold(0.0, f64::max);
        let [subject, s] = results(all);
        let is = if all == 1 { "is" } else { "are" };
        let agree = if error > 0.0 { format!("agree{s} with f64 to {error:.0e}") } else { format!("{is} exact") };
        paragraph(out, "check:  ", &format!("{subject} {agree}; --all runs every variant"), width)?;
        let mut learnt = Vec::new();
        paragraph(&mut learnt, "learnt: ", &(question.learnt)(report, &bars), width)?;
        write!(out, "{NAME}{}{NAME:#}", String::from_utf8_lossy(&learnt))?;
    }
    let Some(Next { command, purpose }) = &report.next else { return Ok(()) };
    paragraph(out, "next:   ", purpose, width)?;
    // A command is copied: it stays in one piece, on a line of its own.
    writeln!(out, "  {NAME}{command}{NAME:#}")
}

/// Where it ran, and what all rows have in common.
fn heading(out: &mut impl Write, report: &Report, rows: &[&Row], width: usize) -> std::io::Result<()> {
    let device = &report.device;
    let card = match &device.profile {
        Some(profile) => {
            let name = device.name.trim_start_matches("NVIDIA ").trim_start_matches("GeForce ");
            format!("simulated {name} (sim:{profile}), {}", device.nearness())
        }
        None => format!("measured on {}", device.name),
    };
    let mut same: Vec<String> =
        rows.first().map(|row| format!("n = {}, {}", row.size, row.dtype)).into_iter().collect();
    if rows.iter().any(|row| row.sampled.is_some()) {
        same.push("sampled".to_owned());
    }
    paragraph(out, "", &format!("{}, {card}: {}", report.lab, same.join(", ")), width)
}

/// The bars of the rungs and yardsticks that ran, the worst first.
fn bars(rows: &[&Row], time: String, question: &Question, columns: &[Column], ideas: &[(&str, &str)]) -> Bars {
    let value = |row: &Row| question.rate.map_or(Some(row.time_ms.median), |key| row.number(key));
    // The first of several kinds of host memory is shown: what differs there has bars of its own.
    let mut drawn_rows: Vec<&Row> = Vec::new();
    for &row in rows.iter().filter(|row| value(row).is_some()) {
        if !drawn_rows.iter().any(|other| other.variant == row.variant) {
            drawn_rows.push(row);
        }
    }
    let more_is_better = question.rate.is_some();
    drawn_rows.sort_by(|a, b| {
        let order = value(a).partial_cmp(&value(b)).unwrap_or(std::cmp::Ordering::Equal);
        if more_is_better { order } else { order.reverse() }
    });
    let idea = |row: &Row| ideas.iter().find(|(name, _)| *name == row.variant).map(|(_, idea)| *idea);
    let bar = |row: &&Row| Bar {
        name: row.variant.clone(),
        place: ideas.iter().position(|(name, _)| *name == row.variant).unwrap_or(ideas.len()),
        value: value(row).unwrap_or(f64::NAN),
        reason: idea(row).unwrap_or_default().to_owned(),
        is_reference: question.ceiling == Some(row.variant.as_str()) || idea(row).is_none(),
        is_right: is_right(row),
    };
    let heading = |key: &'static str| columns.iter().find(|column| column.key == key).map_or(key, |own| own.heading);
    let beside = question.columns.iter().map(|key| {
        let cells = drawn_rows.iter().map(|row| row.value(key).unwrap_or(Value::Null)).collect();
        (heading(key).to_owned(), cells)
    });
    Bars {
        headings: ["variant".to_owned(), question.rate.map_or(time, |key| heading(key).to_owned())],
        more_is_better,
        columns: beside.collect(),
        bars: drawn_rows.iter().map(bar).collect(),
    }
}

/// Returns whether a row's result is right and nothing was found in it.
fn is_right(row: &Row) -> bool {
    row.correct && row.findings.is_empty()
}

/// A table of bars, and below it how many times as good each is as the one above it, and why.
fn write_bars(out: &mut impl Write, bars: &Bars, width: usize) -> std::io::Result<()> {
    let [names, quantity] = &bars.headings;
    let values: Vec<Value> = bars.bars.iter().map(|bar| Value::from(bar.value)).collect();
    let table = |bar_width: usize| {
        let most = bars.bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
        let line = |(index, bar): (usize, &Bar)| {
            let drawn = drawn_or_wrong(bar, most, bar_width).into();
            let first = [bar.name.as_str().into(), values[index].clone(), drawn];
            first.into_iter().chain(bars.columns.iter().map(|(_, cells)| cells[index].clone())).collect()
        };
        let headings = [names.clone(), quantity.clone(), String::new()];
        Table {
            title: String::new(),
            columns: headings.into_iter().chain(bars.columns.iter().map(|(heading, _)| heading.clone())).collect(),
            rows: bars.bars.iter().enumerate().map(line).collect(),
        }
    };
    let longest = |bar_width: usize| {
        let most = bars.bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
        let drawn = bars.bars.iter().map(|bar| drawn_or_wrong(bar, most, bar_width).chars().count());
        drawn.max().unwrap_or(0)
    };
    let [least, most] = BAR_WIDTH;
    let beside = table_width(&table(least)) - longest(least);
    let bar_width = (least..=most).rev().find(|&bar_width| beside + longest(bar_width) <= width).unwrap_or(least);
    let mut text = Vec::new();
    write_table(&mut text, &table(bar_width), 1, width)?;
    let text = String::from_utf8_lossy(&text);
    let best = bars.gained().next_back().map(|bar| bar.name.as_str());
    for line in text.trim_end().lines() {
        writeln!(out, "{}", coloured(line, bars, best))?;
    }
    // A single sentence belongs to its bars.
    if bars.gained().filter(|bar| !bar.reason.is_empty()).count() > 1 {
        writeln!(out)?;
    }
    write_reasons(out, bars, width)
}

/// One sentence for each idea, in the order of the ladder: how much is gained or lost over the best before it, and the reason.
fn write_reasons(out: &mut impl Write, bars: &Bars, width: usize) -> std::io::Result<()> {
    let mut ladder: Vec<&Bar> = bars.gained().filter(|bar| bar.is_right).collect();
    ladder.sort_by_key(|bar| bar.place);
    let mut best: Option<&Bar> = None;
    for bar in ladder {
        let name = &bar.name;
        let lead = match best {
            None => format!("`{name}`"),
            Some(other) => {
                let gain = bars.gain(bar, other);
                let said =
                    if gain > SAME.recip() { times(gain) } else { format!("{} slower than", times(gain.recip())) };
                format!("`{name}` is {said} `{}`", other.name)
            }
        };
        if !bar.reason.is_empty() {
            paragraph(out, "", &format!("{lead}: {}", bar.reason), width)?;
        }
        if best.is_none_or(|other| bars.gain(bar, other) > 1.0) {
            best = Some(bar);
        }
    }
    writeln!(out)
}

/// Less than this is no gain.
const SAME: f64 = 1.005;

/// "2.1 ×": as many digits as say something.
pub fn times(gain: f64) -> String {
    match gain {
        gain if gain < SAME => "as good as".to_owned(),
        gain if gain < 1.095 => format!("{gain:.2} ×"),
        gain if gain < 9.95 => format!("{gain:.1} ×"),
        gain => format!("{gain:.0} ×"),
    }
}

/// Eighths of a character.
const EIGHTHS: [char; 8] = ['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// A bar's drawing among others up to `most`, or that its result is wrong.
fn drawn_or_wrong(bar: &Bar, most: f64, width: usize) -> String {
    if bar.is_right { drawn(bar.value / most, width) } else { "WRONG".to_owned() }
}

/// A bar of this part of so many columns; at least an eighth of one, so that it is seen.
fn drawn(part: f64, width: usize) -> String {
    let eighths = ((part * (width * 8) as f64).round() as usize).max(1);
    let whole: String = std::iter::repeat_n(EIGHTHS[0], eighths / 8).collect();
    if eighths.is_multiple_of(8) { whole } else { format!("{whole}{}", EIGHTHS[eighths % 8]) }
}

/// A line of a table with its bar and its name in colour.
fn coloured(line: &str, bars: &Bars, best: Option<&str>) -> String {
    let Some(bar) = bars.bars.iter().find(|bar| line.split(' ').next() == Some(&bar.name)) else {
        return if line.starts_with('─') { format!("{DIM}{line}{DIM:#}") } else { line.to_owned() };
    };
    let style = match best {
        _ if !bar.is_right => BAD,
        _ if bar.is_reference => DIM,
        Some(best) if best == bar.name => BEST,
        _ => BAR,
    };
    let rest = &line[bar.name.len()..];
    let is_drawn = |character: char| EIGHTHS.contains(&character);
    let name = format!("{NAME}{}{NAME:#}", bar.name);
    match (rest.find(is_drawn), rest.rfind(is_drawn)) {
        (Some(start), Some(last)) => {
            let end = last + EIGHTHS[0].len_utf8();
            format!("{name}{}{style}{}{style:#}{}", &rest[..start], &rest[start..end], &rest[end..])
        }
        _ => format!("{name}{}", rest.replace("WRONG", &format!("{BAD}WRONG{BAD:#}"))),
    }
}

/// "19 %".
pub fn percent(value: f64) -> String {
    format!("{value:.0} %")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::ByDevice;
    use crate::observations::DeviceFacts;
    use crate::question::Run;
    use crate::result::figures::PEAK_PERCENT;
    use crate::result::samples;
    use anstream::adapter::strip_str;

    const COLUMNS: &[Column] = &[Column::shared("gflops"), Column::shared("peak_percent")];
    const IDEAS: &[(&str, &str)] = &[("naive", "the start"), ("tiled", "fewer loads"), ("limit", "no work at all")];
    const QUESTION: Question = Question {
        asks: "Which is faster?",
        runs: &[Run { rungs: &["naive", "tiled", "limit"], flags: ByDevice { simulator: &[], gpu: &[] } }],
        ceiling: Some("limit"),
        rate: Some("gflops"),
        columns: &["peak_percent"],
        beside: |_| None,
        learnt: |_, bars| {
            bars.ends().map(|(_, best, gain)| format!("{} {}", best.name, times(gain))).unwrap_or_default()
        },
    };

    /// The rungs in another order than that of their rates.
    fn report() -> Report {
        let facts = DeviceFacts {
            name: "NVIDIA Card".into(),
            simulated: true,
            profile: Some("card".into()),
            time_error_percent: Some(10),
            compute_capability: "8.9".into(),
        };
        let mut report = Report::new(facts, "gemm", 1);
        for (variant, gflops) in [("tiled", 250.0), ("limit", 500.0), ("naive", 100.0), ("cublas", 400.0)] {
            let mut row = samples::row(variant, 64, "8x8", 1.0);
            row.gflops = Some(gflops);
            row.set(&PEAK_PERCENT, gflops / 10.0);
            report.rows.push(row);
        }
        report.next = Some(Next::new("cargo run", "why"));
        report
    }

    fn coloured_text(report: &Report, width: usize) -> String {
        let mut out = Vec::new();
        write(&mut out, report, &QUESTION, COLUMNS, IDEAS, width).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn text(report: &Report, width: usize) -> String {
        strip_str(&coloured_text(report, width)).to_string()
    }

    #[test]
    fn bars_stand_from_the_worst_to_the_best_and_yardsticks_among_them() {
        let expected = "\
gemm, simulated Card (sim:card), times ±10 %: n = 64, f32
Which is faster?

                                                       of
variant  GFLOP/s                                    peak %
──────────────────────────────────────────────────────────
naive        100  ██████▍                             10.0
tiled        250  ████████████████                    25.0
cublas       400  █████████████████████████▋          40.0
limit        500  ████████████████████████████████    50.0

`naive`: the start
`tiled` is 2.5 × `naive`: fewer loads
";
        let text = text(&report(), 120);
        let drawn_rows = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let first: String = text.lines().take(13).map(|line| format!("{line}\n")).collect();
        assert_eq!(drawn_rows(&first), drawn_rows(expected), "{text}");
        assert!(text.ends_with("check:  all 4 results agree with f64 to 1e-7; --all runs every variant\nlearnt: tiled 2.5 ×\nnext:   why\n  cargo run\n"), "{text}");
    }

    #[test]
    fn a_narrow_terminal_has_shorter_bars_and_a_wide_one_no_longer_lines() {
        for width in [50, 80, 200] {
            let text = text(&report(), width);
            assert!(text.lines().all(|line| line.chars().count() <= width.min(80)), "{width}: {text}");
            assert_eq!(text.lines().filter(|line| line.starts_with('─')).count(), 1, "one table: {text}");
        }
    }

    #[test]
    fn the_best_is_green_and_what_bounds_it_is_dim() {
        let text = coloured_text(&report(), 80);
        let line = |name: &str| text.lines().find(|line| line.starts_with(&format!("{NAME}{name}"))).expect("a line");
        assert!(line("tiled").contains(&BEST.to_string()) && !line("naive").contains(&BEST.to_string()), "{text}");
        assert!(line("limit").contains(&DIM.to_string()) && line("cublas").contains(&DIM.to_string()), "{text}");
    }

    #[test]
    fn what_is_wrong_is_told_in_place_of_what_was_learnt() {
        let mut report = report();
        report.rows[0].correct = false;
        let text = text(&report, 80);
        assert!(text.contains("WRONG   ") && text.contains("1 of 4 results are WRONG"), "{text}");
        assert!(text.contains("wrong result: tiled 64") && !text.contains("learnt"), "{text}");
        assert!(!text.contains("`tiled` is"), "a wrong result has no gain: {text}");
    }

    #[test]
    fn an_idea_that_does_not_pay_is_slower_than_the_best_before_it() {
        let mut report = report();
        report.rows[0].gflops = Some(50.0);
        let text = text(&report, 80);
        assert!(text.contains("`naive`: the start\n`tiled` is 2.0 × slower than `naive`: fewer loads\n"), "{text}");
        let place = |name: &str| text.find(&format!("\n{name} ")).expect("a bar");
        assert!(place("tiled") < place("naive"), "sorted: {text}");
    }

    #[test]
    fn gains_have_as_many_digits_as_say_something() {
        for (gain, said) in [(1.0, "as good as"), (1.04, "1.04 ×"), (2.14, "2.1 ×"), (9.97, "10 ×"), (23.6, "24 ×")]
        {
            assert_eq!(times(gain), said);
        }
    }

    #[test]
    fn a_bar_is_as_long_as_its_part() {
        for (part, bar) in [(1.0, "████"), (0.5, "██"), (0.3, "█▎"), (0.0, "▏")] {
            assert_eq!(drawn(part, 4), bar, "{part}");
        }
    }
}
