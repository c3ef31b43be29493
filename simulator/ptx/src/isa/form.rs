//! One form of an instruction, and why there may be none.
use super::special::Special;
use super::types::{Space, Type};

/// The form of one instruction, without its operands' values: `select` looks at nothing else.
pub struct Form<'t> {
    pub space: Space,
    pub modifiers: &'t [&'t str],
    pub types: &'t [Type],
    /// Bits of the registers that stand as d, a, b, c (a constant has the width of its place; 1 is a predicate; 0 is
    /// absent). Loads, stores and conversions may have registers wider than their type; 8-bit registers have 16 bits.
    pub widths: [u8; 4],
    /// Elements of a vector load, store or `mov`: 1, 2, 4 or 8.
    pub vector: u8,
    /// The special register that a `mov` reads.
    pub special: Option<Special>,
    /// True if it accesses the parameters of a call (space `Local`): traffic that hardware keeps in registers.
    pub call_parameter: bool,
}

impl Form<'_> {
    /// Returns whether a modifier is present.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }
    /// The type at an index, or the last one.
    pub fn ty(&self, index: usize) -> Option<Type> {
        self.types.get(index).or(self.types.last()).copied()
    }
}

/// Why a form is not modelled; the wording is `diagnostics`' business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The PTX manual has it, this simulator does not.
    NotModelled,
    /// The PTX manual has no such form.
    NoSuchForm,
}
