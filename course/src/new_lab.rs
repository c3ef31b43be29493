//! A new lab from `course/template/`: its crate, its kernels, and a row in each list that a lab stands in.

use anyhow::{Context, bail, ensure};
use exercises::say;
use std::fs;
use std::path::Path;

/// The word that stands for the lab's name in the template's files.
const PLACEHOLDER: &str = "TEMPLATE";

/// Folders and files of the template, and where they go; `TEMPLATE` in a path is the lab's name.
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "lab-TEMPLATE/Cargo.toml"),
    ("ASSIGNMENT.md", "lab-TEMPLATE/ASSIGNMENT.md"),
    ("src/lib.rs", "lab-TEMPLATE/src/lib.rs"),
    ("src/main.rs", "lab-TEMPLATE/src/main.rs"),
    ("src/question.rs", "lab-TEMPLATE/src/question.rs"),
    ("tests/rungs.rs", "lab-TEMPLATE/tests/rungs.rs"),
    ("tests/program.rs", "lab-TEMPLATE/tests/program.rs"),
    ("benches/ladder.rs", "lab-TEMPLATE/benches/ladder.rs"),
    ("kernels/1_naive.cu", "kernels/TEMPLATE/1_naive.cu"),
    ("kernels/2_vectorised.cu", "kernels/TEMPLATE/2_vectorised.cu"),
    ("marking.md", "course/marking/TEMPLATE.md"),
    ("page.md", "docs/labs/TEMPLATE.md"),
];

/// A row of a list: the file, what the row stands before, and the row.
const ROWS: &[(&str, &str, &str)] = &[
    ("Cargo.toml", "\"lab-streams\", ", "\"lab-TEMPLATE\", "),
    ("Cargo.toml", "lab-streams = {", "lab-TEMPLATE = { path = \"lab-TEMPLATE\" }\n"),
    ("course/exercises/Cargo.toml", "lab-streams.workspace", "lab-TEMPLATE.workspace = true\n"),
    ("course/exercises/src/labs.rs", "    &lab_streams::", "    &lab_TEMPLATE::Axpy,\n"),
    ("course/Cargo.toml", "lab-streams.workspace", "lab-TEMPLATE.workspace = true\n"),
    ("course/tests/docs/labs.rs", "    of::<lab_streams::", "    of::<lab_TEMPLATE::Axpy>(),\n"),
    ("docs/SUMMARY.md", "- [Reading the figures]", "- [The lab TEMPLATE](labs/TEMPLATE.md)\n"),
    (
        "common/tests/one_build.rs",
        "    &[\"--package\", \"lab-streams\"],",
        "    &[\"--package\", \"lab-TEMPLATE\"],\n",
    ),
];

/// Makes the lab in the workspace `root`. Nothing is written unless all of it can be.
///
/// # Errors
/// A name that is no module's, or that is taken; a list that does not look as expected.
pub fn make(root: &Path, name: &str) -> anyhow::Result<()> {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let first = name.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    ensure!(
        first && name.chars().all(letters),
        "'{name}': a lab's name is small letters, digits and _, a letter first"
    );
    let named = |text: &str| text.replace(PLACEHOLDER, name);
    for place in ["lab-TEMPLATE", "kernels/TEMPLATE"] {
        let place = named(place);
        ensure!(!root.join(&place).exists(), "there is a {place} already: choose another name");
    }
    let template = root.join("course/template");
    let read = |path: &Path| fs::read_to_string(path).with_context(|| format!("{}", path.display()));
    let mut written: Vec<(String, String)> = Vec::new();
    for (from, to) in FILES {
        written.push((named(to), named(&read(&template.join(from))?)));
    }
    for (file, before, row) in ROWS {
        insert(root, &mut written, file, before, &named(row))?;
    }
    text_of(root, &mut written, "course/course.toml")?.push_str(&named(&read(&template.join("course.toml"))?));
    text_of(root, &mut written, "kernels/mutants.edit")?.push_str(&named(&read(&template.join("mutants.edit"))?));
    for (file, text) in written {
        let path = root.join(&file);
        fs::create_dir_all(path.parent().context("a file in a folder")?)?;
        fs::write(&path, text).with_context(|| file.clone())?;
        say!("{file}");
    }
    Ok(())
}

/// The text of a file as it will be.
fn text_of<'w>(root: &Path, written: &'w mut Vec<(String, String)>, file: &str) -> anyhow::Result<&'w mut String> {
    let place = match written.iter().position(|(known, _)| known == file) {
        Some(place) => place,
        None => {
            let text = fs::read_to_string(root.join(file)).with_context(|| file.to_owned())?;
            written.push((file.to_owned(), text));
            written.len() - 1
        }
    };
    Ok(&mut written[place].1)
}

/// A row before the only place where a list has `before`.
fn insert(root: &Path, written: &mut Vec<(String, String)>, file: &str, before: &str, row: &str) -> anyhow::Result<()> {
    let text = text_of(root, written, file)?;
    match text.matches(before).count() {
        1 => *text = text.replacen(before, &format!("{row}{before}"), 1),
        count => bail!("{file} has '{before}' {count} times: the row of a new lab stands before it"),
    }
    Ok(())
}
