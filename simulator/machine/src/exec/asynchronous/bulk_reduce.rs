//! The operations of reducing transfers on each element: `cp.reduce.async.bulk` and `red.async`.
use crate::exec::view::half_bits::{narrow_bf16, narrow_f16, widen_bf16, widen_f16};
use ptx::isa::{Form, Refusal, Type};

/// An operation on elements of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reduction {
    operation: Operation,
    ty: Type,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Add,
    Min,
    Max,
    Increment,
    Decrement,
    And,
    Or,
    Xor,
}

/// Operations in the order of their numbers, and how forms name them.
const OPERATIONS: [Operation; 8] = {
    use Operation::*;
    [Add, Min, Max, Increment, Decrement, And, Or, Xor]
};
const NAMES: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];

/// Types in the order of their numbers in [`Reduction::pack`].
const TYPES: [Type; 9] = {
    use Type::*;
    [U32, S32, U64, S64, F16, Bf16, F32, F64, B32]
};

impl Reduction {
    /// The one that a form names, for elements of its type.
    pub fn of(form: &Form) -> Result<Reduction, Refusal> {
        let ty = match form.ty(0).ok_or(Refusal::NoSuchForm)? {
            // Bits have no sign: whole words are as good.
            Type::B64 => Type::U64,
            ty => ty,
        };
        Reduction::new(form, ty)
    }

    /// The one that a form names, for elements of a type that it does not name.
    pub fn new(form: &Form, ty: Type) -> Result<Reduction, Refusal> {
        let number = NAMES.iter().position(|name| form.has(name)).ok_or(Refusal::NoSuchForm)?;
        let reduction = Reduction { operation: OPERATIONS[number], ty };
        if reduction.is_defined() { Ok(reduction) } else { Err(Refusal::NoSuchForm) }
    }

    /// Returns whether the manual has the operation for the type.
    fn is_defined(self) -> bool {
        use Operation::*;
        use Type::*;
        match self.operation {
            Add => TYPES.contains(&self.ty) && self.ty != B32,
            Min | Max => matches!(self.ty, U32 | S32 | U64 | S64 | F16 | Bf16),
            Increment | Decrement => self.ty == U32,
            And | Or | Xor => matches!(self.ty, B32 | U32 | S32 | U64 | S64),
        }
    }

    /// Seven bits, for [`Op::data`](crate::exec::view::op::Op::data).
    pub fn pack(self) -> u32 {
        let ty = TYPES.iter().position(|&known| known == self.ty).unwrap_or(0) as u32;
        self.operation as u32 | ty << 3
    }

    /// Reads the bits that [`pack`](Self::pack) gave.
    pub fn unpack(bits: u32) -> Reduction {
        Reduction { operation: OPERATIONS[(bits & 7) as usize], ty: TYPES[(bits >> 3 & 15) as usize % TYPES.len()] }
    }

    /// With another type, for a tensor whose map names it.
    pub fn with(self, ty: Type) -> Option<Reduction> {
        Some(Reduction { ty, ..self }).filter(|reduction| reduction.is_defined())
    }

    /// Reduces `length` bytes at host address `from` into those at `to`.
    #[allow(unsafe_code)]
    pub fn apply(self, to: u64, from: u64, length: usize) {
        let size = self.ty.bytes() as usize;
        for at in (0..length / size * size).step_by(size) {
            let (mut old, mut new) = ([0u8; 8], [0u8; 8]);
            // SAFETY: the transfer's pieces were found inside their memories when it was issued.
            unsafe {
                std::ptr::copy_nonoverlapping((to as *const u8).add(at), old.as_mut_ptr(), size);
                std::ptr::copy_nonoverlapping((from as *const u8).add(at), new.as_mut_ptr(), size);
                let result = self.element(u64::from_le_bytes(old), u64::from_le_bytes(new)).to_le_bytes();
                std::ptr::copy_nonoverlapping(result.as_ptr(), (to as *mut u8).add(at), size);
            }
        }
    }

    fn element(self, old: u64, new: u64) -> u64 {
        use Operation::*;
        let (low, add) = (old as u32, new as u32);
        match self.operation {
            And => old & new,
            Or => old | new,
            Xor => old ^ new,
            Increment => u64::from(if low >= add { 0 } else { low + 1 }),
            Decrement => u64::from(if low == 0 || low > add { add } else { low - 1 }),
            Add => match self.ty {
                Type::F16 => narrow_f16(widen_f16(low) + widen_f16(add)).into(),
                Type::Bf16 => narrow_bf16(widen_bf16(low) + widen_bf16(add)).into(),
                Type::F32 => (f32::from_bits(low) + f32::from_bits(add)).to_bits().into(),
                Type::F64 => (f64::from_bits(old) + f64::from_bits(new)).to_bits(),
                _ => old.wrapping_add(new),
            },
            Min | Max => {
                let new_is_less = match self.ty {
                    Type::S32 => (add as i32) < low as i32,
                    Type::S64 => (new as i64) < old as i64,
                    Type::F16 => widen_f16(add) < widen_f16(low),
                    Type::Bf16 => widen_bf16(add) < widen_bf16(low),
                    _ => new < old,
                };
                if new_is_less == (self.operation == Min) { new } else { old }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduce(operation: Operation, ty: Type, old: u64, new: u64) -> u64 {
        Reduction { operation, ty }.element(old, new)
    }

    #[test]
    fn signs_count_where_the_type_has_one() {
        let minus_one = u64::from(u32::MAX);
        assert_eq!(reduce(Operation::Min, Type::S32, 5, minus_one), minus_one);
        assert_eq!(reduce(Operation::Min, Type::U32, 5, minus_one), 5);
        assert_eq!(reduce(Operation::Max, Type::S64, u64::MAX, 7), 7);
        assert_eq!(reduce(Operation::Max, Type::F16, 0x3c00, 0xc000), 0x3c00);
    }

    #[test]
    fn what_is_packed_comes_back() {
        for operation in OPERATIONS {
            for ty in TYPES {
                let reduction = Reduction { operation, ty };
                assert_eq!(Reduction::unpack(reduction.pack()), reduction);
            }
        }
    }
}
