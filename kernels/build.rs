//! Makes four tables out of this crate's folders, so that adding a rung is adding a file: the `.cu` sources
//! (`LAB/NUMBER_NAME.cu`), in the order of the ladder, and their pristine copies, PTX and resources (`ptx/LAB/…`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));

    let mut table = String::from("pub(crate) static SOURCES: &[(&str, &str, &str, &str)] = &[\n");
    for lab in folders(&root)? {
        let lab_name = file_name(&lab);
        for file in files(&lab, ".cu")? {
            let path = format!("{lab_name}/{}", file_name(&file));
            let stem = file_name(&file).trim_end_matches(".cu").to_owned();
            let name = stem.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('_');
            writeln!(
                table,
                "    ({lab_name:?}, {name:?}, {:?}, {}),",
                format!("kernels/{path}"),
                include("include_str", &path)
            )
            .unwrap();
        }
    }
    table.push_str("];\n");
    for (name, content, ending, macro_name) in [
        ("PRISTINE", "&[u8]", ".cu.z", "include_bytes"),
        ("EMBEDDED", "&[u8]", ".ptx.z", "include_bytes"),
        ("RESOURCES", "&str", ".resources", "include_str"),
    ] {
        writeln!(table, "pub(crate) static {name}: &[(&str, {content})] = &[").unwrap();
        for lab in folders(&root.join("ptx"))? {
            for file in files(&lab, ending)? {
                let path = file.strip_prefix(&root).expect("under the root").to_str().expect("UTF-8").to_owned();
                writeln!(table, "    ({:?}, {}),", format!("kernels/{path}"), include(macro_name, &path)).unwrap();
            }
        }
        table.push_str("];\n");
    }
    fs::write(out.join("tables.rs"), table)
}

/// A file of this crate, as an expression: `include_str` makes it a text, `include_bytes` an array.
fn include(macro_name: &str, path: &str) -> String {
    format!("{macro_name}!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?}))", format!("/{path}"))
}

fn file_name(path: &Path) -> String {
    path.file_name().and_then(|name| name.to_str()).expect("file names are UTF-8").to_owned()
}

/// The folders in `folder`, sorted by name. Cargo watches `folder` for new ones.
fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    entries(folder, |path| path.is_dir())
}

/// The files in `folder` with this ending, sorted by the number that their name starts with, then by name.
fn files(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let mut files = entries(folder, |path| file_name(path).ends_with(ending))?;
    files.sort_by_key(|path| {
        let name = file_name(path);
        let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        (name[..digits].parse::<u32>().unwrap_or(0), name)
    });
    Ok(files)
}

fn entries(folder: &Path, wanted: impl Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if wanted(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
