//! Registers whose values an assembler need not keep: it makes them again wherever they are used, from parameters of the kernel and from
//! constants, which instructions of the hardware read at no cost.
use super::liveness;
use ptx::isa::{self, Operands, Space};
use ptx::tree::{Base, Body, Function, Instruction, Module, Operand};

/// By register: whether all its values are computed from parameters, constants and other such registers alone.
pub fn remade(module: &Module, function: &Function, body: &Body) -> Vec<bool> {
    let mut remade = vec![false; body.registers.len()];
    if !function.is_entry {
        return remade;
    }
    // A register counts only if each instruction that writes it makes such a value.
    let mut writers = vec![0u32; body.registers.len()];
    let mut names = Vec::new();
    each_result(module, body, &mut names, |_, result, _| writers[result as usize] += 1);
    loop {
        let (mut makers, mut more) = (vec![0u32; remade.len()], false);
        each_result(module, body, &mut names, |instruction, result, sources| {
            let from_these = sources.iter().all(|&source| remade[source as usize]);
            if from_these && instruction.guard.is_none() && makes(module, body, instruction) {
                let result = result as usize;
                makers[result] += 1;
                more |= makers[result] == writers[result] && !std::mem::replace(&mut remade[result], true);
            }
        });
        if !more {
            return remade;
        }
    }
}

/// Calls `f` for each register that an instruction writes, with those that it reads.
fn each_result(module: &Module, body: &Body, names: &mut Vec<u32>, mut f: impl FnMut(&Instruction, u32, &[u32])) {
    for instruction in body.instructions() {
        names.clear();
        let opcode = &module.opcodes[instruction.opcode.0 as usize];
        let (writes, _) = liveness::registers(opcode, body, instruction, names);
        let (results, sources) = names.split_at(usize::from(writes).min(names.len()));
        results.iter().for_each(|&result| f(instruction, result, sources));
    }
}

/// Returns whether an instruction loads a parameter, or computes one value without a thread's own number.
fn makes(module: &Module, body: &Body, instruction: &Instruction) -> bool {
    let opcode = &module.opcodes[instruction.opcode.0 as usize];
    let operands = body.operands(instruction.operands);
    match isa::row(opcode.row).operands {
        Operands::Load => {
            opcode.space == Space::Param
                && operands.iter().any(|operand| matches!(operand, Operand::Address { base: Base::Symbol(_), .. }))
        }
        Operands::Move | Operands::Value => {
            !liveness::by_thread(body, instruction)
                && !operands.iter().any(|operand| matches!(operand, Operand::Vector(_) | Operand::Address { .. }))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_of_parameters_and_constants_are_made_again() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n\
            .reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
            ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; ld.param.u32 %r1, [n]; shl.b32 %r2, %r1, 2;\n\
            mov.u32 %r3, %tid.x; mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd2, %rd3; mov.u32 %r4, 0;\n\
            L: ld.global.u32 %r5, [%rd4]; add.s32 %r4, %r4, %r5; mov.u32 %r6, %ctaid.x;\n\
            setp.lt.u32 %p1, %r4, %r2; @%p1 mov.u32 %r6, 7; @%p1 bra L; ret;\n}\n";
        let module = ptx::parse(text).expect("parses");
        let function = &module.functions[0];
        let body = function.body.as_ref().expect("a body");
        let found = super::remade(&module, function, body);
        let name = |at: usize| format!("{}{}", body.registers[at].name, body.registers[at].number.unwrap_or(0));
        let mut names: Vec<_> = (0..found.len()).filter(|&at| found[at]).map(name).collect();
        names.sort_unstable();
        assert_eq!(names, ["%r1", "%r2", "%rd1", "%rd2"]);
    }
}
