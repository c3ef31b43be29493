//! Ends of blocks: branches, calls, barriers, and ops that wait for lanes.
use super::emitter::{Emitter, Fit};
use super::frame::Kind;
use crate::exec::op::Row;
use crate::lower::builtins::builtin;
use crate::lower::context::Context;
use crate::lower::control_flow::flow::FlowEnd;
use crate::lower::refused::Reason;
use crate::program::{Barrier, BarrierKind, BlockId, Call, End, Target};
use ptx::isa::{self, Operands, Type};
use ptx::tree::{Instruction, Operand, Span};
use std::ops::Range;

/// Returns whether an instruction is itself a branch, rather than one that a guard leads around.
pub fn is_branch(cx: &Context, instruction: &Instruction) -> bool {
    isa::row(cx.module.opcodes[instruction.opcode.0 as usize].row).operands == Operands::Branch
}

impl<'a> Emitter<'a, '_> {
    /// A block's end; `ops` is its range, which grows by helpers.
    pub fn lower_end(&mut self, end: &FlowEnd, instruction: &Instruction, ops: &mut Range<u32>) -> Result<End, Reason> {
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        let layout = isa::row(opcode.row).operands;
        let body = self.body;
        let operands = body.operands(instruction.operands);
        self.fit = Fit::Exact;
        Ok(match end {
            FlowEnd::Branch { guard, taken, next, .. } => End::Branch {
                when: self.frame.register(guard.register).0,
                negated: guard.negated,
                taken: BlockId(*taken),
                next: BlockId(*next),
            },
            FlowEnd::Jump(_, next) => End::Jump(BlockId(*next)),
            FlowEnd::Switch(_, targets) => {
                let index = operands.first().ok_or(Reason::Operands)?;
                let (index, _) = self.source(index, Some(Type::U32))?;
                ops.end = self.op_count();
                End::Switch { index, targets: targets.iter().map(|&target| BlockId(target)).collect() }
            }
            FlowEnd::Leave(_) => match layout {
                Operands::Exit => End::Exit,
                Operands::Return => End::Return,
                _ => End::Trap,
            },
            FlowEnd::Through(_, next) => {
                let next = BlockId(*next);
                match layout {
                    Operands::Call => {
                        let call = self.call(operands, next)?;
                        ops.end = self.op_count();
                        End::Call(Box::new(call))
                    }
                    Operands::Meet => {
                        let barrier = self.barrier(instruction, operands, next)?;
                        ops.end = self.op_count();
                        End::Barrier(Box::new(barrier))
                    }
                    Operands::MeetCluster => self.cluster_barrier(instruction, operands, next)?,
                    _ => self.converge(instruction, next, ops)?,
                }
            }
            FlowEnd::Continue(next) => End::Jump(BlockId(*next)),
            FlowEnd::Fall => End::Fall,
        })
    }

    /// A warp-synchronous op: helpers before it belong to the block, the op itself to its end.
    fn converge(&mut self, instruction: &Instruction, next: BlockId, ops: &mut Range<u32>) -> Result<End, Reason> {
        let layout = isa::row(self.cx.module.opcodes[instruction.opcode.0 as usize].row).operands;
        let draft = self.draft(instruction)?.ok_or(Reason::Operands)?;
        let members = match layout {
            Operands::Shuffle => self.more.get(1).copied(),
            Operands::Vote | Operands::Match if draft.widths[2] != 0 => Some(draft.b),
            Operands::Members | Operands::Elect => Some(draft.a),
            _ => None,
        };
        ops.end = self.op_count();
        self.op(draft, instruction.opcode, None)?;
        refuse_if!(!self.fragments_fit(instruction), Reason::Operands);
        Ok(End::Converge { op: ops.end, members, next })
    }

    /// `call.uni (results), function, (arguments), prototype;` — all but the function may be missing.
    fn call(&mut self, operands: &[Operand<'a>], next: BlockId) -> Result<Call, Reason> {
        let (returns, operands) = match operands {
            [Operand::List(span), rest @ ..] => (*span, rest),
            _ => (Span::default(), operands),
        };
        let (callee, operands) = operands.split_first().ok_or(Reason::Operands)?;
        let (arguments, operands) = match operands {
            [Operand::List(span), rest @ ..] => (*span, rest),
            _ => (Span::default(), operands),
        };
        let target = match *callee {
            Operand::Symbol(name, 0) => match (self.cx.function_id(name), builtin(name)) {
                (Some(id), _) => Target::Function(id),
                (None, Some(builtin)) => Target::Builtin(builtin),
                (None, None) => return Err(Reason::UnknownFunction(name.to_string())),
            },
            Operand::Register(register) => {
                let (row, kind) = self.frame.register(register);
                refuse_if!(kind != Kind::B64 || operands.is_empty(), Reason::Operands);
                Target::Register(row)
            }
            _ => return Err(Reason::Operands),
        };
        let (mut returns, arguments) = (self.arguments(returns)?, self.arguments(arguments)?);
        if let Target::Function(id) = target {
            let (parameters, results) = self.cx.signature(id);
            // Linked modules may disagree: a caller that declares a result of a function without one reads whatever is there,
            // as on a card.
            if results.is_empty() && matches!(callee, Operand::Symbol(name, 0) if self.is_declared_with_result(name)) {
                returns.clear();
            }
            let fits = |given: &[(u32, u32)], wanted: &[u32]| {
                given.len() == wanted.len() && given.iter().zip(wanted).all(|(given, wanted)| given.1 == *wanted)
            };
            refuse_if!(!fits(&arguments, &parameters) || !fits(&returns, &results), Reason::Operands);
        }
        Ok(Call { target, arguments, returns, next })
    }

    /// Returns whether a prototype of a function, beside its body, has a result.
    fn is_declared_with_result(&self, name: &str) -> bool {
        let mut functions = self.cx.module.functions.iter();
        functions.any(|function| function.name == name && function.body.is_none() && !function.returns.is_empty())
    }

    /// Offsets and sizes of the `.param` variables of a call.
    fn arguments(&self, span: Span) -> Result<Vec<(u32, u32)>, Reason> {
        let argument = |operand: &Operand| match *operand {
            Operand::Variable(id, 0) => {
                let bytes = self.body.variables[id.0 as usize].1.bytes().unwrap_or(0) as u32;
                let place = self.variable(id, 0)?;
                if place.call_parameter { Ok((place.offset as u32, bytes)) } else { Err(Reason::Operands) }
            }
            // A function may hand its own parameter on.
            Operand::Symbol(name, 0) => {
                let slots = self.layout.parameters.iter().chain(&self.layout.returns);
                match slots.into_iter().find(|slot| slot.name == name) {
                    Some(slot) if !self.function.is_entry => Ok((slot.offset, slot.bytes)),
                    Some(_) => Err(Reason::Operands),
                    None => Err(Reason::UnknownSymbol(name.to_string())),
                }
            }
            _ => Err(Reason::Operands),
        };
        self.body.operands(span).iter().map(argument).collect()
    }

    /// `bar.sync a{, b}` · `bar.arrive a, b` · `bar.red.popc.u32 d, a{, b}, {!}p`, and the same as `barrier`.
    fn barrier(
        &mut self,
        instruction: &Instruction,
        operands: &[Operand<'a>],
        next: BlockId,
    ) -> Result<Barrier, Reason> {
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        let has = |modifier| opcode.modifiers.contains(&modifier);
        let kind = match () {
            () if has("sync") => BarrierKind::Sync,
            () if has("arrive") => BarrierKind::Arrive,
            () if has("red") && has("popc") => BarrierKind::RedPopc,
            () if has("red") && has("and") => BarrierKind::RedAnd,
            () if has("red") && has("or") => BarrierKind::RedOr,
            () => return Err(Reason::NoSuchForm),
        };
        let mut barrier = Barrier {
            kind,
            id: Row(0),
            count: None,
            aligned: isa::row(opcode.row).aligned || has("aligned"),
            predicate: None,
            dst: Row(0),
            next,
        };
        let mut operands = operands;
        if has("red") {
            let [d, rest @ .., predicate] = operands else { return Err(Reason::Operands) };
            let ty = if kind == BarrierKind::RedPopc { Type::U32 } else { Type::Pred };
            barrier.dst = self.destination(d, Some(ty))?.0;
            let predicate = match *predicate {
                Operand::Not(register) => (self.frame.register(register), true),
                Operand::Register(register) => (self.frame.register(register), false),
                _ => return Err(Reason::Operands),
            };
            match predicate {
                ((row, Kind::Pred), negated) => barrier.predicate = Some((row, negated)),
                _ => return Err(Reason::Operands),
            }
            operands = rest;
        }
        let (id, count) = match operands {
            [id] if kind != BarrierKind::Arrive => (id, None),
            [id, count] => (id, Some(count)),
            _ => return Err(Reason::Operands),
        };
        barrier.id = self.word(id)?;
        barrier.count = count.map(|count| self.word(count)).transpose()?;
        Ok(barrier)
    }

    /// `barrier.cluster.arrive{.release, .relaxed}{.aligned}` · `barrier.cluster.wait{.acquire}{.aligned}`
    fn cluster_barrier(&self, instruction: &Instruction, operands: &[Operand], next: BlockId) -> Result<End, Reason> {
        let modifiers = &self.cx.module.opcodes[instruction.opcode.0 as usize].modifiers;
        let has = |modifier| modifiers.contains(&modifier);
        match (has("arrive"), has("wait"), operands) {
            (true, false, []) if !has("acquire") => Ok(End::Cluster { waits: false, orders: !has("relaxed"), next }),
            (false, true, []) if !has("release") => Ok(End::Cluster { waits: true, orders: !has("relaxed"), next }),
            _ => Err(Reason::NoSuchForm),
        }
    }

    /// A 32-bit source.
    fn word(&mut self, operand: &Operand<'a>) -> Result<Row, Reason> {
        match self.source(operand, Some(Type::U32))? {
            (row, 32) => Ok(row),
            _ => Err(Reason::Operands),
        }
    }
}
