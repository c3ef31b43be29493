//! An opcode such as `ld.global.v4.f32`, taken apart: no other crate looks at its text.
use super::definition::{Definition, matrix_size};
use super::facts::{Facts, Half};
use super::fidelity;
use super::find::{RowId, find, row};
use super::machine;
use super::operands::Operands;
use super::since::{Since, fits, since};
use super::types::{Space, Type};
use super::work::Work;
use std::fmt;
use std::sync::Arc;

/// An opcode with everything after its name, decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Opcode<'t> {
    text: &'t str,
    /// Row of [`INSTRUCTIONS`](super::INSTRUCTIONS).
    pub row: RowId,
    /// The first state space named, or generic.
    pub space: Space,
    /// Everything after the name that is neither a type nor the space, in order: `rn`, `ftz`, `wide`, `ge`, `v2`, …
    pub modifiers: Vec<&'t str>,
    /// The types in order: `cvt.u32.u64` has two.
    pub types: Vec<Type>,
    /// False of a form that nothing executes, whatever its operands.
    pub modelled: bool,
}

/// An opcode as the text has it, to be printed: it can be written and nothing else.
#[derive(Clone, Debug, Default)]
pub struct Printed(Arc<str>);

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.0)
    }
}

const CLUSTER_WINDOW: &str = "shared::cluster";

/// Parts by which an access says that others may access the same meanwhile.
const STRONG: [&str; 5] = ["volatile", "relaxed", "acquire", "release", "mmio"];

/// Vectors of as many elements.
const VECTORS: [&str; 3] = ["v2", "v4", "v8"];

impl<'t> Opcode<'t> {
    /// Takes an opcode apart: its row, and after the name the state space, the types and the rest.
    pub fn parse(text: &'t str) -> Option<Opcode<'t>> {
        let (row, length) = find(text)?;
        let &Definition { operands, unmodelled, .. } = super::find::row(row);
        let modelled = operands != Operands::Unmodelled && !unmodelled.iter().any(|pattern| fits(text, pattern));
        let mut opcode =
            Opcode { text, row, space: Space::Generic, modifiers: Vec::new(), types: Vec::new(), modelled };
        for part in text[length..].split('.').filter(|part| !part.is_empty()) {
            match (Type::parse(part), Space::parse(part)) {
                (Some(ty), _) => opcode.types.push(ty),
                (_, Some(space)) if opcode.space == Space::Generic => {
                    opcode.space = space;
                    // The window of a cluster's blocks is one of shared memory too, but not every form has it.
                    if part == CLUSTER_WINDOW {
                        opcode.modifiers.push(part);
                    }
                }
                _ => opcode.modifiers.push(part),
            }
        }
        Some(opcode)
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// Its text, to be printed.
    pub fn printed(&self) -> Printed {
        Printed(Arc::from(self.text))
    }

    /// The same with marks that no text has.
    pub fn marked(&self, marks: &[&'t str]) -> Opcode<'t> {
        let mut marked = self.clone();
        marked.modifiers.extend(marks);
        marked
    }

    /// Its row.
    pub fn definition(&self) -> &'static Definition {
        row(self.row)
    }

    /// Returns whether it does nothing but compute registers from registers.
    pub fn is_pure(&self) -> bool {
        matches!(self.definition().operands, Operands::Value | Operands::Move | Operands::TruthTable | Operands::Set)
    }

    /// The version and the target that a module must name to have it.
    pub fn since(&self) -> Since {
        since(self.definition(), self.text)
    }

    /// Returns whether a modifier is present.
    fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// Returns whether any of its state spaces is this one: a copy has two.
    fn names(&self, space: Space) -> bool {
        self.space == space || self.modifiers.iter().any(|part| Space::parse(part) == Some(space))
    }

    /// The facts that the clock and others ask for.
    pub fn facts(&self) -> Facts {
        let work = self.definition().work;
        let any_of = |parts: &[&str]| parts.iter().any(|part| self.has(part));
        let halves = [("wide", Half::Whole), ("hi", Half::Upper), ("lo", Half::Lower)];
        let half = halves.iter().find(|(part, _)| self.has(part)).map(|half| half.1);
        let [rows, columns, _] = matrix_size(&self.modifiers).filter(|_| work == Work::FourWarps).unwrap_or_default();
        let mut facts = Facts {
            work,
            space: self.space,
            first: self.types.first().copied(),
            last: self.types.last().copied(),
            strong: any_of(&STRONG),
            vector: any_of(&VECTORS),
            is_equality: any_of(&["eq", "ne"]),
            of_block_scope: self.has("cta"),
            in_cluster: self.has(CLUSTER_WINDOW),
            in_shared: self.names(Space::Shared),
            in_global: self.names(Space::Global),
            read_only: self.has("nc"),
            adds: self.has("add"),
            exchanges: self.has("exch"),
            half,
            plain_half: half.is_some() && self.modifiers.len() == 1,
            to_the_left: self.has("l"),
            rows,
            columns,
            words: 0,
            units: &[],
            difference: fidelity::difference(self.definition(), &self.modifiers, &self.types),
        };
        facts.words = self.words_of_result(&facts);
        facts.units = machine::units(self.definition(), &self.modifiers, &self.types, &facts);
        facts
    }

    /// Registers of 32 bits that a result takes; a predicate takes none.
    fn words_of_result(&self, facts: &Facts) -> u32 {
        let words = |ty: Option<Type>| ty.map_or(0, Type::bytes).div_ceil(4).max(1);
        match facts.work {
            Work::Compare => 0,
            Work::Convert => words(facts.first),
            Work::Load if facts.is_widened_parameter() => 2,
            Work::Multiply | Work::MultiplyAdd if facts.half == Some(Half::Whole) => {
                facts.last.map_or(0, Type::bytes).div_ceil(2)
            }
            _ => words(facts.last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_types_and_modifiers_part() {
        let opcode = Opcode::parse("ld.volatile.global.v2.f32").unwrap();
        assert_eq!(opcode.definition().name, "ld");
        assert_eq!((opcode.space, &opcode.modifiers[..]), (Space::Global, &["volatile", "v2"][..]));
        assert_eq!(opcode.types, [Type::F32]);
    }

    #[test]
    fn the_longest_row_name_wins() {
        let name = |text| Opcode::parse(text).unwrap().definition().name;
        assert_eq!(name("cp.async.ca.shared.global"), "cp.async");
        assert_eq!(name("cp.async.wait_group"), "cp.async.wait_group");
        assert_eq!(name("bar.warp.sync"), "bar.warp.sync");
        assert_eq!(name("bar.sync"), "bar");
        assert!(Opcode::parse("frobnicate.u32").is_none());
    }

    #[test]
    fn a_result_takes_the_registers_of_its_type() {
        let words = [
            "add.s32",
            "add.s64",
            "setp.lt.s64",
            "cvt.u64.u32",
            "cvt.rn.f32.s64",
            "mul.wide.s32",
            "ld.param.u32",
            "ld.param.s32",
            "ld.param.s64",
        ];
        assert_eq!(words.map(|text| Opcode::parse(text).unwrap().facts().words), [1, 2, 0, 2, 1, 2, 1, 2, 2]);
    }
}
