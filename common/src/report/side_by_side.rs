//! Rows of several runs side by side: those that differ, the most first, and why.

use super::columns::{Column, SHARED};
use super::layout::{paragraph, width, write_table};
use super::number::three_digits;
use super::rows::chosen;
use super::table::print_failures;
use crate::result::figures::BOUND_BY;
use crate::result::{Report, Row, Side, Table, distinct};
use serde_json::Value;
use std::io::Write;

/// Times that differ by less are alike.
const SAME: f64 = 1.005;
/// A counter that differs by less explains nothing.
const TOLD: f64 = 0.05;
/// The counters of a line that are told, besides its occupancy.
const MOST_TOLD: usize = 2;
/// Terms of the clock that are as fast as the card has them, however many multiprocessors ask.
const OF_THE_CARD: [&str; 2] = ["device memory", "L2 traffic"];
/// The counter that says how full multiprocessors were.
const OCCUPANCY: &str = "achieved_occupancy";

/// The rows of one name, one of each run.
type Line<'s> = (&'s str, Vec<&'s Row>);

/// A report of several runs of one lab. A run's rows are those that its own table has.
pub fn side_by_side(lab: &'static str, sides: Vec<Side>, columns: &[Column]) -> Report {
    let named: Vec<Vec<(String, &Row)>> = sides.iter().map(|side| named(side, columns)).collect();
    let find = |rows: &[(String, _)], name: &str| rows.iter().find(|(other, _)| other == name).map(|&(_, row)| row);
    let of = |name: &str| named.iter().map(|rows| find(rows, name)).collect::<Option<Vec<&Row>>>();
    let lines = named[0].iter().filter_map(|(name, _)| Some((name.as_str(), of(name)?)));
    let (alike, mut differing): (Vec<Line<'_>>, Vec<Line<'_>>) =
        lines.partition(|(_, rows)| spread(rows) < SAME && rows.iter().all(|row| is_right(row)));
    differing.sort_by(|one, other| spread(&other.1).total_cmp(&spread(&one.1)));
    let mut report = Report::new(sides[0].device.clone(), lab, sides[0].seed);
    report.tables = vec![cards(&sides), differences(&sides, &differing)];
    let mut notes = Vec::new();
    let mut list = |what: &str, names: Vec<&str>| {
        notes.extend((!names.is_empty()).then(|| format!("{what}: {}", names.join("; "))))
    };
    if alike.is_empty() && differing.is_empty() {
        list("no row is in every run; the next command", vec!["the same with one --size for all"]);
    }
    list("alike to 0.5 %", alike.iter().map(|line| line.0).collect());
    for (side, rows) in sides.iter().zip(&named) {
        let alone = rows.iter().filter(|(name, _)| of(name).is_none()).map(|(name, _)| name.as_str());
        list(&format!("not in every run, but in {}", side.label), alone.collect());
    }
    // A note of every run is said once.
    for note in distinct(sides.iter().flat_map(|side| &side.notes)) {
        let of: Vec<&str> =
            sides.iter().filter(|side| side.notes.contains(note)).map(|side| side.label.as_str()).collect();
        notes.push(if of.len() == sides.len() { note.clone() } else { format!("{}: {note}", of.join(", ")) });
    }
    report.notes = notes.into_iter().map(Into::into).collect();
    report.runs = sides;
    report
}

/// Prints such a report; `written` are lines on the files.
pub fn print(report: &Report, written: &[String]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let width = width();
    writeln!(out, "{}\n", title(report))?;
    for table in report.tables.iter().filter(|table| !table.rows.is_empty()) {
        write_table(&mut out, table, 1, width)?;
    }
    for note in &report.notes {
        paragraph(&mut out, "note: ", &note.text, width)?;
    }
    written.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    for side in report.runs.iter().filter(|side| !side.rows.iter().all(is_right)) {
        writeln!(out, "in {}:", side.label)?;
        let rows = side.rows.clone();
        print_failures(&mut out, &Report { rows, ..Report::new(side.device.clone(), report.lab, side.seed) })?;
    }
    Ok(())
}

/// "lab gemv, seed 1: h200 and rtx5090 side by side".
pub fn title(report: &Report) -> String {
    let labels: Vec<&str> = report.runs.iter().map(|side| side.label.as_str()).collect();
    format!("lab {}, seed {}: {} side by side", report.lab, report.seed, labels.join(" and "))
}

/// The rows of a run by the words that name them in every run; of several with the same words the later ones are numbered.
fn named<'s>(side: &'s Side, columns: &[Column]) -> Vec<(String, &'s Row)> {
    let mut named: Vec<(String, &Row)> = Vec::new();
    for row in chosen(&side.rows, columns) {
        let own = format!("{} {} {}", row.variant, row.size, row.dtype);
        let before = named.iter().filter(|(name, _)| name.split(" #").next() == Some(&own)).count();
        named.push((if before > 0 { format!("{own} #{}", before + 1) } else { own }, row));
    }
    named
}

fn is_right(row: &Row) -> bool {
    row.correct && row.findings.is_empty()
}

/// How many times as long the slowest run of a line takes as the fastest.
fn spread(rows: &[&Row]) -> f64 {
    let times = || rows.iter().map(|row| row.time_ms.median);
    times().fold(0.0, f64::max) / times().fold(f64::INFINITY, f64::min)
}

/// The cards, with their limits and what their times are worth.
fn cards(sides: &[Side]) -> Table {
    let line = |side: &Side| {
        let roof = side.roof.unwrap_or_default();
        vec![
            Value::from(side.label.as_str()),
            side.device.name.trim_start_matches("NVIDIA ").into(),
            roof.multiprocessors.into(),
            roof.f32_gflops.into(),
            roof.memory_gbytes_per_s.into(),
            roof.l2_gbytes_per_s.into(),
            if side.device.simulated { side.device.nearness() } else { "measured".to_owned() }.into(),
        ]
    };
    let columns = ["run", "card", "multi- processors", "f32 GFLOP/s", "memory GB/s", "L2 GB/s", "times"];
    Table {
        title: "the runs".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: sides.iter().map(line).collect(),
    }
}

/// The lines whose times differ, or that are wrong somewhere.
fn differences(sides: &[Side], lines: &[Line<'_>]) -> Table {
    let mut columns = vec!["row".to_owned()];
    columns.extend(sides.iter().map(|side| format!("{} ms", side.label)));
    columns.extend(sides[1..].iter().map(|side| format!("{} ×", side.label)));
    columns.push("why".to_owned());
    let cells = |(name, rows): &Line<'_>| {
        let times = || rows.iter().map(|row| row.time_ms.median);
        let mut cells = vec![Value::from(*name)];
        cells.extend(times().map(Value::from));
        cells.extend(times().skip(1).map(|time| Value::from(rows[0].time_ms.median / time)));
        cells.push(why(sides, rows).into());
        cells
    };
    let Side { timed, label, .. } = &sides[0];
    Table {
        title: format!(
            "{timed} ms, what differs most first; ×: how many times as fast as {label}; a → b: in the order of the runs"
        ),
        columns,
        rows: lines.iter().map(cells).collect(),
    }
}

/// Why the runs of a line differ: blocks, what bounds them, multiprocessors, occupancy, and the counters that differ most.
fn why(sides: &[Side], rows: &[&Row]) -> String {
    let wrong =
        sides.iter().zip(rows).filter(|(_, row)| !is_right(row)).map(|(side, _)| format!("WRONG in {}", side.label));
    let mut reasons: Vec<String> = wrong.collect();
    reasons.extend(arrows(rows.iter().map(|row| row.block.clone())).map(|blocks| format!("block {blocks}")));
    let bounds: Vec<String> = rows.iter().filter_map(|row| row.get(&BOUND_BY)).collect();
    reasons.extend(arrows(bounds.clone()).or(bounds.first().cloned()).map(|bounds| format!("bound by {bounds}")));
    if !bounds.iter().any(|bound| OF_THE_CARD.contains(&bound.as_str())) {
        let numbers = sides.iter().filter_map(|side| side.roof?.multiprocessors).map(|number| number.to_string());
        reasons.extend(arrows(numbers).map(|numbers| format!("{numbers} multiprocessors")));
    }
    let mut differing: Vec<(f64, String)> =
        SHARED.iter().filter_map(|&(key, heading, _)| counter(key, heading, rows)).collect();
    differing.sort_by(|one, other| other.0.total_cmp(&one.0));
    let most = MOST_TOLD + usize::from(differing.first().is_some_and(|(apart, _)| *apart > 1.0));
    reasons.extend(differing.into_iter().take(most).map(|(_, said)| said));
    reasons.join("; ")
}

/// How far a counter differs, as a part of its most, and in words; the occupancy comes before all others. What follows from the time explains
/// nothing.
fn counter(key: &str, heading: &str, rows: &[&Row]) -> Option<(f64, String)> {
    let follows = ["throughput_", "eligible_"].iter().any(|begin| key.starts_with(begin));
    let of = |row: &&Row| row.counters.get(key).and_then(Value::as_f64);
    let values = rows.iter().map(of).collect::<Option<Vec<f64>>>().filter(|_| !follows && !key.ends_with("per_s"))?;
    let (most, least) =
        values.iter().fold((0_f64, f64::INFINITY), |(most, least), &value| (most.max(value), least.min(value)));
    let apart = if most > 0.0 { (most - least) / most } else { 0.0 };
    let texts = arrows(values.into_iter().map(three_digits)).filter(|_| apart >= TOLD)?;
    let first = if key == OCCUPANCY { 1.0 } else { 0.0 };
    Some((first + apart, format!("{heading} {texts}")))
}

/// "a → b"; nothing where all are the same.
fn arrows(values: impl IntoIterator<Item = String>) -> Option<String> {
    let values: Vec<String> = values.into_iter().collect();
    (distinct(&values).len() > 1).then(|| values.join(" → "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ceiling::Roof;
    use crate::observations::DeviceFacts;
    use crate::result::samples;

    fn side(label: &str, multiprocessors: u32, rows: Vec<Row>) -> Side {
        let facts = DeviceFacts { name: label.to_owned(), simulated: true, ..DeviceFacts::default() };
        let device = DeviceFacts { time_error_percent: Some(10), ..facts };
        let roof = Roof { multiprocessors: Some(multiprocessors), ..Roof::default() };
        let [lab, timed] = ["gemm", "kernel"].map(str::to_owned);
        Side { label: label.to_owned(), lab, device, seed: 1, timed, roof: Some(roof), rows, notes: Vec::new() }
    }

    fn row(variant: &str, ms: f64, bound: &str, occupancy: f64) -> Row {
        let mut row = samples::row(variant, 64, "8x8", ms);
        row.set(&BOUND_BY, bound);
        row.counters.insert(OCCUPANCY.to_owned(), occupancy.into());
        row
    }

    /// The lines that differ, and the notes, of two cards, after a change of the second one's run.
    fn said(change: impl Fn(&mut Side)) -> (Vec<String>, String) {
        let rows = |ms: [f64; 3], bound: &str, occupancy: f64| {
            vec![
                row("same", ms[0], "latency", 50.0),
                row("little", ms[1], "latency", 50.0),
                row("much", ms[2], bound, occupancy),
            ]
        };
        let mut other = side("b", 48, rows([1.001, 0.9, 3.0], "atomics", 30.0));
        change(&mut other);
        let one = side("a", 24, rows([1.0; 3], "shared-memory wavefronts", 90.0));
        let report = side_by_side("gemm", vec![one, other], &[]);
        let lines = report.tables[1].rows.iter().map(|row| Value::from(row.clone()).to_string());
        (lines.collect(), report.notes.iter().map(|note| format!("{}\n", note.text)).collect())
    }

    #[test]
    fn what_differs_most_is_first_with_its_reasons_and_what_does_not_is_named() {
        let (lines, notes) = said(|_| {});
        let why = "bound by shared-memory wavefronts → atomics; 24 → 48 multiprocessors; achieved occ. % 90.0 → 30.0";
        assert!(lines.len() == 2 && lines[0].starts_with("[\"much 64 f32\",1.0,3.0,0.33"), "{lines:?}");
        assert!(
            lines[0].contains(why) && lines[1].contains("bound by latency; 24 → 48 multiprocessors\""),
            "{lines:?}"
        );
        assert_eq!(notes, "alike to 0.5 %: same 64 f32\n");
    }

    #[test]
    fn a_wrong_row_is_told_although_its_times_are_alike_and_one_that_is_alone_by_its_run() {
        let (lines, notes) = said(|other| other.rows[0].correct = false);
        assert!(lines[2].contains("same") && lines[2].contains("WRONG in b") && !notes.contains("alike"), "{lines:?}");
        let (lines, notes) = said(|other| other.rows.truncate(2));
        assert!(lines.len() == 1 && notes.contains("not in every run, but in a: much 64 f32\n"), "{notes}");
        assert!(!notes.contains("--size"), "{notes}");
        let (_, notes) = said(|other| other.rows.clear());
        assert!(notes.starts_with("no row is in every run") && notes.contains("one --size for all"), "{notes}");
    }
}
