//! An instruction: one row of the table, and what follows from it for one opcode.
use super::operands::{Operands, Width};
use super::since::Since;
use super::types::Type;
use super::work::Work;

/// The purpose of an instruction; counters report by class, in the order of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    Async,
    Atomic,
    Barrier,
    Compare,
    Control,
    Convert,
    Double,
    Float,
    Half,
    Integer,
    Logic,
    Matrix,
    Memory,
    Move,
    Special,
    Warp,
}

/// Whom an instruction waits for before it does anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronises {
    Nothing,
    /// The lanes of the warp that it names, or all of them.
    Lanes,
    /// Likewise, if it says `.sync`: before Volta these instructions took the lanes that happened to be there.
    LanesUnderSync,
    /// The threads of the block.
    Block,
}

/// The part that an instruction has in the products of four warps that are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductStep {
    None,
    Fence,
    Multiply,
    Wait,
}

/// One row of the table.
pub struct Definition {
    /// The name up to the first dot, or up to where meanings part: `cp.async.ca` is in row `cp.async`.
    pub name: &'static str,
    pub class: Class,
    /// How a machine carries it out.
    pub work: Work,
    pub operands: Operands,
    /// Widths of the operands in the order of the text, without the address, for `Source`, `Value`, `Move`, `TruthTable`,
    /// `Set`, `Update`, `Reduce` and `Vote`.
    pub widths: &'static [Width],
    /// One sentence, as the PTX manual would have it.
    pub doc: &'static str,
    /// Floating-point operations of a lane on one element: a fused multiply-add has 2. Those of matrices follow from their
    /// sizes.
    pub flops: u16,
    pub synchronises: Synchronises,
    /// True if it reads the carry flag; one that says `.cc` writes it.
    pub carry: bool,
    /// True if the text says by the name alone that all threads of a warp come to it together, without `.aligned`.
    pub aligned: bool,
    pub product: ProductStep,
    /// How a message calls it.
    pub noun: &'static str,
    pub since: Since,
    /// Words of the opcode (with a dot between: in this order) that need more: version and target.
    pub newer: &'static [(&'static str, f64, u32)],
    /// Words, likewise, of forms that nothing executes; `!` stands before one that such a form does not have.
    pub unmodelled: &'static [&'static str],
}

/// A row with what most instructions have; what one has besides follows as methods.
pub(super) const fn define(
    name: &'static str,
    class: Class,
    work: Work,
    operands: Operands,
    widths: &'static [Width],
    doc: &'static str,
) -> Definition {
    Definition {
        name,
        class,
        work,
        operands,
        widths,
        doc,
        flops: 0,
        synchronises: Synchronises::Nothing,
        carry: false,
        aligned: false,
        product: ProductStep::None,
        noun: "a warp-wide instruction",
        since: Since::ALWAYS,
        newer: &[],
        unmodelled: &[],
    }
}

impl Definition {
    /// Returns whether it fetches texels, through a cache that hears of no write.
    pub fn fetches_texels(&self) -> bool {
        matches!(self.name, "tex" | "tld4")
    }

    pub(super) const fn flops(self, flops: u16) -> Self {
        Definition { flops, ..self }
    }
    pub(super) const fn synchronises(self, synchronises: Synchronises) -> Self {
        Definition { synchronises, ..self }
    }
    pub(super) const fn carry(self) -> Self {
        Definition { carry: true, ..self }
    }
    pub(super) const fn aligned(self) -> Self {
        Definition { aligned: true, ..self }
    }
    pub(super) const fn product(self, product: ProductStep) -> Self {
        Definition { product, ..self }
    }
    pub(super) const fn noun(self, noun: &'static str) -> Self {
        Definition { noun, ..self }
    }
    pub(super) const fn since(self, version: f64, target: u32) -> Self {
        Definition { since: Since::new(version, target), ..self }
    }
    pub(super) const fn newer(self, newer: &'static [(&'static str, f64, u32)]) -> Self {
        Definition { newer, ..self }
    }
    pub(super) const fn unmodelled(self, unmodelled: &'static [&'static str]) -> Self {
        Definition { unmodelled, ..self }
    }

    /// The class of one form: arithmetic rows serve integers and floats alike.
    pub fn class_of(&self, types: &[Type]) -> Class {
        match (self.class, types.first()) {
            (Class::Integer | Class::Float, Some(ty)) => match ty {
                Type::F64 => Class::Double,
                Type::F32 | Type::F32x2 | Type::Tf32 => Class::Float,
                Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 => Class::Half,
                _ => Class::Integer,
            },
            (class, _) => class,
        }
    }

    /// Returns whether a form reads or writes the carry flag.
    pub fn uses_carry(&self, modifiers: &[&str]) -> bool {
        self.carry || modifiers.contains(&"cc")
    }

    /// Returns whether a form runs when the lanes that it names have come.
    pub fn waits_for_lanes(&self, modifiers: &[&str]) -> bool {
        match self.synchronises {
            Synchronises::Lanes => true,
            Synchronises::LanesUnderSync => modifiers.contains(&"sync"),
            Synchronises::Nothing | Synchronises::Block => false,
        }
    }

    /// Floating-point operations per lane; a pair has twice as many as its elements.
    pub fn flops_of(&self, types: &[Type], modifiers: &[&str]) -> u16 {
        if matches!(self.operands, Operands::Multiply | Operands::WarpgroupMultiply) {
            let is_float = types.first().is_some_and(|ty| ty.is_float());
            // A product of m×k by k×n elements is 2·m·n·k operations of a warp of 32 lanes; integers have none.
            return if is_float {
                (products(types, modifiers) * self.matrix_fmas(modifiers) / 16).min(u16::MAX.into()) as u16
            } else {
                0
            };
        }
        match types.first() {
            Some(Type::F16x2 | Type::Bf16x2 | Type::F32x2) => 2 * self.flops,
            Some(ty) if ty.is_float() => self.flops,
            _ => 0,
        }
    }

    /// Multiply-adds of matrix elements that a warp does, m·n·k, whatever their type.
    pub fn matrix_fmas(&self, modifiers: &[&str]) -> u32 {
        match (self.operands, matrix_size(modifiers)) {
            (Operands::Multiply, Some([m, n, k])) => m * n * k,
            // A warp of the four has a quarter of the rows.
            (Operands::WarpgroupMultiply, Some([m, n, k])) => m / 4 * n * k,
            _ => 0,
        }
    }

    /// Returns whether a card has it for whole words alone, though the manual lets it choose parts of them.
    pub fn is_of_whole_words(&self) -> bool {
        self.name == "vsub"
    }

    /// The multiply-adds' cost on tensor units, in those of 16-bit elements: data sheets give 32-bit elements half the
    /// rate, 8-bit ones twice, 4-bit ones four times, single bits sixteen times, and 64-bit ones a sixteenth.
    pub fn tensor_fmas(&self, types: &[Type], modifiers: &[&str]) -> u32 {
        let fmas = products(types, modifiers) * self.matrix_fmas(modifiers);
        // D, A, B and C, which `wgmma` has in D; `wmma` of f16 names D and C only.
        let factor = if let [_, a, _] | [_, a, _, _] = types { a } else { &Type::F16 };
        match factor {
            Type::F64 => 16 * fmas,
            Type::Tf32 => 2 * fmas,
            Type::S4 | Type::U4 => fmas / 4,
            Type::B1 => fmas / 16,
            ty if ty.bytes() == 1 => fmas / 2,
            _ => fmas,
        }
    }
}

/// How many products a warp does at once: one, or four of 8×8×4 elements of `f16`.
pub fn products(types: &[Type], modifiers: &[&str]) -> u32 {
    if types.get(1) == Some(&Type::F16) && matrix_size(modifiers) == Some([8, 8, 4]) { 4 } else { 1 }
}

/// m, n and k of a modifier such as `m16n8k16`.
pub fn matrix_size(modifiers: &[&str]) -> Option<[u32; 3]> {
    let size = |text: &str| text.parse().ok().filter(|&size: &u32| size <= 1024);
    modifiers.iter().find_map(|modifier| {
        let (m, rest) = modifier.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some([size(m)?, size(n)?, size(k)?])
    })
}
