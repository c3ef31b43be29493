//! The manifests of the hand-out: the workspace's own without what is not handed out, read and written as TOML, so that comments and order stay.

use anyhow::Context;
use exercises::table::Course;
use std::collections::BTreeSet;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, value};

/// Kinds of targets that may stay with the instructor, each with the folder in which Cargo looks for it.
const TARGETS: &[(&str, &str)] = &[("test", "tests"), ("bench", "benches"), ("example", "examples")];
/// Where a member names what it depends on.
const DEPENDENCIES: &[&str] = &["dependencies", "build-dependencies", "dev-dependencies"];

/// The texts of the kernels are compiled into this package, so an edit of one compiles it and all that name it anew: these are incremental.
const KERNELS: &str = "kernels";

/// The files that are handed out.
pub type Files<'a> = BTreeSet<&'a str>;

/// The workspace's manifest: without members that are not handed out, and without dependencies that no member names. `members` are their
/// manifests as they are handed out.
///
/// # Errors
/// A text that is no workspace's manifest.
pub fn workspace(text: &str, files: &Files, members: &[String]) -> anyhow::Result<String> {
    let mut manifest: DocumentMut = text.parse()?;
    let table = manifest.get_mut("workspace").and_then(Item::as_table_mut).context("no [workspace]")?;
    let handed_out = |folder: &str| files.contains(format!("{folder}/Cargo.toml").as_str());
    let list = table.get_mut("members").and_then(Item::as_array_mut).context("no members")?;
    list.retain(|member| member.as_str().is_some_and(handed_out));
    let (mut needed, mut above_kernels) = (BTreeSet::new(), Vec::new());
    for member in members {
        let member: DocumentMut = member.parse()?;
        let tables = DEPENDENCIES.iter().filter_map(|name| member.get(name)?.as_table_like());
        let named: Vec<String> = tables.flat_map(TableLike::iter).map(|(name, _)| name.to_owned()).collect();
        let name = name_of(&member)?;
        if name == KERNELS || named.iter().any(|named| named == KERNELS) {
            above_kernels.push(name);
        }
        needed.extend(named);
    }
    let dependencies = table.get_mut("dependencies").and_then(Item::as_table_mut).context("no dependencies")?;
    dependencies.retain(|name, _| needed.contains(name));
    // That a starter does not use everything yet is no reason for a warning.
    let lints = table.get_mut("lints").and_then(|lints| lints.get_mut("rust")).context("no lints of rust")?;
    lints["unused"] = value("allow");
    // A lab that is not handed out has no profile either.
    let profiles = manifest.get_mut("profile").and_then(Item::as_table_mut).into_iter().flat_map(|all| all.iter_mut());
    for packages in profiles.filter_map(|(_, profile)| profile.get_mut("package")?.as_table_mut()) {
        packages.retain(|name, _| !name.starts_with("lab-") || files.contains(format!("{name}/Cargo.toml").as_str()));
    }
    let packages =
        ["release", "package"].into_iter().try_fold(manifest.entry("profile").or_insert_with(implicit), inner);
    let packages = packages.context("[profile.release.package] is no table")?;
    for name in above_kernels {
        inner(packages, &name).context("a package's profile is no table")?["incremental"] = value(true);
    }
    Ok(manifest.to_string())
}

/// The course's table, without the rows of labs that are not handed out.
///
/// # Errors
/// A text that is no such table.
pub fn table(text: &str, course: &Course) -> anyhow::Result<String> {
    let mut table: DocumentMut = text.parse()?;
    for (kind, name) in [("lab", "name"), ("exercise", "lab")] {
        let rows =
            table.get_mut(kind).and_then(Item::as_array_of_tables_mut).with_context(|| format!("no [[{kind}]]"))?;
        let stays = |row: &Table| course.labs.iter().any(|lab| row.get(name).and_then(Item::as_str) == Some(&lab.name));
        rows.retain(stays);
    }
    Ok(table.to_string())
}

/// A table that only its parts are written of.
fn implicit() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

/// The table of this name in another, made where there is none.
fn inner<'a>(table: &'a mut Item, name: &str) -> Option<&'a mut Item> {
    Some(table.as_table_mut()?.entry(name).or_insert_with(implicit))
}

fn name_of(package: &DocumentMut) -> anyhow::Result<String> {
    let name = package.get("package").and_then(|package| package.get("name")).and_then(Item::as_str);
    Ok(name.context("no name of the package")?.to_owned())
}

/// A member's manifest: without targets whose file is not handed out, without the dependencies of tests where no test is, and with no unit
/// tests to run, because the sources have none.
///
/// # Errors
/// A text that is no package's manifest.
pub fn member(path: &str, text: &str, files: &Files) -> anyhow::Result<String> {
    let folder = path.strip_suffix("Cargo.toml").context("no manifest")?;
    let mut manifest: DocumentMut = text.parse()?;
    let name = name_of(&manifest)?;
    for (kind, place) in TARGETS {
        let Some(targets) = manifest.get_mut(kind).and_then(Item::as_array_of_tables_mut) else { continue };
        targets.retain(|target| {
            let text = |key: &str| target.get(key).and_then(Item::as_str);
            let file = text("path").map(str::to_owned).or_else(|| Some(format!("{place}/{}.rs", text("name")?)));
            let in_folder = text("name").map(|name| format!("{place}/{name}/main.rs"));
            [file, in_folder].into_iter().flatten().any(|file| files.contains(format!("{folder}{file}").as_str()))
        });
        if targets.is_empty() {
            manifest.remove(kind);
        }
    }
    if let Some(dependencies) = manifest.get_mut("dependencies").and_then(Item::as_table_mut) {
        let stays = |name: &str| !name.starts_with("lab-") || files.contains(format!("{name}/Cargo.toml").as_str());
        dependencies.retain(|name, _| stays(name));
    }
    let tested = |(_, place): &(&str, &str)| files.iter().any(|file| file.starts_with(&format!("{folder}{place}/")));
    if !TARGETS.iter().any(tested) {
        manifest.remove("dev-dependencies");
    }
    let own = files.iter().filter_map(|file| file.strip_prefix(folder));
    let programs: Vec<(String, &str)> = own.filter_map(|file| Some((program(&name, file)?, file))).collect();
    if files.contains(format!("{folder}src/lib.rs").as_str()) {
        let library = manifest.entry("lib").or_insert_with(toml_edit::table);
        library["test"] = value(false);
        library["doctest"] = value(false);
    }
    for (name, path) in programs {
        let all = manifest.entry("bin").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let all = all.as_array_of_tables_mut().context("`bin` is no list of tables")?;
        let at = all.iter().position(|target| target.get("name").and_then(Item::as_str) == Some(&name));
        let at = at.unwrap_or_else(|| {
            let mut target = Table::new();
            target["name"] = value(&name);
            target["path"] = value(path);
            all.push(target);
            all.len() - 1
        });
        all.get_mut(at).expect("it is there")["test"] = value(false);
    }
    Ok(manifest.to_string())
}

/// The program that Cargo makes of a file of a package: its main file, a file in `src/bin/`, or the main file of a folder there.
fn program(package: &str, file: &str) -> Option<String> {
    if file == "src/main.rs" {
        return Some(package.to_owned());
    }
    let file = file.strip_prefix("src/bin/")?;
    let name = file.strip_suffix("/main.rs").or_else(|| file.strip_suffix(".rs"))?;
    (!name.contains('/')).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMBER: &str = include_str!("member.toml");

    #[test]
    fn a_member_loses_the_targets_that_stay() {
        let bare = Files::from(["lab-gemm/Cargo.toml", "lab-gemm/src/lib.rs", "lab-gemm/src/main.rs"]);
        let out = member("lab-gemm/Cargo.toml", MEMBER, &bare).unwrap();
        assert_eq!(out, include_str!("member_handed_out.toml"));
        let tested = Files::from(["lab-gemm/tests/exercises/main.rs", "lab-gemm/src/bin/sim/main.rs"]);
        let out = member("lab-gemm/Cargo.toml", MEMBER, &tested).unwrap();
        assert!(out.contains("# The verdict.\n[[test]]\nname = \"exercises\"\n") && out.contains("[dev-dependencies]"));
        assert!(!out.contains("rungs") && !out.contains("ladder") && !out.contains("[lib]"), "{out}");
        assert!(out.contains("name = \"sim\"\npath = \"src/bin/sim/main.rs\"\ntest = false"), "{out}");
        assert!(member("a/Cargo.toml", "[lib]\n", &bare).is_err());
    }

    #[test]
    fn a_target_that_is_written_down_stays_as_it_is() {
        let text = "[package]\nname = \"a\"\n\n[lib]\npath = \"src/lib.rs\"\n\n[[bin]]\nname = \"a\"\npath = \"src/main.rs\"\n\n\
                    [[test]]\nname = \"t\"\npath = \"other/t.rs\"\n";
        let files = Files::from(["a/src/lib.rs", "a/src/main.rs", "a/other/t.rs"]);
        let out = member("a/Cargo.toml", text, &files).unwrap();
        assert!(out.contains("path = \"src/lib.rs\"\ntest = false\ndoctest = false\n"), "{out}");
        assert_eq!(out.matches("[[bin]]").count(), 1);
        assert!(out.contains("path = \"src/main.rs\"\ntest = false\n") && out.contains("other/t.rs"), "{out}");
    }

    #[test]
    fn the_workspace_loses_members_and_what_they_alone_need() {
        let text = "[workspace]\nmembers = [\"course\", \"common\"]\n\n[workspace.dependencies]\ncommon = { path = \"common\" }\n\
                    course = { path = \"course\" }\n\n# Fast.\nclap = \"4\"\n# A page's.\nurl = \"2\"\n\n[workspace.lints.rust]\n\
                    unsafe_code = \"deny\"\n";
        let members = [MEMBER.replace("url.workspace", "common.workspace"), MEMBER.replace("url", "kernels")];
        let members = members.map(|member| member.replacen("lab-gemm", "common", 1));
        let out = workspace(text, &Files::from(["common/Cargo.toml"]), &members).unwrap();
        let list = out.lines().nth(1).unwrap();
        assert_eq!(list.replace(' ', ""), "members=[\"common\"]");
        assert!(out.contains("common = { path = \"common\" }\n\n# Fast.\nclap = \"4\"\n\n"), "{out}");
        assert!(out.ends_with("\n[profile.release.package.common]\nincremental = true\n"), "{out}");
        assert!(!out.contains("course") && !out.contains("url") && out.contains("unused = \"allow\"\n"), "{out}");
    }
}
