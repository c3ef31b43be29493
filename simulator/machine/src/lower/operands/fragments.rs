//! How many registers of a lane the matrices of a form take: a form with more or fewer is none of the manual's.
use crate::lower::emission::{Emitter, Kind};
use ptx::isa::{self, Operands, Type};
use ptx::tree::{Instruction, Opcode, Operand};

/// Bits that one register of all 32 lanes has.
const WARP_BITS: u32 = 32 * 32;

impl Emitter<'_, '_> {
    /// Returns whether a matrix instruction's vectors are as long and as wide as its shape and types say; true of others.
    pub fn fragments_fit(&self, instruction: &Instruction) -> bool {
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        let operands = self.body.operands(instruction.operands);
        match isa::row(opcode.row).operands {
            Operands::Multiply => match sizes(opcode) {
                Some(sizes) => operands.iter().zip(sizes).all(|(operand, bits)| self.fragment_fits(operand, bits)),
                None => false,
            },
            Operands::MatrixLoad => operands.first().is_some_and(|operand| self.matrices_fit(opcode, operand)),
            Operands::MatrixStore => operands.get(1).is_some_and(|operand| self.matrices_fit(opcode, operand)),
            Operands::FragmentLoad => operands.first().is_some_and(|operand| self.matrix_fits(opcode, operand)),
            Operands::FragmentStore => operands.get(1).is_some_and(|operand| self.matrix_fits(opcode, operand)),
            _ => true,
        }
    }

    /// A fragment of an element's bits times so many elements.
    fn fragment_fits(&self, operand: &Operand, (elements, element_bits): (u32, u32)) -> bool {
        let kind = if element_bits == 64 { Kind::B64 } else { Kind::B32 };
        self.is_vector_of(operand, elements * element_bits / (WARP_BITS * (u32::from(kind.bits()) / 32)), kind)
    }

    fn matrix_fits(&self, opcode: &Opcode, operand: &Operand) -> bool {
        let (Some([m, n, k]), &[ty]) = (isa::matrix_size(&opcode.modifiers), &opcode.types[..]) else { return false };
        let has = |part: &str| opcode.modifiers.contains(&part);
        let size = match (has("a"), has("b"), ty) {
            (true, _, Type::F16) | (_, true, Type::F16) => DOUBLED,
            (true, ..) => (m * k, bits(ty)),
            (_, true, _) => (k * n, bits(ty)),
            _ => (m * n, bits(ty)),
        };
        self.fragment_fits(operand, size)
    }

    /// `.x1`, `.x2`, `.x4`: one register for each 8×8 matrix of 16-bit elements.
    fn matrices_fit(&self, opcode: &Opcode, operand: &Operand) -> bool {
        let count = opcode.modifiers.iter().find_map(|m| m.strip_prefix('x')?.parse().ok());
        count.is_some_and(|count| self.is_vector_of(operand, count, Kind::B32))
    }

    fn is_vector_of(&self, operand: &Operand, count: u32, kind: Kind) -> bool {
        let fits = |operand: &Operand| match *operand {
            Operand::Register(register) => self.frame.register(register).1 == kind,
            Operand::Sink | Operand::Immediate(..) => true,
            _ => false,
        };
        match *operand {
            Operand::Vector(span) => span.length == count && self.body.operands(span).iter().all(fits),
            _ => count == 1 && fits(operand),
        }
    }
}

/// A and B of `wmma` with `f16`: eight registers of two, whatever the shape.
const DOUBLED: (u32, u32) = (8 * 2 * 32, 16);

/// Elements of D, A, B and C, and the bits of each.
fn sizes(opcode: &Opcode) -> Option<[(u32, u32); 4]> {
    let [m, n, k] = isa::matrix_size(&opcode.modifiers)?;
    let products = isa::products(&opcode.types, &opcode.modifiers);
    Some(match opcode.types[..] {
        [d, a, b, c] => [(m * n, d), (m * k, a), (k * n, b), (m * n, c)].map(|(each, ty)| (products * each, bits(ty))),
        [d, c] => [(m * n, bits(d)), DOUBLED, DOUBLED, (m * n, bits(c))],
        _ => return None,
    })
}

fn bits(ty: Type) -> u32 {
    match ty {
        Type::B1 => 1,
        Type::S4 | Type::U4 => 4,
        ty => ty.bytes() * 8,
    }
}
