//! The page of a run, opened in a browser: common/tests/browser/mod.rs.

#[path = "../../../common/tests/browser/mod.rs"]
mod browser;

use super::LAB;
use serde_json::Value;

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
        // The table's time stands in the title of its timeline.
        let titles = browser.texts("#timeline h3", "textContent");
        let times = browser.run("return report.rows.map((row) => `${number(row.time_ms.median)} ms`)");
        for (title, time) in titles.iter().zip(times.as_array().expect("a list")) {
            assert!(title.contains(time.as_str().expect("a time")), "{title}: the table has {time}");
        }
        assert_round_ticks(browser);
        let range = || browser.run("return document.getElementById('timeline-range').textContent");
        let all = range();
        browser::tab_to(browser, "document.activeElement.id === 'timeline'");
        browser.press("+");
        let half = range();
        browser.press("\u{e014}");
        assert!(half != all && range() != half, "{all} {half}");
        assert_round_ticks(browser);
        browser.press("0");
        assert_eq!(range(), all);
    });
}

/// The ticks of each timeline are 1, 2 or 5 times a power of ten apart, and multiples of that.
fn assert_round_ticks(browser: &browser::Browser) {
    let ticks = browser.run(
        "return [...document.querySelectorAll('.timeline')].map((svg) =>
            [...svg.querySelectorAll('.tick-label')].map((label) => parseFloat(label.textContent)))",
    );
    for ticks in ticks.as_array().expect("timelines") {
        let ticks: Vec<f64> = ticks.as_array().expect("ticks").iter().filter_map(Value::as_f64).collect();
        assert!(ticks.len() > 1, "too few ticks: {ticks:?}");
        let step = ticks[1] - ticks[0];
        let leading = step / 10f64.powf((step * 1.000_001).log10().floor());
        assert!([1.0, 2.0, 5.0].iter().any(|round| (leading / round - 1.0).abs() < 1e-6), "{step} apart: {ticks:?}");
        let is_multiple = |tick: &f64| ((tick / step).round() - tick / step).abs() < 1e-6;
        assert!(ticks.iter().all(is_multiple), "no multiples of {step}: {ticks:?}");
    }
}
