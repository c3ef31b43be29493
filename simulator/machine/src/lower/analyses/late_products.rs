//! Finds the products of four warps (`wgmma`) that a kernel can compute when they are waited for, as late as they may.
//!
//! A register of the text holds its result then, and not before. That is the kernel's own business as long as nothing hands the
//! register's value on meanwhile: a copy between the product and its wait, which compilers make and the machine's assembler sees
//! through, would have the older value. A kernel with such a copy, with a write to such a register, or with calls has its products
//! computed at once.
use super::liveness;
use crate::lower::control_flow::flow::Flow;
use ptx::isa::{self, Operands, ProductStep, Space};
use ptx::tree::{Body, Function, Instruction, Module, Operand, RegisterId};
use rustc_hash::FxHashMap;

/// By statement that waits: the registers of products that may be under way then, which are to be kept until then.
pub type Waits = FxHashMap<usize, Vec<RegisterId>>;

/// The waits of a kernel whose products can be late; `None` where they cannot, or there are none.
pub fn waits(module: &Module, function: &Function, body: &Body, flow: &Flow) -> Option<Waits> {
    let row = |i: &Instruction| isa::row(module.opcodes[i.opcode.0 as usize].row);
    let multiplies = body.instructions().any(|i| row(i).product == ProductStep::Multiply);
    if !multiplies || !function.is_entry || body.instructions().any(|i| row(i).operands == Operands::Call) {
        return None;
    }
    let mut before: Vec<Option<Vec<u64>>> = vec![None; flow.blocks.len()];
    before[0] = Some(vec![0; body.registers.len().div_ceil(64)]);
    let (mut todo, mut waits) = (vec![0], Waits::default());
    while let Some(block) = todo.pop() {
        let mut under_way = before[block].clone()?;
        for statement in flow.blocks[block].through() {
            if let Some(instruction) = body.instruction(statement) {
                step(module, body, (statement, instruction), &mut under_way, &mut waits)?;
            }
        }
        for next in flow.blocks[block].end.successors() {
            let known = &mut before[next as usize];
            let joined: Vec<u64> = match known {
                Some(known) => known.iter().zip(&under_way).map(|(a, b)| a | b).collect(),
                None => under_way.clone(),
            };
            if known.as_ref() != Some(&joined) {
                *known = Some(joined);
                todo.push(next as usize);
            }
        }
    }
    Some(waits)
}

/// Runs an instruction. `None`: products cannot be late.
fn step(
    module: &Module,
    body: &Body,
    (statement, instruction): (usize, &Instruction),
    under_way: &mut [u64],
    waits: &mut Waits,
) -> Option<()> {
    let opcode = &module.opcodes[instruction.opcode.0 as usize];
    let row = isa::row(opcode.row);
    let operands = body.operands(instruction.operands);
    let has = |state: &[u64], register: RegisterId| state[register.0 as usize / 64] >> (register.0 % 64) & 1 != 0;
    match row.product {
        ProductStep::Multiply if instruction.guard.is_some() => return None,
        ProductStep::Multiply => {
            for operand in operands {
                for register in vector(body, operand) {
                    under_way[register.0 as usize / 64] |= 1 << (register.0 % 64);
                }
            }
            return Some(());
        }
        ProductStep::Wait => {
            let all = (0..body.registers.len() as u32).map(RegisterId);
            waits.insert(statement, all.filter(|&register| has(under_way, register)).collect());
            if matches!(operands, [Operand::Immediate(0, _)]) && instruction.guard.is_none() {
                under_way.fill(0);
            }
            return Some(());
        }
        ProductStep::Fence | ProductStep::None => {}
    }
    let mut registers = Vec::new();
    let (writes, _) = liveness::registers(opcode, body, instruction, &mut registers);
    // A value that is stored there may be loaded again after the wait.
    let hands_on = match row.operands {
        Operands::Move => true,
        Operands::Store => matches!(opcode.space, Space::Local | Space::Generic | Space::Param),
        _ => false,
    };
    let concerned = if hands_on { &registers[..] } else { &registers[..usize::from(writes)] };
    let is_touched = concerned.iter().any(|&register| has(under_way, RegisterId(register)));
    (!is_touched).then_some(())
}

/// The registers of a vector: a product's result, or A. Others hold addresses, which it reads at once.
fn vector(body: &Body, operand: &Operand) -> Vec<RegisterId> {
    let Operand::Vector(span) = *operand else { return Vec::new() };
    let of = |part: &Operand| match *part {
        Operand::Register(register) => Some(register),
        _ => None,
    };
    body.operands(span).iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::control_flow::flow;

    /// How many registers each wait keeps, in the text's order.
    fn kept(body: &str) -> Option<Vec<usize>> {
        let text = format!(
            ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<3>;\n\
             .reg .f32 %f<20>;\n.reg .b64 %rd<9>;\n{body}\nret;\n}}\n"
        );
        let module = ptx::parse(&text).unwrap();
        let body = module.functions[0].body.as_ref().unwrap();
        let flow = flow::flow(&module, body, false).unwrap_or_else(|_| panic!("labels"));
        let mut waits: Vec<_> = waits(&module, &module.functions[0], body, &flow)?.into_iter().collect();
        waits.sort_unstable_by_key(|&(statement, _)| statement);
        Some(waits.into_iter().map(|(_, registers)| registers.len()).collect())
    }

    fn product(first: u32) -> String {
        let d: Vec<String> = (first..first + 4).map(|register| format!("%f{register}")).collect();
        let d = d.join(", ");
        format!(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{{d}}}, %rd1, %rd2, %p1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
        )
    }

    const WAIT: &str = "wgmma.wait_group.sync.aligned 0;\n";

    #[test]
    fn a_wait_keeps_the_registers_of_what_may_be_under_way() {
        let (first, second) = (product(0), product(4));
        assert_eq!(kept(&format!("{first}{first}{WAIT}mov.f32 %f8, %f0;")), Some(vec![4]));
        let waits_for_one = format!("{first}{second}wgmma.wait_group.sync.aligned 1;\n{WAIT}");
        assert_eq!(kept(&waits_for_one), Some(vec![8, 8]));
        assert_eq!(kept(&format!("L: {first}{WAIT} @%p2 bra L; st.global.f32 [%rd3], %f0;")), Some(vec![4]));
        // A result that is used too early has the older value, which is what late means.
        assert_eq!(kept(&format!("{first}add.f32 %f8, %f0, %f1;\n{WAIT}")), Some(vec![4]));
    }

    #[test]
    fn what_hands_a_result_on_or_writes_it_makes_products_early() {
        let first = product(0);
        for between in ["mov.f32 %f8, %f0;", "mov.f32 %f0, 0f00000000;", "st.local.f32 [%rd3], %f0;"] {
            assert_eq!(kept(&format!("{first}{between}\n{WAIT}")), None, "{between}");
        }
        assert_eq!(kept("mov.f32 %f0, %f1;"), None, "no product");
    }
}
