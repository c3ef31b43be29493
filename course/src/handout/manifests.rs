//! The manifests of the hand-out: the workspace's own without what is not handed out, read and written as TOML, so that comments and order stay.

use anyhow::Context;
use exercises::table::Course;
use std::collections::BTreeSet;
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// Kinds of targets that may stay with the instructor, each with the folder in which Cargo looks for it.
const TARGETS: &[(&str, &str)] = &[("test", "tests"), ("bench", "benches"), ("example", "examples")];
/// The files that are handed out.
pub type Files<'a> = BTreeSet<&'a str>;

/// The workspace's manifest: without members that are not handed out. `cargo test` is the verdict.
///
/// # Errors
/// A text that is no workspace's manifest.
pub fn workspace(text: &str, files: &Files) -> anyhow::Result<String> {
    let mut manifest: DocumentMut = text.parse()?;
    let table = manifest.get_mut("workspace").and_then(Item::as_table_mut).context("no [workspace]")?;
    let handed_out = |folder: &str| files.contains(format!("{folder}/Cargo.toml").as_str());
    let list = table.get_mut("members").and_then(Item::as_array_mut).context("no members")?;
    list.retain(|member| member.as_str().is_some_and(handed_out));
    // The texts of the kernels are compiled into one of these, so an edit of one compiles it and all that name it anew.
    let names = list.iter().filter_map(|member| member.as_str()?.rsplit('/').next());
    let is_above = |name: &&str| ["kernels", "common", "exercises"].contains(name) || name.starts_with("lab-");
    let above_kernels: Vec<String> = names.filter(is_above).map(str::to_owned).collect();
    table["default-members"] = value(Array::from_iter(["course/exercises"]));
    let dependencies = table.get_mut("dependencies").and_then(Item::as_table_mut).context("no dependencies")?;
    dependencies.retain(|_, item| item.get("path").and_then(Item::as_str).is_none_or(handed_out));
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

/// A member's manifest: without targets whose file is not handed out, and without the dependencies of tests where no test is.
///
/// # Errors
/// A text that is no package's manifest.
pub fn member(path: &str, text: &str, files: &Files) -> anyhow::Result<String> {
    let folder = path.strip_suffix("Cargo.toml").context("no manifest")?;
    let mut manifest: DocumentMut = text.parse()?;
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
    Ok(manifest.to_string())
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
        let tested = Files::from(["lab-gemm/tests/exercises/main.rs", "lab-gemm/src/main.rs"]);
        let out = member("lab-gemm/Cargo.toml", MEMBER, &tested).unwrap();
        assert!(out.contains("# The verdict.\n[[test]]\nname = \"exercises\"\n") && out.contains("[dev-dependencies]"));
        assert!(!out.contains("rungs") && !out.contains("ladder") && !out.contains("[lib]"), "{out}");
    }

    #[test]
    fn the_workspace_loses_members_and_paths_to_them() {
        let text = "[workspace]\nmembers = [\"course\", \"common\"]\n\n[workspace.dependencies]\ncommon = { path = \"common\" }\n\
                    course = { path = \"course\" }\n\n# Fast.\nclap = \"4\"\n\n[workspace.lints.rust]\nunsafe_code = \"deny\"\n";
        let out = workspace(text, &Files::from(["common/Cargo.toml"])).unwrap();
        let list = out.lines().nth(1).unwrap();
        assert_eq!(list.replace(' ', ""), "members=[\"common\"]");
        assert!(out.contains("common = { path = \"common\" }\n\n# Fast.\nclap = \"4\"\n\n"), "{out}");
        assert!(out.ends_with("\n[profile.release.package.common]\nincremental = true\n"), "{out}");
        assert!(!out.contains("course =") && out.contains("unused = \"allow\"\n"), "{out}");
    }
}
