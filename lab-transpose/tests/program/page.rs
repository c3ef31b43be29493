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

/// The page that plays a launch: the step of the conflict, the values that it leaves, back again, and by keys alone.
#[test]
fn a_replay_goes_to_the_first_conflict_and_back() {
    let arguments = ["--device", "sim:rtx4060", "--size", "33", "--variant", "shared_static"];
    browser::check_replay(LAB, "transpose-replay", &arguments, |browser| {
        let sentence = || browser.texts("#sentence", "textContent").remove(0);
        let value = |row: usize, column: usize| {
            let script =
                format!("return document.querySelector('.array table').rows[{row}].cells[{column}].textContent");
            browser.run(&script).as_str().expect("text").to_owned()
        };
        assert!(sentence().contains("Before the launch") && value(1, 1) == "·", "{}", sentence());
        browser.run(
            "[...document.querySelectorAll('#marks button')].find((b) => b.textContent === 'first conflict').click()",
        );
        let there = sentence();
        let expected = "lanes 0 to 31 load tile[0][0] to tile[31][0], 32 elements apart: 32 passes through the banks where 1 would do";
        assert!(there.contains(expected), "{there}");
        let written = value(2, 1);
        assert!(written.parse::<f64>().is_ok(), "{written}");
        assert_eq!(browser.texts("#source tr.now td:nth-child(3)", "textContent").len(), 1);
        // By keys: a step back and forward, the barrier before, the beginning, the end.
        for (key, words) in
            [("\u{e012}", "warp"), ("\u{e014}", expected), ("\u{e00e}", "barrier"), ("\u{e011}", "Before")]
        {
            browser.press(key);
            assert!(sentence().contains(words), "{words}: {}", sentence());
        }
        assert_eq!(value(2, 1), "·", "taken back");
        browser.press("\u{e010}");
        assert!(sentence().contains("have ended"), "{}", sentence());
        // The element that was written is the matrix's own: in[1][0] of a tile's second row.
        browser.run("document.querySelector('.array table').rows[2].cells[1].firstChild.click()");
        let history = browser.texts("#detail p", "textContent");
        assert!(history.iter().any(|line| line.contains("written by")), "{history:?}");
    });
}
