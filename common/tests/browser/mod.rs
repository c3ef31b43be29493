//! The page of a run in a real browser, without a window: Chromium, driven through chromedriver.
//!
//! The labs' tests share this file. Where there is no browser they say so and go on; with `LABS_REQUIRE_BROWSER` set, as `.ci/run` sets it, that is
//! a failure. On Debian: `apt-get install chromium chromium-driver`.

mod driver;

use common::testing::LabProgram;
pub use driver::Browser;
use driver::{Scheme, tools};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The keys that a reader without a mouse uses, as WebDriver writes them.
pub const TAB: &str = "\u{e004}";
pub const ENTER: &str = "\u{e007}";
pub const DOWN: &str = "\u{e015}";

/// Runs a lab with a page, and shows that page to `look` in both colour schemes, with the run's JSON document. The views that every page has are
/// checked for every lab.
pub fn check_page(lab: LabProgram, name: &str, arguments: &[&str], look: impl Fn(&Browser, &Value)) {
    let Some(tools) = tools() else { return };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the page");
    let (page, document) = (folder.join("page.html"), folder.join("run.json"));
    let [page_path, document_path] = [&page, &document].map(|path| path.to_str().expect("UTF-8"));
    let output = lab.run(&[arguments, &["--html", page_path, "--json", document_path]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(&document).expect("the document")).expect("is JSON");
    let browser = Browser::open(&tools);
    for scheme in [Scheme::Light, Scheme::Dark] {
        browser.show(&page, scheme);
        assert_eq!(browser.run("return document.documentElement.dataset.ready"), "true", "the script came to its end");
        check_head(&browser, &report);
        check_source(&browser);
        check_results(&browser, &report);
        check_sorting(&browser);
        check_figures(&browser, scheme);
        check_listing(&browser, &report);
        check_accesses(&browser, &report);
        check_keyboard(&browser);
        look(&browser, &report);
        assert_eq!(browser.complaints(), [] as [String; 0], "the console of the {scheme:?} page");
    }
}

/// Returns whether a cell shows a value: three digits of a number, a dash where there is none.
fn shows(cell: &str, value: &Value) -> bool {
    match value {
        Value::Null => cell == "–",
        Value::String(text) => cell == text,
        value => {
            let (Ok(found), Some(value)) = (cell.parse::<f64>(), value.as_f64()) else { return false };
            let digits = if cell.contains('e') { 0.06 } else { 0.006 };
            (found - value).abs() <= digits * value.abs()
        }
    }
}

/// A row's value by the key of a column, as docs/json.md has it.
fn value_of<'v>(row: &'v Value, key: &str) -> &'v Value {
    if let Some(phase) = key.strip_prefix("phases_ms.") {
        return &row["phases_ms"][phase];
    }
    if row[key].is_null() { &row["counters"][key] } else { &row[key] }
}

/// The command, the seed and the card stand at the head, and the answer before all figures and tables.
fn check_head(browser: &Browser, report: &Value) {
    let head = browser.texts("header dd", "textContent");
    assert!(head[0].starts_with(&format!("lab-{} ", report["lab"].as_str().expect("a name"))), "{head:?}");
    assert!(head[1].contains(report["device"]["name"].as_str().expect("a name")), "{head:?}");
    assert_eq!(head[2], report["seed"].to_string());
    assert_eq!(browser.run("return document.querySelector('main').firstElementChild.id"), "answer");
    let answer = browser.run("return document.getElementById('answer').textContent");
    let answer = answer.as_str().expect("a text");
    let is_one = report["rows"].as_array().is_some_and(|rows| rows.len() == 1);
    assert_eq!(answer.contains("The result is right"), is_one, "{answer}");
    // Nothing of one rung is the fastest.
    assert!(is_one || answer.contains(" is the fastest at ") && answer.contains("results are right"), "{answer}");
    assert!(!is_one || !answer.contains("fastest"), "{answer}");
}

/// The launch of which the answer speaks is shown first, and no line of its source or of what is said of it is cut.
fn check_source(browser: &Browser) {
    let places = browser.run(
        "const end = (row) => row.closest('pre, .scroll').getBoundingClientRect().right + 1;
        const rows = [...document.querySelectorAll('#told div, #listing td:last-child')];
        const best = document.querySelector('#answer strong').textContent;
        return [rows.length, rows.filter((row) => row.getBoundingClientRect().right > end(row)).length,
            counted.some(({ variant }) => variant === best) && best !== chosenLaunch().variant]",
    );
    assert!(places[0].as_u64() > Some(10) && places[1] == 0 && places[2] == false, "{places}");
}

/// A heading sorts its table, upwards and then downwards, and a word in the filter leaves the rows that have it.
fn check_sorting(browser: &Browser) {
    let press =
        |heading: usize| browser.run(&format!("document.querySelectorAll('#rows thead button')[{heading}].click()"));
    let column = || browser.texts("#rows tbody td:first-child", "textContent");
    let before = column();
    press(0);
    let mut sorted = before.clone();
    sorted.sort();
    assert_eq!(column(), sorted);
    press(0);
    sorted.reverse();
    assert_eq!(column(), sorted);
    let field = "const field = document.querySelector('#tables input'); if (!field) return null; field.value =";
    let left = browser.run(&format!(
        "{field} '{}'; field.dispatchEvent(new Event('input'));
        return [...document.querySelectorAll('#rows tbody tr')].filter((row) => !row.hidden).length",
        before[0]
    ));
    if let Some(left) = left.as_u64() {
        // The word may be part of another rung's name.
        let own = before.iter().filter(|name| name.contains(&before[0])).count() as u64;
        assert!(left >= own && left <= before.len() as u64, "{left} rows with {}", before[0]);
    }
}

fn check_results(browser: &Browser, report: &Value) {
    let headings = browser.texts("#rows thead th", "textContent");
    let keys = browser.run("return Object.fromEntries(data.columns.map(({ heading, key }) => [heading, key]))");
    let cells = browser.texts("#rows tbody td", "textContent");
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(cells.len(), rows.len() * headings.len(), "a cell for each row and column");
    for (row, cells) in rows.iter().zip(cells.chunks(headings.len())) {
        for (heading, cell) in headings.iter().zip(cells) {
            let found = match heading.as_str() {
                "variant" | "size" | "block" => shows(cell, &row[heading.as_str()]),
                "host memory" => shows(cell, &row["host_memory"]),
                "type" => shows(cell, &row["dtype"]),
                "check" => cell == if row["correct"] == true { "ok" } else { "WRONG" },
                "error" => shows(cell, &row["max_relative_error"]),
                median if median.ends_with("median, ms") => shows(cell, &row["time_ms"]["median"]),
                other => shows(cell, value_of(row, keys[other].as_str().expect("a column of the lab"))),
            };
            assert!(found, "{heading} of {}: the page shows {cell}", row["variant"]);
        }
    }
}

/// Each figure's panels are seen, in the colours of the scheme, and its title stands once.
fn check_figures(browser: &Browser, scheme: Scheme) {
    let panels = browser.run(
        "return [...document.querySelectorAll('figure')].map((figure) =>
            [...figure.querySelectorAll('.panels svg')].filter((svg) => svg.getClientRects().length > 0).length)",
    );
    for count in panels.as_array().expect("a list") {
        assert!(count.as_u64() > Some(0), "a figure without a panel: {panels}");
    }
    let ink = if scheme == Scheme::Dark { "rgb(236, 236, 236)" } else { "rgb(26, 26, 26)" };
    let inks = browser
        .run("return [...document.querySelectorAll('figure .f-ink')].map((text) => getComputedStyle(text).fill)");
    assert!(inks.as_array().expect("a list").iter().all(|colour| colour == ink), "{inks}");
    // Accesses of one line may be alike in kind.
    let mut titles = browser.texts("header h1, section > h2, #tables h3, .batch h3, figcaption strong", "textContent");
    let all = titles.len();
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), all, "a title stands twice: {titles:?}");
    let page = browser.run("return getComputedStyle(document.body).backgroundColor");
    assert_eq!(page, if scheme == Scheme::Dark { "rgb(24, 26, 30)" } else { "rgb(255, 255, 255)" });
}

/// The launches of the document in the order of the page's list: those that were counted, each once.
fn launches(browser: &Browser, report: &Value) -> Vec<Value> {
    let places = browser.run("return counted.map((row) => report.rows.indexOf(row))");
    let places = places.as_array().expect("a list").iter();
    places.map(|place| report["rows"][place.as_u64().expect("a row") as usize].clone()).collect()
}

/// Every column of every listing has the document's numbers.
fn check_listing(browser: &Browser, report: &Value) {
    let launches = launches(browser, report);
    let mut compared = 0;
    for (index, row) in launches.iter().enumerate() {
        choose(browser, "launch", &index.to_string());
        let options = browser.texts("#counter option", "value");
        assert!(options.len() > 10 && options.iter().any(|option| option.starts_with("clock ")), "{options:?}");
        let options: Vec<&String> = options.iter().filter(|option| *option != "overview").collect();
        // All columns in one question: each question takes the browser longer than its answer.
        let columns = browser.run(&format!(
            "{CHOOSE} return {}.map((option) => {{
                choose('counter', option);
                return [...document.querySelectorAll('#listing button')].map((button) =>
                    [button.dataset.line, button.closest('tr').cells[1].textContent]);
            }})",
            json!(options)
        ));
        let columns = columns.as_array().expect("a list");
        assert_eq!(columns.len(), options.len());
        for (option, found) in options.into_iter().zip(columns) {
            for found in found.as_array().expect("a list") {
                let line = line_of(row, found[0].as_str().expect("a place"));
                let cell = found[1].as_str().expect("a text");
                let value = match option.strip_prefix("clock ") {
                    Some(term) => Value::from(line["clock_ns"][term].as_f64().unwrap_or(0.0) / 1e3),
                    None if option == "waits" => {
                        let waits = line["stalls"].as_object().into_iter().flatten();
                        waits.filter_map(|(_, part)| part.as_f64()).sum::<f64>().into()
                    }
                    None => line[option.as_str()].clone(),
                };
                let blank = value.as_f64().is_none_or(|value| value == 0.0);
                let right = if blank { cell.is_empty() } else { shows(cell, &value) };
                assert!(right, "{option} of {}: the page shows {cell:?}, the document {value}", found[0]);
                compared += usize::from(!blank);
            }
        }
    }
    assert!(compared > 20, "{compared} numbers of lines were compared");
}

/// Each picture of an access has as many wavefronts or sectors as the document, and so has the ideal beside it.
fn check_accesses(browser: &Browser, report: &Value) {
    let mut drawn = 0;
    for (index, row) in launches(browser, report).iter().enumerate() {
        choose(browser, "launch", &index.to_string());
        // All lines in one question, as above.
        let lines = browser.run(include_str!("lines.js"));
        for line in lines.as_array().expect("a list") {
            let (place, found) = (line[0].as_str().expect("a place"), &line[1]);
            let none = Vec::new();
            let accesses = line_of(row, place)["accesses"].as_array().unwrap_or(&none).clone();
            let found = found.as_array().expect("a list");
            assert_eq!(found.len(), accesses.len(), "{place}");
            for (found, access) in found.iter().zip(&accesses) {
                let (count, ideal) = (&access["count"], &access["ideal"]);
                let wanted = if count == ideal { json!([count]) } else { json!([count, ideal]) };
                assert_eq!(found["counts"], wanted, "{place}: {access}");
                let lanes = access["lanes"].as_array().expect("lanes").iter().filter(|lane| !lane.is_null()).count();
                assert_eq!(found["lanes"], lanes, "a line of the table for each lane");
                let noun = if access["space"] == "shared" { "wavefront" } else { "sector" };
                for text in [&found["text"], &found["labels"][0]] {
                    assert!(text.as_str().expect("a text").contains(&format!("{count} {noun}")), "{text}");
                }
                drawn += 1;
            }
        }
    }
    assert!(drawn > 0, "pictures of accesses were drawn");
}

/// Without a mouse: from the top to the choices, and to a line and what it does.
fn check_keyboard(browser: &Browser) {
    // The tabulator goes on from the last button that was pressed, and so does a focus that was given up.
    browser.run(
        "document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); window.scrollTo(0, 0)",
    );
    browser.press(TAB);
    assert_eq!(browser.run("return document.activeElement.textContent"), "Skip to the results");
    // The first of its list: there is a next one.
    choose(browser, "counter", "overview");
    tab_to(browser, "document.activeElement.id === 'counter'");
    let before = browser.run("return document.activeElement.value");
    browser.press(DOWN);
    assert_ne!(browser.run("return document.activeElement.value"), before, "an arrow chooses the next");
    tab_to(browser, "document.activeElement.matches('#listing button')");
    browser.press(ENTER);
    let place = browser.run("return document.activeElement.dataset.line.replace(':', ', line ')");
    assert_eq!(browser.run("return document.querySelector('#line h3').textContent"), place);
}

/// From the top of the page, presses the tabulator until the focus is where it should be.
pub fn tab_to(browser: &Browser, there: &str) {
    browser.run("document.querySelector('.skip').focus()");
    for _ in 0..200 {
        if browser.run(&format!("return {there}")) == true {
            return;
        }
        browser.press(TAB);
    }
    panic!("the tabulator does not lead to {there}");
}

/// A function of the page's, that chooses from a list as a reader does.
const CHOOSE: &str = "const choose = (id, value) => {
    const list = document.getElementById(id);
    list.value = value;
    list.dispatchEvent(new Event('change', { bubbles: true }));
};";

/// Chooses from a list.
fn choose(browser: &Browser, list: &str, value: &str) {
    browser.run(&format!("{CHOOSE} choose('{list}', {})", Value::from(value)));
}

/// A row's line by its place, `FILE:LINE`.
fn line_of<'v>(row: &'v Value, place: &str) -> &'v Value {
    let (file, line) = place.rsplit_once(':').expect("a place");
    let mut lines = row["lines"].as_array().expect("lines").iter();
    lines
        .find(|known| known["file"] == file && known["line"].as_u64() == line.parse().ok())
        .expect("the page's line is a line")
}
