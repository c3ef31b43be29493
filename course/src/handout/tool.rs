//! The packages of a hand-out that is a tool: they call the judge, so that Cargo's commands and editors know the labs.

use exercises::table::Course;
use std::collections::BTreeSet;

const WORKSPACE: &str = include_str!("../../tool/Cargo.toml");
const MEMBER: &str = include_str!("../../tool/member.toml");
const LAB: &str = include_str!("../../tool/lab.rs.in");
const CHECK: &str = include_str!("../../tool/check.rs.in");

/// Their files, by path. `handed_out` are those that students get of the workspace: modules of a lab among them belong to its package.
pub fn files(course: &Course, handed_out: &BTreeSet<&str>) -> Vec<(String, String)> {
    let test = "\n[[test]]\nname = \"exercises\"\nharness = false\n";
    // A package has a library, too; this one is empty.
    let exercises = MEMBER.replace("@NAME@", "exercises") + "\n[lib]\ntest = false\ndoctest = false\n" + test;
    let library = "//! Empty: the verdict is a test.\n".to_owned();
    let mut files = vec![
        ("Cargo.toml".to_owned(), WORKSPACE.to_owned()),
        ("course/exercises/Cargo.toml".to_owned(), exercises),
        ("course/exercises/src/lib.rs".to_owned(), library),
        ("course/exercises/tests/exercises.rs".to_owned(), CHECK.to_owned()),
    ];
    for lab in &course.labs {
        let folder = format!("lab-{}", lab.name);
        let sources = handed_out.iter().filter_map(|path| path.strip_prefix(&format!("{folder}/src/")));
        let names: BTreeSet<&str> = sources.filter_map(|path| path.split(['/', '.']).next()).collect();
        let modules: String = names.iter().map(|name| format!("mod {name};\n")).collect();
        let modules = if modules.is_empty() { modules } else { modules + "\n" };
        let main = LAB.replace("@LAB@", &lab.name).replacen("use ", &format!("{modules}use "), 1);
        let manifest = MEMBER.replace("@NAME@", &folder);
        let program = format!("\n[[bin]]\nname = \"{folder}\"\npath = \"src/main.rs\"\ntest = false\n");
        files.push((format!("{folder}/Cargo.toml"), manifest + &program));
        files.push((format!("{folder}/src/main.rs"), main));
    }
    files
}
