//! A source document's experiment as text: its tables and nothing else.

use super::layout::{paragraph, width, write_table};
use super::table::print_failures;
use crate::result::{Experiment, Report, Table};
use std::io::Write;

/// Prints the device, and those of the document's tables that are not shown yet.
pub fn print_tables(report: &Report, experiment: &Experiment) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let width = width();
    if experiment.shown == 0 {
        paragraph(&mut out, "", &report.device.to_string(), width)?;
        paragraph(&mut out, "", &format!("lab {}, seed {}: {}", report.lab, report.seed, experiment.title), width)?;
        writeln!(out)?;
    }
    for table in experiment.tables.iter().skip(experiment.shown) {
        write_experiment_table(&mut out, table, width)?;
    }
    out.flush()
}

fn write_experiment_table(out: &mut impl Write, table: &Table, width: usize) -> std::io::Result<()> {
    // The label's columns, and the one that says whose the line is.
    let keys = table.columns.iter().position(String::is_empty).map_or(1, |whose| whose + 1);
    write_table(out, table, keys, width)
}

/// Prints all that is not shown yet: the device, the document's tables, notes, what is wrong, and what next.
pub fn print_experiment(report: &Report, experiment: &Experiment) -> anyhow::Result<()> {
    print_tables(report, experiment)?;
    let mut out = std::io::stdout().lock();
    let width = width();
    for table in &report.tables {
        write_experiment_table(&mut out, table, width)?;
    }
    for note in experiment.notes.iter().chain(report.notes.iter().map(|note| &note.text)) {
        paragraph(&mut out, "note: ", note, width)?;
    }
    print_failures(&mut out, report)?;
    if let Some(next) = &report.next {
        writeln!(out, "next: {next}")?;
    }
    Ok(())
}
