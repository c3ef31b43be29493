//! The house as a drawing for CONTRIBUTING.md: the workspace's crates, and the simulator's rooms.

use crate::arrows::Arrows;
use crate::circles::reduced;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The marks between which the drawing stands.
const BEGIN: &str = "<!-- rooms: made by `LABS_WRITE=1 cargo test -p common --test rooms`; do not edit -->\n";
const END: &str = "<!-- /rooms -->";

/// Which crate needs which of the workspace's, by their manifests. What only tests need does not count.
pub fn crates(folders: &BTreeMap<String, PathBuf>) -> Arrows {
    let needs = |folder: &Path| {
        let manifest = manifest(folder);
        let section = manifest.split("\n[").find(|section| section.starts_with("dependencies]")).unwrap_or_default();
        let keys = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        keys.filter(|key| folders.contains_key(*key)).map(str::to_owned).collect()
    };
    folders.iter().map(|(name, folder)| (name.clone(), needs(folder))).collect()
}

fn manifest(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("Cargo.toml")).expect("a crate has a manifest")
}

/// The name of the package in a folder.
pub fn name_of(folder: &Path) -> String {
    let manifest = manifest(folder);
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = "));
    name.expect("a package has a name").trim_matches('"').to_owned()
}

/// Both graphs in Mermaid's notation, which GitHub draws.
pub fn draw(crates: &Arrows, rooms: &Arrows) -> String {
    let mut text = String::from("```mermaid\nflowchart TD\n");
    for (from, all) in reduced(crates) {
        for to in all {
            writeln!(text, "    {from} --> {to}").expect("a string takes all");
        }
    }
    text.push_str("    subgraph simulator\n");
    for (from, all) in reduced(rooms) {
        for to in all {
            writeln!(text, "        sim_{from}[{from}] --> sim_{to}[{to}]").expect("a string takes all");
        }
    }
    text + "    end\n```\n"
}

/// Panics where the drawing in `file` is not `drawing`; with LABS_WRITE it is put there instead.
pub fn assert_current(file: &Path, drawing: &str) {
    let text = std::fs::read_to_string(file).expect("readable");
    let (before, rest) = text.split_once(BEGIN).expect("the drawing's begin is marked");
    let (found, after) = rest.split_once(END).expect("the drawing's end is marked");
    if found == drawing {
        return;
    }
    if std::env::var_os("LABS_WRITE").is_some() {
        std::fs::write(file, format!("{before}{BEGIN}{drawing}{END}{after}")).expect("writable");
    } else {
        panic!(
            "{} shows another house than the code\n  next: LABS_WRITE=1 cargo test -p common --test rooms",
            file.display()
        );
    }
}
