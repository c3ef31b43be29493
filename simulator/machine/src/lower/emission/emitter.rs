//! One function's code while it is collected: sites, rows and ops, and how an op is appended.
use super::draft::{Draft, dataflow};
use super::frame::{Frame, Kind, Layout};
use super::selections::Selections;
use crate::exec::accesses::access;
use crate::exec::accesses::load;
use crate::exec::op::{Dataflow, Exec, Op, Row};
use crate::exec::semantics::Select;
use crate::exec::view::versions;
use crate::lower::analyses::liveness;
use crate::lower::context::Context;
use crate::lower::options::Tier;
use crate::lower::refused::{Reason, Refused};
use crate::program::Site;
use ptx::isa::{Definition, Facts, Form, Operands, Printed, Special};
use ptx::tree::{Body, Function, Guard, Instruction, OpcodeId};
use std::collections::BTreeSet;

/// Which registers a place takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Registers of its own width.
    Exact,
    /// Wider registers too: loads and conversions extend, stores and conversions take the lower bits.
    Wider,
    Any,
}

/// Collects one function's code.
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
    /// True if products of four warps are computed when they are waited for.
    pub late_products: bool,
    /// True if an instruction reads or moves the stack pointer.
    pub has_stack: bool,
    pub ops: Vec<Op>,
    /// Indices of the ops that plain loads and stores became.
    pub accesses: Vec<u32>,
    pub rows: Vec<Row>,
    pub sites: Vec<Site>,
    /// Registers that they name.
    pub registers: Vec<u32>,
    /// By statement.
    pub site_of: Vec<u32>,
    /// "More" of the instruction at hand.
    pub more: Vec<Row>,
    /// Which registers the places of the instruction at hand take.
    pub fit: Fit,
    pub refused: Vec<Refused>,
    /// The statements that are loads by which a thread waits for others, and whether the one at hand is.
    pub polls: BTreeSet<usize>,
    pub polling: bool,
    /// True while no op of the block at hand keeps an order among warps.
    pub together: bool,
}

impl Emitter<'_, '_> {
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
            shared_array: 0..0,
            pointers: 0,
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
    pub fn op(&mut self, draft: Draft, opcode: OpcodeId, guard: Option<Guard>) -> Result<(), Reason> {
        let (module, level) = (self.cx.module, self.cx.options.level);
        let row = ptx::isa::row(module.opcodes[opcode.0 as usize].row);
        let dataflow = dataflow(row, &draft);
        if matches!(row.operands, Operands::Load | Operands::Store) {
            self.accesses.push(self.op_count());
        }
        let mut selected = self.selections.of(module, opcode, &draft)?;
        if self.polling {
            selected = load::polling(selected);
        }
        let versions = match self.cx.options.tier {
            Tier::Bare => selected.bare,
            Tier::Probed | Tier::Stepped => selected.probed,
        };
        let probed = self.cx.options.tier.is_probed();
        if probed {
            self.together &= is_recorded(row, selected.data);
        }
        let several = selected.of_several(level, probed);
        self.push(draft, (versions.at(level), several), (selected.data, dataflow), guard);
        Ok(())
    }

    /// Appends an op that no instruction of the text stands for: the helper of the one at hand.
    pub fn helper(&mut self, select: Select, draft: Draft, form: &Form) -> Result<(), Reason> {
        let selected = select(form)?;
        // The helper's "more" is empty; the instruction's own is still being gathered.
        let more = std::mem::take(&mut self.more);
        let dataflow = if draft.special.is_some() { Dataflow::Once } else { Dataflow::Computes };
        let level = self.cx.options.level;
        let several = selected.of_several(level, self.cx.options.tier.is_probed());
        self.push(draft, (selected.bare.at(level), several), (selected.data, dataflow), None);
        self.more = more;
        Ok(())
    }

    /// `exec` for one warp, `several` for those that go together.
    fn push(
        &mut self,
        draft: Draft,
        (exec, several): (Exec, Exec),
        (data, dataflow): (u32, Dataflow),
        guard: Option<Guard>,
    ) {
        self.together &= goes_together(&draft, dataflow);
        let more = self.rows.len() as u32;
        let more_count = self.more.len() as u16;
        self.rows.append(&mut self.more);
        let (guard_row, guard_negated) = match guard {
            Some(guard) => (self.frame.register(guard.register).0, Some(guard.negated)),
            None => (Row(0), None),
        };
        let [result, compared, ..] = draft.widths;
        let width = if dataflow == Dataflow::Compares { compared } else { result } / 8;
        let guarded = match self.cx.options.tier {
            Tier::Bare => versions::guarded,
            Tier::Probed | Tier::Stepped => versions::guarded_probed,
        };
        self.ops.push(Op {
            exec: if guard.is_some() { guarded } else { exec },
            inner: if guard.is_some() { exec } else { several },
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
            dataflow,
            width,
            more_count,
        });
    }

    /// Ops so far: the index of the next one.
    pub fn op_count(&self) -> u32 {
        self.ops.len() as u32
    }

    /// A function that begins with an end of no instruction needs a site to point at.
    pub fn empty_site(&mut self) {
        self.sites.push(Site {
            at: self.function.at,
            row: None,
            class: ptx::isa::Class::Control,
            text: Printed::default(),
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
            shared_array: 0..0,
            pointers: 0,
            special: false,
            by_thread: false,
        });
    }

    /// Notes an instruction that cannot be run.
    pub fn refuse(&mut self, instruction: &Instruction, reason: Reason) {
        self.refused.push(refused(self.cx, self.function, instruction, reason));
    }

    /// Kind of the row that a type needs, if the instruction has a type.
    pub fn kind(ty: Option<ptx::isa::Type>) -> Result<Kind, Reason> {
        ty.map(Kind::of).ok_or(Reason::Operands)
    }
}

/// Returns whether warps may run an op in any order among them: it neither changes memory in one step nor reads a clock, and nobody waits for it.
fn goes_together(draft: &Draft, dataflow: Dataflow) -> bool {
    use Special::{Clock, Clock64, ClockHi, GlobalTimer, GlobalTimerHi, GlobalTimerLo};
    match (draft.special, dataflow) {
        (Some(Clock | Clock64 | ClockHi | GlobalTimer | GlobalTimerHi | GlobalTimerLo), _) => false,
        (Some(_), _) => true,
        (None, Dataflow::Once | Dataflow::Products | Dataflow::Updates) => false,
        (
            None,
            Dataflow::Moves
            | Dataflow::Selects
            | Dataflow::Computes
            | Dataflow::Compares
            | Dataflow::Loads
            | Dataflow::Stores,
        ) => true,
    }
}

/// Returns whether all that an op tells can be recorded in a [`Passage`](crate::probe::Passage): computations tell nothing, and loads and stores
/// of memory tell of accesses. An ordered access stays where it is among those of other warps.
fn is_recorded(row: &Definition, data: u32) -> bool {
    match row.operands {
        Operands::Load | Operands::Store => access::AccessForm(data).order().is_weak(),
        Operands::MatrixLoad | Operands::FragmentLoad | Operands::MatrixStore | Operands::FragmentStore => false,
        _ => true,
    }
}

/// An instruction that cannot be run.
pub fn refused(cx: &Context, function: &Function, instruction: &Instruction, reason: Reason) -> Refused {
    let text = cx.module.opcodes[instruction.opcode.0 as usize].printed().to_string();
    Refused { location: instruction.at, function: function.name.into(), instruction: text, reason }
}
