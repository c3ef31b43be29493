//! The student's workspace: this one without solutions, self-tests and the instructor's side.
//!
//! What is left out follows from folders and from the markers: a marked file loses its solutions whether it is an exercise or not, and a rung
//! without marks is left out with its row of the ladder.

use anyhow::{Context, anyhow, bail, ensure};
use exercises::markers;
use exercises::table::Course;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Folders and files that stay with the instructor, by the beginning of their path.
const WITHHELD: &[&str] = &[
    "course/autograder/",
    "course/cheats/",
    "course/course.just",
    "course/exploits/",
    "course/handout/",
    "course/honest/",
    "course/marking/",
    "course/pictures",
    "course/src/",
    "course/tests/",
    "course/Cargo.toml",
    "kernels/ptx/",
    "kernels/tests/",
    "common/tests/",
    "course/exercises/tests/techniques.rs",
    "course/exercises/tests/watch.rs",
    "common/examples/",
    "common/benches/",
    "simulator/cudart/",
    "simulator/tests/",
    "simulator/benches/",
    "simulator/examples/",
    "docs/course.md",
    "docs/adding.md",
    "docs/fuzzing.md",
    "docs/measurements/h200-gem",
    "docs/measurements/h200-streams",
    "docs/measurements/h200-tests",
    "docs/measurements/h200-transpose",
    ".ci/",
    ".github/",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "justfile",
    "README.md",
    ".gitignore",
    ".gitattributes",
];

/// Files of the hand-out alone.
const OWN: &[(&str, &str)] = &[
    ("justfile", include_str!("../handout/justfile")),
    ("README.md", include_str!("../handout/README.md")),
    (".github/workflows/check.yml", include_str!("../handout/.github/workflows/check.yml")),
    (".gitignore", "/target\n/.nvrtc/\n/.progress.json\n"),
];

/// Writes the workspace and begins its git repository. Returns the number of files.
///
/// # Errors
/// A folder that is not empty; a repository that git does not list; a file whose shape is not the expected one.
pub fn write(course: &Course, folder: &Path) -> anyhow::Result<usize> {
    let empty = !folder.exists() || fs::read_dir(folder)?.next().is_none();
    ensure!(empty, "{} is not empty: choose a new folder", folder.display());
    let exercises: BTreeSet<&str> = course.exercises.iter().map(|exercise| exercise.file.as_str()).collect();
    let files = tracked(course)?;
    let unmarked = unmarked_rungs(course, &files)?;
    let rungs: Vec<(String, String)> = unmarked.iter().filter_map(|path| lab_and_name(path)).collect();
    let mut count = 0;
    let mut put = |path: &str, text: &[u8]| -> anyhow::Result<()> {
        count += 1;
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("in a folder"))?;
        fs::write(&path, text).with_context(|| format!("{}", path.display()))
    };
    let left_out = |path: &str| {
        let lab_self_tests = path.starts_with("lab-") && (path.contains("/tests/") || path.contains("/benches/"));
        // A module that is compiled for tests only may be missing.
        let module_of_tests = path.ends_with("/tests.rs");
        let withheld = WITHHELD.iter().any(|start| path.starts_with(start));
        withheld || lab_self_tests || module_of_tests || unmarked.contains(path)
    };
    for path in files.iter().filter(|path| !left_out(path)) {
        let bytes = fs::read(course.root.join(path)).with_context(|| path.clone())?;
        let is_exercise = exercises.contains(path.as_str());
        // A marked file without a row is a further task, which no verdict asks for.
        if is_exercise || (code(path) && markers::marked(&String::from_utf8_lossy(&bytes))) {
            let starter = markers::starter(&String::from_utf8(bytes)?).with_context(|| path.clone())?;
            put(path, starter.as_bytes())?;
            if is_exercise {
                put(&format!("course/exercises/starters/{path}"), starter.as_bytes())?;
            }
        } else if path.ends_with(".rs") || path.ends_with("Cargo.toml") {
            let text = String::from_utf8(bytes)?;
            put(path, changed(path, &text, &rungs).with_context(|| path.clone())?.as_bytes())?;
        } else {
            put(path, &bytes)?;
        }
    }
    for (path, text) in OWN {
        put(path, text.as_bytes())?;
    }
    for lab in &course.labs {
        put(&lab.answers, answers(course, &lab.name).as_bytes())?;
    }
    // Packages of the instructor's side leave the lock file; what is needed is here already, because this program was built of it.
    let arguments = ["metadata", "--offline", "--format-version=1", "--filter-platform=x86_64-unknown-linux-gnu"];
    let pruned = Command::new("cargo").args(arguments).current_dir(folder).output().context("starting cargo")?;
    let said = String::from_utf8_lossy(&pruned.stderr);
    ensure!(pruned.status.success(), "cargo does not read the hand-out's manifests: {said}");
    begin_repository(folder)?;
    Ok(count)
}

/// What git tracks, in its order.
fn tracked(course: &Course) -> anyhow::Result<Vec<String>> {
    let output =
        Command::new("git").args(["ls-files", "-z"]).current_dir(&course.root).output().context("starting git")?;
    ensure!(
        output.status.success(),
        "{} is no git repository: its list of files is what is handed out",
        course.root.display()
    );
    let text = String::from_utf8(output.stdout)?;
    let there = |path: &&str| !path.is_empty() && course.root.join(path).is_file();
    Ok(text.split('\0').filter(there).map(str::to_owned).collect())
}

/// Sources in which a solution may be marked.
fn code(path: &str) -> bool {
    let labs = path.starts_with("lab-") || path.starts_with("kernels/");
    labs && (path.ends_with(".cu") || path.ends_with(".rs"))
}

/// Every file with marks, and its text.
///
/// # Errors
/// A repository that git does not list.
pub fn marked(course: &Course) -> anyhow::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for path in tracked(course)?.into_iter().filter(|path| code(path)) {
        let text = fs::read_to_string(course.root.join(&path))?;
        if markers::marked(&text) {
            found.push((path, text));
        }
    }
    Ok(found)
}

/// Rungs without marks: nothing of them can be handed out.
fn unmarked_rungs(course: &Course, files: &[String]) -> anyhow::Result<BTreeSet<String>> {
    let mut unmarked = BTreeSet::new();
    for path in files.iter().filter(|path| path.starts_with("kernels/") && path.ends_with(".cu")) {
        if !markers::marked(&fs::read_to_string(course.root.join(path))?) {
            unmarked.insert(path.clone());
        }
    }
    Ok(unmarked)
}

/// Lab and name of a rung's file.
fn lab_and_name(path: &str) -> Option<(String, String)> {
    let (lab, file) = path.strip_prefix("kernels/")?.split_once('/')?;
    let name = file.strip_suffix(".cu")?.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('_');
    Some((lab.to_owned(), name.to_owned()))
}

fn changed(path: &str, text: &str, missing: &[(String, String)]) -> anyhow::Result<String> {
    Ok(match path {
        "Cargo.toml" => {
            let mut members = text.to_owned();
            for withheld in ["\"course\", ", "\"simulator/cudart\", \"simulator/cudart/12\", \"simulator/cudart/13\", "]
            {
                ensure!(members.contains(withheld), "the members do not name {withheld}");
                members = members.replacen(withheld, "", 1);
            }
            // What a starter does not use yet is no reason for a warning.
            members.replacen("[workspace.lints.rust]\n", "[workspace.lints.rust]\nunused = \"allow\"\n", 1)
        }
        _ if path.ends_with("Cargo.toml") => manifest(path, text),
        "kernels/src/mutants.rs" => without_table(&without_tests(text)?)?,
        _ if path.ends_with("/src/variants.rs") => {
            let lab = path.trim_start_matches("lab-").split('/').next().unwrap_or_default();
            let own = missing.iter().filter(|(of, _)| of == lab);
            own.fold(without_tests(text)?, |text, (_, name)| without_variant(&text, name))
        }
        _ if path.starts_with("course/exercises/tests/") => text.to_owned(),
        _ => without_tests(text)?,
    })
}

/// A member's manifest without the targets that are left out, and with no unit tests to run.
fn manifest(path: &str, text: &str) -> String {
    let name = path.rsplit('/').nth(1).unwrap_or_default();
    let mut out = String::new();
    for block in text.split_inclusive("\n\n") {
        let target =
            ["[[test]]", "[[bench]]", "[[example]]", "[dev-dependencies]"].iter().any(|head| block.contains(head));
        // The verdict is the one test that is handed out.
        if !target || block.contains("[[test]]\nname = \"exercises\"") {
            out.push_str(block);
        }
    }
    let quiet = "test = false\ndoctest = false\n";
    out = match out.contains("[lib]\n") {
        true => out.replacen("[lib]\n", &format!("[lib]\n{quiet}"), 1),
        false => out.replacen("[dependencies]", &format!("[lib]\n{quiet}\n[dependencies]"), 1),
    };
    let program = match name {
        "common" => return out,
        "simulator" => ("sim", "src/bin/sim/main.rs"),
        _ => (name, "src/main.rs"),
    };
    out.trim_end().to_owned()
        + &format!("\n\n[[bin]]\nname = \"{}\"\npath = \"{}\"\ntest = false\n", program.0, program.1)
}

/// A source without its unit tests: the module of that name, which ends at the first brace at the margin.
fn without_tests(text: &str) -> anyhow::Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("#[cfg(test)]\nmod tests {") {
        out.push_str(&rest[..at]);
        // Where it ends, the language knows: a text in it may hold any line.
        let tokens: TokenStream = rest[at..].parse().map_err(|error| anyhow!("a module of tests: {error}"))?;
        let body = tokens.into_iter().find_map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.span_close()),
            _ => None,
        });
        let end = body.context("a module of tests without its body")?.byte_range().end;
        rest = rest[at + end..].trim_start_matches('\n');
    }
    out.push_str(rest);
    Ok(out.trim_end().to_owned() + "\n")
}

/// The mutants' table, emptied: its rows quote the solutions.
fn without_table(text: &str) -> anyhow::Result<String> {
    let head = "\nmutants! {\n";
    let Some(at) = text.find(head) else { bail!("no table of mutants to be emptied") };
    let start = at + head.len();
    let end = text[start..].find("\n}\n").context("a table without its end")?;
    Ok(format!("{}{}", &text[..start], &text[start + end + 1..]))
}

/// A ladder without the row of one rung.
fn without_variant(text: &str, name: &str) -> String {
    let head = format!("    Variant {{\n        name: \"{name}\",");
    let Some(at) = text.find(&head) else { return text.to_owned() };
    let end = text[at..].find("\n    },\n").map_or(text.len(), |end| at + end + "\n    },\n".len());
    format!("{}{}", &text[..at], &text[end..])
}

/// The written questions of a lab, with room for the answers.
fn answers(course: &Course, lab: &str) -> String {
    let mut text = format!(
        "# Answers: {lab}\n\nWrite below each question. A person marks them; say what you measured, with the command.\n"
    );
    for exercise in course.of_lab(lab) {
        for question in &exercise.questions {
            text.push_str(&format!("\n## {}\n\n{question}\n\n> \n", exercise.name));
        }
    }
    text
}

fn begin_repository(folder: &Path) -> anyhow::Result<()> {
    let git = |arguments: &[&str]| -> anyhow::Result<()> {
        let identity =
            ["-c", "user.name=The course", "-c", "user.email=course@localhost", "-c", "init.defaultBranch=main"];
        let output = Command::new("git").args(identity).args(arguments).current_dir(folder).output()?;
        ensure!(output.status.success(), "git {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr));
        Ok(())
    };
    git(&["init", "--quiet"])?;
    git(&["add", "--all"])?;
    git(&["commit", "--quiet", "--message", "The exercises as handed out"])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hand-out, and its files of a pattern, a line each.
    fn handed_out(pattern: &str) -> (tempfile::TempDir, String) {
        let course = Course::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))).unwrap();
        let folder = tempfile::tempdir().unwrap();
        write(&course, folder.path()).unwrap();
        let listed = Command::new("git").args(["ls-files", pattern]).current_dir(folder.path()).output().unwrap();
        (folder, String::from_utf8(listed.stdout).unwrap())
    }

    #[test]
    fn links_in_the_hand_out_lead_somewhere() {
        let (folder, listed) = handed_out("*.md");
        let root = folder.path();
        let mut count = 0;
        for page in listed.lines() {
            let text = fs::read_to_string(root.join(page)).unwrap();
            let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
            for link in links.filter(|link| !link.is_empty() && !link.contains(':')) {
                count += 1;
                assert!(root.join(page).parent().unwrap().join(link).exists(), "{page}: {link}");
            }
        }
        assert!(count > 4, "{count} links");
    }

    #[test]
    fn sources_in_the_hand_out_are_whole() {
        let (folder, listed) = handed_out("*.rs");
        for source in listed.lines() {
            let text = fs::read_to_string(folder.path().join(source)).unwrap();
            assert!(text.parse::<TokenStream>().is_ok(), "{source} is cut");
        }
        assert!(listed.lines().count() > 200, "{} sources", listed.lines().count());
    }

    #[test]
    fn tests_go_and_the_rest_stays() {
        let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {\n    }\n}\n";
        assert_eq!(without_tests(text).unwrap(), "fn a() {}\n");
        assert_eq!(without_tests("fn a() {}\n").unwrap(), "fn a() {}\n");
        let text =
            "/// é\nfn a() {}\n\n#[cfg(test)]\nmod tests {\n    const TEXT: &str = \"é {\n}\n\";\n}\n\nfn c() {}\n";
        assert_eq!(without_tests(text).unwrap(), "/// é\nfn a() {}\n\nfn c() {}\n");
    }

    #[test]
    fn the_mutants_table_is_emptied() {
        let text = "macro\n\nmutants! {\n    \"gemm\" \"x\": \"secret\" => \"\";\n}\nafter\n";
        assert_eq!(without_table(text).unwrap(), "macro\n\nmutants! {\n}\nafter\n");
        assert!(without_table("nothing").is_err());
    }

    #[test]
    fn a_rung_leaves_with_its_row() {
        let text = "&[\n    Variant {\n        name: \"a\",\n        rung: R {},\n    },\n    Variant {\n        name: \"b\",\n    },\n];\n";
        assert_eq!(without_variant(text, "a"), "&[\n    Variant {\n        name: \"b\",\n    },\n];\n");
    }

    #[test]
    fn a_manifest_loses_its_targets_of_tests() {
        let text = "[package]\n\n[dependencies]\na = 1\n\n# Why.\n[[test]]\nname = \"rungs\"\nharness = false\n\n[lints]\nworkspace = true\n";
        let out = manifest("lab-gemm/Cargo.toml", text);
        assert!(
            !out.contains("rungs") && out.contains("[lib]\ntest = false") && out.contains("name = \"lab-gemm\""),
            "{out}"
        );
    }
}
