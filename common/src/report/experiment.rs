//! A source document's experiment as text: its tables and nothing else.

use super::layout::{paragraph, width, write_table};
use super::table::print_failures;
use crate::result::{Experiment, Report};
use std::io::Write;

/// Prints the device, the document's tables, notes, what is wrong, and what next.
pub fn print_experiment(report: &Report, experiment: &Experiment) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let width = width();
    paragraph(&mut out, "", &report.device.to_string(), width)?;
    paragraph(&mut out, "", &format!("lab {}, seed {}: {}", report.lab, report.seed, experiment.title), width)?;
    writeln!(out)?;
    for table in experiment.tables.iter().chain(&report.tables) {
        // The label's columns, and the one that says whose the line is.
        let keys = table.columns.iter().position(String::is_empty).map_or(1, |whose| whose + 1);
        write_table(&mut out, table, keys, width)?;
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
