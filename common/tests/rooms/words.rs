//! Comments and names keep to the words that the field has, and what a crate leaves out is left out (`docs/architecture.md`).
use super::root;
use std::path::PathBuf;
use std::process::Command;

/// The Rust sources below a folder of the workspace, with their text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let listed =
        Command::new("git").arg("-C").arg(root()).args(["ls-files", "-z", "--", folder]).output().expect("git");
    let names = String::from_utf8(listed.stdout).expect("UTF-8");
    let files = names.split('\0').filter(|name| name.ends_with(".rs")).map(|name| root().join(name));
    files.filter_map(|file| std::fs::read_to_string(&file).ok().map(|text| (file, text))).collect()
}

/// How a comment does not begin: the subject comes first.
const RIDDLES: &[&str] = &["What ", "Whether ", "Of "];
/// What no comment says, and why.
const EMPTY: &[(&str, &str)] = &[("per cent", "write %"), ("SAFETY: the caller's promise", "say which promise")];
/// Names that make a reader stop: each stood for something that has a name in the field.
const PRIVATE_NAMES: &[&str] = &["settle", "heard", "shown", "eleven", "by_data", "passes_of", "most_pieces"];

/// What is wrong with a line of Rust.
fn complaint(line: &str) -> Option<String> {
    let code = line.trim_start();
    if let Some(comment) = code.strip_prefix("//") {
        let words = comment.trim_start_matches(['/', '!']).trim_start();
        let riddle = RIDDLES.iter().find(|begin| words.starts_with(**begin));
        let empty = EMPTY.iter().find(|(text, _)| comment.contains(text));
        return riddle
            .map(|begin| format!("a comment begins with `{begin}`"))
            .or(empty.map(|(_, why)| (*why).to_owned()));
    }
    let mut words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.find(|word| matches!(*word, "fn" | "struct" | "enum" | "trait" | "mod" | "const" | "static"))?;
    let name = words.next()?.to_lowercase();
    let private =
        PRIVATE_NAMES.iter().find(|private| name == **private || name.split('_').any(|part| part == **private));
    private.map(|_| format!("`{name}` has a name in the field"))
}

#[test]
fn comments_and_names_keep_to_the_word_list() {
    assert!(complaint("    /// Whether it is so.").is_some() && complaint("pub fn settle_all() {").is_some());
    assert!(complaint("    /// True if it is so.").is_none() && complaint("let what = \"Whether\";").is_none());
    let mut found = Vec::new();
    for (file, text) in sources(".").into_iter().filter(|(file, _)| !file.ends_with("words.rs")) {
        let lines = text.lines().enumerate();
        let wrong = lines.filter_map(|(at, line)| Some(format!("{}:{}: {}", file.display(), at + 1, complaint(line)?)));
        found.extend(wrong);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The texts in quotes of code, comments apart.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split('"').skip(1).step_by(2))
}

#[test]
fn the_machine_names_no_card() {
    let cards = ["h100", "h200", "b200", "a100", "rtx", "gtx", "geforce"];
    for (file, text) in sources("simulator/machine/src").into_iter().chain(sources("simulator/ptx/src")) {
        let named = quoted(&text).find(|quoted| cards.iter().any(|card| quoted.to_lowercase().contains(card)));
        assert!(named.is_none(), "{}: {named:?}", file.display());
    }
}

#[test]
fn detection_has_no_words() {
    let rooms =
        ["counters", "proof", "sampling", "sanitizer", "search"].map(|room| format!("simulator/watch/src/{room}"));
    for (file, text) in
        rooms.iter().flat_map(|room| sources(room)).filter(|(file, _)| !file.ends_with("findings/misuse.rs"))
    {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        // A reason of a lint or an `expect` is for maintainers.
        let lines = code.lines().filter(|line| !line.contains("expect(") && !line.contains("reason ="));
        let sentence = lines.flat_map(quoted).find(|quoted| quoted.split(' ').count() > 3);
        assert!(sentence.is_none(), "{}: {sentence:?}", file.display());
    }
}
