//! The rows of text.

use super::costs::{self, Costs};
use super::kernel::{Kernel, LEAST_PERCENT};
use super::trials::{self, three_digits};
use serde_json::{Map, Value};

/// The details that are told of each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Beside what was tried, what to try next.
    pub reasons: bool,
    /// Its counters.
    pub counters: bool,
}

/// Lines of source that are told at most, and the rows of text that all of it may take.
const MOST_LINES: usize = 5;
const MOST_ROWS: usize = 25;

/// Columns in front of what is said about a line.
const INDENT: usize = 9;

/// The row for a launch of which no trial gave enough.
const NOTHING: &str = "tried in the model: no cause of time that it can take away gives 3\u{a0}%";

/// A few rows of text, each within `width`; `source` answers a line of a file. Empty where nothing was counted.
pub fn text(kernel: &Kernel, wanted: Wanted, width: usize, source: &dyn Fn(&str, u64) -> Option<String>) -> String {
    let Some(costs) = Costs::of(kernel) else { return String::new() };
    let mut rows = heading(kernel, &costs, width);
    rows.extend(tried(kernel, wanted.reasons, width));
    for &(percent, line) in costs.dearest.iter().take(MOST_LINES).filter(|(percent, _)| *percent >= LEAST_PERCENT) {
        let (file, number) = costs::place(line);
        let text = source(file, number).unwrap_or_else(|| "(its source is not at hand)".to_owned());
        let mut own = vec![cut(&format!("{percent:>4.0} % {number:>6}  {}", text.trim()), width)];
        if wanted.counters {
            own.extend(filled("", &counters(line), width));
        }
        if rows.len() + own.len() > MOST_ROWS {
            break;
        }
        rows.extend(own);
    }
    rows.iter().map(|row| format!("{row}\n")).collect()
}

fn heading(kernel: &Kernel, costs: &Costs, width: usize) -> Vec<String> {
    let bound = kernel.bound_by.map_or(String::new(), |term| format!(", bound by {term}"));
    let files: Vec<&str> = costs.files();
    let first = format!("{}: {} ms{bound}", kernel.title, three_digits(kernel.time_ms));
    let second = format!("  lines by their share of {}, {}", costs.measure, files.join(", "));
    vec![cut(&first, width), cut(&second, width)]
}

/// The trials, the best first, each with how code comes near to it.
fn tried(kernel: &Kernel, attempts: bool, width: usize) -> Vec<String> {
    let Some(trials) = kernel.trials else { return Vec::new() };
    if trials.is_empty() {
        return filled("", NOTHING, width);
    }
    let words = trials.iter().filter_map(trials::words);
    words
        .flat_map(|(sentence, attempt)| {
            let mut rows = filled("", &sentence, width);
            rows.extend(attempts.then(|| filled("try  ", &attempt, width)).into_iter().flatten());
            rows
        })
        .collect()
}

/// Counters that a reader compares lines by, those that are not 0.
fn counters(line: &Map<String, Value>) -> String {
    let number = |keys: &[&str]| keys.iter().map(|key| costs::number(line, key)).sum::<f64>();
    let sums: [(&[&str], &str); 8] = [
        (&["instructions"], "instructions"),
        (&["global_load_sectors", "global_store_sectors"], "sectors"),
        (&["shared_load_wavefronts", "shared_store_wavefronts"], "wavefronts"),
        (&["shared_conflicts"], "conflicts"),
        (&["atomics"], "atomics"),
        (&["barriers"], "barriers"),
        (&["divergent_branches"], "divergent branches"),
        (&["flops"], "flops"),
    ];
    let present = sums.into_iter().map(|(keys, name)| (number(keys), name)).filter(|(count, _)| *count > 0.0);
    present.map(|(count, name)| format!("{count:.0} {name}")).collect::<Vec<_>>().join(", ")
}

/// A row that is cut where the width ends, with a mark that says so.
pub fn cut(row: &str, width: usize) -> String {
    if row.chars().count() <= width {
        return row.to_owned();
    }
    let kept: String = row.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Words in rows, indented, the first one after its lead.
fn filled(lead: &str, words: &str, width: usize) -> Vec<String> {
    let indent = INDENT + lead.chars().count();
    let mut rows = vec![format!("{:INDENT$}{lead}", "")];
    for word in words.split(' ') {
        let last = rows.last_mut().expect("one at least");
        let used = last.chars().count();
        if used > indent && used + 1 + word.chars().count() > width {
            rows.push(format!("{:indent$}{word}", ""));
        } else {
            let blank = if used > indent { " " } else { "" };
            last.push_str(&format!("{blank}{word}"));
        }
    }
    rows.into_iter().map(|row| row.replace('\u{a0}', " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lines(lines: Value) -> Vec<Map<String, Value>> {
        serde_json::from_value(lines).expect("objects")
    }

    const BOTH: Wanted = Wanted { reasons: true, counters: true };
    const REASONS: Wanted = Wanted { reasons: true, counters: false };

    fn told(
        lines: &[Map<String, Value>],
        trials: Option<&[Map<String, Value>]>,
        wanted: Wanted,
        width: usize,
    ) -> String {
        let kernel = Kernel { title: "a kernel", time_ms: 0.0381, bound_by: Some("latency"), trials, lines };
        text(&kernel, wanted, width, &|_, line| Some(format!("    source of line {line}, {}", "x".repeat(200))))
    }

    fn lines_of(count: usize) -> Vec<Map<String, Value>> {
        let line = |index| {
            json!({"file": "k.cu", "line": index + 1, "instructions": 1000, "global_load_sectors": 4000,
                "clock_ns": {"latency": 10.0}, "stalls": {"wait": 5.0 + index as f64 / 10.0}})
        };
        lines((0..count).map(line).collect())
    }

    fn trials(causes: &[&str]) -> Vec<Map<String, Value>> {
        let trial =
            |cause: &&str| json!({"parts": [{"cause": cause, "lines": [7]}], "time_ns": 40000, "without_ns": 10000});
        lines(causes.iter().map(trial).collect())
    }

    #[test]
    fn a_heading_what_was_tried_and_the_dearest_lines() {
        let text = told(&lines_of(2), Some(&trials(&["conflicts"])), REASONS, 100);
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows[0], "a kernel: 0.0381 ms, bound by latency");
        assert!(rows[1].contains("k.cu"), "{text}");
        assert_eq!(
            rows[2].trim(),
            "bank conflicts, line 7: without them 10.0 µs for 40.0 (4.00 ×), tried in the model"
        );
        assert!(rows[3].trim().starts_with("try  pad"), "{text}");
        assert!(rows[4].starts_with("  50 %      2  source of line 2") && rows[4].ends_with('…'), "{text}");
    }

    #[test]
    fn nothing_is_said_that_was_not_tried() {
        assert!(told(&lines_of(1), Some(&[]), REASONS, 100).contains("no cause of time"));
        assert!(!told(&lines_of(1), None, REASONS, 100).contains("tried"));
    }

    #[test]
    fn a_kernel_takes_25_rows_at_most_whatever_is_wanted_and_none_is_wider_than_asked() {
        let all = trials(&["sectors", "few_warps", "idle"]);
        for (wanted, width) in [(BOTH, 80), (REASONS, 80), (BOTH, 40), (BOTH, 120)] {
            let text = told(&lines_of(40), Some(&all), wanted, width);
            let rows = text.lines().count();
            assert!(rows <= MOST_ROWS && rows > 6, "{rows} rows: {text}");
            assert!(text.lines().all(|row| row.chars().count() <= width), "{text}");
        }
    }

    #[test]
    fn a_launch_without_counters_has_no_text() {
        assert_eq!(told(&[], None, BOTH, 80), "");
    }

    #[test]
    fn what_is_cut_has_a_mark() {
        assert_eq!((cut("abcdef", 6).as_str(), cut("abcdef", 5).as_str()), ("abcdef", "abcd…"));
    }
}
