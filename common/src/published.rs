//! Figures that the source documents print of their own runs, as one table of data: `published.csv`, whose head names each document and its units;
//! and why those of a run here differ from them: `reasons.txt`.

use std::sync::OnceLock;

/// The table's text.
const TEXT: &str = include_str!("published.csv");
/// Why figures differ.
const REASONS: &str = include_str!("reasons.txt");

/// One figure of a document.
#[derive(Debug)]
struct Entry {
    document: &'static str,
    rung: &'static str,
    setting: &'static str,
    n: &'static str,
    figure: &'static str,
    values: Vec<f64>,
}

/// The values of a figure: one, five statistics, or two where the document gives a range. `setting` is what else the rung was set to, and may be empty, as may `n`. `None`: the
/// document does not print it.
pub fn values(document: &str, rung: &str, setting: &str, n: &str, figure: &str) -> Option<&'static [f64]> {
    let is_it = |entry: &&Entry| {
        [entry.document, entry.rung, entry.setting, entry.n, entry.figure] == [document, rung, setting, n, figure]
    };
    table().iter().find(is_it).map(|entry| entry.values.as_slice())
}

/// [`values`] where it is a single one, or the mean of five.
pub fn value(document: &str, rung: &str, setting: &str, n: &str, figure: &str) -> Option<f64> {
    match *values(document, rung, setting, n, figure)? {
        [only] => Some(only),
        [_, _, mean, ..] => Some(mean),
        _ => None,
    }
}

/// Why a figure of an experiment differs from the published one by more than a tenth: that of the first line of `reasons.txt` whose patterns fit
/// document, table, line and column. `None`: nobody knows.
pub fn reason(cell: [&str; 4]) -> Option<&'static str> {
    reasons().find(|(patterns, _)| patterns.iter().zip(cell).all(|(pattern, of)| fits(pattern, of))).map(|it| it.1)
}

/// The patterns and the text of each reason, in their order.
fn reasons() -> impl Iterator<Item = ([&'static str; 4], &'static str)> {
    REASONS.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let parts: Vec<&str> = line.splitn(5, " | ").collect();
        let [document, table, line, column, text] = parts[..] else { panic!("reasons.txt: {line}") };
        ([document, table, line, column], text)
    })
}

/// One of the pattern's choices is the text, or has its begin and its end on either side of a star.
fn fits(pattern: &str, text: &str) -> bool {
    pattern.split(';').any(|choice| match choice.split_once('*') {
        Some((head, tail)) => text.strip_prefix(head).is_some_and(|rest| rest.ends_with(tail)),
        None => choice == text,
    })
}

fn table() -> &'static [Entry] {
    static TABLE: OnceLock<Vec<Entry>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#')).skip(1);
        lines.map(|line| entry(line).unwrap_or_else(|| panic!("published.csv: {line}"))).collect()
    })
}

fn entry(line: &'static str) -> Option<Entry> {
    let [document, rung, setting, n, figure, values] = line.split(',').collect::<Vec<_>>().try_into().ok()?;
    let values = values.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>().ok()?;
    matches!(values.len(), 1 | 2 | 5).then_some(Entry { document, rung, setting, n, figure, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_none_stands_twice() {
        let key = |entry: &Entry| (entry.document, entry.rung, entry.setting, entry.n, entry.figure);
        let mut keys: Vec<_> = table().iter().map(key).collect();
        let lines = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!((keys.len(), lines), (531, 531));
    }

    #[test]
    fn statistics_are_in_the_order_of_the_head_and_fit_together() {
        assert_eq!(value("memory", "naive", "pinned", "1024", "kernel"), Some(2.560_739_1));
        assert_eq!(value("transpose", "padded", "", "256", "kernel_us"), Some(22.209));
        assert_eq!(value("lecture", "mapped", "", "", "copy_in"), None);
        for Entry { values, .. } in table() {
            if let [min, max, mean, median, deviation] = values[..] {
                assert!(min <= median && median <= max && min <= mean && mean <= max, "{values:?}");
                // As far as values from a least to a largest one can be apart.
                assert!(deviation <= (max - min) * 0.51, "{values:?}");
            }
        }
    }

    #[test]
    fn a_reason_is_that_of_the_first_line_that_fits() {
        assert!(fits("*", "512") && fits("n = *, shared", "n = 512, shared") && fits("min;max", "max"));
        assert!(!fits("n = *, shared", "n = 512, naive") && !fits("min;max", "mean") && !fits("ab*b", "ab"));
        let [spread, wait] = ["max", "mean"].map(|column| reason(["memory", "n = 512, naive", "wait pinned", column]));
        assert!(spread.is_some() && wait.is_some() && spread != wait);
        assert_eq!(reason(["methods", "method 1, one block", "8 64", "shared B"]), None);
    }

    /// The report's totals are its phases' sums, and its rates those of n³ operations over the totals.
    #[test]
    fn the_phases_of_a_published_run_add_up() {
        for (rung, memory, n) in
            [("naive", "pinned", 512_u32), ("naive", "pageable", 4096), ("shared", "pinned", 16384)]
        {
            let of = |figure| value("memory", rung, memory, &n.to_string(), figure).expect("published");
            let phases = ["copy_in", "copy_out", "kernel", "allocation", "synchronisation", "free"].map(of);
            let sum: f64 = phases.iter().sum();
            assert!((sum / of("total") - 1.0).abs() < 0.03, "{rung} {memory} {n}: {sum} and {}", of("total"));
            let rate = f64::from(n).powi(3) / of("total") / 1e6;
            assert!((rate / of("gflops") - 1.0).abs() < 0.02, "{rung} {memory} {n}: {rate} and {}", of("gflops"));
        }
    }
}
