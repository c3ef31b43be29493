//! Which array of shared memory an address is made from, as far as the text alone tells: an index that leaves the array
//! reaches its neighbour, which is memory of the block all the same. Dynamic memory counts as one array, which has no end.
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
        if cx.shared.module[function].is_empty()
            && !body.variables.iter().any(|(_, variable)| variable.space == Space::Shared)
        {
            return arrays;
        }
        while body.statements.iter().fold(false, |changed, statement| match statement {
            Statement::Instruction(instruction) => arrays.note(body, instruction) || changed,
            Statement::Label(_) => changed,
        }) {}
        arrays
    }

    /// Where the array lies that an instruction's first address in shared memory is made from; empty where that is none, or several.
    pub fn of_address(&self, body: &Body, instruction: &Instruction) -> Range<u32> {
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        // A bulk copy to global memory names that first.
        let others = isa::row(opcode.row).operands == Operands::Bulk && opcode.space == Space::Global;
        let address = |operand: &Operand| match *operand {
            Operand::Address { base, .. } => self.of_base(base),
            _ => None,
        };
        match body.operands(instruction.operands).iter().skip(usize::from(others)).find_map(address) {
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
            Base::Symbol(name) => match shared.module[self.function].get(name) {
                Some(&(start, end)) => Array::One(start, end),
                // Dynamic shared memory reaches as far as the launch says.
                None if self.cx.variable(name).is_some_and(|variable| variable.space == Space::Shared) => {
                    Array::One(shared.dynamic[self.function], u32::MAX)
                }
                None => Array::Other,
            },
            Base::Absolute => Array::Other,
        })
    }
}
