//! Operands of matrix instructions: the vectors that hold fragments, and where matrices lie in memory.
use crate::lower::emission::{Draft, Emitter};
use crate::lower::refused::Reason;
use ptx::isa::Type;
use ptx::tree::{Opcode, Operand};

impl<'a> Emitter<'a, '_> {
    pub fn multiply(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let mut draft = Draft::new(opcode.space);
        refuse_if!(operands.len() < 4, Reason::Operands);
        for (i, operand) in operands.iter().enumerate() {
            let before = self.more.len();
            let (row, bits, _) = self.vector(operand, Some(Type::B32), i == 0)?;
            if self.more.len() == before {
                self.more.push(row);
            }
            match i {
                0 => (draft.dst, draft.widths[0]) = (row, bits),
                1 => (draft.a, draft.widths[1]) = (row, bits),
                2 => (draft.b, draft.widths[2]) = (row, bits),
                3 => (draft.c, draft.widths[3]) = (row, bits),
                _ => {}
            }
        }
        Ok(draft)
    }

    /// `wmma.load` and `.store`: as [`matrix`](Self::matrix), and after the two how many elements a row is from the next.
    pub fn fragment(
        &mut self,
        opcode: &Opcode,
        operands: &[Operand<'a>],
        elements: usize,
        address: usize,
    ) -> Result<Draft, Reason> {
        let [_, _, stride] = operands else { return self.matrix(opcode, operands, elements, address) };
        let (stride, bits) = self.source(stride, Some(Type::U32))?;
        refuse_if!(bits != 32, Reason::Operands);
        let mut draft = self.matrix(opcode, &operands[..2], elements, address)?;
        (draft.c, draft.widths[3]) = (stride, bits);
        Ok(draft)
    }

    /// `ldmatrix` and its like: elements at one index of the operands, the address at the other.
    pub fn matrix(
        &mut self,
        opcode: &Opcode,
        operands: &[Operand<'a>],
        elements: usize,
        address: usize,
    ) -> Result<Draft, Reason> {
        let [_, _] = operands else { return Err(Reason::Operands) };
        let mut draft = Draft::new(opcode.space);
        self.address_into(&mut draft, &operands[address])?;
        let (row, bits, vector) = self.vector(&operands[elements], Some(Type::B32), elements == 0)?;
        if self.more.is_empty() {
            self.more.push(row);
        }
        draft.vector = vector;
        match elements {
            0 => (draft.dst, draft.widths[0]) = (row, bits),
            _ => (draft.b, draft.widths[2]) = (row, bits),
        }
        Ok(draft)
    }
}
