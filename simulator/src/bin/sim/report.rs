//! The report that is printed and written once the command has ended.
use crate::arguments::Arguments;
use crate::explain;
use crate::journal::{Journal, Kernel, number};
use crate::search;
use serde_json::{Value, json};
use simulator::diagnostics::kernel_name;
use simulator::driver::Certificate;
use std::fmt::Write;
use std::process::ExitStatus;
use views::explain::Wanted;

/// A column with its cells, kernel by kernel.
pub type Filled<'c> = (&'c Column, Vec<String>);

/// Rows and findings that are printed; the JSON has them all.
const MOST: usize = 100;

/// Kernels whose race freedom is not decided, likewise.
const MOST_UNDECIDED: usize = 5;

/// The table of counters and the costly lines, then the findings, then what was refused.
pub fn text(journal: &Journal, certificate: &Certificate, arguments: &Arguments) -> String {
    let mut text = String::new();
    if arguments.counters {
        counters(&mut text, journal, arguments);
    }
    if arguments.lines || arguments.explain {
        let wanted = Wanted { reasons: arguments.explain, counters: arguments.lines };
        explain::explain(&mut text, journal, wanted, width());
    }
    // A kernel that died is told of without the sanitizer.
    if (arguments.sanitize || !journal.findings.is_empty()) && !certificate.told {
        findings(&mut text, journal);
    }
    if arguments.sanitize {
        summary(&mut text, journal);
        text.push_str(&search::text(&journal.searches, arguments));
    }
    if !certificate.asked_in_vain.is_empty() && (arguments.counts() || arguments.sanitize) {
        let (number, code) = (certificate.asked_in_vain.len() as u64, "nothing that was computed depends on them");
        let _ = writeln!(text, "== {} asked for in vain; {code}", count(number, "thing"));
    }
    if !certificate.refused.is_empty() {
        let _ = writeln!(text, "== {}", simulator::driver::refusals_in_words(&certificate.refused));
    }
    if !certificate.faults.is_empty() {
        let _ = writeln!(text, "== {}", simulator::driver::faults_in_words(&certificate.faults));
    }
    if !certificate.newer.is_empty() {
        let _ = writeln!(text, "== {}", simulator::driver::newer_in_words(&certificate.newer));
    }
    for answered in certificate.answered_in_words() {
        let _ = writeln!(text, "== {answered}");
    }
    if certificate_is_told(certificate, arguments) {
        let _ = writeln!(text, "== {}", certificate.line());
    }
    text
}

/// A run without flags in which all was exact says nothing; one in which no kernel was launched has nothing to say.
fn certificate_is_told(certificate: &Certificate, arguments: &Arguments) -> bool {
    let is_asked = arguments.counts() || arguments.sanitize || arguments.strict;
    certificate.has_kernels() && (is_asked || certificate.is_approximate())
}

/// The same as data; what was not asked for is absent.
pub fn json(journal: &Journal, certificate: &Certificate, arguments: &Arguments, status: ExitStatus) -> Value {
    let command: Vec<_> = arguments.command.iter().map(|word| word.to_string_lossy()).collect();
    let mut document = json!({ "command": command, "exit_code": status.code(), "device": journal.device,
        "refused": certificate.refused, "faults": certificate.faults,
        "newer_ptx": certificate.newer, "asked_in_vain": certificate.asked_in_vain, "fidelity": certificate.json() });
    if arguments.counts() {
        document["kernels"] = json!(journal.kernels);
    }
    if arguments.sanitize {
        document["launches"] = journal.launches().into();
        document["findings"] = json!(journal.findings);
        document["race_freedom"] = race_freedom(journal);
        document["notes"] = json!(journal.notes);
        if arguments.search.is_some() {
            document["search"] = json!(journal.searches);
        }
    }
    document
}

fn counters(text: &mut String, journal: &Journal, arguments: &Arguments) {
    let Some(device) = &journal.device else {
        let _ = writeln!(text, "== counters: no kernel was run under the simulated driver");
        return;
    };
    let _ = writeln!(text, "== counters, simulated: {device}");
    let all: Vec<&Kernel> = journal.kernels.iter().collect();
    let mut columns = cells(&all);
    columns.iter_mut().for_each(|(_, cells)| cells.truncate(MOST));
    let rows = all.len().min(MOST);
    for part in parts(&columns, width()) {
        let mut row = |cell: &dyn Fn(&Filled) -> String| {
            let mut line = String::new();
            for column in &part {
                let (cell, width) = (cell(column), column_width(column));
                // Words to the left, numbers to the right.
                let _ = match column.0.is_word {
                    true => write!(line, "{cell:width$}  "),
                    false => write!(line, "{cell:>width$}  "),
                };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        };
        row(&|(column, _)| column.heading.to_owned());
        (0..rows).for_each(|index| row(&|(_, cells)| cells[index].clone()));
        text.push('\n');
    }
    if !arguments.no_legend {
        let widest = columns.iter().map(|(column, _)| column.heading.chars().count()).max().unwrap_or(0);
        for (column, _) in columns.iter().filter(|(column, _)| !column.meaning.is_empty()) {
            let _ = writeln!(text, "  {:widest$}  {}", column.heading, column.meaning);
        }
    }
    more(text, journal.kernels.len(), "row");
}

/// The table of counters: columns with their cells, kernel by kernel.
pub fn cells<'c>(kernels: &[&Kernel]) -> Vec<Filled<'c>> {
    let total_ns: u64 = kernels.iter().map(|kernel| kernel.time_ns).sum();
    COLUMNS
        .iter()
        .map(|column| (column, kernels.iter().map(|kernel| (column.cell)(kernel, total_ns)).collect::<Vec<_>>()))
        // A column that no kernel has a value for says nothing.
        .filter(|(_, cells)| cells.iter().any(|cell| cell != ABSENT))
        .collect()
}

/// Characters of a line of standard error, where it is a terminal.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok().map(|size| usize::from(size.ws_col));
    size.filter(|&width| width > 0).unwrap_or(USUAL_WIDTH)
}

fn column_width((column, cells): &(&Column, Vec<String>)) -> usize {
    cells.iter().map(|cell| cell.chars().count()).chain([column.heading.chars().count()]).max().unwrap_or(0)
}

/// The columns in parts of the width, each with those that name a row in front: no number is ever broken.
fn parts<'c>(columns: &'c [(&'c Column, Vec<String>)], width: usize) -> Vec<Vec<&'c (&'c Column, Vec<String>)>> {
    let (keys, others): (Vec<_>, Vec<_>) = columns.iter().partition(|(column, _)| column.is_key);
    let of_keys: usize = keys.iter().map(|column| column_width(column) + 2).sum();
    let mut parts = vec![keys.clone()];
    let mut used = of_keys;
    for column in others {
        let own = column_width(column);
        let last = parts.len() - 1;
        if used + own > width && parts[last].len() > keys.len() {
            parts.push(keys.clone());
            used = of_keys;
        }
        let last = parts.len() - 1;
        parts[last].push(column);
        used += own + 2;
    }
    parts
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
    for note in journal.notes.iter().take(MOST) {
        let message = note.get("message").and_then(Value::as_str).unwrap_or_default();
        let first = message.lines().next().unwrap_or_default();
        let _ = writeln!(text, "== note: {first} (--leaks makes it a finding)");
    }
}

/// The way to see the first finding step by step.
fn played(journal: &Journal) -> &'static str {
    let is_new = !journal.findings.is_empty() && journal.replay.is_none();
    if is_new { "; --replay FILE plays the first step by step" } else { "" }
}

fn summary(text: &mut String, journal: &Journal) {
    let (found, launches) = (journal.findings.len() as u64, journal.launches());
    let found = if found == 0 { "no findings".to_owned() } else { count(found, "finding") };
    let _ = match &journal.device {
        None if journal.findings.is_empty() => {
            writeln!(text, "== sanitizer: no findings, and no kernel was run under the simulated driver")
        }
        _ => writeln!(text, "== sanitizer: {found}; {} ran to the end{}", count(launches, "launch"), played(journal)),
    };
    if let Some(bytes) = journal.in_parts {
        let _ = writeln!(
            text,
            "== not checked: an access from one part of an allocation to another; kernels were given several places in one of {bytes} bytes, as pools give out"
        );
    }
    let of = |verdict: &str| {
        let is_it = |kernel: &&Kernel| kernel.race_freedom.as_ref().is_some_and(|of| of.verdict == verdict);
        journal.kernels.iter().filter(is_it).collect::<Vec<_>>()
    };
    let (proved, open) = (of("proved"), of("not decided"));
    if !proved.is_empty() {
        let launched = count(proved.len() as u64, "kernel");
        let _ = writeln!(
            text,
            "== race freedom of each launch by itself, for all data, at its grid and with its arguments: proved of {launched}"
        );
    }
    for kernel in open.iter().take(MOST_UNDECIDED) {
        let reason = kernel.race_freedom.as_ref().and_then(|of| of.reason.as_deref()).unwrap_or_default();
        let name = shortened(kernel_name(&kernel.kernel));
        let _ = writeln!(text, "== race freedom of `{name}` for all data: not decided; {reason}");
    }
    if open.len() > MOST_UNDECIDED {
        let more = count((open.len() - MOST_UNDECIDED) as u64, "more kernel");
        let _ = writeln!(text, "== … and of {more}: not decided (--json FILE has all)");
    }
}

/// The verdicts on kernels by their shapes.
fn race_freedom(journal: &Journal) -> Value {
    let told = |kernel: &Kernel| {
        let Kernel { kernel, grid, block, dynamic_shared_bytes, launches, race_freedom, .. } = kernel;
        let of = race_freedom.as_ref()?;
        Some(json!({ "kernel": kernel, "grid": grid, "block": block, "dynamic_shared_bytes": dynamic_shared_bytes,
            "launches": launches, "verdict": of.verdict, "reason": of.reason }))
    };
    journal.kernels.iter().filter_map(told).collect()
}

fn more(text: &mut String, all: usize, what: &str) {
    if all > MOST {
        let _ = writeln!(text, "… and {} (--json FILE has all)", count((all - MOST) as u64, &format!("more {what}")));
    }
}

/// "1 launch", "2 launches".
pub fn count(number: u64, what: &str) -> String {
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

/// Where standard error is no terminal.
const USUAL_WIDTH: usize = 100;

/// Characters of a kernel's name: of a template's they have no end.
const NAME_WIDTH: usize = 32;

/// A column: what stands above it, the cell from a row and the time of all rows, and what it says.
pub struct Column {
    pub heading: &'static str,
    cell: fn(&Kernel, u64) -> String,
    pub meaning: &'static str,
    pub is_word: bool,
    /// Names a row.
    is_key: bool,
}

const fn key(heading: &'static str, cell: fn(&Kernel, u64) -> String) -> Column {
    Column { heading, cell, meaning: "", is_word: true, is_key: true }
}

const fn number_of(heading: &'static str, cell: fn(&Kernel, u64) -> String, meaning: &'static str) -> Column {
    Column { heading, cell, meaning, is_word: false, is_key: false }
}

/// The columns that a profiler shows first.
#[rustfmt::skip]
const COLUMNS: &[Column] = &[
    key("kernel", |kernel, _| shortened(kernel_name(&kernel.kernel))),
    key("grid", |kernel, _| extents(kernel.grid)),
    key("block", |kernel, _| extents(kernel.block)),
    number_of("launches", |kernel, _| kernel.launches.to_string(), ""),
    number_of("mean µs", |kernel, _| three_digits(kernel.time_ns as f64 / 1e3 / kernel.launches as f64), "mean simulated time of a launch"),
    number_of("time %", |kernel, total_ns| three_digits(100.0 * kernel.time_ns as f64 / total_ns.max(1) as f64), "share of the time of all kernels"),
    Column { is_word: true, ..number_of("bound by", |kernel, _| kernel.bound_by.clone(), "the part of the work that takes the longest, and so sets the time") },
    number_of("load eff. %", |kernel, _| digits(kernel, "global_load_efficiency"), "of the bytes that global loads moved, the share that a thread asked for"),
    number_of("store eff. %", |kernel, _| digits(kernel, "global_store_efficiency"), "of the bytes that global stores moved, the share that a thread wrote"),
    number_of("conflicts each", |kernel, _| match number(&kernel.counters, "shared_wavefronts") {
        Some(wavefronts) if wavefronts > 0.0 => per_launch(kernel, "shared_conflicts"),
        _ => ABSENT.to_owned(),
    }, "passes over shared memory beyond the fewest possible, per launch"),
    number_of("occupancy %", |kernel, _| digits(kernel, "theoretical_occupancy"), "warps that a multiprocessor can hold of this kernel, of the most it has room for"),
    number_of("shared eff. %", |kernel, _| digits(kernel, "shared_efficiency"), "of what the banks could have carried, the share that was asked for"),
    number_of("atomics each", |kernel, _| match number(&kernel.counters, "atomics") {
        Some(atomics) if atomics > 0.0 => per_launch(kernel, "atomics"),
        _ => ABSENT.to_owned(),
    }, "atomic accesses of warps, per launch"),
    number_of("branch eff. %", |kernel, _| digits(kernel, "branch_efficiency"), "branches at which all lanes of a warp went the same way"),
];

/// The name's beginning and its end, which tells instances of a template apart.
fn shortened(name: String) -> String {
    let all: Vec<char> = name.chars().collect();
    if all.len() <= NAME_WIDTH {
        return name;
    }
    let (head, tail) = (NAME_WIDTH * 2 / 3, NAME_WIDTH / 3 - 1);
    all[..head].iter().chain(['…'].iter()).chain(&all[all.len() - tail..]).collect()
}

/// Three significant digits, at least to the units.
pub fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

fn digits(kernel: &Kernel, key: &str) -> String {
    number(&kernel.counters, key).map_or_else(|| ABSENT.to_owned(), three_digits)
}

fn per_launch(kernel: &Kernel, key: &str) -> String {
    number(&kernel.counters, key)
        .map_or_else(|| ABSENT.to_owned(), |sum| format!("{:.0}", sum / kernel.launches as f64))
}

/// "64x8", without the extents of 1 at its end.
pub fn extents([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}
