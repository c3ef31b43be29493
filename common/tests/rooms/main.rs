//! Arrows between rooms go one way. A room is a file, in the simulator a folder; an arrow is a path that one room's text has to another's.
//!
//! Where a test names a new circle, move what both ends need into a room below them.

mod arrows;
mod circles;
mod picture;
mod words;

use arrows::Arrows;
use circles::{circles, grouped};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("in the workspace")
}

/// The folders of the workspace's crates, by the names of their packages.
fn crates() -> BTreeMap<String, PathBuf> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("the workspace's manifest");
    let (_, members) = manifest.split_once("members = [").expect("a list of members");
    let members = members.split(']').next().expect("an end of the list").split('"').skip(1).step_by(2);
    let folders = members.map(|folder| root().join(folder));
    folders.map(|folder| (picture::name_of(&folder), folder)).collect()
}

/// The arrows of a library, and of the programs beside it.
fn roots(folder: &Path) -> Vec<PathBuf> {
    let source = folder.join("src");
    let programs = std::fs::read_dir(source.join("bin")).into_iter().flatten().flatten();
    let programs =
        programs.map(|entry| if entry.path().is_dir() { entry.path().join("main.rs") } else { entry.path() });
    let own = ["lib.rs", "main.rs"].map(|file| source.join(file));
    own.into_iter().chain(programs).filter(|path| path.is_file()).collect()
}

/// The first folder or file of a path, without its ending; nothing for the crate's root, which only names the others.
fn top(file: &str) -> Option<String> {
    let first = file.split('/').next()?.trim_end_matches(".rs");
    (first != "lib").then(|| first.to_owned())
}

/// The crates of the simulated card, which are split in rooms: folders, or files beside them.
const SIMULATED: &[&str] = &["ptx", "machine", "watch", "clock", "driver"];

fn rooms_of(name: &str) -> Arrows {
    let folder = if SIMULATED.contains(&name) { root().join("simulator") } else { root().to_owned() };
    grouped(&HOUSE[&folder.join(name).join("src/lib.rs")], top)
}

/// The arrows of each root of each crate. All tests here ask about the same sources, so these are read once.
static HOUSE: LazyLock<BTreeMap<PathBuf, Arrows>> = LazyLock::new(|| {
    let files = crates().into_values().flat_map(|folder| roots(&folder));
    std::thread::scope(|scope| {
        let readers: Vec<_> = files.map(|file| scope.spawn(move || (arrows::read(&file), file))).collect();
        readers.into_iter().map(|reader| reader.join().expect("read")).map(|(arrows, file)| (file, arrows)).collect()
    })
});

/// The files of the largest circle that a crate of the simulated card may have; other crates have none.
fn allowed(folder: &Path) -> usize {
    if folder.starts_with(root().join("simulator")) { 3 } else { 0 }
}

#[test]
fn no_files_of_a_crate_stand_in_a_circle() {
    let mut read = 0;
    let mut large = Vec::new();
    for (name, folder) in crates() {
        for file in roots(&folder) {
            let arrows = &HOUSE[&file];
            read += arrows.len();
            for (files, circle) in circles(arrows) {
                if files > allowed(&folder) {
                    large.push(format!("{name}: {files} files name each other: {circle}"));
                }
            }
        }
    }
    assert!(large.is_empty(), "{}", large.join("\n"));
    assert!(read > 80, "only {read} files were read");
}

#[test]
fn no_rooms_of_a_simulated_crate_or_of_the_labs_common_one_stand_in_a_circle() {
    for name in SIMULATED.iter().chain(&["common"]) {
        let found: Vec<String> = circles(&rooms_of(name)).into_iter().map(|(_, circle)| circle).collect();
        assert!(found.is_empty(), "{name}: these rooms name each other: {}", found.join("\n"));
    }
}

/// Text becomes a tree (ptx), the tree flat code (lower) for the executor (exec), which works on memory: none names one before it.
const AGAINST_THE_FLOW: &[(&str, &[&str])] = &[("exec", &["lower"]), ("memory", &["lower", "exec"])];

#[test]
fn the_machine_s_rooms_know_only_what_lies_below() {
    let rooms = rooms_of("machine");
    for (room, above) in AGAINST_THE_FLOW {
        let named = rooms.get(*room).unwrap_or_else(|| panic!("there is no room {room}"));
        let against: Vec<_> = above.iter().filter(|name| named.contains(**name)).collect();
        assert!(against.is_empty(), "{room} names {against:?}");
    }
}

#[test]
fn the_picture_in_contributing_is_the_code_s() {
    let rooms = SIMULATED.iter().map(|name| (*name, rooms_of(name)));
    let drawing = picture::draw(&picture::crates(&crates()), rooms);
    picture::assert_current(&root().join("CONTRIBUTING.md"), &drawing);
}

/// The reader and the search are tested on a circle of their own.
#[test]
fn a_circle_is_found_and_named() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rooms");
    std::fs::create_dir_all(folder.join("b")).expect("a folder");
    let files = [
        ("lib.rs", "mod a;\nmod b;\npub use b::Shown;\n// use crate::nothing;\n"),
        ("a.rs", "use crate::Shown;\npub struct Own(Shown);\n#[cfg(test)]\nmod tests { use crate::b::inner::Deep; }\n"),
        ("b/mod.rs", "mod inner;\npub struct Shown;\nconst TEXT: &str = \"crate::a::Own\";\n"),
        ("b/inner.rs", "pub fn own() -> crate::a::Own { todo!() }\n"),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("written");
    }
    let arrows = arrows::read(&folder.join("lib.rs"));
    let named = |file: &str| arrows[file].iter().cloned().collect::<Vec<_>>();
    assert_eq!(named("a.rs"), ["b/mod.rs"], "a name that is handed on counts for its origin, a test does not count");
    assert_eq!(named("b/inner.rs"), ["a.rs"]);
    assert!(named("b/mod.rs").is_empty(), "a string is no arrow");
    assert!(circles(&arrows).is_empty());
    assert_eq!(circles(&grouped(&arrows, top)), [(2, "a -> b, b -> a".to_owned())]);
    let way = |from: &str, to: &[&str]| (from.to_owned(), to.iter().map(|name| (*name).to_owned()).collect());
    let graph = Arrows::from_iter([way("a", &["b", "c"]), way("b", &["c"]), way("c", &[])]);
    assert_eq!(circles::reduced(&graph)["a"], ["b".to_owned()].into());
}

/// A folder of more files than this is no room that one can overlook.
const MOST_FILES: usize = 20;

#[test]
fn no_folder_holds_more_files_than_one_can_overlook() {
    let mut crowded = Vec::new();
    for folder in crates().into_values() {
        let mut open = vec![folder.join("src")];
        while let Some(folder) = open.pop() {
            let entries: Vec<PathBuf> =
                std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            let files = entries.iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs")).count();
            if files > MOST_FILES {
                crowded.push(format!("{}: {files} files", folder.display()));
            }
            open.extend(entries.into_iter().filter(|path| path.is_dir()));
        }
    }
    assert!(crowded.is_empty(), "{}", crowded.join("\n"));
}
