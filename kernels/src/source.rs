//! The table of rungs: every `.cu` file of this crate with its lab and name.
//!
//! A rung's text comes from one of three places: [`source`], the file as it is now; [`pristine`], the copy that the kept PTX was made from,
//! which no edit of the file changes; [`with_text`], the caller, who is the one to say where that is from. The last two read no file.

use std::borrow::Cow;
use std::fs;

use crate::architecture::Architecture;
use crate::checkout::checkout;
use crate::deflated;
use crate::error::KernelError;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// One `.cu` file: a rung of a lab's ladder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The lab: `gemm`.
    pub lab: &'static str,
    /// The rung: the file's stem without its number, `naive`.
    pub name: &'static str,
    /// The file, from the workspace's root: `kernels/gemm/2_naive.cu`. Compiler and simulator name it so.
    pub path: &'static str,
    /// CUDA C++.
    pub text: Cow<'static, str>,
}

impl Source {
    /// The architecture that the file's `// requires: sm_NN` line asks for; without one any device will do.
    pub fn requires(&self) -> Option<Architecture> {
        let line = self.text.lines().find_map(|line| line.strip_prefix("// requires: "))?;
        line.split_whitespace().next()?.parse().ok()
    }

    /// True if its kernels launch kernels, as the line `// links: cudadevrt` says: then the code has calls of CUDA's device runtime.
    pub fn launches_kernels(&self) -> bool {
        self.text.lines().any(|line| line == "// links: cudadevrt")
    }

    /// The kernels' names, `shared_f32_8` and so on: those that the text spells out, one at the beginning of a line, and those that the file's
    /// `KERNEL` macro makes. It names a kernel by pasting its arguments (`shared_##dtype##_##EDGE`), and is used once per line at the file's end.
    pub fn exports(&self) -> Vec<String> {
        let spelt = |line: &str| {
            let head = line.strip_prefix("extern \"C\" __global__ void ")?;
            let head = head
                .strip_prefix("__launch_bounds__(")
                .map_or(Some(head), |bounds| Some(bounds.split_once(") ")?.1))?;
            let (name, _) = head.split_once('(')?;
            Some(name.to_owned())
        };
        self.text.lines().filter_map(spelt).chain(self.exports_of_macro()).collect()
    }

    fn exports_of_macro(&self) -> Vec<String> {
        let Some((_, definition)) = self.text.split_once("#define KERNEL(") else { return Vec::new() };
        let (parameters, body) = definition.split_once(')').unwrap_or_default();
        let end = body.match_indices('\n').find(|(i, _)| !body[..*i].ends_with('\\')).map_or(body.len(), |(i, _)| i);
        let words = body[..end].split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '#'));
        let mut names: Vec<&str> = words.filter(|word| word.starts_with(self.name) && word.contains("##")).collect();
        // A kernel that another one launches is there twice.
        names.sort_unstable();
        names.dedup();
        let uses = self.text.lines().filter_map(|line| line.strip_prefix("KERNEL(")?.strip_suffix(')'));
        uses.flat_map(|arguments| {
            let values = || parameters.split(',').map(str::trim).zip(arguments.split(',').map(str::trim));
            let value = |word| values().find(|(name, _)| *name == word).map_or(word, |(_, value)| value);
            names.iter().map(|name| name.split("##").map(value).collect()).collect::<Vec<String>>()
        })
        .collect()
    }
}

/// Every rung, lab by lab, in the order of the ladders, as the checkout's files are now. A file that cannot be read counts with the text
/// that the program was built with; [`source`] refuses it.
pub fn sources() -> impl Iterator<Item = Source> {
    SOURCES.iter().map(|&(lab, name, path, text)| {
        let text = current(path, text).unwrap_or(Cow::Borrowed(text));
        Source { lab, name, path, text }
    })
}

/// The rung `name` of `lab`, as its file is now.
///
/// # Errors
/// An unknown name, which is answered with the names near to it; a file of the checkout that cannot be read.
pub fn source(lab: &str, name: &str) -> Result<Source, KernelError> {
    let (built, text) = built(lab, name)?;
    Ok(Source { text: current(built.path, text)?, ..built })
}

/// The rung `name` of `lab` with another text. Nothing is read from disk, so a process that may not read files can use it.
///
/// # Errors
/// An unknown name, as in [`source`].
pub fn with_text(lab: &str, name: &str, text: String) -> Result<Source, KernelError> {
    Ok(Source { text: Cow::Owned(text), ..built(lab, name)?.0 })
}

/// The rung `name` of `lab` with the text that its kept PTX was made from. Tests that need a certain text take it from here, so that an edit
/// of the file concerns the rung alone.
///
/// # Errors
/// An unknown name, as in [`source`]; a workspace that keeps no copy of the rung: a hand-out, or a rung that is new.
pub fn pristine(lab: &str, name: &str) -> Result<Source, KernelError> {
    let (built, _) = built(lab, name)?;
    let kept = PRISTINE.iter().find(|(path, _)| *path == generated_path(&built, "cu.z"));
    let text = kept.and_then(|(_, file)| deflated::body(&deflated::inflate(file)?).map(str::to_owned));
    let text = text.ok_or_else(|| KernelError::NotKept { path: built.path.to_owned() })?;
    Ok(Source { text: Cow::Owned(text), ..built })
}

/// Every rung of which a pristine copy is kept, in the order of [`sources`].
pub fn pristine_sources() -> impl Iterator<Item = Source> {
    SOURCES.iter().filter_map(|(lab, name, ..)| pristine(lab, name).ok())
}

/// Where a file made from a rung is kept, from the workspace's root: `kernels/ptx/gemm/2_naive.ptx.z`.
pub(crate) fn generated_path(source: &Source, ending: &str) -> String {
    let stem = source.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".cu");
    format!("kernels/ptx/{}/{stem}.{ending}", source.lab)
}

/// A rung with the text that the program was built with, and that text.
fn built(lab: &str, name: &str) -> Result<(Source, &'static str), KernelError> {
    let known = SOURCES.iter().find(|(own_lab, own_name, ..)| *own_lab == lab && *own_name == name);
    let &(lab, name, path, text) = known.ok_or_else(|| KernelError::UnknownSource {
        lab: lab.to_owned(),
        name: name.to_owned(),
        near: near(lab, name),
    })?;
    Ok((Source { lab, name, path, text: Cow::Borrowed(text) }, text))
}

/// The text of a file as it is on disk, or as it was when the program was built, where there is no checkout.
fn current(path: &str, built: &'static str) -> Result<Cow<'static, str>, KernelError> {
    let Some(root) = checkout() else { return Ok(Cow::Borrowed(built)) };
    match fs::read_to_string(root.join(path)) {
        Ok(text) if text == built => Ok(Cow::Borrowed(built)),
        Ok(text) => Ok(Cow::Owned(text)),
        Err(error) => Err(KernelError::Unreadable { path: path.to_owned(), reason: error.to_string() }),
    }
}

/// The rungs whose name is spelt like `name`, at most three, nearest first, `lab`'s own before others.
fn near(lab: &str, name: &str) -> Vec<String> {
    let mut near: Vec<(usize, bool, String)> = SOURCES
        .iter()
        .map(|(own_lab, own_name, ..)| {
            let distance = strsim::damerau_levenshtein(name, own_name);
            (distance, *own_lab != lab, format!("{own_lab}/{own_name}"))
        })
        .filter(|(distance, ..)| *distance <= name.len().max(3) / 2)
        .collect();
    near.sort();
    near.into_iter().map(|(.., name)| name).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_stems_without_numbers_and_unique_in_their_lab() {
        let names: Vec<_> = sources().map(|source| (source.lab, source.name)).collect();
        assert!(names.contains(&("gemm", "naive")), "{names:?}");
        for (i, name) in names.iter().enumerate() {
            assert!(!names[..i].contains(name), "{name:?} twice");
        }
    }

    #[test]
    fn a_ladder_is_in_the_order_of_its_numbers() {
        let gemm: Vec<_> = sources().filter(|source| source.lab == "gemm").map(|source| source.name).collect();
        assert_eq!(gemm[..5], ["one_block", "naive", "shared", "shared_2", "shared_4"]);
    }

    #[test]
    fn a_pristine_copy_is_the_text_that_the_ptx_was_made_from() {
        let copies: Vec<Source> = pristine_sources().collect();
        assert_eq!(copies.len(), SOURCES.len(), "next: just ptx");
        for source in copies {
            assert!(crate::embedded::ptx(&source).is_some(), "{}", source.path);
        }
    }

    #[test]
    fn a_given_text_is_taken_as_it_is() {
        let given = with_text("gemm", "naive", "none".to_owned()).unwrap();
        assert_eq!((given.path, &*given.text), ("kernels/gemm/2_naive.cu", "none"));
        assert!(with_text("gemm", "naiv", String::new()).is_err());
    }

    #[test]
    fn an_unknown_name_is_answered_with_near_ones() {
        let Err(KernelError::UnknownSource { near, .. }) = source("gemm", "naiv") else { panic!("found") };
        assert_eq!(near[0], "gemm/naive");
    }

    #[test]
    fn a_requirement_is_a_readable_architecture() {
        for source in sources().filter(|source| source.text.contains("// requires:")) {
            assert!(source.requires().is_some(), "{}", source.path);
        }
    }

    #[test]
    fn exports_are_the_kernels_that_the_compiler_sees() {
        for source in pristine_sources() {
            let ptx = crate::embedded::ptx(&source).expect("embedded");
            let entries = ptx.lines().filter_map(|line| line.strip_prefix(".visible .entry "));
            let mut entries: Vec<_> = entries.map(|rest| rest.trim_end_matches('(').to_owned()).collect();
            let mut exports = source.exports();
            entries.sort();
            exports.sort();
            assert_eq!(exports, entries, "{}", source.path);
            let prefix = format!("{}_", source.name);
            assert!(exports.iter().all(|name| name.starts_with(&prefix)), "{exports:?}");
        }
    }
}
