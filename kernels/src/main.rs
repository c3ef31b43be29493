//! `cargo run -p kernels -- nvrtc | ptx | keep … | stale | check | show … | resources LAB/NAME [sm_NN]`: says which compiler there is,
//! keeps the generated files current, and shows a kernel's PTX and what it takes of a multiprocessor.

use std::collections::HashSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use kernels::{Architecture, Target};

const USAGE: &str = "usage: kernels nvrtc                        say which compiler is found
       kernels ptx                          write the kept PTX anew from the sources and mutants (needs NVRTC)
       kernels keep SOURCE.cu FILE.ptx.z [--made-by WHOM] [OPTION…]
                                            write a test's PTX, with the compiler's options (needs NVRTC)
       kernels stale                        say which of its files belong to another text (needs no compiler)
       kernels check                        say which of its files are not what NVRTC makes of them
       kernels show LAB/NAME | FILE.z       print a rung's PTX, or the text of a packed file
       kernels resources LAB/NAME [sm_NN]   registers, shared, constant and local memory, spills (default sm_75)";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["nvrtc"] => kernels::compiler().map(|found| println!("{found}")).map(|()| true).map_err(Into::into),
        ["ptx"] => write(),
        ["keep", source, file, ref options @ ..] => keep(source, file, options),
        ["stale"] => stale(),
        ["check"] => check(),
        ["show", file] if file.ends_with(".z") => show_file(file),
        ["show", source] => show(source),
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
    for generated in kernels::generated_files() {
        let path = root.join(&generated.path);
        let current = fs::read(&path).ok();
        if let Some(maker) = generated.other_maker() {
            println!("{}: stays, because {maker} makes it (kernels keep)", generated.path);
            wanted.insert(path);
            continue;
        }
        // The PTX is compiled anew in any case, for the compiler's headers may have changed; it takes a moment only.
        let skip = generated.is_resources() && current.as_ref().is_some_and(|file| generated.belongs(file));
        if !skip {
            let text = generated.make()?;
            if current.and_then(|file| generated.decode(&file)).as_ref() != Some(&text) {
                fs::create_dir_all(path.parent().expect("in a folder"))?;
                fs::write(&path, generated.encode(&text))?;
                written += 1;
            }
        }
        wanted.insert(path);
    }
    for path in kernels::kept_files(&root)?.into_iter().filter(|path| !wanted.contains(path)) {
        fs::remove_file(path)?;
        removed += 1;
    }
    println!("{}: {} files, {written} written, {removed} removed", kernels::folders().join(", "), wanted.len());
    Ok(true)
}

/// Writes the packed PTX of a test's source.
fn keep(source: &str, file: &str, options: &[&str]) -> Done {
    let (maker, options) = match options {
        ["--made-by", maker, options @ ..] => (Some(*maker), options),
        options => (None, options),
    };
    let generated = kernels::GeneratedFile::fixture(file, source, options)?;
    fs::write(workspace()?.join(file), generated.encode(&generated.make_with_any(maker)?))?;
    Ok(true)
}

/// Compares the keys in the files with those of the sources as they are now.
fn stale() -> Done {
    let root = workspace()?;
    let current = |generated: &kernels::GeneratedFile| {
        fs::read(root.join(&generated.path)).is_ok_and(|file| generated.belongs(&file))
    };
    let stale: Vec<String> =
        kernels::generated_files().filter(|generated| !current(generated)).map(|generated| generated.path).collect();
    match stale.is_empty() {
        true => println!("{}: all files belong to the sources as they are", kernels::folders().join(", ")),
        false => println!("{}\n  belong to another text of their source; next: just ptx", stale.join("\n")),
    }
    Ok(stale.is_empty())
}

/// How often resources that are not those of the file are asked for again.
const RESOURCE_TRIALS: usize = 5;

/// Compiles everything again and compares.
fn check() -> Done {
    let root = workspace()?;
    let mut wanted = HashSet::new();
    let mut stale = Vec::new();
    for generated in kernels::generated_files() {
        let current = fs::read(root.join(&generated.path)).ok();
        if let Some(maker) = generated.other_maker() {
            match current.is_some_and(|file| generated.belongs(&file)) {
                true => println!("{}: of its source, compared by key only, because {maker} makes it", generated.path),
                false => stale.push(format!("{}: of another text of {}", generated.path, generated.source.path)),
            }
            wanted.insert(root.join(&generated.path));
            continue;
        }
        let text = current.as_ref().and_then(|file| generated.decode(file));
        let mut is_same = text == Some(generated.make()?);
        // A form of its own may take other registers: what the file says has to come out again, if not at once.
        for _ in 0..RESOURCE_TRIALS {
            is_same = is_same || generated.is_resources() && text == Some(generated.make()?);
        }
        let belongs = !generated.is_resources() && current.is_some_and(|file| generated.belongs(&file));
        if !is_same && belongs {
            // For a large kernel NVRTC answers one and the same source in more than one form: it numbers registers, copies them and joins
            // loads differently from run to run. The key in the file is that of this source and these options.
            println!("{}: another of the forms that NVRTC gives {}", generated.path, generated.source.path);
        } else if !is_same {
            stale.push(format!("{}: not what NVRTC makes of {}", generated.path, generated.source.path));
        }
        wanted.insert(root.join(&generated.path));
    }
    for path in kernels::kept_files(&root)?.into_iter().filter(|path| !wanted.contains(path)) {
        stale.push(format!("{}: belongs to no source", path.display()));
    }
    match stale.is_empty() {
        true => println!("{}: {} files, all current", kernels::folders().join(", "), wanted.len()),
        false => println!("{}\n  next: just ptx", stale.join("\n")),
    }
    Ok(stale.is_empty())
}

/// Prints the text of a packed file, with the two lines that say how it was made.
fn show_file(path: &str) -> Done {
    let text =
        kernels::inflate(&fs::read(path)?).ok_or_else(|| format!("{path} is no packed file, or a damaged one"))?;
    print!("{text}");
    Ok(true)
}

fn show(name: &str) -> Done {
    let (lab, name) = name.split_once('/').ok_or(USAGE)?;
    let image = kernels::compile(&kernels::source(lab, name)?, Target::Ptx { major: 9, minor: 0 })?;
    print!("{}", image.ptx().unwrap_or_default());
    Ok(true)
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
