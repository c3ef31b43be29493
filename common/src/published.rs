//! Figures that the source documents print of their own runs, as one table of data: `published.csv`, whose head names each document and its units.

use std::sync::OnceLock;

/// The table's text.
const TEXT: &str = include_str!("published.csv");

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
