//! The table of a report's rows: by default one line per variant and size, with the columns that answer the lab's question, as far as
//! there is room; with `--wide` every row and every column. What is the same in every line stands above it, what a reader may not know
//! below it.

use super::columns::{Column, Role};
use super::layout::{Look, USUAL_WIDTH, cell, column_width, paragraph, write_table};
use super::unit::{has_short_times, in_microseconds, scaled};
use crate::result::figures::{BOUND_BY, EDGE};
use crate::result::{Report, Row, Table, distinct, grouped};
use serde_json::Value;
use std::io::Write;

/// Reads a parameter of a row as text.
type Parameter = fn(&Row) -> &str;

/// Parameters that may tell two rows of one variant and size apart.
const PARAMETERS: [(&str, Parameter); 3] =
    [("block", |row| &row.block), ("host memory", |row| &row.host_memory), ("dtype", |row| row.dtype.name())];

/// A column with its cells, and why it is shown.
struct FilledColumn {
    heading: String,
    meaning: &'static str,
    cells: Vec<Value>,
    /// Names a row: always shown, and never said above the table.
    is_key: bool,
    /// With `--wide` only.
    is_detail: bool,
}

/// Prints the table of all rows, and where several blocks were tried, the one of the blocks.
pub fn write_rows(out: &mut impl Write, report: &Report, columns: &[Column], look: &Look) -> std::io::Result<()> {
    let rows: Vec<&Row> = if look.wide { report.rows.iter().collect() } else { chosen(&report.rows, columns) };
    let mut filled = all_columns(report, &rows, columns, look);
    in_one_unit(&mut filled);
    let constant = take_constants(&mut filled, &rows, look.wide);
    let width = if look.wide { look.width } else { look.width.min(USUAL_WIDTH) };
    let left_out = if look.wide { Vec::new() } else { take_what_has_no_room(&mut filled, width) };

    heading(out, report, &rows, &constant, look)?;
    let keys = if look.wide { names_first(&mut filled) } else { filled.iter().filter(|column| column.is_key).count() };
    let line = |index: usize| filled.iter().map(|column| column.cells[index].clone()).collect();
    let table = Table {
        title: String::new(),
        columns: filled.iter().map(|column| column.heading.clone()).collect(),
        rows: (0..rows.len()).map(line).collect(),
    };
    write_table(out, &table, keys, width)?;
    legend(out, filled.iter().map(|column| (column.heading.as_str(), column.meaning)), look)?;
    if !left_out.is_empty() && look.legend {
        let all = left_out.iter().map(|column| column.heading.as_str()).collect::<Vec<_>>().join(", ");
        paragraph(out, "  ", &format!("--wide shows also: {all}"), width)?;
        writeln!(out)?;
    }
    if !look.wide
        && let Some(table) = by_block(&report.rows, columns)
    {
        write_table(out, &table, 2, width)?;
    }
    Ok(())
}

/// All times in microseconds, where some are short.
fn in_one_unit(filled: &mut [FilledColumn]) {
    let cells = filled.iter().flat_map(|column| column.cells.iter().map(|cell| (column.heading.as_str(), cell)));
    if !has_short_times(cells) {
        return;
    }
    for column in filled {
        if let Some(heading) = in_microseconds(&column.heading) {
            column.heading = heading;
            column.cells.iter_mut().for_each(|cell| *cell = scaled(cell));
        }
    }
}

/// Puts first what names a row, and says how many columns that takes: where a table goes on in a second part, they stand there too. No two rows
/// have the same name if a parameter or a count tells them apart.
fn names_first(filled: &mut Vec<FilledColumn>) -> usize {
    let (mut names, mut others): (Vec<FilledColumn>, Vec<FilledColumn>) =
        std::mem::take(filled).into_iter().partition(|c| c.is_key);
    let lines = names.first().map_or(0, |column| column.cells.len());
    loop {
        let name = |line: usize| names.iter().map(|column| &column.cells[line]).collect::<Vec<_>>();
        let namesakes: Vec<[usize; 2]> = (0..lines)
            .flat_map(|one| (one + 1..lines).map(move |other| [one, other]))
            .filter(|&[one, other]| name(one) == name(other))
            .collect();
        let tells = |column: &FilledColumn| {
            // A measured value names nothing.
            let is_result = ["check", "error"].contains(&column.heading.as_str());
            let is_name = !is_result && !column.cells.iter().any(Value::is_f64);
            is_name && namesakes.iter().any(|&[one, other]| column.cells[one] != column.cells[other])
        };
        match others.iter().position(tells) {
            Some(index) => names.push(others.remove(index)),
            None => break,
        }
    }
    let count = names.len();
    *filled = names.into_iter().chain(others).collect();
    count
}

/// One line for each column that has an explanation.
pub fn legend<'a>(
    out: &mut impl Write,
    columns: impl Iterator<Item = (&'a str, &'a str)>,
    look: &Look,
) -> std::io::Result<()> {
    let columns: Vec<(&str, &str)> = columns.filter(|(_, meaning)| look.legend && !meaning.is_empty()).collect();
    let widest = columns.iter().map(|(heading, _)| heading.chars().count()).max().unwrap_or(0);
    for (heading, meaning) in &columns {
        let blanks = " ".repeat(widest - heading.chars().count());
        paragraph(out, &format!("  {heading}{blanks}  "), meaning, look.width.min(USUAL_WIDTH))?;
    }
    if columns.is_empty() { Ok(()) } else { writeln!(out) }
}

/// The facts that all lines have in common: what a time is of, how many results are right, which parameters and columns never change.
fn heading(
    out: &mut impl Write,
    report: &Report,
    rows: &[&Row],
    constant: &[(String, String)],
    look: &Look,
) -> std::io::Result<()> {
    let timed = report.timed;
    let runs = rows.first().map_or(0, |row| row.time_ms.runs);
    let mut facts = vec![match runs {
        1 if report.device.simulated => {
            format!("the time of a {timed} is that of one run: a simulated time is the same in every run")
        }
        1 => format!("the time of a {timed} is that of one run"),
        _ => format!("the time of a {timed} is the median of {runs} runs"),
    }];
    let all = report.rows.len();
    facts.push(agreement(report));
    if !look.wide && rows.len() < all {
        let several = |part: Parameter| rows.iter().any(|row| is_chosen(&report.rows, row, part));
        let [block, memory] = [PARAMETERS[0].1, PARAMETERS[1].1];
        let mut of = Vec::new();
        if several(block) {
            of.push("the fastest block of those tried");
        }
        if several(memory) {
            of.push("the first kind of host memory");
        }
        if of.is_empty() {
            of.push("the fastest of the choices tried");
        }
        facts.push(format!("each line has {}; --wide has all {all} rows", of.join(" and ")));
    }
    if !constant.is_empty() {
        let same: Vec<String> = constant.iter().map(|(heading, value)| format!("{heading} {value}")).collect();
        facts.push(format!("in every line: {}", same.join(", ")));
    }
    facts.iter().try_for_each(|fact| paragraph(out, "· ", fact, look.width))?;
    writeln!(out)
}

/// How many results are right, and how right they are.
pub fn agreement(report: &Report) -> String {
    let all = report.rows.len();
    let wrong = report.rows.iter().filter(|row| !row.correct).count();
    let error = report.rows.iter().map(|row| row.max_relative_error).fold(0.0, f64::max);
    let [subject, s] = results(all);
    match (wrong, error) {
        (0, 0.0) => format!("{subject} equal{s} the reference"),
        (0, _) => format!("{subject} agree{s} with the f64 reference, the relative error is at most {error:.1e}"),
        _ => format!("{wrong} of {all} results are WRONG"),
    }
}

/// "all 4 results", and the ending of a verb after it.
pub fn results(all: usize) -> [String; 2] {
    match all {
        1 => ["the result".to_owned(), "s".to_owned()],
        _ => [format!("all {all} results"), String::new()],
    }
}

/// Returns whether a row was chosen among several that differ in this parameter.
fn is_chosen(rows: &[Row], row: &Row, parameter: Parameter) -> bool {
    rows.iter().any(|other| is_alike(other, row) && parameter(other) != parameter(row))
}

/// Returns whether two rows are of one variant, size and type.
fn is_alike(one: &Row, other: &Row) -> bool {
    (&one.variant, &one.size, one.dtype) == (&other.variant, &other.size, other.dtype)
}

/// One of the rows that differ in block, host memory or a choice alone: the first that is wrong, else the fastest with the first kind of host
/// memory. The times of kernels do not depend on where the host keeps its matrices; what does has a table of its own.
pub fn chosen<'r>(rows: &'r [Row], columns: &[Column]) -> Vec<&'r Row> {
    let words = |row: &Row| -> Vec<Option<Value>> {
        let own = columns.iter().filter(|column| column.role != Role::Choice);
        own.map(|column| row.value(column.key).filter(Value::is_string)).collect()
    };
    let mut chosen: Vec<&Row> = Vec::new();
    for row in rows {
        let alike = |other: &&mut &Row| is_alike(other, row) && words(other) == words(row);
        match chosen.iter_mut().find(alike) {
            None => chosen.push(row),
            Some(known) => {
                let is_bad = |row: &Row| !row.correct || !row.findings.is_empty();
                let faster = row.host_memory == known.host_memory && row.time_ms.median < known.time_ms.median;
                if !is_bad(known) && (is_bad(row) || faster) {
                    *known = row;
                }
            }
        }
    }
    chosen
}

/// Every column that has a value in these rows.
fn all_columns(report: &Report, rows: &[&Row], columns: &[Column], look: &Look) -> Vec<FilledColumn> {
    let mut filled = Vec::new();
    let mut add = |heading: &str, meaning, is_key, is_detail, cell: &dyn Fn(&Row) -> Value| {
        let cells: Vec<Value> = rows.iter().map(|row| cell(row)).collect();
        if cells.iter().any(|value| !value.is_null()) {
            filled.push(FilledColumn { heading: heading.to_owned(), meaning, cells, is_key, is_detail });
        }
    };
    add("variant", "", true, false, &|row| row.variant.as_str().into());
    add("size", "", true, false, &|row| row.size.to_string().into());
    let sampled = "of the grid's blocks those that were run: counters and times are extrapolated from them, and the elements that they wrote were checked";
    if rows.iter().any(|row| row.sampled.is_some()) {
        add("blocks run", sampled, true, false, &|row| match row.sampled {
            Some(share) => format!("sampled, {} %", super::number::three_digits(share.percent)).into(),
            None => "all".into(),
        });
    }
    for (heading, parameter) in PARAMETERS {
        add(heading, "", false, false, &|row| parameter(row).into());
    }
    let wrong = report.rows.iter().any(|row| !row.correct);
    add("check", "", false, !wrong, &|row| if row.correct { "ok" } else { "WRONG" }.into());
    add("error", "largest difference from the f64 reference, over the largest value", false, true, &|row| {
        // A tenth of an error says nothing.
        if row.max_relative_error.is_finite() { format!("{:.1e}", row.max_relative_error).into() } else { Value::Null }
    });
    add(&format!("{} ms", report.timed), "", false, false, &|row| row.time_ms.median.into());
    if look.explain {
        let meaning = "the part of the work that takes the longest, and so sets the time";
        add("bound by", meaning, false, false, &|row| row.get(&BOUND_BY).into());
    }
    for column in columns {
        let is_detail = column.role == Role::Detail;
        let value = |row: &Row| row.value(column.key).unwrap_or(Value::Null);
        add(column.heading, column.meaning, false, is_detail, &value);
    }
    filled
}

/// Takes out the columns with one value in all rows, as headings and values. A row of a library, which has no block, counts for none of
/// the parameters.
fn take_constants(filled: &mut Vec<FilledColumn>, rows: &[&Row], wide: bool) -> Vec<(String, String)> {
    let mut constant = Vec::new();
    filled.retain(|column| {
        if column.is_key || column.heading == "check" {
            return true;
        }
        let of_library = |row: &Row| row.block.is_empty();
        let own = column
            .cells
            .iter()
            .zip(rows)
            .filter(|(value, row)| !(of_library(row) && (value.is_null() || *value == "")));
        let mut values = own.map(|(value, _)| value);
        let Some(first) = values.next() else { return false };
        let is_number = !first.is_string();
        let same = values.all(|value| value == first) && !first.is_null();
        // One line alone has nothing to compare: its numbers stay in the table.
        if !same || is_number && rows.len() < 2 {
            return true;
        }
        // Without `--wide` details are named below the table instead.
        if column.is_detail && !wide {
            return true;
        }
        constant.push((column.heading.clone(), cell(first)));
        false
    });
    constant
}

/// Takes out details, and of the other columns those for which the width has no room.
fn take_what_has_no_room(filled: &mut Vec<FilledColumn>, width: usize) -> Vec<FilledColumn> {
    let mut used = 0;
    let (kept, left_out) = std::mem::take(filled).into_iter().partition(|column| {
        let own = column_width(&column.heading, &column.cells);
        // The gap after the last column takes no room.
        let fits = column.is_key || !column.is_detail && used + own <= width + 2;
        used += if fits { own } else { 0 };
        fits
    });
    *filled = kept;
    left_out
}

/// The columns that depend on the block, block by block, for what was run with several.
fn by_block(rows: &[Row], columns: &[Column]) -> Option<Table> {
    let columns: Vec<&Column> = columns
        .iter()
        .filter(|column| column.role == Role::ByBlock && rows.iter().any(|row| row.value(column.key).is_some()))
        .collect();
    let several: Vec<&Row> = rows.iter().filter(|row| is_chosen(rows, row, PARAMETERS[0].1)).collect();
    // Rungs have blocks of their own for one edge: where there is an edge, it is the heading they share.
    let label = |row: &Row| match row.get(&EDGE) {
        Some(edge) => format!("edge {edge}"),
        None => row.block.clone(),
    };
    let labels = distinct(several.iter().map(|row| label(row)));
    let lines = grouped(several, |one, other| is_alike(one, other));
    if lines.is_empty() || columns.is_empty() {
        return None;
    }
    let dtypes = lines.iter().any(|line| line[0].dtype != lines[0][0].dtype);
    let value = |line: &[&Row], column: &Column, wanted: &String| {
        let row = line.iter().find(|row| label(row) == *wanted)?;
        row.value(column.key)
    };
    let line = |line: &Vec<&Row>| {
        let first = line[0];
        let mut cells = vec![Value::from(first.variant.as_str()), first.size.to_string().into()];
        cells.extend(dtypes.then(|| Value::from(first.dtype.name())));
        for column in &columns {
            cells.extend(labels.iter().map(|wanted| value(line, column, wanted).unwrap_or(Value::Null)));
        }
        cells
    };
    let mut headings: Vec<String> = ["variant", "size"].map(str::to_owned).to_vec();
    headings.extend(dtypes.then(|| "dtype".to_owned()));
    for column in &columns {
        // Two lines: the column's heading, and the block.
        let whole = |words: &str| words.replace(' ', "\u{a0}");
        headings.extend(labels.iter().map(|label| format!("{} {}", whole(column.heading), whole(label))));
    }
    Some(Table { title: "block by block".to_owned(), columns: headings, rows: lines.iter().map(line).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::samples;

    const COLUMNS: &[Column] = &[
        Column::shared("gflops").role(Role::ByBlock),
        Column::shared("theoretical_occupancy"),
        Column::shared("shared_bytes").detail(),
    ];

    fn report() -> Report {
        let mut report = samples::report();
        for (variant, block, memory, ms) in [
            ("naive", "8x8", "pageable", 2.0),
            ("naive", "8x8", "pinned", 2.0),
            ("naive", "16x16", "pageable", 1.0),
            ("naive", "16x16", "pinned", 0.5),
            ("tiled", "16x16", "pageable", 0.25),
        ] {
            let mut row = samples::row(variant, 64, block, ms);
            row.host_memory = memory.into();
            row.gflops = Some(1.0 / ms);
            row.counters.insert("theoretical_occupancy".into(), 50.0.into());
            row.figures.insert("shared_bytes".into(), 4096.into());
            report.rows.push(row);
        }
        report
    }

    fn text(report: &Report, look: &Look) -> String {
        let mut out = Vec::new();
        write_rows(&mut out, report, COLUMNS, look).unwrap();
        String::from_utf8(out).unwrap()
    }

    const LOOK: Look = Look { width: 100, wide: false, legend: true, explain: false };

    #[test]
    fn a_variant_and_size_has_one_line_and_what_never_changes_stands_above() {
        let text = text(&report(), &LOOK);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            text.contains("in every line: block 16x16, host memory pageable, dtype f32, occupancy % 50.0"),
            "{text}"
        );
        assert!(lines.contains(&"naive      64    1.00     1.00"), "{text}");
        assert!(lines.contains(&"tiled      64   0.250     4.00"), "{text}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("naive")).count(), 2, "once more by block: {text}");
        assert!(text.contains("--wide shows also: ") && text.contains("shared B"), "{text}");
        assert!(text.contains("  GFLOP/s  10⁹ floating-point"), "{text}");
    }

    #[test]
    fn a_wrong_row_never_gives_way_to_a_faster_one() {
        let mut report = report();
        report.rows[0].correct = false;
        let text = text(&report, &LOOK);
        assert!(text.contains("1 of 5 results are WRONG") && text.contains("naive      64  8x8    WRONG  "), "{text}");
    }

    #[test]
    fn wide_has_every_row_and_every_column() {
        let text = text(&report(), &Look { wide: true, legend: false, ..LOOK });
        assert_eq!(text.lines().filter(|line| line.starts_with("naive")).count(), 4, "{text}");
        assert!(text.contains("pinned") && text.contains("shared B 4096") && !text.contains("10⁹"), "{text}");
    }

    #[test]
    fn each_part_of_a_wide_table_names_its_rows() {
        let mut report = report();
        report.rows.iter_mut().enumerate().for_each(|(index, row)| {
            row.counters.insert("theoretical_occupancy".into(), (10.0 * index as f64).into());
        });
        let text = text(&report, &Look { wide: true, legend: false, width: 50, ..LOOK });
        let named = |line: &&str| line.starts_with("naive") || line.starts_with("tiled");
        let mut names: Vec<String> = text
            .lines()
            .filter(named)
            .map(|line| line.split_whitespace().take(4).collect::<Vec<_>>().join(" "))
            .collect();
        let parts = text.lines().filter(|line| line.starts_with('─')).count();
        assert!(parts > 1, "{text}");
        assert_eq!(names.len(), parts * 5);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 5, "{names:?} in {text}");
    }

    #[test]
    fn a_narrow_terminal_has_fewer_columns_and_no_broken_number() {
        let text = text(&report(), &Look { width: 40, ..LOOK });
        let rows = text.lines().filter(|line| line.starts_with("naive") || line.starts_with("tiled"));
        assert!(rows.clone().all(|line| line.chars().count() <= 40), "{text}");
        assert!(rows.count() >= 2);
    }
}
