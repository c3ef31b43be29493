//! The part that data may have in which memory a function accesses, as far as the text tells: data is what it loads from memory that anybody may
//! write, and what atomics and textures give. Where they do not, its accesses are the same for all data.
//!
//! Registers are followed through the whole text, whatever leads where: a register counts if any instruction writes data to it.
use super::{liveness, waits};
use crate::lower::builtins::builtin;
use crate::lower::context::Context;
use crate::lower::control_flow::flow::Flow;
use crate::program::{Builtin, ByData};
use ptx::isa::{self, Class, Definition, Operands, Space, Special, Work};
use ptx::tree::{Base, Body, Function, Instruction, Opcode, Operand};
use std::collections::BTreeSet;

/// The first statement at which data decide, or may decide, and how.
pub fn first(cx: &Context, function: &Function, body: &Body, flow: &Flow) -> Option<(usize, ByData)> {
    let waits = waits::waits(cx.module, body, flow);
    let mut data = Data { cx, function, body, waits, registers: vec![true; body.registers.len()] };
    data.spread();
    data.instructions().find_map(|(statement, instruction)| Some((statement, data.decides(statement, instruction)?)))
}

struct Data<'c, 'a> {
    cx: &'c Context<'a>,
    function: &'c Function<'a>,
    body: &'c Body<'a>,
    /// Statements by which threads wait, however often.
    waits: BTreeSet<usize>,
    /// By register: whether its value may depend on data. One that nothing writes has any value.
    registers: Vec<bool>,
}

impl<'c, 'a> Data<'c, 'a> {
    fn instructions(&self) -> impl Iterator<Item = (usize, &'c Instruction)> + use<'c, 'a> {
        self.body.statements.iter().enumerate().filter_map(|(at, statement)| Some((at, statement.instruction()?)))
    }

    /// Finds the registers that data reach.
    fn spread(&mut self) {
        let mut named = Vec::new();
        for (_, instruction) in self.instructions() {
            let (written, _) = self.named(instruction, &mut named);
            written.iter().for_each(|&register| self.registers[register as usize] = false);
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (_, instruction) in self.instructions() {
                let (written, read) = self.named(instruction, &mut named);
                if self.is_data(instruction) || read.iter().any(|&register| self.registers[register as usize]) {
                    for &register in written {
                        changed |= !std::mem::replace(&mut self.registers[register as usize], true);
                    }
                }
            }
        }
    }

    /// The registers that an instruction writes, and those that it reads, its guard last.
    fn named<'n>(&self, instruction: &Instruction, names: &'n mut Vec<u32>) -> (&'n [u32], &'n [u32]) {
        names.clear();
        let (writes, _) = liveness::registers(self.opcode(instruction), self.body, instruction, names);
        names.split_at(usize::from(writes).min(names.len()))
    }

    fn opcode(&self, instruction: &Instruction) -> &'c Opcode<'a> {
        &self.cx.module.opcodes[instruction.opcode.0 as usize]
    }

    fn operands(&self, instruction: &Instruction) -> &'c [Operand<'a>] {
        self.body.operands(instruction.operands)
    }

    /// Returns whether an instruction's result is data whatever it reads. So are clocks and whatever else may differ from run to run.
    fn is_data(&self, instruction: &Instruction) -> bool {
        let opcode = self.opcode(instruction);
        let row = isa::row(opcode.row);
        let unsteady = |operand: &Operand| matches!(operand, Operand::Special(special) if !is_steady(*special));
        let from_memory = match row.operands {
            Operands::Load if opcode.space == Space::Param => !self.loads_own_parameter(instruction),
            Operands::Load => opcode.space != Space::Const,
            Operands::Update | Operands::Texture | Operands::FragmentLoad | Operands::MatrixLoad => true,
            _ => false,
        };
        // The lanes that happen to be there.
        let of_lanes = row.class == Class::Warp && !row.waits_for_lanes(&opcode.modifiers);
        from_memory || of_lanes || row.carry || row.uses_stack() || self.operands(instruction).iter().any(unsteady)
    }

    /// Returns whether a load of a parameter is one of the kernel's own; else it is the result of a call.
    fn loads_own_parameter(&self, instruction: &Instruction) -> bool {
        let own = |name: &str| self.function.parameters.iter().any(|parameter| parameter.name == name);
        let is_own = |operand: &Operand| match *operand {
            Operand::Address { base: Base::Symbol(name), .. } | Operand::Symbol(name, _) => own(name),
            _ => false,
        };
        self.function.is_entry && self.operands(instruction).iter().any(is_own)
    }

    fn any(&self, operands: &[Operand]) -> bool {
        let mut names = Vec::new();
        operands.iter().for_each(|operand| liveness::named(self.body, operand, &mut names));
        names.iter().any(|&register| self.registers[register as usize])
    }

    /// The way in which data decide what an instruction accesses, or who comes to it.
    fn decides(&self, statement: usize, instruction: &Instruction) -> Option<ByData> {
        let opcode = self.opcode(instruction);
        let (row, operands) = (isa::row(opcode.row), self.operands(instruction));
        let guarded = instruction.guard.is_some_and(|guard| self.registers[guard.register.0 as usize]);
        match row.operands {
            Operands::Call => return self.calls(operands, guarded),
            Operands::Texture => return Some(ByData::Texture),
            // A store to a surface.
            Operands::Bulk if row.class == Class::Memory => return Some(ByData::Texture),
            Operands::Bulk | Operands::MeetCluster | Operands::WarpgroupMultiply | Operands::Unmodelled => {
                return Some(ByData::Asynchronous);
            }
            _ if is_asynchronous(row) && !row.counts_threads(&opcode.modifiers) => return Some(ByData::Asynchronous),
            // A phase that is asked for, and not waited for.
            _ if row.work == Work::Poll && !self.waits.contains(&statement) => return Some(ByData::Asynchronous),
            Operands::Branch if self.waits.contains(&statement) => return None,
            Operands::Branch | Operands::Switch | Operands::Meet if self.any(operands) => {
                return Some(ByData::Condition);
            }
            _ => {}
        }
        if guarded && !computes(row) || self.waits_for(row, opcode, operands) {
            return Some(ByData::Condition);
        }
        let is_parameter = opcode.space == Space::Param;
        (!is_parameter && addresses(row, operands).any(|address| self.any(&[*address]))).then_some(ByData::Address)
    }

    /// Returns whether data decide which lanes an instruction waits for: the last operand names them; or what an `mbarrier` counts, or the phase asked for.
    fn waits_for(&self, row: &Definition, opcode: &Opcode, operands: &[Operand]) -> bool {
        let names_lanes = matches!(
            row.operands,
            Operands::Shuffle | Operands::Vote | Operands::Match | Operands::Members | Operands::Elect
        );
        let is_of_warp = row.class == Class::Warp && names_lanes;
        is_of_warp && row.waits_for_lanes(&opcode.modifiers) && operands.last().is_some_and(|last| self.any(&[*last]))
            || row.counts_threads(&opcode.modifiers) && self.any(&operands[1..])
    }

    fn calls(&self, operands: &[Operand], guarded: bool) -> Option<ByData> {
        let callee = operands.iter().find_map(|operand| match *operand {
            Operand::Symbol(name, 0) => builtin(name).filter(|_| self.cx.function_id(name).is_none()),
            _ => None,
        });
        match callee {
            Some(Builtin::Vprintf | Builtin::AssertFail) => guarded.then_some(ByData::Condition),
            _ => Some(ByData::Call),
        }
    }
}

/// Returns whether an instruction is asynchronous, but for the copies of single threads, of which listeners hear when they begin and end.
fn is_asynchronous(row: &Definition) -> bool {
    let copies = matches!(row.work, Work::Copy | Work::CloseGroup | Work::AwaitGroups | Work::AwaitAll);
    row.class == Class::Async && !copies || row.work.is_of_four_warps()
}

/// Returns whether an instruction makes values of values, so that where its guard holds nobody else sees.
fn computes(row: &Definition) -> bool {
    use Operands::{Move, Set, TruthTable, Value};
    matches!(row.operands, Value | Move | Set | TruthTable)
}

/// The operands that say where an instruction accesses memory: also how much is copied, and how far apart the rows of a fragment are.
fn addresses<'o, 'a>(row: &Definition, operands: &'o [Operand<'a>]) -> impl Iterator<Item = &'o Operand<'a>> {
    let all = matches!(row.operands, Operands::Copy | Operands::FragmentLoad | Operands::FragmentStore);
    operands.iter().filter(move |operand| match operand {
        Operand::Address { .. } | Operand::Element { .. } => true,
        Operand::Vector(_) => false,
        _ => all,
    })
}

/// Returns whether a special register is the same in every run of a grid.
fn is_steady(special: Special) -> bool {
    use Special::{
        Ctaid, DynamicSmemSize, LaneId, LanemaskEq, LanemaskGe, LanemaskGt, LanemaskLe, LanemaskLt, Nctaid, Ntid, Tid,
        TotalSmemSize,
    };
    matches!(
        special,
        Tid(_)
            | Ntid(_)
            | Ctaid(_)
            | Nctaid(_)
            | LaneId
            | LanemaskEq
            | LanemaskLe
            | LanemaskLt
            | LanemaskGe
            | LanemaskGt
            | DynamicSmemSize
            | TotalSmemSize
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::op::Level;
    use crate::lower::{Options, Tier, lower};
    use ptx::parse;

    fn of(text: &str) -> Option<ByData> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n\
             .visible .entry k(.param .u64 in, .param .u32 n, .param .u64 out) {{\n\
             .reg .pred %p<3>; .reg .b64 %rd<9>; .reg .b32 %r<9>;\n\
             ld.param.u64 %rd3, [in]; ld.param.u32 %r1, [n]; ld.param.u64 %rd4, [out]; ld.global.u32 %r2, [%rd3];\n\
             setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r1, 0;\n{text}\nret;\n}}"
        );
        let module = parse(&text).expect("parses");
        let options = Options { addresses: &|_| None, tier: Tier::Probed, level: Level::Base };
        let program = lower(&module, &options).unwrap_or_else(|_| panic!("refused: {text}"));
        program.functions[0].data_dependence.map(|(_, how)| how)
    }

    /// A store at an index.
    fn at(index: &str) -> String {
        format!("mul.wide.u32 %rd5, {index}, 4; add.s64 %rd6, %rd4, %rd5; st.global.u32 [%rd6], %r2;")
    }

    #[test]
    fn data_may_be_stored_and_moved() {
        assert_eq!(of("st.global.u32 [%rd4], %r2;"), None);
        assert_eq!(of("@%p1 mov.u32 %r3, 1; selp.u32 %r4, %r3, %r1, %p1; st.global.u32 [%rd4], %r4;"), None);
        assert_eq!(of("shfl.sync.idx.b32 %r3, %r2, 0, 31, -1; st.global.u32 [%rd4], %r3;"), None);
        assert_eq!(of(&format!("mov.u32 %r3, %tid.x; mad.lo.u32 %r3, %r3, %r1, 7; {}", at("%r3"))), None);
        assert_eq!(of(&format!("@%p2 bra L; {} L: bar.sync 0;", at("%r1"))), None);
    }

    #[test]
    fn data_reach_an_address() {
        let ways = [
            "mov.u32 %r3, %r2;",
            "@%p1 mov.u32 %r3, 1;",
            "atom.global.add.u32 %r3, [%rd4], 1;",
            "mov.u32 %r3, %clock;",
            "activemask.b32 %r3;",
            "add.cc.u32 %r4, %r2, %r2; addc.u32 %r3, 0, 0;",
            "vote.sync.ballot.b32 %r3, %p1, -1;",
            // Nothing writes it.
            "",
        ];
        for way in ways {
            assert_eq!(of(&format!("{way} {}", at("%r3"))), Some(ByData::Address), "{way}");
        }
    }

    #[test]
    fn data_decide_who_comes() {
        for text in [
            "@%p1 bra L; st.global.u32 [%rd4], %r1; L:",
            "@%p1 st.global.u32 [%rd4], %r1;",
            "@%p1 exit;",
            "bar.warp.sync %r2;",
            "barrier.sync %r2;",
            "mbarrier.init.shared.b64 [%r1], %r2;",
            "mbarrier.arrive.shared.b64 %rd5, [%r1], %r2;",
            "L: mbarrier.test_wait.parity.shared.b64 %p1, [%r1], %r2; @!%p1 bra L;",
        ] {
            assert_eq!(of(text), Some(ByData::Condition), "{text}");
        }
    }

    #[test]
    fn what_is_not_followed_is_not_decided() {
        assert_eq!(of("tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd3, {%r1}];"), Some(ByData::Texture));
        assert_eq!(of("cp.async.mbarrier.arrive.shared.b64 [%rd3];"), Some(ByData::Asynchronous));
    }

    /// A loop is left when the phase is over, and not before, or it does not order; and it carries nothing out that counts its turns.
    #[test]
    fn loops_that_wait_are_left_by_the_phase_alone() {
        const ASKS: &str = "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;";
        let loops = |text: &str| of(&format!("L: {text}"));
        assert_eq!(loops(&format!("{ASKS} @!%p1 bra L;")), None);
        assert_eq!(loops(&format!("{ASKS} selp.u32 %r3, 1, 0, %p1; setp.eq.s32 %p2, %r3, 0; @%p2 bra L;")), None);
        assert_eq!(loops(&format!("{ASKS} @%p1 bra D; bra L; D:")), None);
        for (text, how) in [
            (format!("{ASKS} @%p1 bra L;"), ByData::Asynchronous),
            (format!("{ASKS} selp.u32 %r3, 1, 0, %p1; setp.ne.s32 %p2, %r3, 0; @%p2 bra L;"), ByData::Asynchronous),
            (format!("{ASKS} selp.u32 %r3, 1, 1, %p1; setp.eq.s32 %p2, %r3, 0; @%p2 bra L;"), ByData::Asynchronous),
            (format!("{ASKS} add.u32 %r3, %r3, 1; @!%p1 bra L;"), ByData::Asynchronous),
            (format!("{ASKS} st.global.u32 [%rd4], %r1; @!%p1 bra L;"), ByData::Asynchronous),
            (ASKS.to_owned(), ByData::Asynchronous),
        ] {
            assert_eq!(loops(&text), Some(how), "{text}");
        }
        assert_eq!(loops("ld.acquire.gpu.global.u32 %r3, [%rd4]; setp.ne.u32 %p1, %r3, 7; @%p1 bra L;"), None);
    }
}
