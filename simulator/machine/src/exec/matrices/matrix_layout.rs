//! Where the elements of matrices lie in the registers of a warp.
//!
//! One rule gives all fragment layouts of `mma` from sm_75 on. With g = lane / 4 and t = lane % 4, element k of the e elements in
//! register r of a lane is, for A with m rows, row g + 8·(r % (m/8)) and column t·e + k + 4·e·(r / (m/8)); for B, with
//! rows and columns exchanged, the same; for C and D, element i of a lane is row g + 8·(i/2 % (m/8)) and column
//! 2·t + i % 2 + 8·(i/2 / (m/8)). The manual leaves the layouts of `wmma` open; here they follow the same rule.
use crate::exec::view::WARP;
use ptx::isa::{self, Form, Type};

/// m, n and k of a product: A has m×k elements, B k×n, C and D m×n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixSize {
    pub m: u32,
    pub n: u32,
    pub k: u32,
}

impl MatrixSize {
    /// The size that a modifier such as `m16n8k16` names.
    pub fn of(form: &Form) -> Option<Self> {
        isa::matrix_size(form.modifiers).map(|[m, n, k]| MatrixSize { m, n, k })
    }

    /// Returns whether `wmma` has the shape, for elements of A and B of a type.
    pub fn is_wmma(self, a: Type) -> bool {
        let shape = (self.m, self.n, self.k);
        match a {
            Type::F16 | Type::Bf16 | Type::U8 | Type::S8 => [(16, 16, 16), (32, 8, 16), (8, 32, 16)].contains(&shape),
            Type::Tf32 => shape == (16, 16, 8),
            Type::F64 => shape == (8, 8, 4),
            Type::U4 | Type::S4 => shape == (8, 8, 32),
            Type::B1 => shape == (8, 8, 128),
            _ => false,
        }
    }

    /// The shape in 7 bits; all extents are powers of two, m and n from 8 to 32, k from 4 to 256.
    pub fn pack(self) -> u32 {
        (self.m.ilog2() - 3) | (self.n.ilog2() - 3) << 2 | (self.k.ilog2() - 2) << 4
    }

    /// Reads the bits that [`pack`](Self::pack) gave; higher bits do not matter.
    pub fn unpack(bits: u32) -> Self {
        MatrixSize { m: 8 << (bits & 3), n: 8 << (bits >> 2 & 3), k: 4 << (bits >> 4 & 7) }
    }
}

/// The operand that a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    A,
    B,
    /// C or D.
    C,
}

impl Part {
    /// Row and column of element `k` of the `each` in register `r` of a lane.
    #[inline]
    pub fn place(self, shape: MatrixSize, r: usize, lane: usize, k: usize, each: usize) -> (usize, usize) {
        let (g, t) = (lane / 4, lane % 4);
        let spread = |r: usize, extent: u32, each: usize, k: usize| {
            let groups = extent as usize / 8;
            (g + 8 * (r % groups), t * each + k + 4 * each * (r / groups))
        };
        match self {
            Part::A => spread(r, shape.m, each, k),
            Part::B => {
                let (column, row) = spread(r, shape.n, each, k);
                (row, column)
            }
            Part::C => {
                let i = r * each + k;
                spread(i / 2, shape.m, 2, i % 2)
            }
        }
    }

    /// Registers of a lane that hold the whole matrix once.
    pub fn registers(self, shape: MatrixSize, ty: Type) -> usize {
        let elements = match self {
            Part::A => shape.m * shape.k,
            Part::B => shape.k * shape.n,
            Part::C => shape.m * shape.n,
        };
        (elements / WARP as u32 / per_register(ty)) as usize
    }
}

/// Elements in a register of 32 bits (of 64 for `f64`).
pub fn per_register(ty: Type) -> u32 {
    (32 / element_bits(ty)).max(1)
}

/// Bits of an element in a register.
pub fn element_bits(ty: Type) -> u32 {
    match ty {
        Type::B1 => 1,
        Type::U4 | Type::S4 => 4,
        // TF32 has 19 bits in a register of 32.
        _ => 8 * ty.bytes(),
    }
}

/// All types that elements have; [`Op::data`](crate::exec::view::op::Op::data) holds an index.
pub const TYPES: [Type; 13] = {
    use Type::*;
    [F64, F32, F16, Bf16, Tf32, E4m3, E5m2, S32, U8, S8, U4, S4, B1]
};

/// A type's index in [`TYPES`].
pub fn index_of(ty: Type) -> u32 {
    TYPES.iter().position(|t| *t == ty).unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_one_place() {
        let cases = [
            ((16, 8, 16), Type::F16),
            ((16, 8, 8), Type::F64),
            ((16, 16, 16), Type::F16),
            ((32, 8, 16), Type::S8),
            ((8, 32, 16), Type::U8),
            ((16, 16, 8), Type::Tf32),
            ((8, 8, 4), Type::F64),
            ((8, 8, 32), Type::S4),
            ((8, 8, 128), Type::B1),
        ];
        for ((m, n, k), ty) in cases {
            let shape = MatrixSize { m, n, k };
            assert_eq!(MatrixSize::unpack(shape.pack()), shape);
            for (part, ty, rows, columns) in [(Part::A, ty, m, k), (Part::B, ty, k, n), (Part::C, Type::F32, m, n)] {
                let each = per_register(ty) as usize;
                let mut seen = vec![0; (rows * columns) as usize];
                for r in 0..part.registers(shape, ty) {
                    for lane in 0..WARP {
                        for e in 0..each {
                            let (row, column) = part.place(shape, r, lane, e, each);
                            seen[row * columns as usize + column] += 1;
                        }
                    }
                }
                assert!(seen.iter().all(|&count| count == 1), "{shape:?} {part:?} {ty:?}");
            }
        }
    }
}
