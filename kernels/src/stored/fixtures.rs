//! PTX that the simulator's tests keep packed beside its sources, so that they need no compiler: `NAME.ptx.z` beside `NAME.cu`.
//!
//! An exhibit of the museum is compiled as a rung is. A fixture's PTX is made as its own second line says: for a certain architecture,
//! with a definition, by another version of NVRTC. `kernels -- keep` writes the first one.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::checkout::checkout;
use crate::deflated::{self, inflate};
use crate::error::KernelError;
use crate::generated_file::{GeneratedFile, other_maker};
use crate::source::Source;
use crate::stored;

/// From the workspace's root. Each `.cu` file below is an exhibit.
const MUSEUM: &str = "simulator/tests/museum";

/// Likewise. Each packed PTX below is a fixture.
const FIXTURES: [&str; 5] = [
    "simulator/benches",
    "simulator/math/kernels",
    "simulator/tests/advice",
    "simulator/tests/counted",
    "simulator/tests/fixtures",
];

const PACKED_PTX: &str = ".ptx.z";

/// The PTX in a packed file, without the two lines that say how it was made; `None` for a file that is damaged.
pub fn unpack(file: &[u8]) -> Option<String> {
    deflated::body(&inflate(file)?).map(str::to_owned)
}

/// The PTX in the packed file `path`.
///
/// # Errors
/// A file that cannot be read, or is damaged.
pub fn read_ptx(path: &Path) -> io::Result<String> {
    let named = |kind, reason: &str| io::Error::new(kind, format!("{}: {reason}", path.display()));
    let file = fs::read(path).map_err(|error| named(error.kind(), &error.to_string()))?;
    unpack(&file).ok_or_else(|| named(io::ErrorKind::InvalidData, "no packed PTX, or a damaged one (next: just ptx)"))
}

impl GeneratedFile {
    /// The packed PTX of an exhibit. `path` leads to its `.cu` or `.rs` file from the workspace's root, `text` is what stands in it.
    pub fn exhibit(path: &str, text: String) -> Self {
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        Self::new(format!("{stem}{PACKED_PTX}"), source("museum", path, text))
    }

    /// The packed PTX `path` of `source_path`, both from the workspace's root, with these options beside those of the rungs or in place of
    /// them.
    ///
    /// # Errors
    /// A source that cannot be read.
    pub fn fixture(path: &str, source_path: &str, options: &[&str]) -> Result<Self, KernelError> {
        let text = fs::read_to_string(root().join(source_path))
            .map_err(|error| KernelError::Unreadable { path: source_path.to_owned(), reason: error.to_string() })?;
        let made = Self::new(path.to_owned(), source("fixture", source_path, text));
        let name = |option: &str| option.split('=').next().unwrap_or_default().to_owned();
        let is_replaced = |own: &String| options.iter().any(|given| name(given) == name(own));
        let own = made.options.iter().filter(|own| !is_replaced(own)).cloned();
        let options = own.chain(options.iter().map(|&given| given.to_owned())).collect();
        Ok(Self { options, ..made })
    }
}

/// The files to keep for tests, as their sources are now. There are none where there is no checkout, and none in a hand-out.
///
/// # Panics
/// A folder of the checkout that cannot be read.
pub(crate) fn generated_files() -> Vec<GeneratedFile> {
    let exhibits = below(MUSEUM, ".cu").filter_map(|path| Some(GeneratedFile::exhibit(&path, read(&path)?)));
    let fixtures = FIXTURES.iter().flat_map(|folder| below(folder, PACKED_PTX)).filter_map(as_it_says);
    exhibits.chain(fixtures).collect()
}

/// A fixture, made as its file says. A file whose source is gone is none.
fn as_it_says(path: String) -> Option<GeneratedFile> {
    let file = fs::read(root().join(&path)).ok()?;
    let header = stored::header(&file)?;
    let source = source("fixture", header.path, read(header.path)?);
    let other_maker = other_maker(header.maker);
    Some(GeneratedFile { path, source, options: header.options, other_maker })
}

/// The folders that hold packed PTX beside other files, from the workspace's root.
pub(crate) fn folders() -> impl Iterator<Item = &'static str> {
    std::iter::once(MUSEUM).chain(FIXTURES)
}

/// Returns whether a file is packed PTX, by its name.
pub(crate) fn is_packed_ptx(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(PACKED_PTX))
}

/// Adds all files below `folder`; it need not be there.
pub(crate) fn files_below(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { files_below(&path, found)? } else { found.push(path) }
    }
    Ok(())
}

/// The files with this ending below a folder, from the workspace's root, sorted.
fn below(folder: &str, ending: &str) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    let folder = root().join(folder);
    files_below(&folder, &mut found).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let name = |path: PathBuf| Some(path.strip_prefix(root()).ok()?.to_str()?.to_owned());
    let mut names: Vec<String> = found.into_iter().filter_map(name).filter(|path| path.ends_with(ending)).collect();
    names.sort();
    names.into_iter()
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

fn root() -> &'static Path {
    checkout().unwrap_or(Path::new(""))
}

/// Names of sources live as long as the process; so do these, of which a process makes a few hundred.
fn source(lab: &'static str, path: &str, text: String) -> Source {
    let path: &'static str = path.to_owned().leak();
    let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".cu");
    Source { lab, name, path, text: Cow::Owned(text) }
}
