//! Which pointers a kernel loads through and writes through, as far as the text alone tells: its parameters, variables of the module,
//! or others. A launch compares what it loads through the read-only cache, and the texels that it fetches, with what it writes
//! (`exec::before`).
//!
//! A register counts wherever it is written, so an address that is made from two pointers counts for both.
use super::context::Context;
use super::frame::Layout;
use super::liveness;
use super::options::Tier;
use crate::program::{Pointer, Pointers, Site};
use ptx::isa::{self, Class, Definition, Operands, Space, Type, Work};
use ptx::tree::{Base, Body, Function, Instruction, Operand, Statement};

/// The pointers that a function loads through the read-only cache with, those that it writes with, and the handles of the textures that it
/// fetches. Nobody asks for those that it writes with where it has no such load, no fetch and no listener: there are none then.
///
/// Each site is told the pointers of its own address, by their numbers in the list.
pub fn pointers(
    cx: &Context,
    function: &Function,
    body: &Body,
    layout: &Layout,
    (sites, site_of): (&mut [Site], &[u32]),
) -> ([Pointers; 3], Vec<Pointer>) {
    let instructions = || {
        body.statements.iter().filter_map(|statement| match statement {
            Statement::Instruction(instruction) => Some(instruction),
            Statement::Label(_) => None,
        })
    };
    let loads = |i: &&Instruction| cx.opcodes[i.opcode.0 as usize].opcode.is_read_only();
    let fetches = |i: &&Instruction| fetches(cx.module.opcodes[i.opcode.0 as usize].definition());
    let mut found = <[Pointers; 3]>::default();
    if cx.options.tier == Tier::Bare && !instructions().any(|i| loads(&i) || fetches(&i)) {
        return (found, Vec::new());
    }
    let registers = vec![0; body.registers.len()];
    let mut sources = Sources { cx, function, body, layout, registers, numbered: Vec::new() };
    let mut names = Vec::new();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for instruction in instructions() {
            changed |= sources.note(instruction, &mut names);
        }
    }
    for (statement, number) in body.statements.iter().zip(site_of) {
        let Statement::Instruction(instruction) = statement else { continue };
        let address = sources.address(instruction);
        if let Some(site) = sites.get_mut(*number as usize) {
            site.pointers |= address;
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
    sources.numbered.truncate(63);
    (found, sources.numbered)
}

/// The bit of all sources that have none of their own.
const OTHERS: u64 = 1 << 63;

/// By register, the sources of its values: a bit for each that is numbered.
struct Sources<'c, 'a> {
    cx: &'c Context<'a>,
    function: &'c Function<'a>,
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
        let made = match row.operands {
            Operands::Load if opcode.space == Space::Param => self.parameter(instruction),
            Operands::Load | Operands::Update | Operands::FragmentLoad | Operands::Texture => of_memory(&opcode.types),
            // An index becomes a distance: no pointer is multiplied.
            _ if matches!(row.work, Work::Multiply | Work::ShiftLeft) => 0,
            _ if row.work == Work::MultiplyAdd => match self.body.operands(instruction.operands).last() {
                Some(Operand::Register(c)) => self.registers[c.0 as usize],
                c => c.map_or(0, |c| self.name(c)),
            },
            _ => {
                let registers = read.iter().fold(0, |all, &register| all | self.registers[register as usize]);
                let operands = self.body.operands(instruction.operands);
                operands.iter().fold(registers, |all, operand| all | self.name(operand))
            }
        };
        written.iter().fold(false, |changed, &register| {
            let known = &mut self.registers[register as usize];
            let before = std::mem::replace(known, *known | made);
            changed || *known != before
        })
    }

    /// The sources of what an instruction loads from the parameters.
    fn parameter(&mut self, instruction: &Instruction) -> u64 {
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        let own = |name: &str| self.layout.parameters.iter().find(|slot| self.function.is_entry && slot.name == name);
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

    /// The source that an operand names; none where it is a register or a number.
    fn name(&mut self, operand: &Operand) -> u64 {
        match *operand {
            Operand::Symbol(name, _) => self.base(Base::Symbol(name)),
            Operand::Element { array, .. } => self.base(array),
            _ => 0,
        }
    }

    fn base(&mut self, base: Base) -> u64 {
        match base {
            Base::Register(register) => self.registers[register.0 as usize],
            Base::Symbol(name) if self.cx.variable(name).is_some_and(|variable| variable.space == Space::Global) => {
                (self.cx.options.addresses)(name).map_or(OTHERS, |address| self.bit(Pointer::Variable(address)))
            }
            _ => 0,
        }
    }

    /// The sources of an instruction's address.
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
        if number < 63 { 1 << number } else { OTHERS }
    }

    /// Adds the sources of an address; one of none came from somewhere else.
    fn add(&self, address: u64, to: &mut Pointers) {
        to.others |= address == 0 || address & OTHERS != 0;
        for (_, source) in self.numbered.iter().take(63).enumerate().filter(|(number, _)| address >> number & 1 != 0) {
            match *source {
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
