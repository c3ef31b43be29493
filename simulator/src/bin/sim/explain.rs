//! `--explain` and `--lines`: per kernel the source lines that cost most, in the words of the labs.
use crate::journal::{Journal, Kernel};
use crate::report::{count, extents, three_digits};
use simulator::diagnostics::{NO_LINES, kernel_name, read_source};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use views::explain::{self, Wanted};

/// Kernels that are shown; the page has all.
const MOST_KERNELS: usize = 10;
/// Percent of the time of all kernels that a kernel needs to be shown.
const LEAST_SHARE: f64 = 1.0;
/// Characters of a kernel's name.
const NAME_WIDTH: usize = 40;

/// The texts of source files, each read once.
#[derive(Default)]
pub struct Sources(RefCell<BTreeMap<String, Option<String>>>);

impl Sources {
    /// The text of a file, where it can be read here.
    pub fn text(&self, path: &str) -> Option<String> {
        self.0.borrow_mut().entry(path.to_owned()).or_insert_with(|| read_source(path)).clone()
    }

    /// A line of a file.
    fn line(&self, path: &str, line: u64) -> Option<String> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        Some(self.text(path)?.lines().nth(index)?.replace('\t', " "))
    }
}

/// A kernel's costly lines, with their reasons, their counters, or both.
pub fn kernel(kernel: &Kernel, title: &str, wanted: Wanted, width: usize, sources: &Sources) -> String {
    let told = explain::Kernel {
        title,
        time_ms: kernel.time_ns as f64 / 1e6 / kernel.launches as f64,
        bound_by: Some(&kernel.bound_by),
        trials: kernel.trials.as_deref(),
        lines: &kernel.lines,
    };
    let mut text = explain::text(&told, wanted, width, &|file, line| sources.line(file, line));
    if kernel.lines.iter().any(|line| line.get("line").is_some_and(|line| line == 0)) {
        let _ = writeln!(text, "  {NO_LINES}");
    }
    text
}

/// The kernels that took most of the time, each with its costly lines.
pub fn explain(text: &mut String, journal: &Journal, wanted: Wanted, width: usize) {
    let Some(device) = &journal.device else {
        text.push_str("== lines: no kernel was run under the simulated driver\n");
        return;
    };
    let _ = writeln!(text, "== lines of each kernel's first launch, simulated: {device}");
    let total_ns = journal.kernels.iter().map(|kernel| kernel.time_ns).sum::<u64>().max(1);
    let share = |kernel: &Kernel| 100.0 * kernel.time_ns as f64 / total_ns as f64;
    let shown = journal.kernels.iter().take(MOST_KERNELS).take_while(|kernel| share(kernel) >= LEAST_SHARE).count();
    let sources = Sources::default();
    for one in &journal.kernels[..shown] {
        let title = format!(
            "{}, {} x {}, {}, {} % of all time",
            explain::cut(&kernel_name(&one.kernel), NAME_WIDTH),
            extents(one.grid),
            extents(one.block),
            count(one.launches, "launch"),
            three_digits(share(one)),
        );
        let _ = write!(text, "\n{}", kernel(one, &title, wanted, width, &sources));
    }
    if shown < journal.kernels.len() {
        let rest = count((journal.kernels.len() - shown) as u64, "more kernel");
        let _ = writeln!(text, "\n… and {rest} with little of the time (--html FILE has all)");
    }
    text.push('\n');
}
