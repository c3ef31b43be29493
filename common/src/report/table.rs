//! The report as text for a reader.

use super::columns::Column;
use super::comparisons::write_comparison;
use super::costs::write_costs;
use super::counters::counter_table;
use super::layout::{Look, paragraph, width, write_table};
use super::race_freedom::race_freedom;
use super::rows::{agreement, write_rows};
use crate::command_line::CommonArgs;
use crate::error::Verdict;
use crate::observations::Finding;
use crate::result::{Report, Row, Table};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// True once the heading is printed.
static HEADED: AtomicBool = AtomicBool::new(false);

/// Prints the lines above all that is told of single kernels, which are known before anything has run: so a reader sees at once what runs where.
pub fn print_heading_of_details(report: &Report, args: &CommonArgs) -> std::io::Result<()> {
    let is_certain = args.counters || args.lines || args.explain;
    if is_certain && !args.list && args.assignment.is_none() {
        write_heading(&mut std::io::stdout().lock(), report, width())?;
    }
    Ok(())
}

fn write_heading(out: &mut impl Write, report: &Report, width: usize) -> std::io::Result<()> {
    if HEADED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    paragraph(out, "", &report.device.to_string(), width)?;
    writeln!(out, "lab {}, seed {}\n", report.lab, report.seed)
}

/// Prints everything that the arguments ask for: device, rows, comparisons, details, notes, findings, what next. A flag that asks for something
/// else than rows gets that alone; `written` are lines on the files.
pub fn print_report(report: &Report, args: &CommonArgs, columns: &[Column], written: &[String]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let look = Look { width: width(), wide: args.wide, legend: !args.no_legend, explain: args.explain };
    let details = args.counters || args.lines || args.explain || !report.asked.is_empty();
    let rows = args.all || args.wide || !details && written.is_empty();
    if rows || details {
        write_heading(&mut out, report, look.width)?;
    }
    if rows {
        if !report.rows.is_empty() {
            write_rows(&mut out, report, columns, &look)?;
        }
        for comparison in &report.comparisons {
            write_comparison(&mut out, comparison, &look)?;
        }
    }
    for table in report.tables.iter().filter(|table| rows || report.asked.contains(&table.title)) {
        write_table(&mut out, table, 1, look.width)?;
    }
    if args.counters {
        // A kernel counts the same wherever the host keeps its matrices: one column serves for all of them.
        let launch = |row: &Row| (row.variant.clone(), row.size.clone(), row.block.clone(), row.dtype);
        let mut counted: Vec<&Row> = report.rows.iter().filter(|row| !row.counters.is_empty()).collect();
        counted.dedup_by_key(|row| launch(row));
        if !counted.is_empty() {
            let (table, zero) = counter_table(&counted, args.wide);
            write_table(&mut out, &table, 1, look.width)?;
            if !zero.is_empty() {
                paragraph(&mut out, "  ", &format!("0 everywhere: {}", zero.join(", ")), look.width)?;
            }
            writeln!(out)?;
        }
    }
    write_costs(&mut out, report, args, look.width)?;
    if rows || details {
        for note in &report.notes {
            paragraph(&mut out, "note: ", &note.text, look.width)?;
        }
    }
    for line in written {
        writeln!(out, "{line}")?;
    }
    if !rows && !report.rows.is_empty() {
        paragraph(&mut out, "", &agreement(report), look.width)?;
    }
    if args.sanitize {
        if report.device.simulated && report.rows.iter().all(|row| row.findings.is_empty()) {
            let text = "no findings: the sanitizer saw no race, no stray access and no use of what nobody wrote";
            paragraph(&mut out, "", text, look.width)?;
        }
        for line in race_freedom(report) {
            paragraph(&mut out, "", &line, look.width)?;
        }
    }
    print_failures(&mut out, report)?;
    let is_right = report.verdict() == Verdict::Passed;
    if let Some(next) = report.next.as_ref().filter(|_| rows || !is_right) {
        // A command is copied: it stays in one piece.
        writeln!(out, "next: {next}")?;
    }
    Ok(())
}

/// Prints one table under its title, as wide as standard output shows it.
pub fn print_table(out: &mut impl Write, table: &Table) -> std::io::Result<()> {
    write_table(out, table, 1, width())
}

/// Prints the failures of a run: of each rung, its first wrong row and its first finding in full, and how many more there are.
pub fn print_failures(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    for rows in report.by_variant() {
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

/// "; 3 more rows of this variant", where there are more than the first.
fn more(count: usize, what: &str) -> String {
    match count {
        0 | 1 => String::new(),
        2 => format!("; 1 more {what} of this variant (--json lists all)"),
        _ => format!("; {} more {what}s of this variant (--json lists all)", count - 1),
    }
}
