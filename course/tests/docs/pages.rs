//! Each page stands in the book, leads where it says, and can be read.

use crate::markdown;
use crate::{all_pages, assert_none, book, root, text};
use std::path::Path;

/// Words from one empty line to the next, or of a cell of a table: long items of a list stand apart.
const MOST_WORDS: usize = 120;
/// Words of a sentence of the book.
const MOST_OF_A_SENTENCE: usize = 45;
/// Words of all pages that the book's sidebar lists, pictures in characters and commands apart.
const MOST_OF_THE_BOOK: usize = 31_000;
/// Lines from one heading to the next: a screen.
const MOST_LINES: usize = 60;
/// Pages with a long list of one kind: the picture of the crates, what has changed.
const LONG_TABLES: &[&str] = &["CONTRIBUTING.md", "CHANGELOG.md"];

/// The sidebars of the book, and of the second one: evidence, and what contributors read.
const SUMMARIES: [&str; 2] = ["docs/SUMMARY.md", "docs/EVIDENCE.md"];
/// The pages by which a reader goes from one to the other.
const BOTH: [&str; 2] = ["docs/start.md", "docs/measurements/README.md"];

/// The pages that a sidebar lists.
fn listed(summary: &str) -> Vec<String> {
    text(summary).lines().flat_map(markdown::targets).map(|target| format!("docs/{target}")).collect()
}

/// A page as a reader has it: a lab's page includes its sheet.
fn read(page: &str) -> String {
    let source = text(page);
    let sheet = source.strip_prefix("{{#include ../../").and_then(|rest| rest.split('}').next());
    sheet.map(text).unwrap_or(source)
}

#[test]
fn the_summary_lists_every_page_once() {
    let [mut listed, evidence] = SUMMARIES.map(listed);
    let shared = |page: &String| !BOTH.contains(&page.as_str());
    listed.extend(evidence.into_iter().filter(shared));
    listed.sort();
    let pages: Vec<String> = book().into_iter().filter(|page| !SUMMARIES.contains(&page.as_str())).collect();
    assert_eq!(listed, pages, "left: {SUMMARIES:?}; right: the pages under docs/");
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for page in all_pages() {
        let source = text(&page);
        let folder = Path::new(&page).parent().unwrap_or(Path::new(""));
        for line in markdown::lines(&source).iter().filter(|line| !line.is_code) {
            for target in markdown::targets(line.text).iter().filter(|target| !target.contains("://")) {
                seen += 1;
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let path = if file.is_empty() { root().join(&page) } else { root().join(folder).join(file) };
                let at = format!("{page}:{}: {target}", line.number);
                if !path.exists() {
                    wrong.push(format!("{at}: there is no such file"));
                } else if page.starts_with("docs/") && !path.canonicalize().is_ok_and(|to| to.starts_with(docs())) {
                    wrong.push(format!("{at}: it leads out of docs/, and so out of the book"));
                } else if !anchor.is_empty() {
                    let there = std::fs::read_to_string(&path).unwrap_or_default();
                    if !markdown::anchors(&there).contains(anchor) {
                        wrong.push(format!("{at}: the page has no such heading"));
                    }
                }
            }
            if let Some((_, rest)) = line.text.split_once("{{#include ") {
                let file = rest.split(['}', ':']).next().unwrap_or_default();
                if !root().join(folder).join(file).exists() {
                    wrong.push(format!("{page}:{}: {file} is included, and there is no such file", line.number));
                }
            }
        }
    }
    assert_none(&wrong);
    assert!(seen > 50, "only {seen} links were found");
}

/// Answers that a reader who begins with the README looks for: the page, and its heading.
const ANSWERS: &[(&str, &str)] = &[
    ("docs/course/student.md", "how-to-hand-in"),
    ("docs/glossary.md", "sector-request-wavefront"),
    ("docs/simulator/time.md", "how-near"),
    ("docs/ci.md", "pytest"),
    ("docs/faq.md", "why-is-my-program-refused"),
];
/// Links that lead there, one after the other.
const MOST_CLICKS: usize = 2;

#[test]
fn answers_are_two_clicks_from_the_readme() {
    let pages = all_pages();
    let mut reached = vec!["README.md".to_owned()];
    for _ in 0..MOST_CLICKS {
        let targets = |page: &String| {
            let folder = root().join(Path::new(page).parent().unwrap_or(Path::new("")));
            let links: Vec<String> = text(page).lines().flat_map(markdown::targets).collect();
            let files =
                links.into_iter().filter_map(move |link| folder.join(link.split('#').next()?).canonicalize().ok());
            files.collect::<Vec<_>>()
        };
        let linked: Vec<_> = reached.iter().flat_map(targets).collect();
        let is_linked = |page: &&String| linked.contains(&root().join(page).canonicalize().expect("a page"));
        reached.extend(pages.iter().filter(is_linked).cloned().collect::<Vec<_>>());
    }
    let mut wrong = Vec::new();
    for (page, heading) in ANSWERS {
        if !reached.iter().any(|known| known == page) {
            wrong.push(format!("{page} is more than {MOST_CLICKS} links from README.md"));
        }
        if !markdown::anchors(&text(page)).contains(*heading) {
            wrong.push(format!("{page} has no heading {heading}"));
        }
    }
    assert_none(&wrong);
}

/// Messages, comments and manifests name pages and pictures.
#[test]
fn every_page_that_a_source_names_is_there() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let source = [".rs", ".md", ".cu", ".py", ".just", ".js"].iter().any(|ending| name.ends_with(ending));
            if path.is_dir() && name != "target" && name != "docs" && !name.starts_with('.') {
                folders.push(path);
            } else if source && name != "CHANGELOG.md" {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                for rest in text.split("docs/").skip(1) {
                    let end =
                        rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_-./".contains(c)).unwrap_or(rest.len());
                    let named = rest[..end].trim_end_matches('.');
                    if [".md", ".svg", ".png", ".cu"].iter().any(|ending| named.ends_with(ending)) {
                        seen += 1;
                        if !named.contains("TEMPLATE") && !root().join("docs").join(named).exists() {
                            wrong.push(format!("{}: there is no docs/{named}", path.display()));
                        }
                    }
                }
            }
        }
    }
    assert_none(&wrong);
    assert!(seen > 20, "only {seen} names were found");
}

/// A page of measurements names its programs and its data.
#[test]
fn the_files_of_a_measurement_are_there() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for page in book().iter().filter(|page| page.starts_with("docs/measurements/")) {
        for word in text(page).split(|c: char| c.is_whitespace() || "`()[]|,;:*".contains(c)) {
            let word = word.trim_start_matches("docs/").trim_end_matches('.');
            let Some(file) = word.strip_prefix("measurements/").or(word.starts_with("data/").then_some(word)) else {
                continue;
            };
            seen += 1;
            if file.contains('.') && !root().join("docs/measurements").join(file).exists() {
                wrong.push(format!("{page}: there is no docs/measurements/{file}"));
            }
        }
    }
    assert_none(&wrong);
    assert!(seen > 25, "only {seen} names were found");
}

/// A student has only a part of the pages.
#[test]
fn a_page_that_is_handed_out_leads_to_pages_that_are_too() {
    let course = exercises::table::Course::read(root()).expect("course.toml");
    let handed_out = |path: &str| {
        let name = |entry: &String| match entry.split_once('*') {
            Some((start, end)) => {
                path.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)).is_some_and(|part| !part.contains('/'))
            }
            None => entry == path,
        };
        course.labs.iter().flat_map(|lab| &lab.handout).chain(&course.handout).any(name)
    };
    let mut wrong = Vec::new();
    let mut seen = 0;
    for page in book().iter().filter(|page| handed_out(page)) {
        seen += 1;
        let folder = root().join(Path::new(page).parent().expect("a folder"));
        for target in text(page).lines().flat_map(markdown::targets).filter(|target| !target.contains("://")) {
            let file = target.split('#').next().unwrap_or_default();
            let path = folder.join(file).canonicalize().unwrap_or_default();
            let inside = path.strip_prefix(root().canonicalize().expect("the workspace")).unwrap_or(&path);
            if !file.is_empty() && !handed_out(&inside.to_string_lossy()) {
                wrong.push(format!("{page}: {target} is not in the hand-out"));
            }
        }
    }
    assert_none(&wrong);
    assert!(seen > 15, "only {seen} pages are handed out");
}

fn docs() -> std::path::PathBuf {
    root().join("docs").canonicalize().expect("docs/")
}

#[test]
fn no_paragraph_is_long() {
    let (mut wrong, listed) = (Vec::new(), listed(SUMMARIES[0]));
    for page in all_pages() {
        for (line, passage) in markdown::passages(&read(&page)) {
            let mut tell = |text: &str, of: &str, most: usize| {
                let words = text.split_whitespace().count();
                if words > most {
                    wrong.push(format!("{page}:{line}: {of} of {words} words; at most {most}: divide it"));
                }
            };
            tell(&passage, "a paragraph", MOST_WORDS);
            if page == "README.md" || listed.contains(&page) {
                let sentences = [". ", ".\n", "? ", "\n- "].iter().fold(passage, |text, end| text.replace(end, "\0"));
                sentences.split('\0').for_each(|sentence| tell(sentence, "a sentence", MOST_OF_A_SENTENCE));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn the_book_is_short() {
    let words = |line: markdown::Line<'_>| if line.is_code { 0 } else { line.text.split_whitespace().count() };
    let of = |page: &String| markdown::lines(&read(page)).into_iter().map(words).sum::<usize>();
    let words: usize = listed(SUMMARIES[0]).iter().map(of).sum();
    assert!(words <= MOST_OF_THE_BOOK, "the pages of docs/SUMMARY.md have {words} words; at most {MOST_OF_THE_BOOK}");
}

#[test]
fn no_block_is_longer_than_a_screen() {
    let mut wrong = Vec::new();
    for page in all_pages().iter().filter(|page| !LONG_TABLES.contains(&page.as_str())) {
        let source = text(page);
        let lines = markdown::lines(&source);
        let mut since = 0;
        for line in &lines {
            let heading = !line.is_code && line.text.starts_with('#');
            since = if heading { 0 } else { since + 1 };
            if since == MOST_LINES + 1 {
                wrong.push(format!("{page}:{}: {MOST_LINES} lines without a heading", line.number));
            }
        }
    }
    assert_none(&wrong);
}

/// The first page of the project fits on a screen.
#[test]
fn the_readme_is_short() {
    let readme = text("README.md");
    let count = readme.lines().count();
    assert!(count <= 60, "README.md has {count} lines; at most 60");
    let long: Vec<_> = readme.lines().filter(|line| line.chars().count() > 100).collect();
    assert!(long.is_empty(), "lines of more than 100 columns: {long:#?}");
}
