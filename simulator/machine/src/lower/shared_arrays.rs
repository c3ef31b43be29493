//! Which array of shared memory an address is made from, as far as the text alone tells: an index that leaves the array
//! reaches its neighbour, which is memory of the block all the same.
//!
//! An address made from two arrays, such as one chosen while the kernel runs, has none; so has one that came out of memory.
use super::context::Context;
use ptx::isa::{self, Class, Operands, Space, Work};
use ptx::tree::{Base, Body, Instruction, Operand, RegisterId, Statement};
use std::ops::Range;

/// The array of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Array {
    /// A number, or an address of something else.
    Other,
    /// Made from the address of the array with this begin and end.
    One(u32, u32),
    /// Made from several, or maybe from another one.
    Several,
}

impl Array {
    /// The value that is computed from both: an index that is added to an address stays in its array.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Other, array) | (array, Self::Other) => array,
            _ if self == other => self,
            _ => Self::Several,
        }
    }

    /// The value that is one or the other.
    fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Several }
    }
}

/// The arrays that a function's registers hold addresses of.
pub struct SharedArrays<'c, 'a> {
    cx: &'c Context<'a>,
    function: usize,
    /// By register; `None` where nothing was written to it yet.
    registers: Vec<Option<Array>>,
}

impl<'c, 'a> SharedArrays<'c, 'a> {
    /// The shared arrays of a body. A register counts wherever it is written.
    pub fn of(cx: &'c Context<'a>, function: usize, body: &Body) -> Self {
        let mut arrays = Self { cx, function, registers: vec![None; body.registers.len()] };
        if cx.shared.module.is_empty() && !body.variables.iter().any(|(_, variable)| variable.space == Space::Shared) {
            return arrays;
        }
        while body.statements.iter().fold(false, |changed, statement| match statement {
            Statement::Instruction(instruction) => arrays.note(body, instruction) || changed,
            Statement::Label(_) => changed,
        }) {}
        arrays
    }

    /// Where the array lies that an instruction's address is made from; empty where that is none, or several.
    pub fn of_address(&self, body: &Body, instruction: &Instruction) -> Range<u32> {
        let address = |operand: &Operand| match *operand {
            Operand::Address { base, .. } => self.of_base(base),
            _ => None,
        };
        match body.operands(instruction.operands).iter().find_map(address) {
            Some(Array::One(start, end)) => start..end,
            _ => 0..0,
        }
    }

    /// Notes the addresses that an instruction makes. Returns whether there was a new one.
    fn note(&mut self, body: &Body, instruction: &Instruction) -> bool {
        let row = isa::row(self.cx.module.opcodes[instruction.opcode.0 as usize].row);
        let [Operand::Register(RegisterId(result)), sources @ ..] = body.operands(instruction.operands) else {
            // Vectors and pairs, which loads and shuffles write.
            return self.note_others(body, instruction);
        };
        let made = match row.operands {
            Operands::Value | Operands::Move => {
                // One of two values, by a third source.
                let choice = row.class == Class::Compare
                    && matches!(row.work, Work::Select | Work::Integer)
                    && row.widths.len() == 4;
                let mut known = sources.iter().filter_map(|source| self.of_operand(source));
                // Nothing is known yet of a register that a later turn of the loop will have written.
                let Some(first) = known.next() else { return false };
                if choice {
                    // Its last source is what chooses.
                    let [a, b, ..] = sources else { return false };
                    let (Some(a), Some(b)) = (self.of_operand(a), self.of_operand(b)) else { return false };
                    a.or(b)
                } else if row.work == Work::Subtract
                    && matches!(sources.get(1).and_then(|b| self.of_operand(b)), Some(Array::One(..)))
                {
                    // A distance, which leads to another array where it is added.
                    Array::Several
                } else {
                    known.fold(first, Array::with)
                }
            }
            _ => Array::Other,
        };
        self.join(*result, made)
    }

    /// Registers that something else than one value is written to.
    fn note_others(&mut self, body: &Body, instruction: &Instruction) -> bool {
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        let mut registers = Vec::new();
        let (writes, _) = super::liveness::registers(opcode, body, instruction, &mut registers);
        let mut changed = false;
        for &register in &registers[..writes as usize] {
            changed |= self.join(register, Array::Other);
        }
        changed
    }

    fn join(&mut self, register: u32, made: Array) -> bool {
        let before = &mut self.registers[register as usize];
        let after = Some(before.map_or(made, |before| before.or(made)));
        std::mem::replace(before, after) != after
    }

    /// `None`: not known yet.
    fn of_operand(&self, operand: &Operand) -> Option<Array> {
        match *operand {
            Operand::Register(register) => self.of_base(Base::Register(register)),
            Operand::Variable(variable, _) => self.of_base(Base::Variable(variable)),
            Operand::Symbol(name, _) => self.of_base(Base::Symbol(name)),
            _ => Some(Array::Other),
        }
    }

    fn of_base(&self, base: Base) -> Option<Array> {
        let shared = &self.cx.shared;
        Some(match base {
            Base::Register(RegisterId(register)) => return self.registers[register as usize],
            // Variables of other spaces lie at 0..0.
            Base::Variable(variable) => match shared.functions[self.function][variable.0 as usize] {
                (_, 0) => Array::Other,
                (start, end) => Array::One(start, end),
            },
            Base::Symbol(name) => match shared.module.get(name) {
                Some(&(start, end)) => Array::One(start, end),
                // Dynamic shared memory reaches as far as the launch says.
                None if self.cx.variable(name).is_some_and(|variable| variable.space == Space::Shared) => {
                    Array::Several
                }
                None => Array::Other,
            },
            Base::Absolute => Array::Other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::op::Level;
    use crate::lower::{Options, Tier, lower};
    use ptx::parse;

    /// The arrays of the addresses of all loads of a body.
    fn loads(text: &str) -> Vec<Range<u32>> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n\
             .visible .entry k() {{\n.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<2>;\n\
             .shared .align 4 .b8 first[64];\n.shared .align 4 .b8 second[32];\n{text}\nret;\n}}"
        );
        let module = parse(&text).expect("parses");
        let options = Options { addresses: &|_| None, tier: Tier::Probed, level: Level::Base };
        let program = lower(&module, &options).unwrap_or_else(|_| panic!("refused"));
        let sites = program.program.functions[0].sites.iter();
        sites.filter(|site| site.text.to_string().starts_with("ld")).map(|site| site.shared_array.clone()).collect()
    }

    #[test]
    fn an_index_stays_in_its_array() {
        let found = loads(
            "mov.u32 %r1, first; mov.u32 %r2, second; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r3, 4, %r1;\n\
             again: ld.shared.u32 %r5, [%r4+8]; ld.shared.u32 %r6, [second+4]; add.s32 %r4, %r4, 64;\n\
             setp.lt.s32 %p1, %r5, 7; @%p1 bra again;\n\
             cvt.u64.u32 %rd1, %r2; cvta.shared.u64 %rd2, %rd1; ld.u32 %r7, [%rd2];",
        );
        assert_eq!(found, [0..64, 64..96, 64..96]);
    }

    #[test]
    fn what_may_be_another_array_has_none() {
        let found = loads(
            "mov.u32 %r1, first; mov.u32 %r2, second; mov.u32 %r3, dynamic; setp.eq.s32 %p1, %r3, 0;\n\
             selp.b32 %r4, %r1, %r2, %p1; ld.shared.u32 %r5, [%r4]; ld.shared.u32 %r5, [%r3];\n\
             ld.shared.u32 %r6, [first]; @%p1 mov.u32 %r6, second; ld.shared.u32 %r5, [%r6]; sub.s32 %r7, %r2, %r1;\n\
             add.s32 %r7, %r7, %r1; ld.shared.u32 %r5, [%r7];",
        );
        assert_eq!(found, [0..0, 0..0, 0..64, 0..0, 0..0]);
    }
}
