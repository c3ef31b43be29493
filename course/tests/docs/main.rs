//! The documentation beside the code: each page stands in the book, its links lead somewhere, its commands exist, it can be read, and what is
//! generated is current. `LABS_WRITE=1 cargo test -p course --test docs` writes the generated parts anew.

mod adding;
mod commands;
mod evidence;
mod glossary;
mod labs;
mod markdown;
mod pages;
mod published;
mod reference;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("in the workspace")
}

/// A text of the workspace.
fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The pages of the book, from the workspace's root.
fn book() -> Vec<String> {
    let mut pages = Vec::new();
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder").flatten() {
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path.to_string_lossy().into_owned());
            }
        }
    }
    pages.sort();
    assert!(pages.len() > 20, "only {} pages were found", pages.len());
    pages
}

/// The pages of the book, and those that stand outside of it.
fn all_pages() -> Vec<String> {
    let mut pages = book();
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned));
    pages
}

/// Fails with all that is wrong.
fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The part of a page that is made from the code, between two comments; with `LABS_WRITE` set it is written, else compared.
fn assert_generated(page: &str, part: &str, made: &str) {
    // Several tests write parts of one page.
    static PAGES: Mutex<()> = Mutex::new(());
    let _one_at_a_time = PAGES.lock();
    let begin = format!("<!-- {part}: made by `LABS_WRITE=1 cargo test -p course --test docs`; do not edit -->\n");
    let end = format!("<!-- /{part} -->");
    let before = text(page);
    let (head, rest) = before.split_once(&begin).unwrap_or_else(|| panic!("{page} lacks the line\n{begin}"));
    let (_, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("{page} lacks the line\n{end}"));
    let after = format!("{head}{begin}\n{}\n\n{end}{tail}", made.trim());
    if before == after {
        return;
    }
    if std::env::var_os("LABS_WRITE").is_some() {
        fs::write(root().join(page), after).unwrap_or_else(|error| panic!("{page}: {error}"));
    } else {
        panic!("{page}: {part} is not what the code says; next: LABS_WRITE=1 cargo test -p course --test docs");
    }
}
