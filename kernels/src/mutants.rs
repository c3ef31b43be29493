//! Kernels with one deliberate defect each, kept to prove that the checks find it *for the stated reason*. A mutant is its
//! rung's source with one passage replaced, so it cannot drift from the rung, and with the one instantiation that its test
//! runs. Several are the defects of the assignments' own published kernels.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::embedded;
use crate::source::{Source, pristine};

/// One deliberate defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutant {
    /// The lab, `gemm`.
    pub lab: &'static str,
    /// The rung that is changed, `shared`.
    pub rung: &'static str,
    /// The defect, `missing_barrier`; unique within the rung. `in_place_…` concerns the kernel that works in place.
    pub name: &'static str,
    /// The passage to replace. It occurs exactly once in the rung's source.
    pub find: &'static str,
    /// The text that replaces it.
    pub replace: &'static str,
    /// The finding that is expected: one of the constants below, the finding's kind. Defects that depend on
    /// sizes show for sizes that are multiples neither of the block nor of 4, and larger than the block.
    pub reason: &'static str,
}

/// The check against the reference fails.
pub const WRONG_RESULT: &str = "wrong result";
/// An access outside of every allocation.
pub const OUT_OF_BOUNDS: &str = "out of bounds";
/// An access to an address that is no multiple of its size.
pub const MISALIGNED: &str = "misaligned";
/// Two threads, one address in shared or global memory, at least one of them writing plainly, nothing that orders them.
pub const RACE: &str = "race";
/// A barrier that not all threads of the block reach.
pub const DIVERGENT_BARRIER: &str = "barrier";

/// The block edge, or the rows of a warp, that a lab's mutants are run with, where a rung is compiled for several.
const INSTANTIATIONS: &[(&str, &str)] = &[("gemm", "16"), ("gemv", "1"), ("transpose", "16")];

impl Mutant {
    /// The rung's pristine source with the defect, as [`Mutant::of`] makes it. Its PTX is added to what this process knows, where the
    /// workspace holds it.
    ///
    /// # Panics
    /// As [`Mutant::of`]; if no copy of the rung is kept.
    pub fn source(&self) -> Source {
        let Self { lab, rung, name, .. } = self;
        let rung = pristine(lab, rung).unwrap_or_else(|error| panic!("mutant {lab}/{rung}.{name}: {error}"));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        if let Ok(file) = fs::read(root.join(self.ptx_path())) {
            embedded::add(file);
        }
        self.of(&rung)
    }

    /// `source`, which is the rung's, with the defect, and with the instantiations alone that its test runs. It keeps the rung's name,
    /// path and lines.
    ///
    /// # Panics
    /// If the passage does not occur exactly once in the text: the row is out of date.
    pub fn of(&self, source: &Source) -> Source {
        let Self { lab, rung, name, find, .. } = self;
        let count = source.text.matches(find).count();
        assert_eq!(
            count, 1,
            "mutant {lab}/{rung}.{name}: the passage occurs {count} times in {}: {find:?}",
            source.path
        );
        let text = instantiated(&source.text.replacen(find, self.replace, 1), lab);
        Source { text: Cow::Owned(text), ..source.clone() }
    }

    /// Where its PTX is kept, from the workspace's root: beside the test that runs it.
    pub(crate) fn ptx_path(&self) -> String {
        format!("lab-{}/tests/mutants/{}.{}.ptx.z", self.lab, self.rung, self.name)
    }
}

/// `text` without the lines `KERNEL(…)` that a lab's mutants are not run with: f32 only, where there is f32, and of several
/// edges the one of [`INSTANTIATIONS`]. The lines are left empty, so that the others keep their numbers.
fn instantiated(text: &str, lab: &str) -> String {
    fn arguments(line: &str) -> Option<Vec<&str>> {
        Some(line.strip_prefix("KERNEL(")?.strip_suffix(')')?.split(',').map(str::trim).collect())
    }
    let mut kept: Vec<&str> = text.lines().filter(|line| arguments(line).is_some()).collect();
    let edge = INSTANTIATIONS.iter().find(|(of, _)| *of == lab).map_or("", |(_, edge)| edge);
    for wanted in ["f32", edge] {
        let has = |line: &&str| arguments(line).is_some_and(|arguments| arguments.contains(&wanted));
        if kept.iter().any(has) {
            kept.retain(has);
        }
    }
    let keep = |line: &str| arguments(line).is_none() || kept.contains(&line);
    text.lines().map(|line| if keep(line) { line } else { "" }).fold(String::new(), |text, line| text + line + "\n")
}

/// Every mutant, lab by lab, rung by rung: `kernels/mutants.edit`.
pub static MUTANTS: LazyLock<Vec<Mutant>> = LazyLock::new(|| read(include_str!("../mutants.edit")));

/// The mutants of a text of that form.
///
/// # Panics
/// On a line of another form.
fn read(text: &'static str) -> Vec<Mutant> {
    let rows = text.split("\n\n").map(|row| row.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>());
    let mutant = |row: Vec<&'static str>| {
        let (names, reason) = row[0].split_once(": ").unwrap_or_else(|| panic!("{}: no reason", row[0]));
        let [lab, rung, name] = *names.split(' ').collect::<Vec<_>>() else { panic!("{names}: not LAB RUNG NAME") };
        let side = |mark: char| {
            let lines = row[1..].iter().filter_map(|line| line.strip_prefix(mark));
            let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
            &*lines.join("\n").leak()
        };
        Mutant { lab, rung, name, find: side('-'), replace: side('+'), reason }
    };
    rows.filter(|row| !row.is_empty()).map(mutant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_applies() {
        for mutant in MUTANTS.iter() {
            let original = pristine(mutant.lab, mutant.rung).unwrap();
            assert_ne!(mutant.source().text, original.text, "{mutant:?}");
        }
    }

    #[test]
    fn a_mutant_has_the_instantiation_that_its_test_runs_and_no_other() {
        let exports = |lab, rung| {
            let mutant = MUTANTS.iter().find(|mutant| (mutant.lab, mutant.rung) == (lab, rung)).unwrap();
            mutant.source().exports()
        };
        assert_eq!(exports("gemm", "naive"), ["naive_f32"]);
        assert_eq!(exports("gemm", "shared_4"), ["shared_4_f32_16"]);
        assert_eq!(exports("gemv", "vectorised"), ["vectorised_f32_1"]);
        assert_eq!(exports("transpose", "padded"), ["padded_f32_16", "padded_in_place_f32_16"]);
    }

    #[test]
    fn a_mutant_keeps_the_lines_of_its_rung() {
        let mutant = MUTANTS.iter().find(|mutant| mutant.name == "exchanged_index").unwrap();
        let (own, rung) = (mutant.source(), pristine(mutant.lab, mutant.rung).unwrap());
        let differ: Vec<(&str, &str)> =
            own.text.lines().zip(rung.text.lines()).filter(|(own, rung)| own != rung).collect();
        assert_eq!(own.text.lines().count(), rung.text.lines().count());
        assert_eq!(differ.len(), 2, "the defect and one instantiation: {differ:?}");
    }

    #[test]
    fn every_rung_has_a_mutant() {
        for source in crate::sources() {
            let has = MUTANTS.iter().any(|mutant| (mutant.lab, mutant.rung) == (source.lab, source.name));
            assert!(has, "no mutant of {}/{}", source.lab, source.name);
        }
    }

    #[test]
    fn names_are_unique_within_a_rung() {
        for (i, mutant) in MUTANTS.iter().enumerate() {
            let same = |other: &&Mutant| (other.lab, other.rung, other.name) == (mutant.lab, mutant.rung, mutant.name);
            assert!(!MUTANTS[..i].iter().any(|other| same(&other)), "{mutant:?}");
        }
    }
}
