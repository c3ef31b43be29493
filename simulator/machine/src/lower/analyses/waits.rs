//! Loops that only wait: a block that branches back to itself until what it asks for has come, and does nothing else. However often it goes
//! round, the rest is the same. Where it asks for the phase of an `mbarrier`, it is left when that is over, and not before.
use super::liveness;
use crate::lower::control_flow::flow::{Flow, FlowBlock, FlowEnd};
use ptx::isa::{self, Operands, Work};
use ptx::tree::{Body, Instruction, Module, Operand, Statement};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The statements that ask for phases in such loops, and the branches that lead back.
pub fn waits(module: &Module, body: &Body, flow: &Flow) -> BTreeSet<usize> {
    (0..flow.blocks.len()).filter_map(|index| of_block(module, body, flow, index)).flatten().collect()
}

fn of_block(module: &Module, body: &Body, flow: &Flow, index: usize) -> Option<Vec<usize>> {
    let block = &flow.blocks[index];
    let FlowEnd::Branch { statement, guard, taken, next } = block.end else { return None };
    let leads_back = |to: u32| after_empty(module, body, flow, to) == Some(index);
    let back_if = match (leads_back(taken), leads_back(next)) {
        (true, false) => !guard.negated,
        (false, true) => guard.negated,
        _ => return None,
    };
    let mut turn =
        Turn { module, body, written: registers(module, body, block), values: FxHashMap::default(), asks: Vec::new() };
    for number in block.statements.clone().filter(|&number| number != statement) {
        if let Some(instruction) = body.instruction(number) {
            turn.step(number, instruction)?;
        }
    }
    let stays = turn.values.get(&guard.register.0).copied().flatten() == Some(back_if.into());
    (turn.asks.is_empty() || turn.asks.len() == 1 && stays).then_some(())?;
    turn.asks.push(statement);
    Some(turn.asks)
}

/// The block that a way leads to behind jumps over nothing.
fn after_empty(module: &Module, body: &Body, flow: &Flow, mut to: u32) -> Option<usize> {
    for _ in 0..4 {
        let block = &flow.blocks[to as usize];
        let empty = !instructions(body, block).any(|instruction| {
            isa::row(module.opcodes[instruction.opcode.0 as usize].row).operands != Operands::Branch
        });
        match block.end {
            FlowEnd::Continue(next) | FlowEnd::Jump(_, next) if empty => to = next,
            _ => return Some(to as usize),
        }
    }
    None
}

fn instructions<'b>(body: &'b Body, block: &FlowBlock) -> impl Iterator<Item = &'b Instruction> + use<'b> {
    body.statements[block.statements.clone()].iter().filter_map(Statement::instruction)
}

/// The registers that a block writes.
fn registers(module: &Module, body: &Body, block: &FlowBlock) -> BTreeSet<u32> {
    let mut written = BTreeSet::new();
    for instruction in instructions(body, block) {
        let mut names = Vec::new();
        let opcode = &module.opcodes[instruction.opcode.0 as usize];
        let (writes, _) = liveness::registers(opcode, body, instruction, &mut names);
        written.extend(&names[..writes.into()]);
    }
    written
}

/// A turn of the loop in which no phase is over.
struct Turn<'c, 'a> {
    module: &'c Module<'a>,
    body: &'c Body<'a>,
    /// Registers that the block writes, and those that it has written so far with what is known of them.
    written: BTreeSet<u32>,
    values: FxHashMap<u32, Option<u64>>,
    asks: Vec<usize>,
}

impl Turn<'_, '_> {
    /// `None`: it does something else, or takes something over from the turn before.
    fn step(&mut self, number: usize, instruction: &Instruction) -> Option<()> {
        let opcode = &self.module.opcodes[instruction.opcode.0 as usize];
        let (row, operands) = (isa::row(opcode.row), self.body.operands(instruction.operands));
        let mut names = Vec::new();
        let (writes, _) = liveness::registers(opcode, self.body, instruction, &mut names);
        let (results, sources) = names.split_at(writes.into());
        let carried = sources.iter().any(|from| self.written.contains(from) && !self.values.contains_key(from));
        (!carried && instruction.guard.is_none()).then_some(())?;
        let asks = row.work == Work::Poll && row.counts_threads(&opcode.modifiers);
        let value = match row.operands {
            _ if asks => {
                self.asks.push(number);
                Some(0)
            }
            Operands::Value | Operands::Move | Operands::Set if !row.uses_carry(&opcode.modifiers) => {
                let known = |operand: &Operand| match *operand {
                    Operand::Immediate(bits, _) => Some(bits),
                    Operand::Register(register) => self.values.get(&register.0).copied().flatten(),
                    _ => None,
                };
                opcode.result(&operands[1..].iter().map(known).collect::<Vec<_>>())
            }
            Operands::Load => None,
            // A fence, or nothing.
            Operands::Nothing if row.class == isa::Class::Barrier => None,
            _ => return None,
        };
        self.values.extend(results.iter().map(|&register| (register, value)));
        Some(())
    }
}
