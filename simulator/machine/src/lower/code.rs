//! One function's blocks to ops: the loop over its instructions, and what every shape of instruction needs.
use super::flow::{self, FlowBlock, FlowEnd};
use super::frame::{self, Frame, Kind, Layout};
use super::module::{Context, Selections};
use super::places::Fit;
use super::{Refused, Tier, Why, effects, liveness, products};
use crate::exec::op::{Exec, Op, Row, Twin};
use crate::exec::semantics::Select;
use crate::exec::versions;
use crate::program::{self, BasicBlock, BlockId, End, Site};
use ptx::isa::{Class, Definition, Facts, Form, Operands, Shown, Space, Special, Width};
use ptx::tree::{Body, Function, Guard, Instruction, OpcodeId, Statement};

/// Lowers a function that has a body.
pub fn function(
    cx: &Context,
    selections: &mut Selections,
    index: usize,
    function: &Function,
    body: &Body,
) -> Result<(program::Function, Vec<Op>), Vec<Refused>> {
    let whole =
        |why| vec![Refused { location: function.at, function: function.name.into(), instruction: String::new(), why }];
    let layout = frame::layout(function, body).ok_or_else(|| whole(Why::TooLarge))?;
    let flow = flow::flow(cx.module, body).map_err(|unknown| unknown_labels(cx, function, body, unknown))?;
    let live = liveness::liveness(cx.module, body, &flow);
    let hazards = products::hazards(cx.module, body, &flow);
    let mut emitter = Emitter {
        cx,
        selections,
        index,
        function,
        body,
        frame: Frame::new(body, &live.ranges),
        layout,
        read: live.read,
        ops: Vec::with_capacity(body.statements.len()),
        rows: Vec::new(),
        sites: Vec::with_capacity(body.statements.len()),
        registers: Vec::with_capacity(body.operands.len()),
        site_of: vec![0; body.statements.len()],
        more: Vec::new(),
        fit: Fit::Exact,
        refused: Vec::new(),
    };
    let blocks: Vec<BasicBlock> = flow.blocks.iter().map(|block| emitter.block(block)).collect();
    let at = |&(statement, hazard): &(usize, _)| Some((*emitter.site_of.get(statement)?, hazard));
    let hazards = hazards.iter().filter_map(at).collect();
    emitter.finish(blocks, live.pressure, hazards)
}

/// Registers that ptxas keeps for itself, such as the stack pointer: what it uses beyond the live values of small kernels.
const RESERVED_REGISTERS: u32 = 4;

fn refused(cx: &Context, function: &Function, instruction: &Instruction, why: Why) -> Refused {
    let text = cx.module.opcodes[instruction.opcode.0 as usize].shown().to_string();
    Refused { location: instruction.at, function: function.name.into(), instruction: text, why }
}

fn unknown_labels(cx: &Context, function: &Function, body: &Body, unknown: Vec<flow::UnknownLabel>) -> Vec<Refused> {
    let refused = |label: flow::UnknownLabel| match &body.statements[label.statement] {
        Statement::Instruction(i) if label.name.is_empty() => Some(refused(cx, function, i, Why::Operands)),
        Statement::Instruction(i) => Some(refused(cx, function, i, Why::UnknownSymbol(label.name))),
        Statement::Label(_) => None,
    };
    unknown.into_iter().filter_map(refused).collect()
}

/// What one function's code is collected in.
pub struct Emitter<'a, 'c> {
    pub cx: &'c Context<'a>,
    pub selections: &'c mut Selections,
    /// Index in the module's functions.
    pub index: usize,
    pub function: &'c Function<'a>,
    pub body: &'c Body<'a>,
    pub frame: Frame,
    pub layout: Layout,
    /// By register: whether any instruction reads it.
    pub read: Vec<bool>,
    ops: Vec<Op>,
    rows: Vec<Row>,
    sites: Vec<Site>,
    /// Registers that they name.
    registers: Vec<u32>,
    /// By statement.
    site_of: Vec<u32>,
    /// "More" of the instruction at hand.
    pub more: Vec<Row>,
    /// Which registers the places of the instruction at hand take.
    pub fit: Fit,
    refused: Vec<Refused>,
}

/// An op before its semantics is chosen: where its operands are, and what of its form the opcode does not say.
pub struct Draft {
    pub dst: Row,
    pub a: Row,
    pub b: Row,
    pub c: Row,
    pub imm: i64,
    pub bytes: u8,
    pub widths: [u8; 4],
    pub vector: u8,
    /// See [`Op::used`].
    pub used: u8,
    pub special: Option<Special>,
    pub space: Space,
    pub call_parameter: bool,
}

impl Draft {
    /// A draft without operands.
    pub fn new(space: Space) -> Draft {
        let row = Row(0);
        Draft {
            dst: row,
            a: row,
            b: row,
            c: row,
            imm: 0,
            bytes: 0,
            widths: [0; 4],
            vector: 1,
            used: 0,
            special: None,
            space,
            call_parameter: false,
        }
    }
}

/// What an instruction does besides computing registers.
fn twin(row: &Definition, draft: &Draft) -> Twin {
    match row.operands {
        _ if draft.special.is_some() => Twin::Once,
        Operands::Load | Operands::MatrixLoad | Operands::FragmentLoad => Twin::Loads,
        Operands::Store | Operands::MatrixStore | Operands::FragmentStore => Twin::Stores,
        Operands::WarpgroupMultiply => Twin::Products,
        Operands::Set => Twin::Compares,
        _ if row.class == Class::Atomic => Twin::Updates,
        _ if row.class == Class::Async => Twin::Once,
        Operands::Shuffle | Operands::Move => Twin::Moves,
        Operands::Value | Operands::TruthTable if matches!(row.class, Class::Logic | Class::Convert) => Twin::Moves,
        Operands::Value if row.widths.last() == Some(&Width::Pred) => Twin::Selects,
        Operands::Value
        | Operands::TruthTable
        | Operands::Vote
        | Operands::Match
        | Operands::Elect
        | Operands::Multiply => Twin::Computes,
        _ => Twin::Once,
    }
}

impl<'a> Emitter<'a, '_> {
    fn block(&mut self, block: &FlowBlock) -> BasicBlock {
        let (first_op, first_site) = (self.ops.len() as u32, self.sites.len() as u32);
        for number in block.statements.clone() {
            if let Statement::Instruction(instruction) = &self.body.statements[number] {
                self.site_of[number] = self.sites.len() as u32;
                self.instruction(instruction);
            }
        }
        let mut ops = first_op..self.ops.len() as u32;
        let end = self.end(&block.end, &mut ops);
        let sites = first_site..self.sites.len() as u32;
        let site = sites.end.saturating_sub(1);
        let signals = effects::signals(self.cx.module, &self.body.statements[block.statements.clone()]);
        let not_unrolled = self.body.not_unrolled.contains(&block.statements.start);
        BasicBlock { ops, sites, end, site, rejoin: block.rejoin.map(BlockId), signals, not_unrolled }
    }

    /// An instruction inside of a block.
    fn instruction(&mut self, instruction: &Instruction) {
        self.site(instruction, false);
        let allowed = self.allowed(instruction);
        let result = allowed.and_then(|()| self.draft(instruction)).and_then(|draft| match draft {
            Some(draft) => self.op(draft, instruction.opcode, instruction.guard),
            None => Ok(()),
        });
        if let Err(why) = result {
            self.refuse(instruction, why);
        }
        self.frame.next_instruction();
    }

    /// Whether the module may use an instruction, by its version and target.
    fn allowed(&self, instruction: &Instruction) -> Result<(), Why> {
        self.cx.opcodes[instruction.opcode.0 as usize].refused.clone().map_or(Ok(()), Err)
    }

    /// Begins a site for an instruction.
    pub fn site(&mut self, instruction: &Instruction, call_parameter: bool) {
        let facts = &self.cx.opcodes[instruction.opcode.0 as usize];
        let registers = self.registers.len() as u32;
        let opcode = &self.cx.module.opcodes[instruction.opcode.0 as usize];
        let (writes, reads) = liveness::registers(opcode, self.body, instruction, &mut self.registers);
        self.sites.push(Site {
            at: instruction.at,
            row: Some(self.cx.module.opcodes[instruction.opcode.0 as usize].row),
            class: facts.class,
            text: facts.text.clone(),
            opcode: facts.opcode,
            flops: facts.flops,
            tensor_fmas: facts.tensor_fmas,
            element_bytes: facts.element_bytes,
            read_only: facts.opcode.is_read_only(),
            call_parameter,
            registers,
            writes,
            reads,
            guarded: instruction.guard.is_some(),
            offset: liveness::offset(self.body, instruction),
            special: liveness::special(self.body, instruction),
            by_thread: liveness::by_thread(self.body, instruction),
        });
        self.more.clear();
    }

    /// Marks the site at hand as an access to the parameters of a call.
    pub fn mark_call_parameter(&mut self) {
        if let Some(site) = self.sites.last_mut() {
            site.call_parameter = true;
        }
    }

    /// Chooses the semantics of a draft and appends its op.
    pub fn op(&mut self, draft: Draft, opcode: OpcodeId, guard: Option<Guard>) -> Result<(), Why> {
        let (module, level) = (self.cx.module, self.cx.options.level);
        let twin = twin(ptx::isa::row(module.opcodes[opcode.0 as usize].row), &draft);
        let selected = self.selections.of(module, opcode, &draft)?;
        let versions = match self.cx.options.tier {
            Tier::Bare => selected.bare,
            Tier::Probed => selected.probed,
        };
        self.push(draft, (versions.at(level), selected.data, twin), guard);
        Ok(())
    }

    /// Appends an op that no instruction of the text stands for: the helper of the one at hand.
    pub fn helper(&mut self, select: Select, draft: Draft, form: &Form) -> Result<(), Why> {
        let selected = select(form)?;
        // The helper's "more" is empty; the instruction's own is still being gathered.
        let more = std::mem::take(&mut self.more);
        let twin = if draft.special.is_some() { Twin::Once } else { Twin::Computes };
        self.push(draft, (selected.bare.at(self.cx.options.level), selected.data, twin), None);
        self.more = more;
        Ok(())
    }

    fn push(&mut self, draft: Draft, (exec, data, twin): (Exec, u32, Twin), guard: Option<Guard>) {
        let more = self.rows.len() as u32;
        let more_count = self.more.len() as u16;
        self.rows.append(&mut self.more);
        let (guard_row, guard_negated) = match guard {
            Some(guard) => (self.frame.register(guard.register).0, Some(guard.negated)),
            None => (Row(0), None),
        };
        let [result, compared, ..] = draft.widths;
        let width = if twin == Twin::Compares { compared } else { result } / 8;
        let guarded = match self.cx.options.tier {
            Tier::Bare => versions::guarded,
            Tier::Probed => versions::guarded_probed,
        };
        self.ops.push(Op {
            exec: if guard.is_some() { guarded } else { exec },
            inner: exec,
            dst: draft.dst,
            a: draft.a,
            b: draft.b,
            c: draft.c,
            imm: draft.imm,
            guard: guard_row,
            guard_negated,
            vector: draft.vector,
            bytes: draft.bytes,
            used: draft.used,
            more,
            site: (self.sites.len() as u32).saturating_sub(1),
            data,
            twin,
            width,
            more_count,
        });
    }

    /// Ops so far: the index of the next one.
    pub fn op_count(&self) -> u32 {
        self.ops.len() as u32
    }

    /// The block's end; `ops` grows by helpers of the end.
    fn end(&mut self, end: &FlowEnd, ops: &mut std::ops::Range<u32>) -> End {
        let statement = match *end {
            FlowEnd::Continue(next) => return End::Jump(BlockId(next)),
            FlowEnd::Fall => {
                if self.sites.is_empty() {
                    self.empty_site();
                }
                return End::Fall;
            }
            FlowEnd::Branch { statement, .. } => statement,
            FlowEnd::Jump(i, _) | FlowEnd::Switch(i, _) | FlowEnd::Through(i, _) | FlowEnd::Leave(i) => i,
        };
        let Statement::Instruction(instruction) = self.body.statements[statement] else { return End::Fall };
        // The instruction that a guard leads around has its site in its own block.
        if !matches!(end, FlowEnd::Branch { .. }) || super::ends::is_branch(self.cx, &instruction) {
            self.site_of[statement] = self.sites.len() as u32;
            self.site(&instruction, false);
        } else if self.sites.is_empty() {
            self.empty_site();
        }
        let result = self.allowed(&instruction).and_then(|()| self.lower_end(end, &instruction, ops));
        self.frame.next_instruction();
        result.unwrap_or_else(|why| {
            self.refuse(&instruction, why);
            End::Trap
        })
    }

    /// A function that begins with an end of no instruction needs a site to point at.
    fn empty_site(&mut self) {
        self.sites.push(Site {
            at: self.function.at,
            row: None,
            class: ptx::isa::Class::Control,
            text: Shown::default(),
            opcode: Facts::NONE,
            flops: 0,
            tensor_fmas: 0,
            element_bytes: 0,
            read_only: false,
            call_parameter: false,
            registers: 0,
            writes: 0,
            reads: 0,
            guarded: false,
            offset: 0,
            special: false,
            by_thread: false,
        });
    }

    fn refuse(&mut self, instruction: &Instruction, why: Why) {
        self.refused.push(refused(self.cx, self.function, instruction, why));
    }

    fn finish(
        self,
        blocks: Vec<BasicBlock>,
        pressure: u32,
        hazards: Vec<(u32, program::Hazard)>,
    ) -> Result<(program::Function, Vec<Op>), Vec<Refused>> {
        let (cx, function) = (self.cx, self.function);
        let whole = || Refused {
            location: function.at,
            function: function.name.into(),
            instruction: String::new(),
            why: Why::TooLarge,
        };
        if !self.refused.is_empty() {
            return Err(self.refused);
        }
        let (frame_bytes, constants) = self.frame.finish().ok_or_else(|| vec![whole()])?;
        let loads_read_only = self.sites.iter().any(|site| site.read_only);
        let lowered = program::Function {
            name: function.name.into(),
            is_entry: function.is_entry,
            blocks,
            rows: self.rows,
            sites: self.sites,
            registers: self.registers,
            derived: program::Derived::default(),
            frame_bytes: frame_bytes.next_multiple_of(64),
            constants,
            parameters: self.layout.parameters,
            returns: self.layout.returns,
            parameter_bytes: self.layout.parameter_bytes,
            local_bytes: self.layout.local_bytes,
            shared_bytes: cx.shared.bytes[self.index],
            dynamic_shared_start: cx.shared.dynamic[self.index],
            shared_symbols: cx.shared_symbols(self.index),
            local_symbols: self.layout.symbols,
            max_threads: function.max_threads,
            required_threads: function.required_threads,
            required_cluster: function.required_cluster,
            explicit_cluster: function.explicit_cluster,
            max_cluster: function.max_cluster,
            min_blocks: function.min_blocks,
            register_estimate: (pressure + RESERVED_REGISTERS).min(function.max_registers.unwrap_or(u32::MAX)),
            order_matters: false,
            hazards,
            loads_read_only,
            meets_cluster: false,
            reads_envreg: false,
            reads_reserved_shared: false,
        };
        assert!(super::rows::are_inside(&lowered, &self.ops), "`{}` names a row outside of its frame", lowered.name);
        Ok((lowered, self.ops))
    }

    /// Kind of the row that a type needs, if the instruction has a type.
    pub fn kind(ty: Option<ptx::isa::Type>) -> Result<Kind, Why> {
        ty.map(Kind::of).ok_or(Why::Operands)
    }
}
