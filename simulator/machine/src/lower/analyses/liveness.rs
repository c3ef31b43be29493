//! Where each register is live: which may share a row, and how many a thread needs at once.
//!
//! Lanes of a warp may be at different places, but a row holds 32 values, one per lane, and a lane's own path is what
//! counts: two registers that are never live at one place may share a row. That keeps the rows of a warp in the first
//! cache, where one row per register of the text would often not fit.
use super::late_products::Waits;
use crate::lower::control_flow::flow::{Flow, FlowEnd};
use crate::lower::emission::Kind;
use ptx::isa::{self, Operands};
use ptx::tree::{Base, Body, Instruction, Module, Opcode, Operand, RegisterId};
use std::ops::Range;

/// Bits that the sets of all blocks may have: beyond it every register is taken to be live everywhere.
const MOST_BITS: u64 = 1 << 30;

/// The places, in the order of the blocks, from the first to the last where a register is live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Live {
    pub register: RegisterId,
    /// First and last place, both inclusive.
    pub from: u32,
    pub to: u32,
}

/// The analysis' result.
pub struct Liveness {
    /// One entry for each register that reachable code names, by first place.
    pub ranges: Vec<Live>,
    /// Live values at the widest place, in 32-bit units; predicates are not counted, hardware has registers of their own
    /// for them.
    pub pressure: u32,
    /// The same without the values that an assembler makes again where they are used.
    pub least_pressure: u32,
    /// By register: whether any instruction reads it.
    pub read: Vec<bool>,
}

/// Finds where the registers of a body are live; those of late products until they are waited for.
pub fn liveness(module: &Module, body: &Body, flow: &Flow, waits: Option<&Waits>, remade: &[bool]) -> Liveness {
    let mut analysis = Analysis::new(module, body, flow, waits, remade);
    analysis.summarise();
    let words = analysis.globals.div_ceil(64);
    if words as u64 * 64 * flow.blocks.len() as u64 * 2 > MOST_BITS {
        return analysis.everywhere();
    }
    let live_out = analysis.solve(words);
    analysis.ranges(&live_out, words)
}

const NONE: u32 = u32::MAX;

/// Sizes of values in 32-bit units: of all, and of those that must be kept.
#[derive(Clone, Copy, Default)]
struct Size {
    all: u32,
    kept: u32,
}

impl Size {
    fn change(&mut self, by: Size, how: impl Fn(u32, u32) -> u32) {
        (self.all, self.kept) = (how(self.all, by.all), how(self.kept, by.kept));
    }
}

/// One access to a register.
#[derive(Clone, Copy)]
struct Access {
    register: u32,
    /// Index of the instruction among those of its block.
    place: u32,
    /// True if it ends all earlier values: a write that no guard may skip.
    kills: bool,
}

struct Analysis<'a> {
    module: &'a Module<'a>,
    body: &'a Body<'a>,
    flow: &'a Flow,
    waits: Option<&'a Waits>,
    /// By register: whether an assembler makes its value again.
    remade: &'a [bool],
    /// Accesses of each block in order; within one instruction reads come first.
    accesses: Vec<Access>,
    blocks: Vec<Range<usize>>,
    /// First and last place of each block.
    places: Vec<(u32, u32)>,
    /// Number of each register among those that are live from block to block, or `NONE`.
    global: Vec<u32>,
    globals: usize,
    /// By register: whether any instruction reads it.
    read: Vec<bool>,
}

impl<'a> Analysis<'a> {
    fn new(
        module: &'a Module<'a>,
        body: &'a Body<'a>,
        flow: &'a Flow,
        waits: Option<&'a Waits>,
        remade: &'a [bool],
    ) -> Self {
        let global = vec![NONE; body.registers.len()];
        let count = flow.blocks.len();
        Analysis {
            module,
            body,
            flow,
            waits,
            remade,
            accesses: Vec::with_capacity(body.operands.len()),
            blocks: Vec::with_capacity(count),
            places: Vec::with_capacity(count),
            global,
            globals: 0,
            read: vec![false; body.registers.len()],
        }
    }

    /// Lists all accesses, and numbers the registers that some block reads before it writes them.
    fn summarise(&mut self) {
        let mut written = vec![NONE; self.body.registers.len()];
        let mut place = 0;
        for (index, block) in self.flow.blocks.iter().enumerate() {
            let (start, first) = (self.accesses.len(), place);
            for number in block.statements.clone() {
                if let Some(instruction) = self.body.instruction(number) {
                    self.instruction(instruction, place);
                    self.wait(number, place);
                    place += 1;
                }
            }
            self.end(&block.end, place);
            place += 1;
            for access in &self.accesses[start..] {
                let register = access.register as usize;
                if access.kills {
                    written[register] = index as u32;
                } else if written[register] != index as u32 && self.global[register] == NONE {
                    // A guarded write keeps what was there for the lanes that it skips, so it counts as a read.
                    self.global[register] = self.globals as u32;
                    self.globals += 1;
                }
            }
            self.blocks.push(start..self.accesses.len());
            self.places.push((first, place - 1));
        }
    }

    fn end(&mut self, end: &FlowEnd, place: u32) {
        let statement = match *end {
            FlowEnd::Branch { guard, .. } => return self.read(guard.register, place),
            FlowEnd::Switch(i, _) | FlowEnd::Through(i, _) => i,
            FlowEnd::Continue(_) | FlowEnd::Jump(..) | FlowEnd::Leave(_) | FlowEnd::Fall => return,
        };
        if let Some(&instruction) = self.body.instruction(statement) {
            // Its guard was the end of the block before.
            self.instruction(&Instruction { guard: None, ..instruction }, place);
            self.wait(statement, place);
        }
    }

    fn instruction(&mut self, instruction: &Instruction, place: u32) {
        let body = self.body;
        let operands = body.operands(instruction.operands);
        let layout = isa::row(self.module.opcodes[instruction.opcode.0 as usize].row).operands;
        let results = results(layout, operands, &self.module.opcodes[instruction.opcode.0 as usize]);
        let (written, read) = operands.split_at(results.min(operands.len()));
        if let Some(guard) = instruction.guard {
            self.read(guard.register, place);
        }
        let first = self.accesses.len();
        // A product of four warps adds to its result.
        let adds = layout == Operands::WarpgroupMultiply;
        for operand in if adds { operands } else { read } {
            self.operand(operand, place, false);
        }
        for access in &self.accesses[first..] {
            self.read[access.register as usize] = true;
        }
        for operand in written {
            self.operand(operand, place, instruction.guard.is_none());
        }
    }

    /// A wait adds to the registers of the products that it waits for.
    fn wait(&mut self, statement: usize, place: u32) {
        let registers = self.waits.and_then(|waits| waits.get(&statement)).into_iter().flatten();
        self.accesses.extend(registers.map(|register| Access { register: register.0, place, kills: false }));
    }

    fn operand(&mut self, operand: &Operand, place: u32, kills: bool) {
        let mut access = |register: RegisterId| {
            self.accesses.push(Access { register: register.0, place, kills });
        };
        match *operand {
            Operand::Register(register) | Operand::Not(register) => access(register),
            Operand::Address { base: Base::Register(register), .. } => access(register),
            Operand::Element { register, .. } => register.into_iter().for_each(access),
            Operand::Pair(first, second) => first.into_iter().chain(second).for_each(access),
            Operand::Vector(span) | Operand::List(span) => {
                let body = self.body;
                for element in body.operands(span) {
                    // Elements are neither vectors nor lists: the parser sees to that.
                    if let Operand::Register(register) | Operand::Not(register) = *element {
                        self.accesses.push(Access { register: register.0, place, kills });
                    }
                }
            }
            Operand::Tile(span) => {
                let body = self.body;
                body.operands(span).iter().for_each(|part| self.operand(part, place, kills));
            }
            _ => {}
        }
    }

    fn read(&mut self, register: RegisterId, place: u32) {
        self.read[register.0 as usize] = true;
        self.accesses.push(Access { register: register.0, place, kills: false });
    }

    /// The registers that are live at each block's end, as bit sets of `words` words.
    fn solve(&self, words: usize) -> Vec<u64> {
        let count = self.blocks.len();
        let (mut reads, mut kills) = (vec![0u64; count * words], vec![0u64; count * words]);
        for (block, accesses) in self.blocks.iter().enumerate() {
            for access in &self.accesses[accesses.clone()] {
                let global = self.global[access.register as usize];
                if global == NONE {
                    continue;
                }
                let (word, bit) = (block * words + global as usize / 64, 1 << (global % 64));
                if access.kills {
                    kills[word] |= bit;
                } else if kills[word] & bit == 0 {
                    reads[word] |= bit;
                }
            }
        }
        // `reads` grows into what is live at each block's start.
        let mut live_in = reads;
        let mut live_out = vec![0u64; count * words];
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..count).rev() {
                for next in self.flow.blocks[block].end.successors() {
                    for word in 0..words {
                        live_out[block * words + word] |= live_in[next as usize * words + word];
                    }
                }
                for word in block * words..(block + 1) * words {
                    let live = live_in[word] | live_out[word] & !kills[word];
                    changed |= live != live_in[word];
                    live_in[word] = live;
                }
            }
        }
        live_out
    }

    /// From live sets to ranges and pressure.
    fn ranges(self, live_out: &[u64], words: usize) -> Liveness {
        let mut spans = vec![(NONE, 0); self.body.registers.len()];
        let mut cover = |register: u32, place: u32| {
            let (from, to) = &mut spans[register as usize];
            *from = (*from).min(place);
            *to = (*to).max(place);
        };
        let mut registers = vec![0u32; self.globals];
        for (register, &global) in self.global.iter().enumerate() {
            if global != NONE {
                registers[global as usize] = register as u32;
            }
        }
        let mut live = vec![false; self.body.registers.len()];
        let mut pressure = Size::default();
        for (block, accesses) in self.blocks.iter().enumerate() {
            let (first, last) = self.places[block];
            let mut alive: Vec<u32> = Vec::new();
            let mut size = Size::default();
            for (word, &bits) in live_out[block * words..(block + 1) * words].iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    let register = registers[word * 64 + bits.trailing_zeros() as usize];
                    bits &= bits - 1;
                    cover(register, last);
                    live[register as usize] = true;
                    size.change(self.size(register), u32::wrapping_add);
                    alive.push(register);
                }
            }
            pressure.change(size, u32::max);
            for access in self.accesses[accesses.clone()].iter().rev() {
                let register = access.register;
                cover(register, access.place);
                let was = std::mem::replace(&mut live[register as usize], !access.kills);
                match (was, access.kills) {
                    (true, true) => size.change(self.size(register), u32::wrapping_sub),
                    (false, false) => {
                        size.change(self.size(register), u32::wrapping_add);
                        alive.push(register);
                    }
                    _ => {}
                }
                pressure.change(size, u32::max);
            }
            for register in alive {
                if std::mem::take(&mut live[register as usize]) {
                    cover(register, first);
                }
            }
        }
        Liveness { ranges: sorted(&spans), pressure: pressure.all, least_pressure: pressure.kept, read: self.read }
    }

    /// The cautious answer: every register that is named is live in the whole function.
    fn everywhere(self) -> Liveness {
        let last = self.places.last().map_or(0, |places| places.1);
        let mut spans = vec![(NONE, 0); self.body.registers.len()];
        for access in &self.accesses {
            spans[access.register as usize] = (0, last);
        }
        let ranges = sorted(&spans);
        let mut pressure = Size::default();
        ranges.iter().for_each(|live| pressure.change(self.size(live.register.0), u32::saturating_add));
        Liveness { ranges, pressure: pressure.all, least_pressure: pressure.kept, read: self.read }
    }

    fn size(&self, register: u32) -> Size {
        let all = match Kind::of(self.body.registers[register as usize].ty) {
            Kind::Pred => 0,
            kind => u32::from(kind.bits()).div_ceil(32),
        };
        Size { all, kept: if self.remade[register as usize] { 0 } else { all } }
    }
}

fn sorted(spans: &[(u32, u32)]) -> Vec<Live> {
    let live = |(register, &(from, to)): (usize, &(u32, u32))| Live { register: RegisterId(register as u32), from, to };
    let mut ranges: Vec<Live> = spans.iter().enumerate().filter(|(_, span)| span.0 != NONE).map(live).collect();
    ranges.sort_by_key(|live| live.from);
    ranges
}

/// Appends the registers that an instruction writes and then those that it reads, its guard last; how many of each.
pub fn registers(opcode: &Opcode, body: &Body, instruction: &Instruction, to: &mut Vec<u32>) -> (u16, u16) {
    let layout = isa::row(opcode.row).operands;
    let operands = body.operands(instruction.operands);
    let (written, read) = operands.split_at(results(layout, operands, opcode).min(operands.len()));
    let start = to.len();
    written.iter().for_each(|operand| named(body, operand, to));
    let writes = to.len() - start;
    // A product of four warps adds to its result.
    let read = if layout == Operands::WarpgroupMultiply { operands } else { read };
    read.iter().for_each(|operand| named(body, operand, to));
    to.extend(instruction.guard.map(|guard| guard.register.0));
    let count = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    (count(writes), count(to.len() - start - writes))
}

/// The constant part of the first address among an instruction's operands; of one that names none, its first constant.
pub fn offset(body: &Body, instruction: &Instruction) -> i64 {
    let of = |operand: &Operand| match *operand {
        Operand::Address { offset, .. } => Some(offset),
        _ => None,
    };
    let number = |operand: &Operand| match *operand {
        Operand::Immediate(bits, _) => Some(bits as i64),
        _ => None,
    };
    let operands = body.operands(instruction.operands);
    operands.iter().find_map(of).or_else(|| operands.iter().find_map(number)).unwrap_or(0)
}

/// Returns whether an instruction reads a special register.
pub fn special(body: &Body, instruction: &Instruction) -> bool {
    body.operands(instruction.operands).iter().any(|operand| matches!(operand, Operand::Special(_)))
}

/// Returns whether an instruction reads a special register that may differ from thread to thread of a warp.
pub fn by_thread(body: &Body, instruction: &Instruction) -> bool {
    use ptx::isa::Special;
    let alike = |special: &Special| {
        matches!(
            special,
            Special::Ntid(_) | Special::Ctaid(_) | Special::Nctaid(_) | Special::GridId | Special::EnvReg(_)
        )
    };
    let differs = |operand: &Operand| matches!(operand, Operand::Special(special) if !alike(special));
    body.operands(instruction.operands).iter().any(differs)
}

/// The registers of one operand.
pub fn named(body: &Body, operand: &Operand, to: &mut Vec<u32>) {
    match *operand {
        Operand::Register(register) | Operand::Not(register) => to.push(register.0),
        Operand::Address { base: Base::Register(register), .. } => to.push(register.0),
        Operand::Element { register, .. } => to.extend(register.map(|register| register.0)),
        Operand::Pair(first, second) => to.extend(first.into_iter().chain(second).map(|register| register.0)),
        Operand::Vector(span) | Operand::List(span) | Operand::Tile(span) => {
            body.operands(span).iter().for_each(|part| named(body, part, to));
        }
        _ => {}
    }
}

/// How many of an instruction's first operands it writes.
pub fn results(layout: Operands, operands: &[Operand], opcode: &Opcode) -> usize {
    match layout {
        Operands::Value | Operands::Move | Operands::TruthTable | Operands::Set | Operands::Load => 1,
        Operands::Shuffle | Operands::Vote | Operands::Match | Operands::Elect => 1,
        Operands::Multiply | Operands::MatrixLoad | Operands::FragmentLoad | Operands::Texture => 1,
        Operands::WarpgroupMultiply => 1,
        Operands::Update => {
            usize::from(!matches!(operands.first(), Some(Operand::Address { .. } | Operand::Element { .. })))
        }
        Operands::Meet => usize::from(opcode.modifiers.contains(&"red")),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::control_flow::flow;

    /// Ranges by register name, and the pressure, of a body.
    fn analyse(body: &str) -> (Vec<(String, u32, u32)>, u32) {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{body}\n}}\n"
        );
        let module = ptx::parse(&text).unwrap();
        let body = module.functions[0].body.as_ref().unwrap();
        let flow = flow::flow(&module, body, false).unwrap_or_else(|_| panic!("labels"));
        let remade = vec![false; body.registers.len()];
        let found = liveness(&module, body, &flow, None, &remade);
        let name = |live: &Live| {
            let register = body.registers[live.register.0 as usize];
            (format!("{}{}", register.name, register.number.unwrap_or(0)), live.from, live.to)
        };
        (found.ranges.iter().map(name).collect(), found.pressure)
    }

    #[test]
    fn straight_code_lives_from_write_to_last_read() {
        let (ranges, pressure) =
            analyse("mov.u32 %r1, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, %r1; mov.u64 %rd1, 0; ret;");
        let expected = [("%r1", 0, 2), ("%r2", 1, 2), ("%r3", 2, 2), ("%rd1", 3, 3)];
        assert_eq!(ranges, expected.map(|(name, from, to)| (name.to_string(), from, to)));
        assert_eq!(pressure, 2);
    }

    #[test]
    fn what_a_loop_reads_lives_through_all_of_it() {
        // Places: 0 mov, 1 mov, 2 its jump; 3 add, 4 setp, 5 branch; 6 ret.
        let (ranges, _) = analyse(
            "mov.u32 %r1, 1; mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, %r1; setp.lt.u32 %p1, %r2, 9; @%p1 bra L; ret;",
        );
        let expected = [("%r1", 0, 5), ("%r2", 1, 5), ("%p1", 4, 5)];
        assert_eq!(ranges, expected.map(|(name, from, to)| (name.to_string(), from, to)));
    }

    #[test]
    fn a_guarded_write_keeps_the_earlier_value() {
        let (ranges, _) =
            analyse("mov.u32 %r1, 1; setp.eq.u32 %p1, 1, 1; @%p1 mov.u32 %r1, 2; add.u32 %r2, %r1, 1; ret;");
        assert_eq!(ranges[0], ("%r1".to_string(), 0, 3));
    }

    #[test]
    fn sixty_four_bits_count_twice_and_predicates_not() {
        let (_, pressure) = analyse(
            "mov.u64 %rd1, 1; mov.u64 %rd2, 2; setp.eq.u64 %p1, %rd1, %rd2; @%p1 add.u64 %rd1, %rd1, %rd2; ret;",
        );
        assert_eq!(pressure, 4);
    }
}
