//! The report as text for a reader.

use super::columns::Column;
use super::csv::flattened;
use crate::command_line::CommonArgs;
use crate::observations::Finding;
use crate::result::{Comparison, ComparisonRow, Report, Row, Table};
use comfy_table::{CellAlignment, ContentArrangement, TableComponent, presets};
use serde_json::{Map, Value};
use std::io::Write;

/// Rows whose counters stand side by side: as many as fit a terminal.
const COUNTER_COLUMNS: usize = 5;

/// Characters of a source line that are shown beside its counters.
const SOURCE_WIDTH: usize = 60;

/// Prints everything that the arguments ask for: device, rows, comparisons, details, notes, findings, what next.
pub fn print_report(report: &Report, args: &CommonArgs, columns: &[Column]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", report.device)?;
    writeln!(out, "lab {}, seed {}\n", report.lab, report.seed)?;
    if !report.rows.is_empty() {
        print_table(&mut out, &main_table(report, args, columns))?;
    }
    for comparison in &report.comparisons {
        print_table(&mut out, &comparison_table(comparison))?;
    }
    for table in &report.tables {
        print_table(&mut out, table)?;
    }
    if args.counters {
        // A kernel counts the same wherever the host keeps its matrices: one column serves for all of them.
        let launch = |row: &Row| (row.variant.clone(), row.size.clone(), row.block.clone(), row.dtype);
        let mut counted: Vec<&Row> = report.rows.iter().filter(|row| !row.counters.is_empty()).collect();
        counted.dedup_by_key(|row| launch(row));
        for rows in counted.chunks(COUNTER_COLUMNS) {
            print_table(&mut out, &counter_table(rows))?;
        }
    }
    if args.lines {
        for row in report.rows.iter().filter(|row| !row.lines.is_empty()) {
            print_table(&mut out, &line_table(row))?;
        }
    }
    for note in &report.notes {
        writeln!(out, "note: {note}")?;
    }
    print_failures(&mut out, report)?;
    if !report.next.is_empty() {
        writeln!(out, "next: {}", report.next)?;
    }
    Ok(())
}

/// Prints one table under its title.
pub fn print_table(out: &mut impl Write, table: &Table) -> std::io::Result<()> {
    let mut text = comfy_table::Table::new();
    // One rule under the heading; rules between rows would double the length of what a reader scrolls through.
    text.load_preset(presets::NOTHING)
        .set_style(TableComponent::HeaderLines, '─')
        .set_style(TableComponent::MiddleHeaderIntersections, '─')
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(&table.columns);
    for row in &table.rows {
        text.add_row(row.iter().map(cell));
    }
    let is_number = |value: &Value| {
        value
            .as_str()
            .map_or(value.is_number() || value.is_null(), |text| text.is_empty() || text.parse::<f64>().is_ok())
    };
    for (index, column) in text.column_iter_mut().enumerate() {
        let mut cells = table.rows.iter().filter_map(|row| row.get(index));
        // Two blanks between columns are enough to tell them apart, and wide tables need the room.
        column.set_padding((0, 1));
        if cells.all(is_number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}\n{text}\n", table.title)
}

/// What a failing run is about: of each rung, its first wrong row and its first finding in full, and how many more there are.
fn print_failures(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    for rows in by_variant(&report.rows) {
        let wrong: Vec<&Row> = rows.iter().copied().filter(|row| !row.correct).collect();
        if let Some(row) = wrong.first() {
            let Row { variant, size, block, dtype, host_memory, .. } = row;
            let detail = row.mismatch.as_ref().map_or_else(
                || "a row of the result disagrees with the reference as a whole".to_owned(),
                ToString::to_string,
            );
            writeln!(
                out,
                "wrong result: {variant} {size} block {block} {dtype} {host_memory}: {detail}{}",
                more(wrong.len(), "row")
            )?;
        }
        let findings: Vec<&Finding> = rows.iter().flat_map(|row| &row.findings).collect();
        if let Some(finding) = findings.first() {
            writeln!(out, "\n{}{}\n", finding.message.trim_end(), more(findings.len(), "finding"))?;
        }
    }
    Ok(())
}

/// The rows of each variant together, in order of their first.
fn by_variant(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|group| group[0].variant == row.variant) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// "; 3 more rows of this variant", where there are more than the first.
fn more(count: usize, what: &str) -> String {
    match count {
        0 | 1 => String::new(),
        2 => format!("; 1 more {what} of this variant (--json lists all)"),
        _ => format!("; {} more {what}s of this variant (--json lists all)", count - 1),
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => significant(number.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

/// About four significant digits, without an exponent for ordinary sizes.
fn significant(value: f64) -> String {
    let magnitude = value.abs();
    let decimals = match magnitude {
        m if m >= 1000.0 || m == 0.0 => 0,
        m if m >= 100.0 => 1,
        m if m >= 10.0 => 2,
        m if m >= 0.1 => 3,
        m if m >= 1e-4 => 6,
        _ => return format!("{value:.1e}"),
    };
    format!("{value:.decimals$}")
}

/// Reads a parameter of a row as text.
type Parameter = fn(&Row) -> &str;

/// One line per row. A word that is the same in all rows (block, type, host memory) is said once, in the title.
fn main_table(report: &Report, args: &CommonArgs, lab_columns: &[Column]) -> Table {
    let rows = &report.rows;
    let mut title = "results".to_owned();
    let mut columns: Vec<(String, Vec<Value>)> = Vec::new();
    let mut add = |heading: &str, cell: &dyn Fn(&Row) -> Value| {
        columns.push((heading.to_owned(), rows.iter().map(cell).collect()));
    };
    add("variant", &|row| row.variant.as_str().into());
    add("size", &|row| row.size.to_string().into());
    let parameters: [(&str, Parameter); 3] =
        [("block", |row| &row.block), ("host memory", |row| &row.host_memory), ("dtype", |row| row.dtype.name())];
    for (heading, parameter) in parameters {
        // A library's own choice, an empty string, is no second value.
        let mut values = rows.iter().map(parameter).filter(|value| !value.is_empty());
        let first = values.next().unwrap_or_default();
        if values.any(|value| value != first) {
            add(heading, &|row| parameter(row).into());
        } else if !first.is_empty() {
            title += &format!(", {heading} {first}");
        }
    }
    add("check", &|row| if row.correct { "ok" } else { "WRONG" }.into());
    add("error", &|row| row.max_relative_error.into());
    add(&format!("{} ms", report.timed), &|row| row.time_ms.median.into());
    for column in lab_columns {
        let mut values = rows.iter().filter_map(|row| row.value(column.key));
        match values.next() {
            Some(Value::String(word)) if values.all(|value| value == word.as_str()) => {
                title += &format!(", {} {word}", column.heading);
            }
            Some(_) => add(column.heading, &|row| row.value(column.key).unwrap_or(Value::Null)),
            None => {}
        }
    }
    if args.explain {
        add("bound by", &|row| row.figures.get("bound_by").cloned().unwrap_or(Value::Null));
    }
    let runs = rows.first().map_or(0, |row| row.time_ms.runs);
    if runs > 1 {
        title += &format!(", {} ms: median of {runs} runs", report.timed);
    }
    let line = |index: usize| columns.iter().map(|(_, cells)| cells[index].clone()).collect();
    Table {
        title,
        rows: (0..rows.len()).map(line).collect(),
        columns: columns.iter().map(|(heading, _)| heading.clone()).collect(),
    }
}

fn comparison_table(comparison: &Comparison) -> Table {
    let width = comparison.rows.first().map_or(0, |row| row.label.len());
    let headings = std::iter::repeat_n(String::new(), width).chain(["size".to_owned()]);
    let row = |row: &ComparisonRow| {
        let label = row.label.iter().map(|text| Value::from(text.as_str()));
        let gains = row.gain_percent.iter().map(|gain| match gain {
            // Signed, so that a gain reads as one.
            Some(gain) => Value::from(format!("{gain:+.1}")),
            None => Value::Null,
        });
        label.chain([row.size.to_string().into()]).chain(gains).collect()
    };
    Table {
        title: format!("{}: gain in % (positive is better)", comparison.title),
        columns: headings.chain(comparison.columns.iter().cloned()).collect(),
        rows: comparison.rows.iter().map(row).collect(),
    }
}

/// All counters: one line per counter, one column per row of the report.
fn counter_table(rows: &[&Row]) -> Table {
    let flat: Vec<Map<String, Value>> = rows.iter().map(|row| flattened(&row.counters)).collect();
    let mut names: Vec<&String> = Vec::new();
    for name in flat.iter().flat_map(Map::keys) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let heading = |row: &&Row| format!("{} {} {}", row.variant, row.size, row.block);
    let line = |name: &String| {
        let cells = flat.iter().map(|counters| counters.get(name).cloned().unwrap_or(Value::Null));
        std::iter::once(Value::from(name.as_str())).chain(cells).collect()
    };
    Table {
        title: "counters of one launch".to_owned(),
        columns: std::iter::once("counter".to_owned()).chain(rows.iter().map(heading)).collect(),
        rows: names.into_iter().map(line).collect(),
    }
}

/// The counters that are not zero on every line, and the line itself beside them.
fn line_table(row: &Row) -> Table {
    let is_place = |name: &str| matches!(name, "file" | "line");
    let counts = |value: &Value| value.as_f64().is_some_and(|number| number != 0.0);
    let mut counters: Vec<&String> = Vec::new();
    for (name, value) in row.lines.iter().flatten() {
        if !is_place(name) && counts(value) && !counters.contains(&name) {
            counters.push(name);
        }
    }
    let mut sources = kernels::sources().collect::<Vec<_>>();
    sources.retain(|source| row.lines.iter().any(|line| line.get("file").is_some_and(|file| file == source.path)));
    let text = |line: &Map<String, Value>| -> Option<String> {
        let source = sources.iter().find(|source| line.get("file").is_some_and(|file| file == source.path))?;
        let index = usize::try_from(line.get("line")?.as_u64()?).ok()?.checked_sub(1)?;
        Some(source.text.lines().nth(index)?.trim().chars().take(SOURCE_WIDTH).collect())
    };
    let cells = |line: &Map<String, Value>| {
        // Most counters are 0 on most lines: blanks let the others be seen.
        let cell = |name: &String| line.get(name).filter(|value| counts(value)).cloned().unwrap_or("".into());
        let place = [line.get("line").cloned().unwrap_or(Value::Null), text(line).unwrap_or_default().into()];
        place.into_iter().chain(counters.iter().copied().map(cell)).collect()
    };
    let files: Vec<&str> = sources.iter().map(|source| source.path).collect();
    Table {
        title: format!("by source line: {} {} block {}, {}", row.variant, row.size, row.block, files.join(", ")),
        rows: row.lines.iter().map(cells).collect(),
        columns: ["line", "source"]
            .into_iter()
            .map(str::to_owned)
            // Two short lines instead of one long word keep the columns narrow.
            .chain(counters.iter().map(|name| name.replacen('_', "\n", 1)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_about_four_digits() {
        for (value, text) in [
            (12345.6, "12346"),
            (123.456, "123.5"),
            (1.23456, "1.235"),
            (0.012345, "0.012345"),
            (1.25e-7, "1.2e-7"),
            (0.0, "0"),
        ] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn an_absent_number_is_a_dash_and_not_a_zero() {
        assert_eq!(cell(&Value::Null), "–");
        assert_eq!(cell(&Value::from(0)), "0");
    }
}
