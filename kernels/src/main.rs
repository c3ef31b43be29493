//! `cargo run -p kernels -- nvrtc | ptx | check | resources LAB/NAME [sm_NN]`: says which compiler there is, keeps the embedded PTX current, and shows what a
//! kernel takes of a multiprocessor.

use std::collections::HashSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use kernels::{Architecture, Target};

const USAGE: &str = "usage: kernels nvrtc                        say which compiler is found
       kernels ptx                          write kernels/ptx/ anew from the sources (needs NVRTC)
       kernels check                        say which of its files are not what NVRTC makes of the sources
       kernels resources LAB/NAME [sm_NN]   registers, shared, constant and local memory, spills (default sm_75)";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["nvrtc"] => kernels::compiler().map(|found| println!("{found}")).map(|()| true).map_err(Into::into),
        ["ptx"] => write(),
        ["check"] => check(),
        ["resources", source] => resources(source, "sm_75"),
        ["resources", source, architecture] => resources(source, architecture),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

type Done = Result<bool, Box<dyn Error>>;

/// Writes the files that are not current, and removes those without a source.
fn write() -> Done {
    let root = workspace()?;
    let mut wanted = HashSet::new();
    let (mut written, mut removed) = (0, 0);
    for kept in kernels::kept() {
        let path = root.join(&kept.path);
        let current = fs::read_to_string(&path).ok();
        // The PTX is compiled anew in any case, for the compiler's headers may have changed; it takes a moment only.
        let skip = kept.path.ends_with(".resources") && current.as_ref().is_some_and(|text| kept.belongs(text));
        if !skip {
            let text = kept.make()?;
            if current.as_ref() != Some(&text) {
                fs::create_dir_all(path.parent().expect("in a folder"))?;
                fs::write(&path, text)?;
                written += 1;
            }
        }
        wanted.insert(path);
    }
    for path in made_files(&root.join("kernels/ptx"))?.into_iter().filter(|path| !wanted.contains(path)) {
        fs::remove_file(path)?;
        removed += 1;
    }
    println!("kernels/ptx: {} files, {written} written, {removed} removed", wanted.len());
    Ok(true)
}

/// Compiles everything again and compares.
fn check() -> Done {
    let root = workspace()?;
    let mut wanted = HashSet::new();
    let mut stale = Vec::new();
    for kept in kernels::kept() {
        if fs::read_to_string(root.join(&kept.path)).ok() != Some(kept.make()?) {
            stale.push(format!("{}: not what NVRTC makes of {}", kept.path, kept.source.path));
        }
        wanted.insert(root.join(&kept.path));
    }
    for path in made_files(&root.join("kernels/ptx"))?.into_iter().filter(|path| !wanted.contains(path)) {
        stale.push(format!("{}: belongs to no source", path.display()));
    }
    match stale.is_empty() {
        true => println!("kernels/ptx: {} files, all current", wanted.len()),
        false => println!("{}\n  next: just ptx", stale.join("\n")),
    }
    Ok(stale.is_empty())
}

fn resources(name: &str, architecture: &str) -> Done {
    let (lab, name) = name.split_once('/').ok_or(USAGE)?;
    let number = architecture.parse::<Architecture>()?.number;
    let target = Target::Cubin { major: number / 10, minor: number % 10 };
    for kernel in kernels::resources(&kernels::source(lab, name)?, target)? {
        println!("{kernel}");
    }
    Ok(true)
}

/// The workspace's root: above the crate that cargo runs, or the working folder.
fn workspace() -> Result<PathBuf, Box<dyn Error>> {
    let root = match env::var_os("CARGO_MANIFEST_DIR") {
        Some(folder) => Path::new(&folder).parent().ok_or("no folder above the crate")?.to_owned(),
        None => env::current_dir()?,
    };
    match root.join("kernels/gemm").is_dir() {
        true => Ok(root),
        false => Err(format!("{} is not the workspace's root: there is no kernels/gemm", root.display()).into()),
    }
}

/// All `.ptx` and `.resources` files below `folder`.
fn made_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(made_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "ptx" || extension == "resources") {
            found.push(path);
        }
    }
    Ok(found)
}
