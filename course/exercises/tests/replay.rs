//! Pages that play a launch, read in a browser: each mistake shows on its page without the kernel's text, a solution shows none, and moments of
//! launches look as they are kept, at two widths and in both colour schemes, by keys, with a name for each control. `LABS_WRITE=1` keeps them anew.

#[path = "../../../common/tests/browser/driver.rs"]
#[allow(dead_code, reason = "the labs' tests share it")]
mod driver;
mod workspace;

use driver::{Browser, Scheme, tools};
use exercises::table::Course;
use libtest_mimic::{Arguments, Trial};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Page {
    of: String,
    name: String,
    change: Vec<[String; 2]>,
    size: Option<String>,
    flags: String,
    device: Option<String>,
    /// Words of what the page tells; none: it marks no step.
    shows: Vec<String>,
    /// A script that goes there; `to` goes to the first step of a kind.
    at: String,
    /// Keys as WebDriver has them, and words that the page then tells.
    keys: Vec<[String; 2]>,
}

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The parts of a page that have a name.
const CONTROLS: [&str; 6] = ["button", "combobox", "slider", "spinbutton", "region", "table"];

type Test = fn(&Desk);
type Pages = BTreeMap<String, Vec<Page>>;

fn main() -> ExitCode {
    let none = kernels::compiler().is_err() || tools().is_none();
    let tests: [(&str, Test); 2] = [
        ("each_mistake_shows_on_its_page_and_a_solution_shows_none", mistakes),
        ("moments_look_as_they_are_kept", moments),
    ];
    let trials = tests.map(|(name, test)| {
        let run = move || {
            let folder = tempfile::tempdir()?;
            workspace::write(Path::new(ROOT), folder.path());
            test(&Desk { folder, browser: Browser::open(&tools().expect("a browser")) });
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(none)
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

/// A workspace with exercises, and a browser.
struct Desk {
    folder: tempfile::TempDir,
    browser: Browser,
}

impl Desk {
    /// Writes the page of a changed solution.
    fn write(&self, page: &Page, change: &[[String; 2]]) {
        let (lab, rung) = page.of.split_once('/').expect("an exercise");
        let solution = kernels::pristine(lab, rung).expect("a solution").text.into_owned();
        let text = change.iter().fold(solution, |text, [from, to]| {
            assert!(text.contains(from), "{}, {}: no {from}", page.of, page.name);
            text.replace(from, to)
        });
        let (folder, course) = (self.folder.path(), Course::read(Path::new(ROOT)).expect("the course"));
        for exercise in course.select(Some(&page.of)).into_iter().flatten() {
            std::fs::write(folder.join(&exercise.file), &text).expect("written");
        }
        let size = page.size.as_deref().unwrap_or(if lab == "gemm" { "33x31x35" } else { "33x31" });
        let mut run = Command::new(env!("CARGO_BIN_EXE_exercises"));
        let device = page.device.as_deref().unwrap_or("sim:rtx4060");
        run.args(["lab", lab, "--device", device, "--variant", rung, "--size", size, "--sanitize"]);
        run.args(page.flags.split_whitespace()).args(["--replay", "page.html"]);
        let output = run.current_dir(folder).env("COURSE_ROOT", folder).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("wrote page.html") && !said.contains("run.json"), "{}, {}: {said}", page.of, page.name);
    }

    /// Shows the page at its step, and returns what replay.js reads of it.
    fn look(&self, page: &Page, scheme: Scheme, width: u32) -> Value {
        let metrics = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.browser.command("Emulation.setDeviceMetricsOverride", &metrics);
        self.browser.show(&self.folder.path().join("page.html"), scheme);
        self.browser.run(&format!("const to = (is) => jump(steps.findIndex(is) + 1); {}", page.at));
        let told = |words: &str| {
            let seen = self.browser.run(include_str!("replay.js"));
            assert!(seen["told"].as_str().expect("text").contains(words), "{}, {words}: {seen}", page.name);
            seen
        };
        let mut seen = page.shows.iter().fold(told(""), |_, words| told(words));
        for [key, words] in &page.keys {
            self.browser.press(key);
            seen = told(words);
        }
        assert_eq!((&seen["defects"], self.browser.complaints()), (&json!([]), Vec::new()), "{}", page.name);
        seen
    }
}

fn mistakes(desk: &Desk) {
    let texts = [include_str!("replay.toml"), include_str!("mistakes.toml")];
    let [own, known] = texts.map(|text| toml::from_str::<Pages>(text).expect("pages"));
    let sheet = std::fs::read_to_string(Path::new(ROOT).join("lab-first/ASSIGNMENT.md")).expect("the sheet");
    let mut before = "";
    for page in &own["mistake"] {
        let listed = known["mistake"].iter().find(|known| (&known.of, &known.name) == (&page.of, &page.name));
        let change = &listed.unwrap_or(page).change;
        assert!(!change.is_empty(), "{}, {}: no change", page.of, page.name);
        if std::mem::replace(&mut before, &page.of) != page.of {
            desk.write(page, &[]);
            let (lab, rung) = page.of.split_once('/').expect("an exercise");
            let named =
                format!("just lab {lab} --variant {rung} --size {} --replay", page.size.as_deref().unwrap_or("33x31"));
            assert!(lab != "first" || sheet.contains(&named), "the sheet has no {named}");
            let seen = desk.look(&Page::default(), Scheme::Light, 1280);
            assert!(seen["marked"] == 0 && !seen["told"].to_string().contains("wrong"), "{}: {seen}", page.of);
        }
        desk.write(page, change);
        let seen = desk.look(page, Scheme::Light, 1280);
        assert_eq!(seen["marked"] == 0, page.shows.is_empty(), "{}, {}: {seen}", page.of, page.name);
    }
}

fn moments(desk: &Desk) {
    let mut kept = String::new();
    for page in &toml::from_str::<Pages>(include_str!("replay.toml")).expect("pages")["moment"] {
        desk.write(page, &page.change);
        let views = [(Scheme::Light, 1280), (Scheme::Dark, 1280), (Scheme::Light, 400), (Scheme::Dark, 400)];
        let looks = views.map(|(scheme, width)| desk.look(page, scheme, width)["look"].take());
        assert!(looks.iter().all(|look| *look == looks[0]), "{looks:?}");
        // As a screen reader has the page.
        let tree = desk.browser.command("Accessibility.getFullAXTree", &json!({}));
        let seen = tree["nodes"].as_array().expect("nodes").iter().filter(|node| node["ignored"] == false);
        let named = |node: &&Value| CONTROLS.contains(&node["role"]["value"].as_str().unwrap_or_default());
        let names: Vec<&Value> = seen.filter(named).map(|node| &node["name"]["value"]).collect();
        assert!(names.len() > 10 && names.iter().all(|name| **name != ""), "{}: {names:?}", page.name);
        kept.push_str(&format!("# {}\n{}\n\n", page.name, looks[0].as_str().expect("text")));
    }
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/moments.txt"));
    if std::env::var_os("LABS_WRITE").is_some() {
        std::fs::write(path, &kept).expect("written");
    }
    let same = std::fs::read_to_string(path).is_ok_and(|was| was == kept);
    assert!(same, "{} is another\n  next: LABS_WRITE=1 cargo test -p exercises --test replay", path.display());
}
