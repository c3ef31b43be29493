//! Reports of one small class, as the programs that read them want them: Gradescope, JUnit's readers, a spreadsheet, a browser.

use crate::submissions::{NAIVE, folder_for_kernels, points, put, read, record, said, solution, submission, table};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SHARED: &str = "kernels/gemm/3_shared.cu";

/// Grades a right kernel, a race, and a submission whose name and text want to be markup.
fn graded(folder: &Path) -> PathBuf {
    let race = solution(SHARED).replacen("__syncthreads();  // everyone", "// everyone", 1);
    let markup = "#error <script>document.title = \"changed\"</script> & ]]> \u{ffff}\u{1b}[31m\u{202e}\n".to_owned();
    let flood = format!("#error {}\n", "<&\"\u{202e}".repeat(4_000));
    let files: Vec<String> = table().exercises.iter().map(|exercise| exercise.file.clone()).collect();
    let flood: Vec<(&str, String)> =
        files.iter().filter(|file| file.ends_with(".cu")).map(|file| (file.as_str(), flood.clone())).collect();
    let paths = [
        submission(folder, "flood", &flood),
        submission(folder, "right", &[(NAIVE, solution(NAIVE)), (SHARED, solution(SHARED))]),
        submission(folder, "race", &[(SHARED, race)]),
        submission(folder, "=1+1 <b>&", &[(NAIVE, markup)]),
    ];
    let out = folder.join("grades");
    // A person's mark stands in every report, and in no sum of points.
    put(
        &out,
        "marked/right.json",
        "{\"gemm/naive 1\": {\"points\": 2, \"remark\": \"well <said>\", \"answer\": \"\"}}",
    );
    let points = points(&out, &paths);
    for (file, told) in [
        ("gradescope/right.json", "gemm/naive 1: 2 of 2, well <said>"),
        ("junit/right.xml", "gemm/naive 1: 2 of 2, well &lt;said&gt;"),
        ("pages/right.html", "<td>well &lt;said&gt;</td>"),
        ("class.html", "gemm: 2 of "),
        ("class.csv", "gemm answers marked"),
    ] {
        assert!(read(&out, file).contains(told), "{file}");
    }
    assert_eq!(points["flood"], 0);
    assert_eq!((points["right"], points["race"], points["'=1+1 <b>&"]), (40, 0, 0));
    out
}

/// The fields of <https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format> with a test of each one's value.
type Fields = &'static [(&'static str, fn(&Value) -> bool)];

const RESULTS: Fields = &[
    ("score", Value::is_number),
    ("execution_time", Value::is_number),
    ("output", Value::is_string),
    ("output_format", is_format),
    ("test_output_format", is_format),
    ("test_name_format", is_format),
    ("visibility", is_visibility),
    ("stdout_visibility", is_visibility),
    ("extra_data", Value::is_object),
    ("tests", Value::is_array),
    ("leaderboard", Value::is_array),
];

const TEST: Fields = &[
    ("score", Value::is_number),
    ("max_score", Value::is_number),
    ("status", |value| ["passed", "failed"].iter().any(|word| value == word)),
    ("name", Value::is_string),
    ("name_format", is_format),
    ("number", Value::is_string),
    ("output", Value::is_string),
    ("output_format", is_format),
    ("tags", Value::is_array),
    ("visibility", is_visibility),
    ("extra_data", Value::is_object),
];

fn is_format(value: &Value) -> bool {
    ["text", "html", "simple_format", "md", "ansi"].iter().any(|word| value == word)
}

fn is_visibility(value: &Value) -> bool {
    ["hidden", "after_due_date", "after_published", "visible"].iter().any(|word| value == word)
}

fn assert_documented(object: &Value, fields: Fields) {
    for (key, value) in object.as_object().expect("an object") {
        let field = fields.iter().find(|(name, _)| name == key);
        let (_, fits) = field.unwrap_or_else(|| panic!("'{key}' is no field that is documented"));
        assert!(fits(value), "{key}: {value}");
    }
}

#[test]
fn every_report_is_what_its_readers_want() {
    let Some(folder) = folder_for_kernels() else { return };
    let out = graded(folder.path());
    gradescope(&out);
    junit(&out);
    spreadsheet(&out);
    pages(&out);
    sizes(&out);
    harmless(&out);
    in_a_browser(&out);
}

fn gradescope(out: &Path) {
    for (name, score) in [("right", 40), ("race", 0), ("=1+1 <b>&", 0)] {
        let results: Value = serde_json::from_str(&read(out, &format!("gradescope/{name}.json"))).expect("JSON");
        assert_documented(&results, RESULTS);
        assert_eq!(results["score"], score, "{name}");
        let tests = results["tests"].as_array().expect("tests");
        // Only this lab came: the others are not there in red.
        assert_eq!(tests.len(), table().of_lab("gemm").count());
        tests.iter().for_each(|test| assert_documented(test, TEST));
        let sum: u64 = tests.iter().filter_map(|test| test["score"].as_u64()).sum();
        let most: u64 = tests.iter().filter_map(|test| test["max_score"].as_u64()).sum();
        assert_eq!((sum, most), (score, 100), "{name}");
        let said = results["output"].as_str().expect("text");
        assert!(said.contains("nothing of streams was handed in") && !said.contains("of gemm was"), "{said}");
    }
    let results: Value = serde_json::from_str(&read(out, "gradescope/race.json")).expect("JSON");
    let shared = results["tests"].as_array().expect("tests").iter().find(|test| test["name"] == "gemm/shared");
    let said = shared.expect("a test")["output"].as_str().expect("text").to_owned();
    assert!(said.contains("race") && said.contains("replay: just verdict gemm/shared --seed"), "{said}");
}

fn junit(out: &Path) {
    for (name, passed) in [("right", 2), ("race", 0), ("=1+1 <b>&", 0)] {
        let text = read(out, &format!("junit/{name}.xml"));
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        let of = |tag: &str| document.descendants().filter(|node| node.has_tag_name(tag)).count();
        let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("a suite");
        let number = |key: &str| suite.attribute(key).and_then(|text| text.parse::<usize>().ok()).expect("a number");
        assert_eq!(suite.attribute("name"), Some(name));
        assert_eq!(
            (of("testcase"), of("failure"), of("skipped")),
            (number("tests"), number("failures"), number("skipped"))
        );
        assert_eq!(number("tests"), table().exercises.len());
        let time = |node: &roxmltree::Node| node.attribute("time").and_then(|text| text.parse::<f64>().ok());
        let times = document.descendants().filter(|node| node.has_tag_name("testcase")).map(|case| time(&case));
        let sum: f64 = times.map(|time| time.expect("a time")).sum();
        assert!(sum > 0.0 && (sum - time(&suite).expect("a time")).abs() < 0.01, "{name}: {sum}");
        assert_eq!(number("tests") - number("failures") - number("skipped"), passed);
        let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
        cases.for_each(|case| assert!(case.attribute("classname").is_some() && case.attribute("name").is_some()));
    }
}

fn spreadsheet(out: &Path) {
    let text = read(out, "class.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().expect("a head").clone();
    assert_eq!(head.iter().take(6).collect::<Vec<_>>(), ["name", "points", "of", "seed", "refused", "notes"]);
    let ids: Vec<String> = table().exercises.iter().map(|exercise| exercise.id()).collect();
    let before = head.iter().position(|title| *title == ids[0]).expect("the exercises");
    assert_eq!(head.iter().skip(before).take(ids.len()).collect::<Vec<_>>(), ids);
    let gemm = head.iter().position(|title| title == "gemm").expect("a total of the lab");
    for row in reader.records() {
        let row = row.expect("as long as the head");
        let sum: u32 = row.iter().skip(before).take(ids.len()).map(|cell| cell.parse::<u32>().expect("points")).sum();
        assert_eq!(row[1], sum.to_string(), "{row:?}");
        assert_eq!((&row[gemm], &row[gemm + 1]), (&row[1], "100"), "only files of this lab came: {row:?}");
        assert!(!row[0].starts_with('='), "a spreadsheet would compute {}", &row[0]);
    }
}

fn pages(out: &Path) {
    let race = read(out, "pages/race.html");
    assert!(race.contains("race") && race.contains("3_shared.cu"), "the story with its lines");
    let markup = read(out, "pages/=1+1 <b>&.html");
    assert!(!markup.contains("<script") && markup.contains("&lt;script&gt;"), "a student's text stays text");
    for file in ["class.html", "pages/right.html", "pages/race.html"] {
        let text = read(out, file);
        let fetched = ["http", "src=", "<link", "<script", "url(", "@import"];
        assert!(!fetched.iter().any(|word| text.contains(word)), "{file} fetches something");
    }
    // The class's other dot and the reference's line beside the own dot.
    let right = read(out, "pages/right.html");
    assert!(
        right.contains("fill=\"#1f77b4\"") && right.contains("stroke=\"#d95f02\"") && right.contains("(reference ")
    );
    let record = record(out, "right");
    assert!(
        record["verdicts"].as_array().expect("verdicts").iter().any(|v| v["panel"]["shared_conflicts"].is_number())
    );
}

/// The sizes of the reports on a submission whose every kernel makes compilers say tens of thousands of letters that grow when they are escaped.
fn sizes(out: &Path) {
    for (file, most) in [
        ("pages/flood.html", 1 << 20),
        ("records/flood.json", 1 << 20),
        ("junit/flood.xml", 2 << 20),
        ("gradescope/flood.json", 1 << 20),
    ] {
        let text = read(out, file);
        assert!(text.len() < most && text.contains("bytes left out"), "{file}: {} bytes", text.len());
    }
}

/// Whatever is displayed of a student's text acts on nothing.
fn harmless(out: &Path) {
    for folder in ["gradescope", "junit", "pages"] {
        for file in fs::read_dir(out.join(folder)).expect("reports").map(|entry| entry.expect("an entry").path()) {
            let text = fs::read_to_string(&file).expect("UTF-8");
            let acts = |c: char| matches!(c, '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{fffe}' | '\u{ffff}');
            assert!(!text.contains(acts), "{}", file.display());
        }
    }
    let page = read(out, "pages/=1+1 <b>&.html");
    assert!(page.contains("\\u{1b}[31m\\u{202e}"), "what was there is spelt: {page}");
}

/// A page that shows others in frames, and tells in its place what a browser made of each: all of them take one start of the browser.
const MEASURE: &str = include_str!("frames.html");

fn in_a_browser(out: &Path) {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = names.iter().find(|name| Command::new(name).arg("--version").output().is_ok()) else {
        assert!(
            std::env::var_os("LABS_REQUIRE_BROWSER").is_none(),
            "LABS_REQUIRE_BROWSER is set, and there is no browser"
        );
        eprintln!("no browser here (one of {}): the pages are not opened", names.join(", "));
        return;
    };
    let pages = [("pages/right.html", true), ("pages/flood.html", false), ("class.html", false)];
    // A telephone, a tablet, a desk.
    let screens: Vec<(&str, bool, u64)> =
        pages.iter().flat_map(|&(file, strips)| [400, 800, 1280].map(|width| (file, strips, width))).collect();
    let frame = |&(file, _, width): &(&str, bool, u64)| {
        format!("<iframe src='{file}' width='{width}' height='800' frameborder='0'></iframe>\n")
    };
    let measured = out.join("measured.html");
    let frames: String = screens.iter().map(frame).collect();
    fs::write(&measured, format!("<!doctype html><meta charset='utf-8'><body>{frames}{MEASURE}</body>"))
        .expect("written");
    let profile = tempfile::tempdir().expect("a folder");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--no-first-run", "--disable-sync"])
        .args(["--disable-quic", "--disable-background-networking", "--disable-component-update"])
        // So that a file may look into another.
        .arg("--allow-file-access-from-files")
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", measured.display()))
        .output()
        .expect("the browser starts");
    let dom = String::from_utf8_lossy(&output.stdout);
    let told = dom.split_once("<body>").and_then(|(_, rest)| rest.split_once("</body>"));
    let told = told.unwrap_or_else(|| panic!("{}", said(&output))).0;
    let told = told.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let all: Vec<Value> = serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    assert_eq!(all.len(), screens.len());
    for ((file, strips, width), data) in screens.into_iter().zip(all) {
        assert_eq!(data["width"], width, "{file}");
        assert!(data["fetched"] == 0 && data["wide"] == false, "{file} in {width} pixels: {data}");
        assert_eq!(data["drawn"], data["strips"], "{file}: every strip has its size");
        assert_eq!(data["strips"] != 0, strips, "{file}");
        for link in data["links"].as_array().expect("links") {
            let link = link.as_str().expect("text");
            assert!(out.join(link).is_file(), "{file} leads to {link}");
        }
    }
}
