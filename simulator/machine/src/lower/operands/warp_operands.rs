//! Operands of instructions that work on a warp: shuffles, votes, matches, and the masks of who takes part.
use super::places::place;
use crate::exec::op::Row;
use crate::lower::emission::{Draft, Emitter, Kind};
use crate::lower::refused::Reason;
use ptx::isa::{Definition, Type, Width};
use ptx::tree::{Opcode, Operand};

impl<'a> Emitter<'a, '_> {
    pub fn shuffle(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let [d, a, b, c, rest @ ..] = operands else { return Err(Reason::Operands) };
        let mut draft = Draft::new(opcode.space);
        let p = self.destination_pair(&mut draft, d, place(Width::T, opcode))?;
        (draft.a, draft.widths[1]) = self.source(a, place(Width::T, opcode))?;
        (draft.b, draft.widths[2]) = self.source(b, Some(Type::B32))?;
        (draft.c, draft.widths[3]) = self.source(c, Some(Type::B32))?;
        let members = self.member_mask(rest)?;
        self.more.extend([p, members]);
        Ok(draft)
    }

    pub fn vote(&mut self, opcode: &Opcode, row: &Definition, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let [d, a, rest @ ..] = operands else { return Err(Reason::Operands) };
        let &[result, source] = row.widths else { return Err(Reason::Operands) };
        let mut draft = Draft::new(opcode.space);
        let (result, source) = (place(result, opcode), place(source, opcode));
        (draft.dst, draft.widths[0]) = self.destination(d, result)?;
        (draft.a, draft.widths[1]) = self.source(a, source)?;
        (draft.b, draft.widths[2]) = (self.member_mask(rest)?, 32);
        Ok(draft)
    }

    pub fn matched(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let [d, a, rest @ ..] = operands else { return Err(Reason::Operands) };
        let mut draft = Draft::new(opcode.space);
        let p = self.destination_pair(&mut draft, d, Some(Type::B32))?;
        (draft.a, draft.widths[1]) = self.source(a, place(Width::T, opcode))?;
        (draft.b, draft.widths[2]) = (self.member_mask(rest)?, 32);
        self.more.push(p);
        Ok(draft)
    }

    pub fn members(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let [members] = operands else { return Err(Reason::Operands) };
        let mut draft = Draft::new(opcode.space);
        (draft.a, draft.widths[1]) = (self.member_mask(std::slice::from_ref(members))?, 32);
        Ok(draft)
    }

    pub fn elect(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let [d, members] = operands else { return Err(Reason::Operands) };
        let mut draft = Draft::new(opcode.space);
        let p = self.destination_pair(&mut draft, d, Some(Type::B32))?;
        self.more.push(p);
        (draft.a, draft.widths[1]) = (self.member_mask(std::slice::from_ref(members))?, 32);
        Ok(draft)
    }

    /// The row of a member mask; all lanes where the instruction has none.
    fn member_mask(&mut self, operands: &[Operand<'a>]) -> Result<Row, Reason> {
        match operands {
            [] => Ok(self.frame.constant(Kind::B32, u64::from(u32::MAX))),
            [members] => Ok(self.source(members, Some(Type::B32))?.0),
            _ => Err(Reason::Operands),
        }
    }
}
