//! What products of four warps (`wgmma`) lack, as far as the text alone tells: a `wgmma.fence` after the last write to their
//! registers, a `wgmma.wait_group` before their results are read.
//!
//! Along every path: which registers were written since the last fence, and which hold results that nobody has waited for.
//! Compilers copy registers and make constants wherever they like between the instructions of the source, so a copy hands
//! on what is known of its source, and a constant counts as nothing.
use super::flow::{Flow, FlowEnd};
use super::liveness::results;
use crate::isa::{self, Operands, ProductStep};
use crate::program::Hazard;
use crate::ptx::tree::{Base, Body, Instruction, Module, Operand, RegisterId, Statement};

/// What is known at a place.
#[derive(Clone, PartialEq)]
struct State {
    /// No fence was met yet.
    unfenced: bool,
    /// By register.
    written: Vec<u64>,
    under_way: Vec<u64>,
}

/// The hazards of a body: statements, and what is wrong with them.
pub fn hazards(module: &Module, body: &Body, flow: &Flow) -> Vec<(usize, Hazard)> {
    let multiplies = |statement: &Statement| match statement {
        Statement::Instruction(i) => step(module, i) == ProductStep::Multiply,
        Statement::Label(_) => false,
    };
    if !body.statements.iter().any(multiplies) {
        return Vec::new();
    }
    let words = body.registers.len().div_ceil(64);
    let first = State { unfenced: true, written: vec![0; words], under_way: vec![0; words] };
    let mut before: Vec<Option<State>> = vec![None; flow.blocks.len()];
    before[0] = Some(first);
    let mut todo = vec![0];
    while let Some(block) = todo.pop() {
        let Some(mut state) = before[block].clone() else { continue };
        run(module, body, flow, block, &mut state, &mut |_, _| {});
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
            run(module, body, flow, block, &mut state, &mut |statement, hazard| found.push((statement, hazard)));
        }
    }
    found
}

/// Runs a block from a state on.
fn run(
    module: &Module,
    body: &Body,
    flow: &Flow,
    block: usize,
    state: &mut State,
    report: &mut impl FnMut(usize, Hazard),
) {
    let block = &flow.blocks[block];
    let end = match block.end {
        FlowEnd::Through(statement, _) => Some(statement),
        _ => None,
    };
    for statement in block.statements.clone().chain(end) {
        if let Statement::Instruction(instruction) = &body.statements[statement] {
            state.instruction(module, body, instruction, &mut |hazard| report(statement, hazard));
        }
    }
}

fn step(module: &Module, instruction: &Instruction) -> ProductStep {
    isa::row(module.opcodes[instruction.opcode.0 as usize].row).product
}

impl State {
    fn joined(&self, other: &State) -> State {
        let union = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| a | b).collect();
        State {
            unfenced: self.unfenced || other.unfenced,
            written: union(&self.written, &other.written),
            under_way: union(&self.under_way, &other.under_way),
        }
    }

    fn instruction(&mut self, module: &Module, body: &Body, instruction: &Instruction, report: &mut dyn FnMut(Hazard)) {
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
            ProductStep::Wait => return self.under_way.fill(0),
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
        let sources: Vec<RegisterId> = read.iter().flat_map(|operand| registers(body, operand)).collect();
        let of_sources = |state: &[u64]| sources.iter().any(|&register| has(state, register));
        let (written_before, under_way) = (of_sources(&self.written), of_sources(&self.under_way));
        let copies = layout == Operands::Move;
        if under_way && !copies {
            report(Hazard::NotWaitedFor);
        }
        for register in written.iter().flat_map(|operand| registers(body, operand)) {
            set(&mut self.written, register, if copies { written_before } else { true });
            set(&mut self.under_way, register, copies && under_way);
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
