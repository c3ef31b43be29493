//! The reference is made from the code: flags, variables of the environment, keys of the JSON document.

use crate::labs::LABS;
use crate::{assert_generated, assert_none, text};
use clap::{Arg, Command};
use std::collections::BTreeSet;
use std::fmt::Write;

const FLAGS: &str = "docs/reference/flags.md";

/// Arguments that a user sees, without those that clap adds.
fn visible(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| !argument.is_hide_set() && argument.get_long().is_some())
}

/// A text of the help as a table's cell: a sentence, with its flags as code.
fn sentence(text: &str) -> String {
    let words = text.trim_end_matches('.').split_whitespace().map(|word| match word.strip_prefix("--") {
        Some(flag) => {
            let end = flag.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(flag.len());
            format!("`--{}`{}", &flag[..end], &flag[end..])
        }
        None => word.replace('|', "\\|"),
    });
    words.collect::<Vec<_>>().join(" ") + "."
}

/// The row of a flag.
fn row(argument: &Arg) -> String {
    let name = argument.get_long().expect("a long flag");
    let takes_a_value = argument.get_action().takes_values();
    let optional = argument.get_num_args().is_some_and(|count| count.min_values() == 0);
    let value = argument.get_value_names().filter(|_| takes_a_value).map_or_else(String::new, |names| {
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        if optional { format!(" [{}]", names.join(" ")) } else { format!(" {}", names.join(" ")) }
    });
    let mut meaning = sentence(&argument.get_help().map(ToString::to_string).unwrap_or_default());
    let values: Vec<String> =
        argument.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if takes_a_value && !values.is_empty() {
        write!(meaning, " One of {}.", values.join(", ")).expect("a string");
    }
    let defaults: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes_a_value && !defaults.is_empty() {
        write!(meaning, " Default: `{}`.", defaults.join(",")).expect("a string");
    }
    if let Some(variable) = argument.get_env() {
        write!(meaning, " Variable: `{}`.", variable.to_string_lossy()).expect("a string");
    }
    format!("| `--{name}{}` | {meaning} |\n", value.replace('|', "\\|"))
}

/// Tables by the headings that the help has.
fn tables<'a>(arguments: impl Iterator<Item = &'a Arg>, level: &str) -> String {
    let mut groups: Vec<(String, String)> = Vec::new();
    for argument in arguments {
        let heading = argument.get_help_heading().unwrap_or("Options").to_owned();
        match groups.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, rows)) => rows.push_str(&row(argument)),
            None => groups.push((heading, row(argument))),
        }
    }
    let table =
        |(heading, rows): (String, String)| format!("{level} {heading}\n\n| flag | meaning |\n|---|---|\n{rows}\n");
    groups.into_iter().map(table).collect()
}

fn in_all(name: &str) -> bool {
    LABS.iter().all(|lab| visible(&(lab.command)()).any(|argument| argument.get_long() == Some(name)))
}

#[test]
fn flags_of_the_labs() {
    let first = (LABS[0].command)();
    let shared = visible(&first).filter(|argument| argument.get_long().is_some_and(in_all));
    let mut made = tables(shared, "###");
    for lab in LABS {
        let command = (lab.command)();
        let own = visible(&command).filter(|argument| !argument.get_long().is_some_and(in_all));
        let rows: String = own.map(row).collect();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let rows = if rows.is_empty() {
            "It has no flags of its own.\n".to_owned()
        } else {
            format!("| flag | meaning |\n|---|---|\n{rows}")
        };
        write!(made, "### Only in lab-{}\n\n{about}\n\n{rows}\n", lab.name).expect("a string");
    }
    assert_generated(FLAGS, "labs", &made);
}

#[test]
fn flags_of_sim() {
    let usage = text("simulator/src/bin/sim/usage.txt");
    let end = usage.find("The exit code is").expect("the part about its end");
    let (flags, end) = usage.split_at(end);
    let made = format!(
        "```text\n{}\n```\n\n### Its end, and its variables\n\n```text\n{}\n```",
        flags.trim_end(),
        end.trim_end()
    );
    assert_generated(FLAGS, "sim", &made);
}

/// The help of the instructor's program, for all of its commands.
pub fn course_help() -> String {
    let help = |words: &[&str]| {
        let program = std::process::Command::new(env!("CARGO_BIN_EXE_course"))
            .args(words)
            .env("COLUMNS", "100")
            .output()
            .expect("course starts");
        String::from_utf8(program.stdout).expect("a text")
    };
    let all = help(&["--help"]);
    let (_, commands) = all.split_once("Commands:\n").expect("a list of commands");
    let names = commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
    let names = names.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    names.filter(|name| *name != "help").map(|name| help(&[name, "--help"])).collect()
}

/// The variables that the driver knows as this project's.
#[test]
fn every_variable_has_its_row() {
    let source = text("simulator/driver/src/state/variables.rs");
    let (_, known) = source.split_once("const KNOWN: &str = \"").expect("the list of variables");
    let known = known.split('"').next().expect("its end").split_whitespace();
    let known: BTreeSet<&str> = known.filter(|word| *word != "\\").collect();
    let page = text("docs/reference/environment.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `LABS_")).filter_map(|rest| rest.split('`').next());
    let rows: Vec<String> = rows.map(|name| format!("LABS_{}", name.split('=').next().unwrap_or(name))).collect();
    let listed: BTreeSet<&str> = rows.iter().map(String::as_str).collect();
    assert_eq!(listed, known, "left: docs/reference/environment.md; right: state/variables.rs");
}

/// The driver's table of names says how many have no implementation.
#[test]
fn the_driver_s_functions_are_counted() {
    let source = text("simulator/driver/src/abi/exports.rs");
    let without = text("simulator/cuda/src/tables/without_driver.txt");
    let without = without.lines().filter(|line| !line.starts_with("//")).flat_map(str::split_whitespace).count();
    let (_, all) = source.split_once("assert_eq!(count, ").expect("the number of names");
    let all: usize = all.split(')').next().expect("its end").parse().expect("a number");
    for page in ["docs/fidelity.md", "docs/simulator/driver.md"] {
        let told = format!("{all} names");
        let implemented = (all - without).to_string();
        let page_text = text(page);
        assert!(page_text.contains(&told), "{page} does not say: {told}");
        assert!(
            page_text.split(|c: char| !c.is_ascii_digit()).any(|n| n == implemented),
            "{page}: {implemented} have an implementation"
        );
    }
}

/// The names of a structure's public fields, as its source has them; those that are serialised under another name or not at all are left out.
pub fn fields(path: &str, structure: &str) -> Vec<String> {
    let source = text(path);
    let (_, body) = source
        .split_once(&format!("pub struct {structure} {{\n"))
        .unwrap_or_else(|| panic!("{path} has no {structure}"));
    let body = body.split_once("\n}").expect("its end").0;
    let mut skipped = false;
    let mut names = Vec::new();
    for line in body.lines().map(str::trim) {
        if line.starts_with("#[serde(") {
            skipped |= line.contains("flatten") || line.contains("(skip)");
        } else if let Some((name, _)) = line.strip_prefix("pub ").and_then(|field| field.split_once(':'))
            && !std::mem::take(&mut skipped)
        {
            names.push(name.to_owned());
        }
    }
    assert!(!names.is_empty(), "{path}: {structure} has no fields");
    names
}

#[test]
fn every_key_of_the_json_document_is_told() {
    let page = text("docs/json.md");
    let mut wrong = Vec::new();
    for structure in ["Report", "Row", "Share", "Comparison", "Table"] {
        for name in fields("common/src/result/report.rs", structure) {
            let told = [format!("`{name}`"), format!("`{name}[]`"), format!(".{name}`")]
                .iter()
                .any(|form| page.contains(form.as_str()));
            if !told {
                wrong.push(format!("docs/json.md: `{name}` of {structure} is not told"));
            }
        }
    }
    assert_none(&wrong);
}
