//! Arrows between rooms go one way. A room is a file, in the simulator a folder; an arrow is a path that one room's text has to another's.
//!
//! Where a test names a new circle, move what both ends need into a room below them.

mod arrows;
mod circles;
mod picture;

use arrows::Arrows;
use circles::{circles, grouped};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

fn simulator() -> Arrows {
    arrows::read(&root().join("simulator/src/lib.rs"))
}

/// The first folder or file of a path, without its ending; nothing for the crate's root, which only names the others.
fn top(file: &str) -> Option<String> {
    let first = file.split('/').next()?.trim_end_matches(".rs");
    (first != "lib").then(|| first.to_owned())
}

#[test]
fn no_files_of_a_crate_stand_in_a_circle() {
    let mut read = 0;
    for (name, folder) in crates().into_iter().filter(|(name, _)| name != "simulator") {
        for file in roots(&folder) {
            let arrows = arrows::read(&file);
            read += arrows.len();
            let found = circles(&arrows);
            assert!(found.is_empty(), "{name}: these files name each other: {}", found.join("\n"));
        }
    }
    assert!(read > 80, "only {read} files were read");
}

#[test]
fn no_rooms_of_the_simulator_stand_in_a_circle() {
    let found = circles(&grouped(&simulator(), top));
    assert!(found.is_empty(), "the simulator's rooms name each other: {}", found.join("\n"));
}

#[test]
fn no_rooms_of_the_driver_stand_in_a_circle() {
    let inside = |file: &str| top(file.strip_prefix("driver/")?).filter(|room| room != "mod");
    let found = circles(&grouped(&simulator(), inside));
    assert!(found.is_empty(), "the driver's rooms name each other: {}", found.join("\n"));
}

/// Rooms that count, judge or time, and the only ones that they may name.
const LISTENERS: &[&str] = &["counters", "sanitizer", "timeline"];
/// A launch shows its program and its memory, an event may be a fault; what the host's vector units can do is nobody's.
const HEARD: &[&str] = &["probe", "isa", "device", "program", "memory", "fault", "host"];

/// Arrows that are still to be mended; the list only gets shorter.
const KNOWN_ARROWS: &[&str] = &["sanitizer -> exec", "timeline -> occupancy"];

/// Text becomes a tree (ptx), the tree flat code (lower) for the executor (exec), which works on memory: none names one before it.
const AGAINST_THE_FLOW: &[(&str, &[&str])] =
    &[("ptx", &["lower", "exec", "memory"]), ("exec", &["lower"]), ("memory", &["ptx", "lower", "exec"])];

#[test]
fn the_simulator_s_rooms_know_only_what_lies_below() {
    let rooms = grouped(&simulator(), top);
    for (room, named) in &rooms {
        assert!(room == "driver" || !named.contains("driver"), "{room} names the driver: what it needs belongs below");
        if LISTENERS.contains(&room.as_str()) {
            let new =
                named.iter().filter(|name| !HEARD.contains(&name.as_str())).map(|name| format!("{room} -> {name}"));
            let new: Vec<String> = new.filter(|arrow| !KNOWN_ARROWS.contains(&arrow.as_str())).collect();
            assert!(new.is_empty(), "who listens names {HEARD:?} only: {new:?}");
        }
    }
    for (room, above) in AGAINST_THE_FLOW {
        let named = rooms.get(*room).unwrap_or_else(|| panic!("there is no room {room}"));
        let against: Vec<_> = above.iter().filter(|name| named.contains(**name)).collect();
        assert!(against.is_empty(), "{room} names {against:?}");
    }
}

#[test]
fn the_picture_in_contributing_is_the_code_s() {
    let crates = picture::crates(&crates());
    let drawing = picture::draw(&crates, &grouped(&simulator(), top));
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
    assert_eq!(circles(&grouped(&arrows, top)), ["a -> b, b -> a"]);
    let way = |from: &str, to: &[&str]| (from.to_owned(), to.iter().map(|name| (*name).to_owned()).collect());
    let graph = Arrows::from_iter([way("a", &["b", "c"]), way("b", &["c"]), way("c", &[])]);
    assert_eq!(circles::reduced(&graph)["a"], ["b".to_owned()].into());
}
