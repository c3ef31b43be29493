//! `--explain` and `--lines`: per kernel the source lines that cost most.
use crate::journal::{Journal, Kernel};
use crate::report::{count, extents, three_digits};
use crate::rules::{self, Costly, Line};
use serde_json::Value;
use simulator::diagnostics::{kernel_name, read_source};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Kernels, and lines of each, that are shown; the page has all.
const MOST_KERNELS: usize = 10;
const MOST_LINES: usize = 5;
/// Percent of the time of all kernels that a kernel needs to be shown, and of a kernel's cost that a line needs.
const LEAST_SHARE: f64 = 1.0;
/// Percent of a kernel's cost from which on it pays to change a line.
pub const WORTH_ADVICE: f64 = 5.0;
/// Characters of a kernel's name.
const NAME_WIDTH: usize = 60;

/// The texts of source files, each read once.
#[derive(Default)]
pub struct Sources(BTreeMap<String, Option<String>>);

impl Sources {
    /// The text of a file, where it can be read here.
    pub fn text(&mut self, path: &str) -> Option<&str> {
        self.0.entry(path.to_owned()).or_insert_with(|| read_source(path)).as_deref()
    }

    /// A line without the blanks around it.
    pub fn line(&mut self, line: &Line) -> Option<String> {
        let number = usize::try_from(line.get("line")?.as_u64()?).ok()?.checked_sub(1)?;
        Some(self.text(line.get("file")?.as_str()?)?.lines().nth(number)?.trim().replace('\t', " "))
    }
}

/// The name of a line, as a reader looks for it.
pub fn place(line: &Line) -> String {
    let file = line.get("file").and_then(Value::as_str).unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or(file);
    match line.get("line").and_then(Value::as_u64).unwrap_or(0) {
        0 => "no line".to_owned(),
        number => format!("{name}:{number}"),
    }
}

/// Why each kernel takes as long as it does, and what to try.
pub fn explain(text: &mut String, journal: &Journal, width: usize) {
    let mut sources = Sources::default();
    each_kernel(text, journal, width, "explained", |text, kernel| {
        let costly = rules::costly(kernel);
        let shown: Vec<&Costly> = costly.iter().take_while(|line| line.share >= LEAST_SHARE).take(MOST_LINES).collect();
        let mut said: Vec<String> = Vec::new();
        for costly in shown {
            let mostly = costly.mostly.map_or_else(String::new, |reason| format!(", mostly {reason}"));
            let share = format!("{:.0} % {}{mostly}", costly.share, rules::measure(kernel));
            let _ = writeln!(text, "  {}  {share}", place(costly.line));
            if let Some(source) = sources.line(costly.line) {
                let _ = writeln!(text, "    | {}", cut(&source, width.saturating_sub(6)));
            }
            // What was said of a line above is not said again.
            if costly.share >= WORTH_ADVICE
                && let Some(advice) = rules::advice(costly)
                && !said.contains(&advice.reason)
            {
                paragraph(text, "    = why: ", &advice.reason, width);
                paragraph(text, "    = next: ", advice.next, width);
                said.push(advice.reason);
            }
        }
        no_lines(text, &costly);
    });
}

/// The counters of the costliest lines of each kernel.
pub fn lines(text: &mut String, journal: &Journal, width: usize) {
    /// Headings and the counters that they add up.
    const COLUMNS: &[(&str, &[&str])] = &[
        ("instructions", &["instructions"]),
        ("sectors", &["global_load_sectors", "global_store_sectors", "local_load_sectors", "local_store_sectors"]),
        ("wavefronts", &["shared_load_wavefronts", "shared_store_wavefronts"]),
        ("conflicts", &["shared_conflicts"]),
        ("atomics", &["atomics"]),
        ("divergent", &["divergent_branches"]),
    ];
    let sum = |line: &Line, keys: &[&str]| -> u64 {
        keys.iter().filter_map(|key| line.get(*key).and_then(Value::as_u64)).sum()
    };
    let mut sources = Sources::default();
    each_kernel(text, journal, width, "source lines of the first launch", |text, kernel| {
        let costly = rules::costly(kernel);
        let shown: Vec<&Costly> = costly.iter().take(2 * MOST_LINES).collect();
        let columns: Vec<_> =
            COLUMNS.iter().filter(|(_, keys)| shown.iter().any(|costly| sum(costly.line, keys) > 0)).collect();
        let widest = shown.iter().map(|costly| place(costly.line).chars().count()).max().unwrap_or(0);
        let _ = write!(text, "  {:widest$} {:>6}", "line", "cost %");
        for (heading, _) in &columns {
            let _ = write!(text, "  {heading:>9}");
        }
        let _ = writeln!(text, "  source");
        for costly in shown {
            let mut row = format!("  {:widest$} {:>6.1}", place(costly.line), costly.share);
            for (heading, keys) in &columns {
                let cell = match sum(costly.line, keys) {
                    0 => String::new(),
                    count => count.to_string(),
                };
                let _ = write!(row, "  {cell:>0$}", heading.len().max(9));
            }
            if let Some(source) = sources.line(costly.line) {
                let room = width.saturating_sub(row.chars().count() + 2).max(16);
                let _ = write!(row, "  {}", cut(&source, room));
            }
            let _ = writeln!(text, "{}", row.trim_end());
        }
        if costly.len() > 2 * MOST_LINES {
            let rest = (costly.len() - 2 * MOST_LINES) as u64;
            let _ = writeln!(text, "  … and {} (--html FILE has all)", count(rest, "more line"));
        }
        no_lines(text, &costly);
    });
}

/// Has each kernel that took a part of the time worth a look written under a heading.
fn each_kernel(
    text: &mut String,
    journal: &Journal,
    width: usize,
    what: &str,
    mut write: impl FnMut(&mut String, &Kernel),
) {
    let Some(device) = &journal.device else {
        let _ = writeln!(text, "== {what}: no kernel was run under the simulated driver");
        return;
    };
    let _ = writeln!(text, "== {what}, simulated: {device}");
    let total_ns = journal.kernels.iter().map(|kernel| kernel.time_ns).sum::<u64>().max(1);
    let share = |kernel: &Kernel| 100.0 * kernel.time_ns as f64 / total_ns as f64;
    let shown = journal.kernels.iter().take(MOST_KERNELS).take_while(|kernel| share(kernel) >= LEAST_SHARE).count();
    for kernel in &journal.kernels[..shown] {
        let head = format!(
            "`{}`, grid {}, block {}: {}, {} % of kernel time, bound by {}",
            cut(&kernel_name(&kernel.kernel), NAME_WIDTH),
            extents(kernel.grid),
            extents(kernel.block),
            count(kernel.launches, "launch"),
            three_digits(share(kernel)),
            kernel.bound_by,
        );
        text.push('\n');
        paragraph(text, "", &head, width);
        write(text, kernel);
    }
    if shown < journal.kernels.len() {
        let rest = count((journal.kernels.len() - shown) as u64, "more kernel");
        let _ = writeln!(text, "\n… and {rest} with little of the time (--html FILE has all)");
    }
    text.push('\n');
}

/// What to do where the compiler left no lines.
fn no_lines(text: &mut String, costly: &[Costly]) {
    if costly.iter().any(|costly| costly.line.get("line").and_then(Value::as_u64) == Some(0)) {
        let _ = writeln!(text, "  = lines: {}", simulator::diagnostics::NO_LINES);
    }
}

/// A text of at most so many characters, with a mark where it was cut.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A text in lines of the width, the first after a mark and the others under its words.
fn paragraph(out: &mut String, mark: &str, words: &str, width: usize) {
    let indent = mark.chars().count();
    let mut line = mark.to_owned();
    for word in words.split_whitespace() {
        let used = line.chars().count();
        if used > indent && used + word.chars().count() + 1 > width {
            let _ = writeln!(out, "{}", line.trim_end());
            line = " ".repeat(indent);
        }
        line.push_str(word);
        line.push(' ');
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_fit_the_width() {
        let mut text = String::new();
        paragraph(&mut text, "    = why: ", &"word ".repeat(40), 80);
        assert!(text.lines().all(|line| line.chars().count() <= 80) && text.lines().count() == 4, "{text}");
        assert_eq!(cut("abcdef", 4), "abc…");
        let line = |value: Value| value.as_object().cloned().unwrap();
        assert_eq!(place(&line(json!({ "file": "/a/b.cu", "line": 3 }))), "b.cu:3");
        assert_eq!(place(&line(json!({ "file": "", "line": 0 }))), "no line");
    }
}
