//! Every instruction against values that follow from the PTX manual.
//!
//! `tests/ptx/` holds small PTX files; each carries, in comments, the values that its threads read and those that they
//! must leave (see `case`). They run on the simulator at every vector level that the host has, without the driver in
//! between; with `LABS_DEVICE=gpu` the same files run through cudarc on hardware, and any difference is our fault.
mod case;
mod hardware;
mod map;
mod simulated;

use case::Case;
use libtest_mimic::{Arguments, Failed, Trial};
use simulator::exec::op::Level;
use simulator::isa::{Definition, Operands};
use std::path::{Path, PathBuf};

fn main() -> std::process::ExitCode {
    let arguments = Arguments::from_args();
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptx"), &mut files);
    files.sort();
    let mut trials: Vec<Trial> = match std::env::var("LABS_DEVICE").is_ok_and(|device| device.starts_with("gpu")) {
        true => files.iter().map(|file| on_hardware(file)).collect(),
        false => files.iter().flat_map(|file| levels().map(|level| on_simulator(file, level))).collect(),
    };
    trials.push(Trial::test("every modelled row of the table has an example", move || every_row(&files)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn on_simulator(file: &Path, level: Level) -> Trial {
    let file = file.to_path_buf();
    Trial::test(format!("{} {level:?}", name(&file)), move || {
        let (text, case) = read(&file)?;
        case.check(&simulated::run(&text, &case, level)?).map_err(Failed::from)
    })
}

fn on_hardware(file: &Path) -> Trial {
    let file = file.to_path_buf();
    Trial::test(name(&file), move || {
        let (text, case) = read(&file)?;
        match hardware::run(&text, &case)? {
            Some(got) => case.check(&got).map_err(Failed::from),
            None => Ok(()),
        }
    })
}

/// The vector levels of this host.
fn levels() -> impl Iterator<Item = Level> {
    [Level::Base, Level::Avx2, Level::Avx512].into_iter().filter(|&level| level <= Level::detect())
}

fn read(file: &Path) -> Result<(String, Case), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let case = Case::parse(&text)?;
    Ok((text, case))
}

/// Every row of the table that is modelled must occur in some file.
fn every_row(files: &[PathBuf]) -> Result<(), Failed> {
    let mut seen = vec![false; simulator::isa::INSTRUCTIONS.len()];
    for file in files {
        let text = std::fs::read_to_string(file)?;
        let module = simulator::ptx::parse(&text).map_err(|error| format!("{}: {error:?}", name(file)))?;
        for opcode in &module.opcodes {
            seen[usize::from(opcode.row.0)] = true;
        }
    }
    // Textures and surfaces are objects that the driver's calls make, so their instructions stand in its tests.
    let with_objects = include_str!("../driver/textures.rs");
    for (row, seen) in simulator::isa::INSTRUCTIONS.iter().zip(&mut seen) {
        *seen |=
            with_objects.contains(&format!(" {}.", row.name)) || with_objects.contains(&format!("\"{}.", row.name));
    }
    let rows = simulator::isa::INSTRUCTIONS.iter().zip(seen);
    // An instruction that stops the launch leaves no values to compare: the museum has it.
    let needless = |row: &Definition| matches!(row.operands, Operands::Unmodelled | Operands::Trap);
    let missing: Vec<_> = rows.filter(|(row, seen)| !seen && !needless(row)).map(|(row, _)| row.name).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no example of: {}", missing.join(", ")).into()) }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            files.push(path);
        }
    }
}

fn name(file: &Path) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptx");
    file.strip_prefix(folder).unwrap_or(file).with_extension("").display().to_string()
}
