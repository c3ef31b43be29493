//! The recipes of `docs/adding.md`: each names what fails where one of its places is left out, and counts them.

use crate::markdown::code_spans;
use crate::{assert_none, root, text};
use std::process::Command;

/// The names of all tests of the workspace, as git's lines that declare a function; tables of tests go by their program's name.
fn functions() -> String {
    let mut command = Command::new("git");
    command
        .args(["grep", "--untracked", "-hE", "^ *(pub )?fn [a-z0-9_]+\\("])
        .arg("--")
        .args(["*/tests/*.rs", "*/src/*.rs"]);
    let output = command.current_dir(root()).output().expect("git runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn recipes_are_counted_and_name_what_fails() {
    let (page, functions) = (text("docs/adding.md"), functions());
    let mut wrong = Vec::new();
    let mut counted = 0;
    for recipe in page.split("\n## ").skip(1) {
        let heading = recipe.lines().next().unwrap_or_default();
        let Some(count) = heading.strip_suffix(')').and_then(|heading| heading.rsplit_once('(')) else { continue };
        counted += 1;
        let line = recipe.lines().find_map(|line| line.strip_prefix("*Forgotten*: ")).unwrap_or_default();
        let entries: Vec<&str> = line.split("; ").collect();
        if entries.len().to_string() != count.1 {
            wrong.push(format!("{heading}: its line of what is forgotten has {} entries", entries.len()));
        }
        for entry in entries {
            let tool = [", the compiler", ", the linker", ", nothing: ", ", the same test"];
            let known = |name: &str| {
                let place = [name.to_owned(), format!("simulator/tests/{name}")].map(|path| root().join(path));
                functions.contains(&format!("fn {name}(")) || place[0].is_file() || place[1].is_dir()
            };
            let mut tests = code_spans(entry).filter(|name| !name.starts_with('-'));
            if !tool.iter().any(|tool| entry.contains(tool)) && !tests.next().is_some_and(known) {
                wrong.push(format!("{heading}: nothing that fails is named in '{entry}'"));
            }
        }
    }
    assert_none(&wrong);
    assert!(counted >= 12, "only {counted} recipes were found");
}
