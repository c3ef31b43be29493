//! The opcodes that an assembler contracts: products and sums that name no rounding, and what makes branches of its own.
use super::definition::Class;
use super::opcode::Opcode;
use super::operands::Operands;
use super::types::Type;
use super::work::Work;

/// Marks among the modifiers that no text has, each with a space: an `fma` subtracts its product, or its addend.
pub const MINUS_PRODUCT: &str = "minus product";
/// See [`MINUS_PRODUCT`].
pub const MINUS_ADDEND: &str = "minus addend";

/// The fused forms. Others have no product or no sum without a rounding.
const FUSED: &str = "fma.rn.f32 fma.rn.ftz.f32 fma.rn.sat.f32 fma.rn.ftz.sat.f32 fma.rn.f64 fma.rn.f16 fma.rn.ftz.f16 fma.rn.sat.f16 \
                     fma.rn.ftz.sat.f16 fma.rn.f16x2 fma.rn.ftz.f16x2 fma.rn.sat.f16x2 fma.rn.ftz.sat.f16x2 fma.rn.bf16 fma.rn.bf16x2 \
                     fma.rn.f32x2 fma.rn.ftz.f32x2";

/// The part that an opcode can have in a contraction.
#[derive(Clone, Copy, PartialEq)]
pub struct Role {
    pub kind: Kind,
    pub ty: Type,
    /// `.ftz`
    pub flush: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// `mul`
    Product,
    /// `add` or `sub`
    Sum,
    /// `neg`
    Negation,
    /// `mov`
    Copy,
}

impl Role {
    /// The part of an opcode, if it has one.
    pub fn of(opcode: &Opcode) -> Option<Role> {
        let &[ty] = &opcode.types[..] else { return None };
        let kind = match opcode.definition().work {
            Work::Multiply => Kind::Product,
            Work::Add | Work::Subtract => Kind::Sum,
            Work::Sign if opcode.definition().name == "neg" => Kind::Negation,
            Work::Move => return Some(Role { kind: Kind::Copy, ty, flush: false }),
            _ => return None,
        };
        // Pairs of f32 are contracted where they name the rounding, too.
        let allowed = |&word: &&str| match word {
            "ftz" => true,
            "sat" => kind == Kind::Sum,
            "rn" => ty == Type::F32x2,
            _ => false,
        };
        let flush = opcode.modifiers.contains(&"ftz");
        (ty.is_float() && opcode.modifiers.iter().all(allowed)).then_some(Role { kind, ty, flush })
    }
}

/// The fused form of a sum and a product.
pub fn fused(sum: &Opcode, minus_product: bool, minus_addend: bool) -> Option<Opcode<'static>> {
    let has = |opcode: &Opcode, word: &str| opcode.modifiers.contains(&word);
    let fits = |fused: &Opcode| {
        fused.types == sum.types && ["ftz", "sat"].iter().all(|word| has(fused, word) == has(sum, word))
    };
    let fused = FUSED.split(' ').filter_map(Opcode::parse).find(fits)?;
    let marks = [(minus_product, MINUS_PRODUCT), (minus_addend, MINUS_ADDEND)];
    Some(fused.marked(&marks.iter().filter(|mark| mark.0).map(|mark| mark.1).collect::<Vec<_>>()))
}

/// Returns whether an assembler makes branches of an instruction, over which it does not contract: of a guarded one but for arithmetic, of
/// quotients and roots, of fences and calls.
pub fn makes_branches(opcode: &Opcode, guarded: bool) -> bool {
    let row = opcode.definition();
    let has = |word: &str| opcode.modifiers.contains(&word);
    let is_64 = opcode.types.last().is_some_and(|ty| ty.bytes() == 8);
    match row.work {
        Work::Divide if matches!(opcode.types.last(), Some(Type::U32 | Type::S32)) => false,
        Work::Divide | Work::SquareRoot | Work::Reciprocal | Work::Approximate => {
            !(has("approx") || has("full")) || is_64 && !has("ftz")
        }
        _ if row.class == Class::Barrier && row.work == Work::Renaming => {
            !opcode.modifiers.iter().any(|word| word.starts_with("proxy"))
        }
        _ if row.operands == Operands::Call || row.name == "pmevent" => true,
        _ => guarded && row.operands != Operands::Branch && (!opcode.is_pure() || row.class == Class::Warp),
    }
}
