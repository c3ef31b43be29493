//! The effects of a launch through all functions that it can reach: whether the order of its blocks can show, and whether
//! its blocks wait for each other.
use super::communication::{is_ordered, is_strong, orders_memory};
use crate::lower::context::Context;
use crate::program::{self, End, Target};
use ptx::isa::{self, Class, Operands, Space, Special};
use ptx::tree::{Function, Module, Operand, Statement};

/// Marks every function with its own effects and those of what it can reach.
pub fn propagate(cx: &Context, functions: &mut [program::Function]) {
    if !cx.module.opcodes.iter().any(orders_memory) {
        functions.iter_mut().flat_map(|function| &mut function.blocks).for_each(|block| block.signals = false);
    }
    let ordered: Vec<bool> =
        functions.iter().zip(&cx.defined).map(|(f, tree)| order_matters(cx.module, tree, f)).collect();
    let waits: Vec<bool> =
        cx.defined.iter().map(|function| reads(function, |special| matches!(special, Special::EnvReg(_)))).collect();
    let reserved: Vec<bool> = (cx.defined.iter())
        .map(|function| reads(function, |special| matches!(special, Special::ReservedSmemOffset(_))))
        .collect();
    let meets: Vec<bool> = functions
        .iter()
        .map(|function| function.blocks.iter().any(|block| matches!(block.end, End::Cluster { .. })))
        .collect();
    let loads: Vec<bool> = functions.iter().map(|function| function.loads_read_only).collect();
    let fetches: Vec<bool> = functions.iter().map(|function| !function.fetched.is_empty()).collect();
    for (i, function) in functions.iter_mut().enumerate() {
        // Pointers that it hands to a function that it calls are not followed.
        let calls_others = cx.reaches(i).iter().any(|&j| j != i);
        function.read_only.others |= cx.reaches(i).iter().any(|&j| j != i && loads[j]);
        function.fetched.others |= cx.reaches(i).iter().any(|&j| j != i && fetches[j]);
        function.written.others |= calls_others;
        function.meets_cluster = cx.reaches(i).iter().any(|&j| meets[j]);
        function.order_matters = cx.reaches(i).iter().any(|&j| ordered[j]);
        function.reads_envreg = cx.reaches(i).iter().any(|&j| waits[j]);
        function.reads_reserved_shared = cx.reaches(i).iter().any(|&j| reserved[j]);
    }
}

/// Returns whether a function does, by itself, what shows the order of blocks.
fn order_matters(module: &Module, tree: &Function, function: &program::Function) -> bool {
    let Some(body) = &tree.body else { return false };
    let mut seen = vec![false; module.opcodes.len()];
    body.instructions().for_each(|instruction| seen[instruction.opcode.0 as usize] = true);
    let ordered = module.opcodes.iter().zip(seen).any(|(opcode, seen)| seen && is_ordered(opcode));
    // The addresses that `malloc` gives depend on who asks first. (What blocks print is put in their order afterwards.)
    let calls = function.blocks.iter().any(|block| match &block.end {
        End::Call(call) => matches!(call.target, Target::Builtin(builtin) if builtin.order_matters()),
        _ => false,
    });
    ordered || calls || function.order_matters
}

/// Returns whether the first that statements write to memory of all blocks is strong: others may wait for that.
pub fn signals(module: &Module, statements: &[Statement]) -> bool {
    let signal = |statement: &Statement| {
        let opcode = &module.opcodes[statement.instruction()?.opcode.0 as usize];
        let row = isa::row(opcode.row);
        let atomic = row.class == Class::Atomic;
        let writes = atomic || row.operands == Operands::Store;
        (writes && matches!(opcode.space, Space::Global | Space::Generic)).then(|| atomic || is_strong(opcode))
    };
    statements.iter().find_map(signal).unwrap_or(false)
}

/// Returns whether a function reads, by itself, a special register of a kind.
fn reads(function: &Function, kind: impl Fn(Special) -> bool) -> bool {
    let wanted = |operand: &Operand| matches!(*operand, Operand::Special(special) if kind(special));
    function.body.as_ref().is_some_and(|body| body.operands.iter().any(wanted))
}
