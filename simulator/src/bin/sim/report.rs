//! What is printed and written once the command has ended.
use crate::arguments::Arguments;
use crate::journal::{Journal, Kernel, number};
use serde_json::{Value, json};
use simulator::diagnostics::kernel_name;
use std::fmt::Write;
use std::process::ExitStatus;

/// Rows and findings that are printed; the JSON has them all.
const MOST: usize = 100;

/// The table of counters, then the findings.
pub fn text(journal: &Journal, wish: &Arguments) -> String {
    let mut text = String::new();
    if wish.counters {
        counters(&mut text, journal);
    }
    if wish.sanitize {
        findings(&mut text, journal);
    }
    text
}

/// The same as data; what was not asked for is absent.
pub fn json(journal: &Journal, wish: &Arguments, status: ExitStatus) -> Value {
    let command: Vec<_> = wish.command.iter().map(|word| word.to_string_lossy()).collect();
    let mut document = json!({ "command": command, "exit_code": status.code(), "device": journal.device });
    if wish.counters {
        document["kernels"] = json!(journal.kernels);
    }
    if wish.sanitize {
        document["launches"] = journal.launches().into();
        document["findings"] = json!(journal.findings);
    }
    document
}

fn counters(text: &mut String, journal: &Journal) {
    let Some(device) = &journal.device else {
        let _ = writeln!(text, "== counters: no kernel was run under the simulated driver");
        return;
    };
    let _ = writeln!(text, "== counters, simulated: {device}; times are a model's");
    let total_ns: u64 = journal.kernels.iter().map(|kernel| kernel.time_ns).sum();
    let mut rows: Vec<Vec<String>> = vec![COLUMNS.iter().map(|(heading, _)| (*heading).to_owned()).collect()];
    for kernel in journal.kernels.iter().take(MOST) {
        rows.push(COLUMNS.iter().map(|(_, cell)| cell(kernel, total_ns)).collect());
    }
    // A column that no kernel has a value for says nothing.
    let shown = |column: usize| rows[1..].iter().any(|row| row[column] != ABSENT);
    let columns: Vec<usize> = (0..COLUMNS.len()).filter(|&column| shown(column)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    for row in &rows {
        let mut line = String::new();
        for &column in &columns {
            let (cell, width) = (&row[column], width(column));
            // Words to the left, numbers to the right.
            let _ = if column < WORDS { write!(line, "{cell:width$}  ") } else { write!(line, "{cell:>width$}  ") };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    more(text, journal.kernels.len(), "row");
}

fn findings(text: &mut String, journal: &Journal) {
    for finding in journal.findings.iter().take(MOST) {
        let message = finding.diagnosis.get("message").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(text, "{message}");
        if finding.times > 1 {
            let _ = writeln!(text, "   = seen in {} launches", finding.times);
        }
        text.push('\n');
    }
    more(text, journal.findings.len(), "finding");
    let (found, launches) = (journal.findings.len() as u64, journal.launches());
    let found = if found == 0 { "no findings".to_owned() } else { count(found, "finding") };
    let _ = match &journal.device {
        None if journal.findings.is_empty() => {
            writeln!(text, "== sanitizer: no findings, and no kernel was run under the simulated driver")
        }
        _ => writeln!(text, "== sanitizer: {found}; {} ran to the end", count(launches, "launch")),
    };
}

fn more(text: &mut String, all: usize, what: &str) {
    if all > MOST {
        let _ = writeln!(text, "… and {} (--json FILE has all)", count((all - MOST) as u64, &format!("more {what}")));
    }
}

fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 {
        ""
    } else if what.ends_with('h') {
        "es"
    } else {
        "s"
    };
    format!("{number} {what}{plural}")
}

/// Stands where there is nothing to tell.
const ABSENT: &str = "–";

/// The first columns hold words.
const WORDS: usize = 4;

/// A heading, and the cell under it from a row and the time of all rows.
type Column = (&'static str, fn(&Kernel, u64) -> String);

/// What a profiler shows first.
const COLUMNS: &[Column] = &[
    ("kernel", |kernel, _| kernel_name(&kernel.kernel)),
    ("grid", |kernel, _| extents(kernel.grid)),
    ("block", |kernel, _| extents(kernel.block)),
    ("bound by", |kernel, _| kernel.bound_by.clone()),
    ("launches", |kernel, _| kernel.launches.to_string()),
    ("µs each", |kernel, _| format!("{:.2}", kernel.time_ns as f64 / 1e3 / kernel.launches as f64)),
    ("time %", |kernel, total_ns| format!("{:.1}", 100.0 * kernel.time_ns as f64 / total_ns.max(1) as f64)),
    ("occupancy %", |kernel, _| one_decimal(kernel, "theoretical_occupancy")),
    ("load eff. %", |kernel, _| one_decimal(kernel, "global_load_efficiency")),
    ("store eff. %", |kernel, _| one_decimal(kernel, "global_store_efficiency")),
    ("shared eff. %", |kernel, _| one_decimal(kernel, "shared_efficiency")),
    ("conflicts each", |kernel, _| match number(&kernel.counters, "shared_wavefronts") {
        Some(wavefronts) if wavefronts > 0.0 => per_launch(kernel, "shared_conflicts"),
        _ => ABSENT.to_owned(),
    }),
    ("atomics each", |kernel, _| match number(&kernel.counters, "atomics") {
        Some(atomics) if atomics > 0.0 => per_launch(kernel, "atomics"),
        _ => ABSENT.to_owned(),
    }),
    ("branch eff. %", |kernel, _| one_decimal(kernel, "branch_efficiency")),
];

fn one_decimal(kernel: &Kernel, key: &str) -> String {
    number(&kernel.counters, key).map_or_else(|| ABSENT.to_owned(), |value| format!("{value:.1}"))
}

fn per_launch(kernel: &Kernel, key: &str) -> String {
    number(&kernel.counters, key)
        .map_or_else(|| ABSENT.to_owned(), |sum| format!("{:.0}", sum / kernel.launches as f64))
}

/// "64x8", without the extents of 1 behind.
fn extents([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}
