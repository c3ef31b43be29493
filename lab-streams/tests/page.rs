//! The page of a run, opened in a browser: common/tests/browser/mod.rs.

#[path = "../../common/tests/browser/mod.rs"]
mod browser;

use common::testing::Program;

const LAB: Program = Program(env!("CARGO_BIN_EXE_lab-streams"));

/// Every span of every batch is drawn, and the stretch of time that is shown can be chosen, with keys as well.
#[test]
fn timelines_are_complete_and_can_be_zoomed() {
    let variants = "synchronous,streamed_pinned,mapped";
    let arguments = ["--device", "sim:rtx4060", "--size", "32", "--count", "4", "--variant", variants];
    browser::check_page(LAB, "streams", &arguments, |browser, report| {
        let timelines = report["timelines"].as_array().expect("timelines");
        let spans = browser.run(
            "return [...document.querySelectorAll('#timeline .batch')].map((batch) =>
                [Number(batch.querySelector('svg').dataset.spans), batch.querySelectorAll('tbody tr').length,
                 batch.querySelectorAll('rect').length])",
        );
        let wanted: Vec<_> =
            timelines.iter().map(|timeline| timeline["spans"].as_array().expect("spans").len()).collect();
        assert_eq!(spans, serde_json::json!(wanted.iter().map(|&count| [count; 3]).collect::<Vec<_>>()));
        let shown = || browser.run("return document.getElementById('timeline-range').textContent");
        let all = shown();
        browser::tab_to(browser, "document.activeElement.id === 'timeline'");
        browser.press("+");
        let half = shown();
        browser.press("\u{e014}");
        assert!(half != all && shown() != half, "{all} {half}");
        browser.press("0");
        assert_eq!(shown(), all);
    });
}
