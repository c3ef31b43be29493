//! The page of a run, opened in a browser: common/tests/browser/mod.rs.

#[path = "../../../common/tests/browser/mod.rs"]
mod browser;

use super::LAB;

/// A column of a tile of 32 × 32 lies in one bank; padding or a swizzle spreads it over all.
#[test]
fn a_column_takes_as_many_wavefronts_as_the_tile_lets_it() {
    let variants = "copy,shared_static,padded,swizzled";
    let arguments = ["--device", "sim:rtx4060", "--size", "64", "--variant", variants, "--place", "out"];
    browser::check_page(LAB, "transpose", &arguments, |browser, report| {
        let answer = browser.run("return document.querySelector('#answer .lead').textContent").to_string();
        assert!(!answer.starts_with("\"copy "), "a limit is no answer: {answer}");
        let most = |variant: &str| {
            let rows = report["rows"].as_array().expect("rows").iter();
            let lines =
                rows.filter(|row| row["variant"] == variant).filter_map(|row| row["lines"].as_array()).flatten();
            let accesses = lines.filter_map(|line| line["accesses"].as_array()).flatten();
            let shared = accesses.filter(|access| access["space"] == "shared");
            shared.filter_map(|access| access["count"].as_u64()).max()
        };
        assert_eq!(["shared_static", "padded", "swizzled"].map(most), [Some(32), Some(1), Some(1)]);
    });
}

/// The page of an experiment has the document's tables, in which a published line has the label of the line above it.
#[test]
fn an_experiment_shows_its_tables_with_the_published_lines() {
    let arguments = ["--assignment", "--size", "128"];
    browser::check_page(LAB, "transpose-assignment", &arguments, |browser, report| {
        let tables = report["experiment"]["tables"].as_array().expect("tables");
        let titles = browser.texts("#experiment-tables h3", "textContent");
        assert_eq!(titles, tables.iter().map(|table| table["title"].as_str().expect("a title")).collect::<Vec<_>>());
        let lines = browser.texts("#experiment-tables tbody tr", "cells[0].textContent");
        assert!(!lines.is_empty() && lines.iter().all(|label| !label.is_empty()), "{lines:?}");
        let text = browser.run("return document.getElementById('experiment-tables').textContent").to_string();
        assert!(text.contains("published") && text.contains("simulated"), "{text}");
    });
}
