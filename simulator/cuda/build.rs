//! Makes of each table in `src/tables` a macro of the file's name, which hands the rows to another macro, and after them what its caller adds.
//! Rows that name `crate` mean the room that they are handed to. Lines with `//!` at the head of a file become the macro's documentation.
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=src/tables");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir("src/tables").expect("the tables").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let out = Path::new(&std::env::var_os("OUT_DIR").expect("Cargo sets it")).join("tables.rs");
    std::fs::write(out, files.iter().map(|file| handed_on(file)).collect::<String>()).expect("the folder of the build");
}

fn handed_on(file: &Path) -> String {
    let name = file.file_stem().and_then(|name| name.to_str()).expect("a name");
    let (head, rows): (Vec<String>, Vec<String>) = std::fs::read_to_string(file)
        .expect("a table")
        .lines()
        .map(|line| line.replace("//!", "///") + "\n")
        .partition(|line| line.starts_with("///"));
    let (head, rows) = (head.concat(), rows.concat());
    format!(
        "{head}#[allow(clippy::crate_in_macro_def)]\n#[macro_export]\nmacro_rules! {name} {{ ($with:ident $($more:tt)*) => {{ $with! {{\n{rows}$($more)* }} }} }}\n"
    )
}
