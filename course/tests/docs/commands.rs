//! The commands that pages show: their recipes, packages and flags exist.

use crate::labs::LABS;
use crate::{all_pages, assert_none, markdown, text};
use std::collections::{BTreeMap, BTreeSet};

/// Flags of programs that are not this project's: Cargo, its test harness, compilers, profilers, installers.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    // Cargo, rustc's test harness, Criterion and rustup; CMake and CTest.
    "--all", "--all-targets", "--bench", "--bin", "--check", "--component", "--example", "--exact", "--features", "--ignored", "--lib", "--locked",
    "--manifest-path", "--measurement-time", "--nocapture", "--no-deps", "--no-fail-fast", "--no-run", "--package", "--path", "--profile", "--profile-time", "--quiet", "--release", "--sample-size",
    "--build", "--output-junit", "--test", "--test-dir", "--warm-up-time", "--workspace",
    // NVIDIA's compilers, profilers and checkers.
    "--clock-control", "--csv", "--dump-sass", "--fmad", "--generate-line-info", "--gpu-architecture", "--metrics", "--ptxas-options", "--query-gpu", "--section", "--tool",
    // Slurm, pip, git, just, mdBook, containers.
    "--init", "--no-deps", "--open", "--partition", "--platform", "--rm", "--show", "--target", "--upgrade", "--user", "--volume", "--workdir",
    // Programs that run under the simulator.
    "--junitxml", "--no-standalone", "--no-use-libmathdx", "--quick", "--gpu-only", "--timeout", "--use-dynamic-cuda", "--standalone", "--force", "--output-on-failure",
    // Examples, test programs and calibration of this workspace, which read their words by hand.
    "--base", "--card", "--count", "--dry-run", "--glibc", "--language", "--record", "--repository", "--seconds", "--write",
];

/// A flag as a word of a text has it: without value and punctuation.
fn flag(word: &str) -> Option<&str> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
    let word = word.split(['=', '…', '*', '\'', '/', ',', ')', ']', ':']).next()?;
    let name = word.strip_prefix("--")?;
    (name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
    .then_some(word)
}

/// The long flags of each lab.
fn flags_of_labs() -> BTreeMap<&'static str, BTreeSet<String>> {
    let flags = |lab: &crate::labs::Documented| {
        let command = (lab.command)();
        let own = command.get_arguments().filter_map(|argument| argument.get_long()).map(|name| format!("--{name}"));
        own.chain(["--help", "--version"].map(str::to_owned)).collect()
    };
    LABS.iter().map(|lab| (lab.name, flags(lab))).collect()
}

/// All flags of this project's programs, and those of others.
fn known() -> BTreeSet<String> {
    let mut known: BTreeSet<String> = OTHERS.iter().map(|name| (*name).to_owned()).collect();
    known.extend(flags_of_labs().into_values().flatten());
    let sources = [
        "simulator/src/bin/sim/arguments.rs",
        "simulator/python/labs_sim/pytest_plugin.py",
        "course/exercises/src/main.rs",
        "course/mutate",
    ];
    let sources = sources.map(text);
    known.extend(sources.iter().flat_map(|source| source.split_whitespace().filter_map(flag)).map(str::to_owned));
    known.extend(crate::reference::course_help().split_whitespace().filter_map(flag).map(str::to_owned));
    known.insert("--seed".to_owned());
    known
}

/// The recipes of the workspace and of a hand-out.
fn recipes() -> BTreeSet<String> {
    let files = ["justfile", "course/course.just", "course/handout/justfile"].map(text);
    let heads = files.iter().flat_map(|file| file.lines()).filter(|line| line.contains(':') && !line.contains(":="));
    let names = heads.filter_map(|line| line.split([' ', ':']).next());
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase())).map(str::to_owned).collect()
}

fn packages() -> BTreeSet<String> {
    let manifest = text("Cargo.toml");
    let (_, members) = manifest.split_once("members = [").expect("a list of members");
    let members = members.split(']').next().expect("an end of the list").split('"').skip(1).step_by(2);
    let name = |folder: &str| {
        let manifest = text(&format!("{folder}/Cargo.toml"));
        manifest.lines().find_map(|line| line.strip_prefix("name = ")).expect("a name").trim_matches('"').to_owned()
    };
    members.map(name).collect()
}

/// The names in one command, or in one piece of code in a sentence, of things that are not there.
fn wrong(code: &str, known: &BTreeSet<String>, recipes: &BTreeSet<String>, packages: &BTreeSet<String>) -> Vec<String> {
    let words: Vec<&str> = code.split_whitespace().collect();
    let mut wrong = Vec::new();
    for pair in words.windows(2) {
        let name = pair[1].trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit());
        if pair[0].trim_start_matches(['(', '`', '"']) == "just"
            && is_name
            && !recipes.contains(name)
            && !name.starts_with('-')
        {
            wrong.push(format!("there is no recipe {name}"));
        }
        let of_cargo = code.contains("cargo ") && matches!(pair[0], "-p" | "-rp" | "-qp" | "--package");
        if of_cargo && is_name && !packages.contains(name) {
            wrong.push(format!("there is no package {name}"));
        }
    }
    let labs = flags_of_labs();
    let lab = words.iter().find_map(|word| labs.get_key_value(word.trim_start_matches("lab-")));
    let of_a_lab = code.contains("lab-") || code.contains("just lab ") || code.contains("just bench ");
    for flag in words.iter().take_while(|word| !word.starts_with('#')).filter_map(|word| flag(word)) {
        let known = match lab {
            Some((_, own)) if of_a_lab => own.contains(flag) || OTHERS.contains(&flag),
            _ => known.contains(flag),
        };
        if !known {
            wrong.push(format!("there is no flag {flag}"));
        }
    }
    wrong
}

#[test]
fn the_commands_of_every_page_exist() {
    let (known, recipes, packages) = (known(), recipes(), packages());
    let mut found = Vec::new();
    let mut seen = 0;
    // A changelog names what was removed, too.
    for page in all_pages().iter().filter(|page| *page != "CHANGELOG.md") {
        let source = text(page);
        for line in &markdown::lines(&source) {
            let codes = if line.is_code { vec![line.text] } else { markdown::code_spans(line.text).collect() };
            for code in codes {
                seen += 1;
                let faults = wrong(code, &known, &recipes, &packages);
                found.extend(faults.iter().map(|fault| format!("{page}:{}: {fault}: {code}", line.number)));
            }
        }
    }
    assert_none(&found);
    assert!(seen > 1000, "only {seen} pieces of code were found");
}

#[test]
fn a_wrong_command_is_told() {
    let (known, recipes, packages) = (known(), recipes(), packages());
    let told = |code| wrong(code, &known, &recipes, &packages);
    assert_eq!(told("just lab gemm --frobnicate"), ["there is no flag --frobnicate"]);
    assert_eq!(told("just labb gemm"), ["there is no recipe labb"]);
    assert_eq!(told("cargo run -rp lab-gem -- --size 64"), ["there is no package lab-gem"]);
    assert_eq!(told("just lab transpose --size 64 --placement all"), ["there is no flag --placement"]);
    assert_eq!(told("cargo run --release -p lab-gemm -- --placement all --size=64"), [""; 0]);
}
