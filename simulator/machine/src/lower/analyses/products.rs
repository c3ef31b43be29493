//! Hazards of products of four warps (`wgmma`) that the text alone shows: no `wgmma.fence` after the last write to their
//! registers, no `wgmma.wait_group` before their results are read.
//!
//! Along every path: which registers were written since the last fence, and which hold results that nobody has waited for.
//! Compilers copy registers and make constants wherever they like between the instructions of the source, so a copy hands
//! on what is known of its source, and a constant counts as nothing. An array whose index no compiler knows lies in the
//! thread's local memory: what is stored there and loaded from there is copied likewise.
use super::liveness::results;
use super::local_arrays::{LocalArrays, Region};
use crate::lower::control_flow::flow::Flow;
use crate::program::Hazard;
use ptx::isa::{self, Operands, ProductStep};
use ptx::tree::{Base, Body, Instruction, Module, Operand, RegisterId};

/// The state of registers and products at a place in the text.
#[derive(Clone, PartialEq)]
struct State {
    /// No fence was met yet.
    unfenced: bool,
    /// By register.
    written: Vec<u64>,
    under_way: Vec<u64>,
    /// Where results that are under way were put in local memory.
    put: Vec<Region>,
}

/// The function's text, which stays the same along the way.
struct Text<'a> {
    module: &'a Module<'a>,
    body: &'a Body<'a>,
    flow: &'a Flow,
    local: LocalArrays,
}

/// The hazards of a body: statements, and what is wrong with them.
pub fn hazards(module: &Module, body: &Body, flow: &Flow) -> Vec<(usize, Hazard)> {
    if !body.instructions().any(|instruction| step(module, instruction) == ProductStep::Multiply) {
        return Vec::new();
    }
    let text = Text { module, body, flow, local: LocalArrays::of(module, body) };
    let words = body.registers.len().div_ceil(64);
    let first = State { unfenced: true, written: vec![0; words], under_way: vec![0; words], put: Vec::new() };
    let mut before: Vec<Option<State>> = vec![None; flow.blocks.len()];
    before[0] = Some(first);
    let mut todo = vec![0];
    while let Some(block) = todo.pop() {
        let Some(mut state) = before[block].clone() else { continue };
        run(&text, block, &mut state, &mut |_, _| {});
        for next in flow.blocks[block].end.successors() {
            let known = &mut before[next as usize];
            let joined = known.as_ref().map_or_else(|| state.clone(), |known| known.joined(&state));
            if known.as_ref() != Some(&joined) {
                *known = Some(joined);
                todo.push(next as usize);
            }
        }
    }
    let mut found = Vec::new();
    for (block, state) in before.into_iter().enumerate() {
        if let Some(mut state) = state {
            run(&text, block, &mut state, &mut |statement, hazard| found.push((statement, hazard)));
        }
    }
    found
}

fn run(text: &Text, block: usize, state: &mut State, report: &mut impl FnMut(usize, Hazard)) {
    for statement in text.flow.blocks[block].through() {
        if let Some(instruction) = text.body.instruction(statement) {
            state.instruction(text, instruction, &mut |hazard| report(statement, hazard));
        }
    }
}

fn step(module: &Module, instruction: &Instruction) -> ProductStep {
    isa::row(module.opcodes[instruction.opcode.0 as usize].row).product
}

impl State {
    fn joined(&self, other: &State) -> State {
        let union = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| a | b).collect();
        let mut put = self.put.clone();
        put.extend(other.put.iter().filter(|region| !self.put.contains(region)));
        State {
            unfenced: self.unfenced || other.unfenced,
            written: union(&self.written, &other.written),
            under_way: union(&self.under_way, &other.under_way),
            put,
        }
    }

    fn instruction(&mut self, text: &Text, instruction: &Instruction, report: &mut dyn FnMut(Hazard)) {
        let Text { module, body, .. } = *text;
        let opcode = &module.opcodes[instruction.opcode.0 as usize];
        let layout = isa::row(opcode.row).operands;
        let operands = body.operands(instruction.operands);
        let (written, read) = operands.split_at(results(layout, operands, opcode).min(operands.len()));
        match step(module, instruction) {
            ProductStep::Fence => {
                self.unfenced = false;
                self.written.fill(0);
                return;
            }
            ProductStep::Wait => {
                self.under_way.fill(0);
                self.put.clear();
                return;
            }
            ProductStep::Multiply => {
                // The result, and A where it is a vector; other registers hold addresses.
                let vectors = operands.iter().filter(|operand| matches!(operand, Operand::Vector(_)));
                let used = vectors.flat_map(|operand| registers(body, operand));
                let unfenced = used.filter(|&register| has(&self.written, register)).count() != 0;
                if self.unfenced || unfenced {
                    report(Hazard::NoFence);
                }
                for register in written.iter().flat_map(|operand| registers(body, operand)) {
                    set(&mut self.written, register, false);
                    set(&mut self.under_way, register, true);
                }
                return;
            }
            ProductStep::None => {}
        }
        // A copy of a value does not use it; an address does.
        let region = |address: &Operand| text.local.accessed(body, opcode.space, address);
        let (copied, used) = match (layout, read) {
            (Operands::Move, _) => (read, &read[..0]),
            (Operands::Store, [address, values @ ..]) if region(address).is_some() => (values, &read[..1]),
            _ => (&read[..0], read),
        };
        let any = |state: &[u64], operands: &[Operand]| {
            operands.iter().flat_map(|operand| registers(body, operand)).any(|register| has(state, register))
        };
        if any(&self.under_way, used) {
            report(Hazard::NotWaitedFor);
        }
        let mut under_way = any(&self.under_way, copied);
        match (layout, read) {
            (Operands::Store, [address, ..]) if under_way => {
                self.put.extend(region(address).filter(|region| !self.put.contains(region)));
            }
            (Operands::Load, [address, ..]) => {
                under_way = region(address).is_some_and(|region| self.put.iter().any(|&put| put.may_meet(region)));
            }
            _ => {}
        }
        let written_now = layout != Operands::Move || any(&self.written, copied);
        for register in written.iter().flat_map(|operand| registers(body, operand)) {
            set(&mut self.written, register, written_now);
            set(&mut self.under_way, register, under_way);
        }
    }
}

fn has(state: &[u64], register: RegisterId) -> bool {
    state[register.0 as usize / 64] >> (register.0 % 64) & 1 != 0
}

fn set(state: &mut [u64], register: RegisterId, value: bool) {
    let (word, bit) = (&mut state[register.0 as usize / 64], 1 << (register.0 % 64));
    *word = if value { *word | bit } else { *word & !bit };
}

/// The registers that an operand names.
fn registers(body: &Body, operand: &Operand) -> Vec<RegisterId> {
    match *operand {
        Operand::Register(register) | Operand::Not(register) => vec![register],
        Operand::Address { base: Base::Register(register), .. } => vec![register],
        Operand::Element { register, .. } => register.into_iter().collect(),
        Operand::Pair(first, second) => first.into_iter().chain(second).collect(),
        Operand::Vector(span) | Operand::List(span) | Operand::Tile(span) => {
            body.operands(span).iter().flat_map(|part| registers(body, part)).collect()
        }
        _ => Vec::new(),
    }
}
