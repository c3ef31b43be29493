//! Which pointers addresses are made from, as far as the text alone tells: a kernel's parameters, variables of the module, arrays of shared
//! memory, or others. A launch compares what it loads through the read-only cache, and the texels that it fetches, with what it writes
//! (`exec::accesses::before`). Of shared memory it tells which array an address must stay in: an index that leaves it reaches its neighbour, which is
//! memory of the block all the same; dynamic memory counts as one array, which has no end.
//!
//! A register counts wherever it is written, so an address that is made from two pointers counts for both.
use super::liveness;
use crate::lower::context::Context;
use crate::lower::emission::Layout;
use crate::lower::options::Tier;
use crate::program::{Pointer, Pointers, Site};
use ptx::isa::{self, Class, Definition, Operands, Space, Type, Work};
use ptx::tree::{Base, Body, Instruction, Operand};
use std::ops::Range;

/// The pointers that a function loads through the read-only cache with, those that it writes with, and the handles of the textures that it
/// fetches. Nobody asks for those that it writes with where it has no such load, no fetch and no listener: there are none then.
/// Each site is told the pointers of its own address, by their numbers in the list, and its array of shared memory.
pub fn pointers(
    cx: &Context,
    index: usize,
    body: &Body,
    layout: &Layout,
    (sites, site_of): (&mut [Site], &[u32]),
) -> ([Pointers; 3], Vec<Pointer>) {
    let loads = |i: &&Instruction| cx.opcodes[i.opcode.0 as usize].opcode.is_read_only();
    let fetches = |i: &&Instruction| fetches(cx.module.opcodes[i.opcode.0 as usize].definition());
    let mut found = <[Pointers; 3]>::default();
    if cx.options.tier == Tier::Bare && !body.instructions().any(|i| loads(&i) || fetches(&i)) {
        return (found, Vec::new());
    }
    let registers = vec![0; body.registers.len()];
    let mut sources = Sources { cx, index, body, layout, registers, numbered: Vec::new() };
    let mut names = Vec::new();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for instruction in body.instructions() {
            changed |= sources.note(instruction, &mut names);
        }
    }
    for (statement, number) in body.statements.iter().zip(site_of) {
        let Some(instruction) = statement.instruction() else { continue };
        let address = sources.address(instruction);
        if let Some(site) = sites.get_mut(*number as usize) {
            site.pointers |= address;
            site.shared_array = sources.shared_array(instruction);
        }
        if loads(&instruction) {
            sources.add(address, &mut found[0]);
        }
        if sources.writes(instruction) {
            sources.add(address, &mut found[1]);
        }
        if fetches(&instruction) {
            sources.add(sources.handle(instruction), &mut found[2]);
        }
    }
    sources.numbered.truncate(MOST);
    (found, sources.numbered)
}

/// The bit of all sources that have none of their own.
const OTHERS: u64 = 1 << 63;
/// The bit of a value that is made from no pointer. One without any bit is not known yet.
const NUMBER: u64 = 1 << 62;
/// Pointers that are told apart.
const MOST: usize = 62;

/// By register, the sources of its values: a bit for each that is numbered.
struct Sources<'c, 'a> {
    cx: &'c Context<'a>,
    index: usize,
    body: &'c Body<'a>,
    layout: &'c Layout,
    registers: Vec<u64>,
    numbered: Vec<Pointer>,
}

impl Sources<'_, '_> {
    /// Notes what an instruction writes. Returns whether there was something new.
    fn note(&mut self, instruction: &Instruction, names: &mut Vec<u32>) -> bool {
        names.clear();
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        let (writes, _) = liveness::registers(opcode, self.body, instruction, names);
        let (written, read) = names.split_at(usize::from(writes).min(names.len()));
        if written.is_empty() {
            return false;
        }
        let row = isa::row(opcode.row);
        let operands = self.body.operands(instruction.operands);
        let is_predicate = |register: &&u32| self.body.registers[**register as usize].ty == Type::Pred;
        let mut made = match row.operands {
            Operands::Load if opcode.space == Space::Param => self.parameter(instruction),
            Operands::Load | Operands::Update | Operands::FragmentLoad | Operands::Texture => of_memory(&opcode.types),
            // An index becomes a distance: no pointer is multiplied.
            _ if matches!(row.work, Work::Multiply | Work::ShiftLeft) => 0,
            _ if row.work == Work::MultiplyAdd => operands.last().map_or(0, |c| self.value(c)),
            _ => {
                let named = operands.iter().fold(0, |all, operand| all | self.name(operand));
                let values = || read.iter().filter(|r| !is_predicate(r)).map(|&r| self.registers[r as usize]);
                let made = values().filter(|value| value & !NUMBER != 0).fold(named, |all, value| all | value);
                match () {
                    () if made == 0 && values().any(|value| value == 0) => return false,
                    // One of two values, by a predicate.
                    () if row.class == Class::Compare => values().fold(made, |all, value| all | value),
                    () => made,
                }
            }
        };
        made = if made == 0 { NUMBER } else { made };
        written.iter().fold(false, |changed, register| {
            let made = if is_predicate(&register) { NUMBER } else { made };
            let known = &mut self.registers[*register as usize];
            let before = std::mem::replace(known, *known | made);
            changed || *known != before
        })
    }

    /// The sources of what an instruction loads from the parameters.
    fn parameter(&mut self, instruction: &Instruction) -> u64 {
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        let own = |name: &str| {
            self.layout.parameters.iter().find(|slot| self.cx.defined[self.index].is_entry && slot.name == name)
        };
        let operands = self.body.operands(instruction.operands);
        let place = operands.iter().find_map(|operand| match *operand {
            Operand::Address { base: Base::Symbol(name), offset } => Some((own(name)?.offset, offset)),
            _ => None,
        });
        let Some((start, offset)) = place else { return of_memory(&opcode.types) };
        if of_memory(&opcode.types) == 0 {
            return 0;
        }
        let elements = operands.first().map_or(1, |first| match *first {
            Operand::Vector(span) => span.length,
            _ => 1,
        });
        let first = i64::from(start).wrapping_add(offset) as u32;
        (0..elements).fold(0, |all, element| all | self.bit(Pointer::Parameter(first.wrapping_add(8 * element))))
    }

    fn value(&mut self, operand: &Operand) -> u64 {
        match *operand {
            Operand::Register(register) => self.base(Base::Register(register)),
            _ => self.name(operand),
        }
    }

    /// The source that an operand names; none where it is a register or a number.
    fn name(&mut self, operand: &Operand) -> u64 {
        match *operand {
            Operand::Symbol(name, _) => self.base(Base::Symbol(name)),
            Operand::Variable(variable, _) => self.base(Base::Variable(variable)),
            Operand::Element { array, .. } => self.base(array),
            _ => 0,
        }
    }

    fn base(&mut self, base: Base) -> u64 {
        let shared = &self.cx.shared;
        match base {
            Base::Register(register) => self.registers[register.0 as usize],
            // Variables of other spaces lie at 0..0.
            Base::Variable(variable) => match shared.functions[self.index][variable.0 as usize] {
                (_, 0) => 0,
                (start, end) => self.bit(Pointer::Shared(start, end)),
            },
            Base::Symbol(name) => match (shared.module[self.index].get(name), self.cx.variable(name)) {
                (Some(&(start, end)), _) => self.bit(Pointer::Shared(start, end)),
                // Dynamic shared memory reaches as far as the launch says.
                (_, Some(variable)) if variable.space == Space::Shared => {
                    self.bit(Pointer::Shared(shared.dynamic[self.index], u32::MAX))
                }
                (_, Some(variable)) if variable.space == Space::Global => {
                    (self.cx.options.addresses)(name).map_or(OTHERS, |address| self.bit(Pointer::Variable(address)))
                }
                _ => 0,
            },
            Base::Absolute => 0,
        }
    }

    /// Where the array lies that an instruction's first address in shared memory is made from; empty where that is none, or several.
    fn shared_array(&mut self, instruction: &Instruction) -> Range<u32> {
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        // A bulk copy to global memory names that first.
        let others = isa::row(opcode.row).operands == Operands::Bulk && opcode.space == Space::Global;
        let mut operands = self.body.operands(instruction.operands).iter().skip(usize::from(others));
        let first = operands.find(|operand| matches!(operand, Operand::Address { .. }));
        let bits = match first {
            Some(&Operand::Address { base, .. }) => self.base(base),
            _ => 0,
        };
        let mut arrays = self.numbered(bits).filter_map(|pointer| match pointer {
            Pointer::Shared(start, end) => Some(start..end),
            _ => None,
        });
        match (bits & (OTHERS | NUMBER), arrays.next(), arrays.next()) {
            (0, Some(array), None) => array,
            _ => 0..0,
        }
    }

    /// The pointers of a value.
    fn numbered(&self, bits: u64) -> impl Iterator<Item = Pointer> {
        self.numbered
            .iter()
            .take(MOST)
            .enumerate()
            .filter(move |(n, _)| bits >> n & 1 != 0)
            .map(|(_, pointer)| *pointer)
    }

    fn address(&mut self, instruction: &Instruction) -> u64 {
        self.body.operands(instruction.operands).iter().fold(0, |all, operand| match *operand {
            Operand::Address { base, .. } => all | self.base(base),
            // A tensor's map has the address.
            Operand::Tile(_) => all | OTHERS,
            _ => all | self.name(operand),
        })
    }

    /// The sources of a texture's handle, which stands before the coordinates.
    fn handle(&self, instruction: &Instruction) -> u64 {
        let tile = |operand: &Operand| match *operand {
            Operand::Tile(span) => self.body.operands(span).first().copied(),
            _ => None,
        };
        match self.body.operands(instruction.operands).iter().find_map(tile) {
            Some(Operand::Address { base: Base::Register(register), .. } | Operand::Register(register)) => {
                self.registers[register.0 as usize]
            }
            _ => OTHERS,
        }
    }

    /// Returns whether an instruction writes to memory that other blocks see.
    fn writes(&self, instruction: &Instruction) -> bool {
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        let row = isa::row(opcode.row);
        let stores = matches!(row.operands, Operands::Store | Operands::FragmentStore | Operands::Bulk);
        (stores || row.class == Class::Atomic) && matches!(opcode.space, Space::Global | Space::Generic)
    }

    fn bit(&mut self, source: Pointer) -> u64 {
        let number = self.numbered.iter().position(|&known| known == source).unwrap_or_else(|| {
            self.numbered.push(source);
            self.numbered.len() - 1
        });
        if number < MOST { 1 << number } else { OTHERS }
    }

    /// Adds the sources of an address; one of none came from somewhere else.
    fn add(&self, address: u64, to: &mut Pointers) {
        to.others |= address & !NUMBER == 0 || address & OTHERS != 0;
        for source in self.numbered(address) {
            match source {
                Pointer::Parameter(offset) if !to.parameters.contains(&offset) => to.parameters.push(offset),
                Pointer::Variable(address) if !to.variables.contains(&address) => to.variables.push(address),
                _ => {}
            }
        }
    }
}

/// Returns whether an instruction fetches texels, through a cache that hears of no write.
fn fetches(row: &Definition) -> bool {
    row.fetches_texels()
}

/// A value that comes out of memory: a pointer, if it has the bits of one.
fn of_memory(types: &[Type]) -> u64 {
    if matches!(types.last(), Some(Type::B64 | Type::U64 | Type::S64 | Type::B128)) { OTHERS } else { 0 }
}
