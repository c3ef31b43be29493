//! Whether data may decide which memory a function accesses, as far as the text tells: data is what it loads from memory that anybody may
//! write, and what atomics and textures give. Where they do not, its accesses are the same for all data.
//!
//! Registers are followed through the whole text, whatever leads where: a register counts if any instruction writes data to it.
use super::builtins::builtin;
use super::context::Context;
use super::liveness;
use crate::program::{Builtin, ByData};
use ptx::isa::{self, Class, Definition, Operands, Space, Special, Work};
use ptx::tree::{Base, Body, Function, Instruction, Opcode, Operand, Statement};

/// The first statement at which data decide, or may decide, and how.
pub fn first(cx: &Context, function: &Function, body: &Body) -> Option<(usize, ByData)> {
    let mut data = Data { cx, function, body, registers: vec![true; body.registers.len()] };
    data.spread();
    data.instructions().find_map(|(statement, instruction)| Some((statement, data.decides(instruction)?)))
}

struct Data<'c, 'a> {
    cx: &'c Context<'a>,
    function: &'c Function<'a>,
    body: &'c Body<'a>,
    /// By register: whether its value may depend on data. One that nothing writes has any value.
    registers: Vec<bool>,
}

impl<'c, 'a> Data<'c, 'a> {
    fn instructions(&self) -> impl Iterator<Item = (usize, &'c Instruction)> + use<'c, 'a> {
        self.body.statements.iter().enumerate().filter_map(|(statement, what)| match what {
            Statement::Instruction(instruction) => Some((statement, instruction)),
            Statement::Label(_) => None,
        })
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
        from_memory || of_lanes || row.carry || self.operands(instruction).iter().any(unsteady)
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
    fn decides(&self, instruction: &Instruction) -> Option<ByData> {
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
            _ if is_asynchronous(row) => return Some(ByData::Asynchronous),
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

    /// Returns whether data decide which lanes an instruction waits for: the last operand names them.
    fn waits_for(&self, row: &Definition, opcode: &Opcode, operands: &[Operand]) -> bool {
        let names_lanes = matches!(
            row.operands,
            Operands::Shuffle | Operands::Vote | Operands::Match | Operands::Members | Operands::Elect
        );
        let is_of_warp = row.class == Class::Warp && names_lanes;
        is_of_warp && row.waits_for_lanes(&opcode.modifiers) && operands.last().is_some_and(|last| self.any(&[*last]))
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
