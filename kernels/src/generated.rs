//! The generated files that are kept in the tree, so that neither a rung nor a test needs a compiler: what they are made
//! from, and how. The rungs' lie in `kernels/ptx/` and are embedded in every program; a mutant's lies beside the test that
//! runs it, `lab-gemm/tests/mutants/`, and is read by that test alone.
//!
//! A rung's own text is kept too (`.cu.z`): the other files are made from it, so whoever edits the `.cu` file still has a text that
//! they belong to, and self-tests that need a certain text do not depend on the edit.

use crate::architecture::Architecture;
use crate::compiler;
use crate::error::KernelError;
use crate::mutants::MUTANTS;
use crate::nvrtc::Nvrtc;
use crate::resources;
use crate::source::{Source, generated_path, sources};
use crate::{deflated, stored};

/// The NVRTC that makes them, which is the one that `just nvrtc` installs: other versions make other PTX of the same text, and
/// later ones do not compile for the lowest architecture that a rung is kept for.
const MADE_BY: (i32, i32) = (12, 9);

/// The architectures whose resources are kept: one for each generation and size that the simulator's devices have.
const ARCHITECTURES: [u32; 8] = [50, 60, 61, 75, 80, 86, 89, 90];

/// A file that is made of a source, and kept in the tree.
pub struct GeneratedFile {
    /// From the workspace's root: `kernels/ptx/gemm/2_naive.ptx.z`, `….resources` or `….cu.z`, or
    /// `lab-gemm/tests/mutants/naive.wrong_bound.ptx.z`.
    pub path: String,
    /// What it is made from.
    pub source: Source,
}

/// The endings of what is kept of a rung.
const ENDINGS: [&str; 3] = ["cu.z", "ptx.z", "resources"];

/// Every file to keep of the files as they are now: text, PTX and resources of all sources, the PTX of all mutants.
///
/// # Panics
/// As [`Mutant::of`](crate::Mutant::of).
pub fn generated_files() -> impl Iterator<Item = GeneratedFile> {
    of(sources().collect())
}

fn of(sources: Vec<Source>) -> impl Iterator<Item = GeneratedFile> {
    let mutants: Vec<GeneratedFile> = MUTANTS
        .iter()
        .filter_map(|mutant| {
            let rung = sources.iter().find(|source| (source.lab, source.name) == (mutant.lab, mutant.rung))?;
            Some(GeneratedFile { path: mutant.ptx_path(), source: mutant.of(rung) })
        })
        .collect();
    let files = |source: Source| {
        ENDINGS.map(|ending| GeneratedFile { path: generated_path(&source, ending), source: source.clone() })
    };
    sources.into_iter().flat_map(files).chain(mutants)
}

/// The folders that hold kept files and nothing else, from the workspace's root; folders below belong to them.
pub fn folders() -> Vec<String> {
    let mut labs: Vec<&str> = MUTANTS.iter().map(|mutant| mutant.lab).collect();
    labs.dedup();
    let mutants = labs.into_iter().map(|lab| format!("lab-{lab}/tests/mutants"));
    std::iter::once("kernels/ptx".to_owned()).chain(mutants).collect()
}

impl GeneratedFile {
    /// Makes the file's text.
    ///
    /// # Errors
    /// No NVRTC, another version than the one the project installs, a source that does not compile.
    pub fn make(&self) -> Result<String, KernelError> {
        let source = &self.source;
        if self.is_text() {
            return Ok(stored::with_header(source, "`just ptx`", &source.text));
        }
        let nvrtc = compiler::library()?
            .ok_or_else(|| KernelError::NeedsCompiler { question: "the PTX", path: source.path.to_owned() })?;
        if nvrtc.version != MADE_BY {
            let (library, version) = (nvrtc.library.display(), nvrtc.version());
            let reason = format!("kernels/ptx/ is made by NVRTC {}.{}; {library} is {version}", MADE_BY.0, MADE_BY.1);
            return Err(KernelError::Nvrtc { reason: reason + "\n  (LABS_NVRTC=$PWD/.nvrtc names the one to take)" });
        }
        let body = if self.is_resources() { resource_lines(nvrtc, source) } else { ptx(nvrtc, source) }?;
        Ok(stored::with_header(source, &format!("`just ptx` with NVRTC {}", nvrtc.version()), &body))
    }

    /// The text as the file's bytes.
    pub fn encode(&self, text: &str) -> Vec<u8> {
        if self.is_resources() { text.as_bytes().to_vec() } else { deflated::deflate(text) }
    }

    /// The text in the file's bytes; `None` where they are damaged.
    pub fn decode(&self, file: &[u8]) -> Option<String> {
        if self.is_resources() { String::from_utf8(file.to_vec()).ok() } else { deflated::inflate(file) }
    }

    /// Whether `file`, the bytes as they are, was made from the source as it is.
    pub fn belongs(&self, file: &[u8]) -> bool {
        stored::key_of(file) == Some(stored::key(&self.source))
    }

    /// Whether this is a rung's own text.
    pub fn is_text(&self) -> bool {
        self.path.ends_with(".cu.z")
    }

    /// Whether this is a table of resources; assembling it for all architectures takes seconds.
    pub fn is_resources(&self) -> bool {
        self.path.ends_with(".resources")
    }
}

fn ptx(nvrtc: &Nvrtc, source: &Source) -> Result<String, KernelError> {
    let image = compiler::ptx(nvrtc, source, compiler::ptx_architecture(source))?;
    Ok(image.ptx().unwrap_or_default().to_owned())
}

fn resource_lines(nvrtc: &Nvrtc, source: &Source) -> Result<String, KernelError> {
    let needed = compiler::ptx_architecture(source);
    let devices = ARCHITECTURES.into_iter().map(|number| Architecture { number, suffix: None });
    let mut text = String::new();
    for device in devices.filter(|device| device.runs(needed)) {
        for kernel in resources::assemble(nvrtc, source, device)? {
            text.push_str(&format!("{kernel}\n"));
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::pristine_sources;
    use std::fs;
    use std::path::Path;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("in the workspace")
    }

    #[test]
    fn every_pristine_source_and_mutant_has_its_files() {
        let current = |generated: &GeneratedFile| {
            let file = fs::read(root().join(&generated.path)).unwrap_or_default();
            generated.belongs(&file) && generated.decode(&file).is_some_and(|text| text.lines().count() > 2)
        };
        let stale: Vec<String> = of(pristine_sources().collect())
            .filter(|generated| !current(generated))
            .map(|generated| generated.path)
            .collect();
        assert!(stale.is_empty(), "not made from the kept texts (next: just ptx): {stale:#?}");
    }

    #[test]
    fn every_file_has_its_source() {
        let wanted: Vec<_> = of(pristine_sources().collect()).map(|generated| root().join(generated.path)).collect();
        let mut folders: Vec<_> = folders().iter().map(|folder| root().join(folder)).collect();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else {
                    assert!(wanted.contains(&entry), "{} is of no source (next: just ptx)", entry.display());
                }
            }
        }
    }
}
