//! Figures of pages follow from the data beside them.

use crate::{assert_generated, root, text};
use std::fmt::Write;

const DATA: &str = "docs/measurements/data";

/// The rows of a table of the data, without its head.
fn rows(name: &str) -> Vec<Vec<String>> {
    let mut reader =
        csv::Reader::from_path(root().join(DATA).join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let rows = reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect());
    rows.collect()
}

/// A set of kernels: its file, the rows' data, the columns of card and clock, and what the table says of it.
const SETS: &[(&str, &str, usize, usize, &str)] = &include!("sets.txt");

/// Kendall's τ: pairs in one order less pairs in two, over all pairs.
fn tau(pairs: &[(f64, f64)]) -> f64 {
    let mut sum = 0.0;
    for (index, one) in pairs.iter().enumerate() {
        for other in &pairs[..index] {
            let product = (one.0 - other.0) * (one.1 - other.1);
            sum += if product > 0.0 {
                1.0
            } else if product < 0.0 {
                -1.0
            } else {
                0.0
            };
        }
    }
    sum / (pairs.len() * (pairs.len() - 1) / 2) as f64
}

/// The table of `model judge`, from the rows as they were printed.
#[test]
fn sets_of_the_clock() {
    let mut table =
        "| set | card | rows | median error | 90th percentile | within 25 % | τ |\n|---|---|---:|---:|---:|---:|---:|\n".to_owned();
    for &(set, data, card, clock, name) in SETS {
        let number = |row: &[String], column: usize| row[column].parse::<f64>().expect("a time in µs");
        let pairs: Vec<(f64, f64)> =
            rows(&format!("clock-{data}.csv")).iter().map(|row| (number(row, card), number(row, clock))).collect();
        let mut errors: Vec<f64> = pairs.iter().map(|(card, clock)| (clock / card - 1.0).abs() * 100.0).collect();
        errors.sort_by(f64::total_cmp);
        let count = errors.len();
        let median = (errors[(count - 1) / 2] + errors[count / 2]) / 2.0;
        let ninth = errors[(count as f64 * 0.9) as usize];
        let near = errors.iter().filter(|error| **error <= 25.0).count();
        writeln!(table, "| {set} | {name} | {count} | {median:.1} % | {ninth:.0} % | {near} | {:.2} |", tau(&pairs))
            .expect("a string");
    }
    assert_generated("docs/measurements/clock.md", "sets", &table);
}

/// The sentence about it stands where it is looked for, has the cards' own figures, and no unseen set of kernels was worse.
#[test]
fn nearness_is_said_once() {
    let cards = text("simulator/clock/src/cards/cards.md");
    let cells = |field: &str| -> Vec<String> {
        let line = cards.lines().find(|line| line.starts_with(&format!("| {field} "))).expect("a row");
        line.split('|').skip(2).map(|cell| cell.split_whitespace().next().unwrap_or_default().to_owned()).collect()
    };
    let (names, errors) = (cells("field"), cells("`time_error_percent`"));
    let of = |card: &str| errors[names.iter().position(|name| name == card).expect("a card")].clone();
    assert_eq!(of("h100"), of("h200"));
    let sentence = format!(
        "The first line of a run says how far kernels' times, back to back, were from its card's, in the median: ±{} % for an H100 and an H200, nine of ten within 28 %; \
         ±{} % for the assignments' cards; *unchecked* for all others. \
         A short launch alone on an idle card waits for its host, and took up to twice as long.",
        of("h100"),
        of("rtx4060")
    );
    for page in ["README.md", "docs/simulator/time.md"] {
        let words = text(page).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&sentence), "{page} lacks: {sentence}");
    }
    let unseen = text("docs/measurements/clock.md");
    let mut sets = unseen.lines().filter(|line| line.contains("not looked at**")).peekable();
    assert!(sets.peek().is_some(), "no set of kernels that nobody had looked at");
    for set in sets {
        let figure = |column: usize| {
            set.split('|').nth(column).and_then(|cell| cell.trim_end_matches(" % ").trim().parse::<f64>().ok())
        };
        assert!(figure(4).expect("a median") <= of("h100").parse().expect("a number"), "{set}");
        assert!(figure(5).expect("a percentile") <= 28.0, "{set}");
    }
}

fn assert_told(page: &str, figure: &str) {
    assert!(text(page).contains(figure), "{page} does not say what its data say: {figure}");
}

#[test]
fn counts_beside_a_profiler() {
    let rows = rows("counters-beside-ncu.csv");
    let cells = |row: &Vec<String>| row.len() - 1;
    let differ = |row: &Vec<String>| row.iter().filter(|cell| cell.contains('≠')).count();
    let (all, wrong): (usize, usize) = (rows.iter().map(cells).sum(), rows.iter().map(differ).sum());
    let agree = rows.iter().filter(|row| differ(row) == 0).count();
    let page = "docs/simulator/counters.md";
    assert_told(
        page,
        &format!("{agree} of {} rows agree in every cell, and {} of {all} cells", rows.len(), all - wrong),
    );
}

#[test]
fn what_other_checkers_see() {
    let rows = rows("h200-museum.csv");
    let kernels: Vec<_> = rows.iter().filter(|row| row[0].contains('/')).collect();
    let clean = kernels.iter().filter(|row| row[0].starts_with("clean")).count();
    assert_told(
        "docs/measurements/h200-museum.md",
        &format!("{} faulty and {clean} correct kernels", kernels.len() - clean),
    );
    assert_told("docs/measurements/h200-museum.md", &format!("All {} rows", kernels.len()));
}

#[test]
fn tests_on_a_card() {
    let passed = rows("h200-tests.csv")
        .iter()
        .filter(|row| !row[0].is_empty())
        .map(|row| row[2].parse::<usize>().expect("a count"))
        .sum::<usize>();
    assert_told("docs/measurements/h200-targets.md", &format!("{passed} passed, none failed"));
}
