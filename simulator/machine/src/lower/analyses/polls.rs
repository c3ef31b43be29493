//! Loads by which a thread waits for others though nothing in them says so: `while (!*flag) __threadfence();` loads from the same address in every
//! round of a loop that stores nothing.
use super::communication::is_strong;
use super::liveness;
use crate::lower::control_flow::flow::{Flow, FlowBlock};
use ptx::isa::{self, Operands, Space};
use ptx::tree::{Body, Module};
use std::collections::BTreeSet;

/// The statements that are such loads.
pub fn polls(module: &Module, body: &Body, flow: &Flow) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for (end, last) in flow.blocks.iter().enumerate() {
        // Blocks are in convergence order: those of a loop follow each other.
        for begin in last.end.successors().into_iter().filter(|&next| next as usize <= end) {
            found.extend(in_loop(module, body, &flow.blocks[begin as usize..=end]).unwrap_or_default());
        }
    }
    found
}

/// The loads in the blocks of one loop; `None` where it does more than wait.
fn in_loop(module: &Module, body: &Body, blocks: &[FlowBlock]) -> Option<Vec<usize>> {
    let (mut written, mut loads, mut names) = (BTreeSet::new(), Vec::new(), Vec::new());
    for statement in blocks.iter().flat_map(FlowBlock::through) {
        let Some(instruction) = body.instruction(statement) else { continue };
        let opcode = &module.opcodes[instruction.opcode.0 as usize];
        let is_load = match isa::row(opcode.row).operands {
            Operands::Load => !is_strong(opcode) && !opcode.modifiers.contains(&"nc"),
            Operands::Store | Operands::MatrixStore | Operands::FragmentStore => return None,
            Operands::Call | Operands::Meet | Operands::MeetCluster | Operands::Bulk | Operands::Copy => return None,
            _ => false,
        };
        names.clear();
        let (writes, reads) = liveness::registers(opcode, body, instruction, &mut names);
        let (results, sources) = names.split_at(writes.into());
        written.extend(results.iter().copied());
        if is_load && matches!(opcode.space, Space::Global | Space::Shared | Space::Generic) {
            let of_address = usize::from(reads) - usize::from(instruction.guard.is_some());
            loads.push((statement, sources[..of_address].to_vec()));
        }
    }
    loads.retain(|(_, address)| !address.iter().any(|register| written.contains(register)));
    Some(loads.into_iter().map(|(statement, _)| statement).collect())
}
