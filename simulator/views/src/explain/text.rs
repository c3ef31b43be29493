//! The rows of text.

use super::costs::{self, Costs};
use super::kernel::{Kernel, LEAST_PERCENT};
use super::rules::{self, Advice};
use serde_json::{Map, Value};

/// The details that are told of each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Why it costs so much, and what to try.
    pub reasons: bool,
    /// Its counters.
    pub counters: bool,
}

/// Lines of source that are told at most, and the rows of text that all of it may take.
const MOST_LINES: usize = 5;
const MOST_ROWS: usize = 25;

/// Columns in front of what is said about a line.
const INDENT: usize = 9;

/// A few rows of text, each within `width`; `source` answers a line of a file. Empty where nothing was counted.
pub fn text(kernel: &Kernel, wanted: Wanted, width: usize, source: &dyn Fn(&str, u64) -> Option<String>) -> String {
    let Some(costs) = Costs::of(kernel) else { return String::new() };
    let mut rows = heading(kernel, &costs, width);
    let mut told: Vec<(&'static str, u64)> = Vec::new();
    for &(percent, line) in costs.dearest.iter().take(MOST_LINES).filter(|(percent, _)| *percent >= LEAST_PERCENT) {
        let (file, number) = costs::place(line);
        let text = source(file, number).unwrap_or_else(|| "(its source is not at hand)".to_owned());
        let mut own = vec![cut(&format!("{percent:>4.0} % {number:>6}  {}", text.trim()), width)];
        if wanted.counters {
            own.extend(filled("", &counters(line), width));
        }
        if wanted.reasons
            && let Some(advice) = rules::advice(line, &costs, kernel.bound_by)
        {
            match told.iter().find(|(rule, _)| *rule == advice.rule) {
                Some((_, before)) => own.extend(filled("why  ", &format!("{} (as line {before})", advice.why), width)),
                None => own.extend(advised(&advice, width)),
            }
            told.push((advice.rule, number));
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

fn advised(advice: &Advice, width: usize) -> Vec<String> {
    let gain = advice.gain.map_or(String::new(), |gain| match gain {
        // Blanks at which no row is broken.
        gain if gain >= 1.05 => format!("; {} at\u{a0}most\u{a0}{gain:.1}\u{a0}×\u{a0}as\u{a0}fast", advice.gained_by),
        _ => format!("; {} hardly faster: other parts are as busy", advice.gained_by),
    });
    let mut rows = filled("why  ", &advice.why, width);
    rows.extend(filled("try  ", &format!("{}{gain}", advice.attempt), width));
    rows
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

/// A time as a table has it.
fn three_digits(value: f64) -> String {
    if value <= 0.0 {
        return "0".to_owned();
    }
    let decimals = (2 - value.log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
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

    fn told(lines: &[Map<String, Value>], bound_by: &str, wanted: Wanted, width: usize) -> String {
        let kernel = Kernel { title: "a kernel", time_ms: 0.0381, bound_by: Some(bound_by), lines };
        text(&kernel, wanted, width, &|_, line| Some(format!("    source of line {line}, {}", "x".repeat(200))))
    }

    /// A column of a tile: 32 lanes in one bank.
    fn conflicts() -> Vec<Map<String, Value>> {
        lines(json!([
            {"file": "k.cu", "line": 7, "instructions": 100, "shared_load_wavefronts": 3200, "shared_conflicts": 3100,
             "clock_ns": {"shared-memory wavefronts": 3200.0, "instruction issue": 50.0},
             "stalls": {"MIO throttle": 80.0, "selected": 1.0}},
            {"file": "k.cu", "line": 9, "instructions": 100, "global_store_sectors": 400, "global_store_efficiency": 100.0,
             "clock_ns": {"device memory": 800.0, "instruction issue": 50.0}, "stalls": {"wait": 19.0}},
        ]))
    }

    #[test]
    fn conflicts_are_named_with_the_cure_and_with_the_gain_that_the_next_limit_leaves() {
        let text = told(&conflicts(), "shared-memory wavefronts", REASONS, 100);
        let first: Vec<&str> = text.lines().collect();
        assert_eq!(first[0], "a kernel: 0.0381 ms, bound by shared-memory wavefronts");
        assert!(first[1].contains("k.cu"), "{text}");
        assert!(first[2].starts_with("  81 %      7  source of line 7") && first[2].ends_with('…'), "{text}");
        assert!(text.contains("3100 of 3200") && text.contains("pad"), "{text}");
        // Without conflicts the device's memory, with 800 ns, bounds the kernel: 3200 / 800.
        assert!(text.contains("at most 4.0 × as fast"), "{text}");
    }

    #[test]
    fn a_kernel_takes_25_rows_at_most_whatever_is_wanted_and_none_is_wider_than_asked() {
        let stalls = ["long scoreboard", "short scoreboard", "wait", "barrier", "LG throttle", "branch resolving"];
        let many: Vec<Value> = (0..40)
            .map(|index| {
                json!({"file": "k.cu", "line": index + 1, "instructions": 1000, "global_load_sectors": 4000,
                "clock_ns": {"latency": 10.0}, "stalls": {stalls[index % 6]: 5.0 + index as f64 / 10.0}})
            })
            .collect();
        for (wanted, width) in [(BOTH, 80), (REASONS, 80), (BOTH, 40), (BOTH, 120)] {
            let text = told(&lines(many.clone().into()), "latency", wanted, width);
            let rows = text.lines().count();
            assert!(rows <= MOST_ROWS && rows > 6, "{rows} rows: {text}");
            assert!(text.lines().all(|row| row.chars().count() <= width), "{text}");
        }
    }

    #[test]
    fn the_same_reason_is_told_once() {
        let line = |line: u32| json!({"file": "k.cu", "line": line, "clock_ns": {"latency": 9.0}, "stalls": {"barrier": 20.0}});
        let text = told(&lines(json!([line(3), line(5)])), "latency", REASONS, 100);
        assert_eq!((text.matches("try  ").count(), text.matches("(as line 3)").count()), (1, 1), "{text}");
    }

    #[test]
    fn a_launch_without_counters_has_no_text() {
        assert_eq!(told(&[], "latency", BOTH, 80), "");
    }

    #[test]
    fn what_is_cut_has_a_mark() {
        assert_eq!((cut("abcdef", 6).as_str(), cut("abcdef", 5).as_str()), ("abcdef", "abcd…"));
    }
}
