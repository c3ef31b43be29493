//! The student's workspace: the files that `course/course.toml` lists, without solutions and self-tests.
//!
//! A marked file loses its solutions whether it is an exercise or not, and a rung that is not listed leaves its row of the ladder.

pub mod judge;
mod list;
mod manifests;
mod tool;

pub use list::{given, matches};

use anyhow::{Context, ensure};
use exercises::markers;
use exercises::solutions;
use exercises::table::Course;
use list::OWN;
use manifests::Files;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The kernels' deliberate defects, whose lines quote the solutions.
const MUTANTS: &str = "kernels/mutants.edit";

/// The contents of a hand-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sheets, kernels and host code, for a judge that was built before.
    Tool,
    /// All that the judge is built of, the simulator included.
    Source,
}

/// Where a hand-out of sources has a hash of them, by which a judge that was built of them is known.
const SOURCES: &str = "course/exercises/sources.sha256";

/// Writes the workspace and begins its git repository. Returns the number of files.
///
/// # Errors
/// A folder that is not empty; lists with defects; a repository that git does not list; a file whose shape is not the expected one.
pub fn write(course: &Course, folder: &Path, kind: Kind) -> anyhow::Result<usize> {
    let empty = !folder.exists() || fs::read_dir(folder)?.next().is_none();
    ensure!(empty, "{} is not empty: choose a new folder", folder.display());
    let exercises: BTreeSet<&str> = course.exercises.iter().map(|exercise| exercise.file.as_str()).collect();
    let tracked = tracked(course)?;
    let defects = list::defects(course, &tracked);
    ensure!(defects.is_empty(), "{}:\n  {}", Course::FILE, defects.join("\n  "));
    let read = |path: &str| fs::read_to_string(course.root.join(path)).with_context(|| path.to_owned());
    let chosen = list::chosen(course, &tracked).into_iter();
    let chosen = chosen.filter(|path| kind == Kind::Source || list::names(&course.tool, path));
    let files: Files = chosen.filter(|path| !tests_only(path, &read)).collect();
    let missing = tracked.iter().filter(|path| !files.contains(path.as_str()));
    let missing: Vec<(String, String)> = missing.filter_map(|path| lab_and_name(path)).collect();
    let members = files.iter().filter(|path| path.ends_with("/Cargo.toml"));
    let members: Vec<(&str, String)> = members
        .map(|path| Ok((*path, manifests::member(path, &read(path)?, &files).with_context(|| (*path).to_owned())?)))
        .collect::<anyhow::Result<_>>()?;
    let (mut count, mut hash) = (0, Sha256::new());
    let mut put = |path: &str, text: &[u8]| -> anyhow::Result<()> {
        count += 1;
        if [".rs", ".lock", ".ptx", ".txt"].iter().any(|end| path.ends_with(end)) && !exercises.contains(path) {
            hash.update(text);
        }
        let path = folder.join(path);
        ensure!(!path.exists(), "the hand-out has two files {}", path.display());
        fs::create_dir_all(path.parent().expect("in a folder"))?;
        fs::write(&path, text).with_context(|| format!("{}", path.display()))
    };
    for path in files.iter().filter(|path| !path.ends_with("Cargo.toml")) {
        let bytes = fs::read(course.root.join(path)).with_context(|| (*path).to_owned())?;
        let is_exercise = exercises.contains(path);
        // A marked file without a row is a further task, which no verdict asks for.
        if is_exercise || (code(path) && markers::marked(&String::from_utf8_lossy(&bytes))) {
            let starter = markers::starter(&String::from_utf8(bytes)?).with_context(|| (*path).to_owned())?;
            put(path, starter.as_bytes())?;
            if is_exercise && kind != Kind::Tool {
                put(&format!("{}/{path}", Course::STARTERS), starter.as_bytes())?;
            }
        } else if path.ends_with(".rs") || *path == MUTANTS {
            let text = String::from_utf8(bytes)?;
            put(path, changed(course, path, &text, &missing).as_bytes())?;
        } else if *path == Course::FILE {
            let text = manifests::table(&String::from_utf8(bytes)?, course).context(Course::FILE)?;
            put(path, text.as_bytes())?;
        } else if path.strip_prefix(OWN) == Some("README.md") {
            let sheets: Vec<String> = course.labs.iter().map(|lab| format!("`{}`", lab.sheet)).collect();
            // Its examples are of the first lab.
            let text = String::from_utf8(bytes)?.replace("@SHEETS@", &sheets.join(", then "));
            put("README.md", text.replace(" gemm", &format!(" {}", course.labs[0].name)).as_bytes())?;
        } else if path.ends_with(".md") {
            put(path, unlinked(path, &String::from_utf8(bytes)?, &files).as_bytes())?;
        } else {
            put(path.strip_prefix(OWN).unwrap_or(path), &bytes)?;
        }
    }
    for (path, text) in members {
        put(path, text.as_bytes())?;
    }
    if kind == Kind::Tool {
        for (path, text) in tool::files(course, &files) {
            put(&path, text.as_bytes())?;
        }
        let starters = course.exercises.iter().map(|row| Ok((row.file.as_str(), course.starter(row)?)));
        put(Course::PACKED_STARTERS, &solutions::pack(starters.collect::<anyhow::Result<Vec<_>>>()?)?)?;
    } else {
        let workspace = manifests::workspace(&read("Cargo.toml")?, &files).context("Cargo.toml")?;
        put("Cargo.toml", workspace.as_bytes())?;
    }
    for lab in &course.labs {
        put(&lab.answers, course.answers(lab).as_bytes())?;
    }
    if course.solutions {
        let texts = course.exercises.iter().map(|row| Ok((row.file.as_str(), read(&row.file)?)));
        put(solutions::FILE, &solutions::pack(texts.collect::<anyhow::Result<Vec<_>>>()?)?)?;
    }
    if kind == Kind::Source {
        let hash: String = hash.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        fs::write(folder.join(SOURCES), hash)?;
    }
    fs::set_permissions(folder.join("judge"), fs::metadata(course.root.join(OWN).join("judge"))?.permissions())?;
    prune(folder)?;
    begin_repository(folder)?;
    Ok(count)
}

/// Writes the lock file of a hand-out's own packages.
fn prune(folder: &Path) -> anyhow::Result<()> {
    // Packages of the instructor's side leave the lock file; what is needed is here already, because this program was built of it.
    let arguments = ["metadata", "--offline", "--format-version=1", "--filter-platform=x86_64-unknown-linux-gnu"];
    let pruned = Command::new("cargo").args(arguments).current_dir(folder).output().context("starting cargo")?;
    let said = String::from_utf8_lossy(&pruned.stderr);
    ensure!(pruned.status.success(), "cargo does not read the hand-out's manifests: {said}");
    Ok(())
}

/// A page in which links to files that stay are their words alone.
fn unlinked(page: &str, text: &str, files: &Files) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("](") {
        let Some((target, end)) = after.split_once(')') else { break };
        let file = target.split('#').next().unwrap_or_default();
        let stays = file.is_empty() || file.contains(':') || files.contains(list::beside(page, file).as_str());
        match before.rsplit_once('[').filter(|_| !stays) {
            Some((text, words)) => out.push_str(&format!("{text}{words}")),
            None => out.push_str(&format!("{before}]({target})")),
        }
        rest = end;
    }
    out + rest
}

/// The defects of the lists of what goes out, a line each.
///
/// # Errors
/// A repository that git does not list.
pub fn defects(course: &Course) -> anyhow::Result<Vec<String>> {
    Ok(list::defects(course, &tracked(course)?))
}

/// The files that git tracks, in its order.
fn tracked(course: &Course) -> anyhow::Result<Vec<String>> {
    let output =
        Command::new("git").args(["ls-files", "-z"]).current_dir(&course.root).output().context("starting git")?;
    ensure!(
        output.status.success(),
        "{} is no git repository: a hand-out takes files that git tracks",
        course.root.display()
    );
    let text = String::from_utf8(output.stdout)?;
    let there = |path: &&str| !path.is_empty() && course.root.join(path).is_file();
    Ok(text.split('\0').filter(there).map(str::to_owned).collect())
}

/// Returns whether a file is a module that is compiled for tests only, as the one above it says: such a module may be missing.
fn tests_only(path: &str, read: &dyn Fn(&str) -> anyhow::Result<String>) -> bool {
    let Some(folder) = path.strip_suffix("/tests.rs") else { return false };
    let above = ["/mod.rs", "/lib.rs", "/main.rs", ".rs"].map(|ending| format!("{folder}{ending}"));
    above.iter().filter_map(|path| read(path).ok()).any(|text| text.contains("#[cfg(test)]\nmod tests;"))
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

/// Lab and name of a rung's file.
fn lab_and_name(path: &str) -> Option<(String, String)> {
    let (lab, file) = path.strip_prefix("kernels/")?.split_once('/')?;
    let name = file.strip_suffix(".cu")?.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('_');
    Some((lab.to_owned(), name.to_owned()))
}

fn changed(course: &Course, path: &str, text: &str, missing: &[(String, String)]) -> String {
    match path {
        // A row for each lab that is handed out.
        "course/exercises/src/labs.rs" => {
            let row = |line: &&str| {
                line.trim().strip_prefix("(&lab_").and_then(|rest| rest.split("::").next()).map(str::to_owned)
            };
            let stays = |line: &&str| row(line).is_none_or(|lab| course.labs.iter().any(|own| own.name == lab));
            text.lines().filter(stays).map(|line| format!("{line}\n")).collect()
        }
        MUTANTS => "# Deliberate defects of the course's own kernels, which stay with the course.\n".to_owned(),
        _ if path.ends_with("/src/variants.rs") => {
            let lab = path.trim_start_matches("lab-").split('/').next().unwrap_or_default();
            let own = missing.iter().filter(|(of, _)| of == lab);
            own.fold(list::without_tests(text), |text, (_, name)| without_variant(&text, name))
        }
        _ if path.starts_with("course/exercises/tests/") => text.to_owned(),
        _ => list::without_tests(text),
    }
}

/// A ladder without the row of one rung.
fn without_variant(text: &str, name: &str) -> String {
    let Some(at) = text.find(&format!("    \"{name}\", \"")) else { return text.to_owned() };
    // A statement in a row stands further to the right than rows begin.
    let ends = [";\n    \"", ";\n};"].iter().filter_map(|end| text[at..].find(end)).min();
    let end = ends.map_or(text.len(), |end| at + end + ";\n".len());
    format!("{}{}", &text[..at], &text[end..])
}

fn begin_repository(folder: &Path) -> anyhow::Result<()> {
    git(folder, &["init", "--quiet"])?;
    git(folder, &["add", "--all"])?;
    git(folder, &["commit", "--quiet", "--message", "The exercises as handed out"]).map(drop)
}

/// The text that git prints, in a folder, as the course.
fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let identity = ["-c", "user.name=The course", "-c", "user.email=course@localhost", "-c", "init.defaultBranch=main"];
    let output = Command::new("git").args(identity).args(arguments).current_dir(folder).output()?;
    ensure!(output.status.success(), "git {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::TokenStream;

    fn here() -> Course {
        Course::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))).unwrap()
    }

    /// A hand-out, and its files of a pattern, a line each.
    fn handed_out(course: &Course, kind: Kind, pattern: &str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        write(course, folder.path(), kind).unwrap();
        let listed = Command::new("git").args(["ls-files", pattern]).current_dir(folder.path()).output().unwrap();
        (folder, String::from_utf8(listed.stdout).unwrap())
    }

    #[test]
    fn one_lab_goes_out_alone() {
        let (folder, listed) = handed_out(&here().only("gemm").unwrap(), Kind::Source, "*.md");
        let root = folder.path();
        assert_links_lead_somewhere(root, &listed);
        let part = Course::read(root).unwrap();
        assert_eq!((part.labs.len(), part.labs[0].name.as_str()), (1, "gemm"));
        assert!(part.exercises.iter().all(|exercise| exercise.lab == "gemm") && part.exercises.len() > 3);
        for file in ["Cargo.toml", "course/exercises/Cargo.toml", "course/exercises/src/labs.rs", "README.md"] {
            let text = fs::read_to_string(root.join(file)).unwrap();
            let others = ["gemv", "streams", "transpose"].map(|lab| [format!("lab-{lab}"), format!("lab_{lab}")]);
            assert!(text.contains("gemm") || file == "Cargo.toml", "{file}");
            assert!(others.as_flattened().iter().all(|lab| !text.contains(lab.as_str())), "{file}");
        }
        assert!(root.join("answers/gemm.md").is_file() && !root.join("answers/gemv.md").exists());
        assert!(!root.join("lab-gemv").exists() && !root.join("kernels/gemv").exists());
    }

    #[test]
    #[ignore = "the same of each lab; next: .ci/run"]
    fn exhaustive_links_lead_somewhere_in_a_hand_out_of_each_lab() {
        for lab in here().labs {
            let (folder, listed) = handed_out(&here().only(&lab.name).unwrap(), Kind::Tool, "*.md");
            assert_links_lead_somewhere(folder.path(), &listed);
        }
    }

    /// The links of pages, a line each.
    fn assert_links_lead_somewhere(root: &Path, pages: &str) {
        let mut count = 0;
        for page in pages.lines() {
            let text = fs::read_to_string(root.join(page)).unwrap();
            let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
            for link in links.filter(|link| !link.is_empty() && !link.contains(':')) {
                count += 1;
                assert!(root.join(page).parent().unwrap().join(link).exists(), "{page}: {link}");
            }
        }
        assert!(count > 3, "{count} links");
    }

    #[test]
    fn links_in_the_hand_out_lead_somewhere_and_its_sources_are_whole() {
        let (folder, listed) = handed_out(&here(), Kind::Source, "*.[mr][ds]");
        let (pages, sources): (Vec<&str>, Vec<&str>) = listed.lines().partition(|file| file.ends_with(".md"));
        assert_links_lead_somewhere(folder.path(), &pages.join("\n"));
        // An editor's files, too, name what is there; NVRTC's folder comes later.
        let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
        let flags = read("compile_flags.txt");
        let own = flags.lines().filter_map(|flag| flag.find(".editor").map(|at| &flag[at..]));
        assert_eq!(own.filter(|path| folder.path().join(path).exists()).count(), 2, "{flags}");
        let tasks: serde_json::Value = serde_json::from_str(&read(".vscode/tasks.json")).unwrap();
        assert_eq!(tasks["tasks"][0]["command"], "./judge check");
        for source in &sources {
            let text = fs::read_to_string(folder.path().join(source)).unwrap();
            assert!(text.parse::<TokenStream>().is_ok(), "{source} is cut");
            // Modules that it names in files of their own are there.
            let path = Path::new(source);
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap();
            let own = if ["mod", "lib", "main"].contains(&stem) { String::new() } else { format!("{stem}/") };
            let folder = folder.path().join(path.parent().unwrap()).join(own);
            let lines: Vec<&str> = text.lines().collect();
            for pair in lines.windows(2).filter(|pair| !pair[0].contains("cfg(test)") && !pair[0].contains("#[path")) {
                let words: Vec<&str> = pair[1].split(' ').collect();
                let Some(name) = (match words[..] {
                    ["mod", name] | ["pub", "mod", name] | ["pub(crate)", "mod", name] => name.strip_suffix(';'),
                    _ => None,
                }) else {
                    continue;
                };
                let there =
                    [format!("{name}.rs"), format!("{name}/mod.rs")].iter().any(|file| folder.join(file).is_file());
                assert!(there, "{source}: its module {name} is not handed out");
            }
        }
        assert!(sources.len() > 200, "{} sources", sources.len());
    }

    #[test]
    fn the_tool_is_light_and_cargo_reads_it() {
        let (folder, pages) = handed_out(&here(), Kind::Tool, "*.md");
        assert_links_lead_somewhere(folder.path(), &pages);
        let listed = git(folder.path(), &["ls-files"]).unwrap();
        // The judge comes on top.
        assert!((100..145).contains(&listed.lines().count()), "{} files", listed.lines().count());
        let sources = listed.lines().filter(|file| file.ends_with(".rs"));
        let lines: usize =
            sources.map(|file| fs::read_to_string(folder.path().join(file)).unwrap().lines().count()).sum();
        assert!((300..2000).contains(&lines), "{lines} lines of Rust");
        assert!(!folder.path().join("simulator").exists() && !folder.path().join("common").exists());
        let course = Course::read(folder.path()).unwrap();
        for exercise in &course.exercises {
            assert_eq!(course.starter(exercise).unwrap(), course.text(exercise).unwrap(), "{}", exercise.id());
        }
        // Host code is in packages that need nothing.
        let arguments = ["check", "--offline", "--workspace", "--all-targets", "--quiet", "--target-dir", "target"];
        let checked = Command::new("cargo").args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(checked.status.success() && checked.stderr.is_empty(), "{}", String::from_utf8_lossy(&checked.stderr));
    }

    #[test]
    fn links_to_what_stays_are_words() {
        let files = Files::from(["pages/a.md"]);
        let text = "[a](a.md#x), [b c](../b.md), [d](https://d.org), [e](#e) f](";
        assert_eq!(unlinked("pages/p.md", text, &files), "[a](a.md#x), b c, [d](https://d.org), [e](#e) f](");
    }

    #[test]
    fn a_rung_leaves_with_its_row() {
        let text =
            "ladder! {\n    \"a\", \"first\",\n        {\n            x;\n        };\n    \"b\", \"a\", R {};\n};\n";
        assert_eq!(without_variant(text, "a"), "ladder! {\n    \"b\", \"a\", R {};\n};\n");
    }
}
