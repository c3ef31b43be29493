//! One function's blocks to ops: the loop over its instructions.
use super::context::Context;
use super::options::Tier;
use super::refused::{Reason, Refused};
use crate::exec::accesses::stack;
use crate::exec::op::Op;
use crate::lower::analyses::communication;
use crate::lower::analyses::{
    data_dependence, effects, late_products, liveness, patterns, pointers, polls, products, remade,
};
use crate::lower::control_flow::flow::{self, FlowBlock, FlowEnd};
use crate::lower::emission::{Draft, Emitter, Fit, Frame, Kind, Selections, frame, refused};
use crate::lower::emission::{ends, rows};
use crate::program::{self, BasicBlock, BlockId, End};
use ptx::isa::{self, Space, Type};
use ptx::tree::{Body, Function, Instruction, Statement};

/// Lowers a function that has a body.
pub fn function(
    cx: &Context,
    selections: &mut Selections,
    index: usize,
    function: &Function,
    body: &Body,
) -> Result<(program::Function, Vec<Op>), Vec<Refused>> {
    let whole = |reason| {
        vec![Refused { location: function.at, function: function.name.into(), instruction: String::new(), reason }]
    };
    let layout = frame::layout(function, body).ok_or_else(|| whole(Reason::TooLarge))?;
    let flow = flow::flow(cx.module, body, cx.options.tier == Tier::Stepped)
        .map_err(|unknown| unknown_labels(cx, function, body, unknown))?;
    let waits = late_products::waits(cx.module, function, body, &flow);
    let remade = remade::remade(cx.module, function, body);
    let live = liveness::liveness(cx.module, body, &flow, waits.as_ref(), &remade);
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
        late_products: waits.is_some(),
        has_stack: has_stack(cx, body),
        ops: Vec::with_capacity(body.statements.len()),
        accesses: Vec::new(),
        rows: Vec::new(),
        sites: Vec::with_capacity(body.statements.len()),
        registers: Vec::with_capacity(body.operands.len()),
        site_of: vec![0; body.statements.len()],
        more: Vec::new(),
        together: false,
        polls: polls::polls(cx.module, body, &flow),
        polling: false,
        fit: Fit::Exact,
        refused: Vec::new(),
    };
    let blocks: Vec<BasicBlock> = flow.blocks.iter().map(|block| emitter.block(block)).collect();
    let at = |&(statement, hazard): &(usize, _)| Some((*emitter.site_of.get(statement)?, hazard));
    let hazards = hazards.iter().filter_map(at).collect();
    let is_probed = cx.options.tier.is_probed();
    let data_dependence = is_probed.then(|| data_dependence::first(cx, function, body, &flow)).flatten();
    let data_dependence = data_dependence.map(|(statement, how)| (emitter.site_of[statement], how));
    let (mut lowered, ops) = emitter.finish(blocks, [live.pressure, live.least_pressure], hazards)?;
    lowered.data_dependence = data_dependence;
    Ok((lowered, ops))
}

fn has_stack(cx: &Context, body: &Body) -> bool {
    body.instructions().any(|instruction| isa::row(cx.module.opcodes[instruction.opcode.0 as usize].row).uses_stack())
}

/// Registers that ptxas keeps for itself, such as the stack pointer: what it uses beyond the live values of small kernels.
const RESERVED_REGISTERS: u32 = 4;

fn unknown_labels(cx: &Context, function: &Function, body: &Body, unknown: Vec<flow::UnknownLabel>) -> Vec<Refused> {
    let refused = |label: flow::UnknownLabel| match &body.statements[label.statement] {
        Statement::Instruction(i) if label.name.is_empty() => Some(refused(cx, function, i, Reason::Operands)),
        Statement::Instruction(i) => Some(refused(cx, function, i, Reason::UnknownSymbol(label.name))),
        Statement::Label(_) => None,
    };
    unknown.into_iter().filter_map(refused).collect()
}

impl<'a> Emitter<'a, '_> {
    fn block(&mut self, block: &FlowBlock) -> BasicBlock {
        let (first_op, first_site) = (self.ops.len() as u32, self.sites.len() as u32);
        self.together = self.cx.options.tier != Tier::Stepped;
        if block.statements.start == 0 && self.has_stack {
            let mut draft = Draft::new(Space::Local);
            (draft.dst, draft.widths) = (self.frame.stack(), [64, 64, 0, 0]);
            draft.a = self.frame.local(Kind::B64, self.layout.local_bytes);
            self.helper_op(stack::begin, draft, &[Type::U64], &[]).unwrap_or_default();
        }
        for number in block.statements.clone() {
            if let Some(instruction) = self.body.instruction(number) {
                self.site_of[number] = self.sites.len() as u32;
                self.polling = self.polls.contains(&number);
                self.instruction(instruction);
                self.polling = false;
            }
        }
        let mut ops = first_op..self.ops.len() as u32;
        let end = self.end(&block.end, &mut ops);
        let sites = first_site..self.sites.len() as u32;
        let site = sites.end.saturating_sub(1);
        let signals = effects::signals(self.cx.module, &self.body.statements[block.statements.clone()]);
        // Lanes that exchange values do so warp by warp: going together costs such code more than it gains.
        let waits = signals && self.cx.options.tier.is_probed();
        let together = self.together && !waits && !matches!(end, End::Converge { .. });
        let first = self.body.statements[block.statements.clone()].iter().find_map(Statement::instruction);
        let communicates =
            |first: &Instruction| communication::communicates(&self.cx.module.opcodes[first.opcode.0 as usize]);
        let is_step = self.cx.options.tier == Tier::Stepped && first.is_some_and(communicates);
        let not_unrolled = self.body.not_unrolled.contains(&block.statements.start);
        BasicBlock {
            ops,
            sites,
            end,
            site,
            rejoin: block.rejoin.map(BlockId),
            signals,
            is_step,
            together,
            not_unrolled,
        }
    }

    /// An instruction inside of a block.
    fn instruction(&mut self, instruction: &Instruction) {
        self.site(instruction, false);
        let allowed = self.allowed(instruction);
        let result = allowed.and_then(|()| self.draft(instruction)).and_then(|draft| match draft {
            Some(draft) => self.op(draft, instruction.opcode, instruction.guard),
            None => Ok(()),
        });
        if let Err(reason) = result {
            self.refuse(instruction, reason);
        }
        self.frame.next_instruction();
    }

    /// Returns whether the module may use an instruction, by its version and target.
    fn allowed(&self, instruction: &Instruction) -> Result<(), Reason> {
        self.cx.opcodes[instruction.opcode.0 as usize].refused.clone().map_or(Ok(()), Err)
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
        let Some(&instruction) = self.body.instruction(statement) else { return End::Fall };
        // The instruction that a guard leads around has its site in its own block.
        if !matches!(end, FlowEnd::Branch { .. }) || ends::is_branch(self.cx, &instruction) {
            self.site_of[statement] = self.sites.len() as u32;
            self.site(&instruction, false);
        } else if self.sites.is_empty() {
            self.empty_site();
        }
        let result = self.allowed(&instruction).and_then(|()| self.lower_end(end, &instruction, ops));
        self.frame.next_instruction();
        result.unwrap_or_else(|reason| {
            self.refuse(&instruction, reason);
            End::Trap
        })
    }

    fn finish(
        mut self,
        blocks: Vec<BasicBlock>,
        [pressure, least_pressure]: [u32; 2],
        hazards: Vec<(u32, program::Hazard)>,
    ) -> Result<(program::Function, Vec<Op>), Vec<Refused>> {
        let (cx, function) = (self.cx, self.function);
        let at_most = function.max_registers.unwrap_or(u32::MAX);
        let whole = || Refused {
            location: function.at,
            function: function.name.into(),
            instruction: String::new(),
            reason: Reason::TooLarge,
        };
        refuse_if!(!self.refused.is_empty(), self.refused);
        patterns::mark(&blocks, &mut self.ops, &self.accesses, &self.rows);
        let (frame_bytes, constants) = self.frame.finish().ok_or_else(|| vec![whole()])?;
        let loads_read_only = self.sites.iter().any(|site| site.read_only);
        let sites = (&mut self.sites[..], &self.site_of[..]);
        let ([read_only, written, fetched], pointers) =
            pointers::pointers(cx, self.index, self.body, &self.layout, sites);
        let lowered = program::Function {
            name: function.name.into(),
            is_entry: function.is_entry,
            blocks,
            rows: self.rows,
            sites: self.sites,
            registers: self.registers,
            pointers,
            derived: program::Derived::default(),
            frame_bytes: frame_bytes.next_multiple_of(64),
            constants,
            parameters: self.layout.parameters,
            returns: self.layout.returns,
            parameter_bytes: self.layout.parameter_bytes,
            local_bytes: self.layout.local_bytes,
            has_stack: self.has_stack,
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
            register_estimate: (pressure + RESERVED_REGISTERS).min(at_most),
            fewest_registers: least_pressure.min(at_most),
            order_matters: !self.polls.is_empty(),
            hazards,
            data_dependence: None,
            loads_read_only,
            read_only,
            written,
            fetched,
            meets_cluster: false,
            reads_envreg: false,
            reads_reserved_shared: false,
        };
        assert!(rows::are_inside(&lowered, &self.ops), "`{}` names a row outside of its frame", lowered.name);
        Ok((lowered, self.ops))
    }
}
