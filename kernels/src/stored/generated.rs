//! The generated files that are kept in the tree, so that neither a rung nor a test needs a compiler. The rungs' lie in `kernels/ptx/` and
//! are embedded in every program; a mutant's lies beside the test that runs it, `lab-gemm/tests/mutants/`, and is read by that test alone.
//! The simulator's tests keep PTX of their own (`fixtures.rs`).
//!
//! A rung's own text is kept too (`.cu.z`): the other files are made from it, so whoever edits the `.cu` file still has a text that
//! they belong to, and self-tests that need a certain text do not depend on the edit.

use std::io;
use std::path::{Path, PathBuf};

use crate::fixtures;
use crate::generated_file::GeneratedFile;
use crate::mutants::MUTANTS;
use crate::source::{Source, generated_path, sources};

/// The endings of what is kept of a rung.
const ENDINGS: [&str; 3] = ["cu.z", "ptx.z", "resources"];

/// Every file to keep of the files as they are now: text, PTX and resources of all sources, the PTX of all mutants, and the PTX that the
/// simulator's tests keep.
///
/// # Panics
/// As [`Mutant::of`](crate::Mutant::of).
pub fn generated_files() -> impl Iterator<Item = GeneratedFile> {
    of(sources().collect()).chain(fixtures::generated_files())
}

fn of(sources: Vec<Source>) -> impl Iterator<Item = GeneratedFile> {
    let mutants: Vec<GeneratedFile> = MUTANTS
        .iter()
        .filter_map(|mutant| {
            let rung = sources.iter().find(|source| (source.lab, source.name) == (mutant.lab, mutant.rung))?;
            Some(GeneratedFile::new(mutant.ptx_path(), mutant.of(rung)))
        })
        .collect();
    let files =
        |source: Source| ENDINGS.map(|ending| GeneratedFile::new(generated_path(&source, ending), source.clone()));
    sources.into_iter().flat_map(files).chain(mutants)
}

/// The folders that hold kept files and nothing else, from the workspace's root; folders below belong to them.
pub fn folders() -> Vec<String> {
    let mut labs: Vec<&str> = MUTANTS.iter().map(|mutant| mutant.lab).collect();
    labs.dedup();
    let mutants = labs.into_iter().map(|lab| format!("lab-{lab}/tests/mutants"));
    std::iter::once("kernels/ptx".to_owned()).chain(mutants).collect()
}

/// All files in the folders of kept files, and all packed PTX of tests: each must be one of [`generated_files`].
///
/// # Errors
/// A folder that cannot be read.
pub fn kept_files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in folders() {
        fixtures::files_below(&root.join(folder), &mut found)?;
    }
    for folder in fixtures::folders() {
        let mut files = Vec::new();
        fixtures::files_below(&root.join(folder), &mut files)?;
        found.extend(files.into_iter().filter(|path| fixtures::is_packed_ptx(path)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::pristine_sources;
    use std::fs;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("in the workspace")
    }

    /// The rungs' files by their kept texts, those of tests by the texts as they are now.
    fn wanted() -> impl Iterator<Item = GeneratedFile> {
        of(pristine_sources().collect()).chain(fixtures::generated_files())
    }

    #[test]
    fn every_pristine_source_and_mutant_has_its_files_and_so_has_every_test() {
        let current = |generated: &GeneratedFile| {
            let file = fs::read(root().join(&generated.path)).unwrap_or_default();
            generated.belongs(&file) && generated.decode(&file).is_some_and(|text| text.lines().count() > 2)
        };
        let stale: Vec<String> =
            wanted().filter(|generated| !current(generated)).map(|generated| generated.path).collect();
        assert!(stale.is_empty(), "not made from the kept texts (next: just ptx): {stale:#?}");
    }

    #[test]
    fn every_file_has_its_source() {
        let wanted: Vec<_> = wanted().map(|generated| root().join(generated.path)).collect();
        for file in kept_files(root()).unwrap() {
            assert!(wanted.contains(&file), "{} is of no source (next: just ptx)", file.display());
        }
    }
}
