//! Basic blocks of a body, in convergence order.
use super::dominators;
use super::order::{self, Graph};
use crate::lower::analyses::communication;
use ptx::isa::{self, Operands};
use ptx::tree::{Body, Guard, Instruction, LabelId, Module, Operand, Statement, Target};
use std::ops::Range;

/// A body's blocks in convergence order, the entry first.
pub struct Flow {
    pub blocks: Vec<FlowBlock>,
}

/// A run of statements and how it ends; successors are indices of blocks.
pub struct FlowBlock {
    /// Indices of statements, without the end. Labels among them are to be skipped.
    pub statements: Range<usize>,
    pub end: FlowEnd,
    pub rejoin: Option<u32>,
}

impl FlowBlock {
    /// Its statements, and the one that ends it where that goes on after.
    pub fn through(&self) -> impl Iterator<Item = usize> + use<> {
        let end = if let FlowEnd::Through(statement, _) = self.end { Some(statement) } else { None };
        self.statements.clone().chain(end)
    }
}

/// How a run ends.
#[derive(Clone, Debug)]
pub enum FlowEnd {
    /// Goes on with the next block; no instruction says so.
    Continue(u32),
    /// Unguarded `bra`: its statement.
    Jump(usize, u32),
    /// Guarded `bra`, or any other guarded end: the statement, and where lanes go whose guard holds, and the others.
    Branch { statement: usize, guard: Guard, taken: u32, next: u32 },
    /// `brx.idx`
    Switch(usize, Vec<u32>),
    /// An instruction that ends a block and goes on after: call, barrier, warp-synchronous op.
    Through(usize, u32),
    /// `ret`, `exit`, `trap`
    Leave(usize),
    /// Runs off the end of the function.
    Fall,
}

impl FlowEnd {
    /// The instruction that it is.
    pub fn statement(&self) -> Option<usize> {
        match *self {
            FlowEnd::Jump(at, _) | FlowEnd::Switch(at, _) | FlowEnd::Through(at, _) | FlowEnd::Leave(at) => Some(at),
            FlowEnd::Branch { .. } | FlowEnd::Continue(_) | FlowEnd::Fall => None,
        }
    }

    /// Where it may go on.
    pub fn successors(&self) -> Vec<u32> {
        match self {
            FlowEnd::Continue(next) | FlowEnd::Jump(_, next) | FlowEnd::Through(_, next) => vec![*next],
            FlowEnd::Branch { taken, next, .. } => vec![*taken, *next],
            FlowEnd::Switch(_, targets) => targets.clone(),
            FlowEnd::Leave(_) | FlowEnd::Fall => vec![],
        }
    }

    /// Replaces the successors, in the order in which `successors` lists them.
    fn redirect(&mut self, to: impl Fn(usize) -> u32) {
        match self {
            FlowEnd::Continue(next) | FlowEnd::Jump(_, next) | FlowEnd::Through(_, next) => *next = to(0),
            FlowEnd::Branch { taken, next, .. } => (*taken, *next) = (to(0), to(1)),
            FlowEnd::Switch(_, targets) => targets.iter_mut().enumerate().for_each(|(i, next)| *next = to(i)),
            FlowEnd::Leave(_) | FlowEnd::Fall => {}
        }
    }
}

/// A branch to something that is no label of the body: the statement, and the name.
pub struct UnknownLabel {
    pub statement: usize,
    pub name: String,
}

/// Cuts a body into blocks and orders them; `in_steps`, a block begins with each operation that threads communicate by.
///
/// # Errors
/// Branches to labels that the body does not have.
pub fn flow(module: &Module, body: &Body, in_steps: bool) -> Result<Flow, Vec<UnknownLabel>> {
    let mut builder = Builder { in_steps, ..Builder::new(module, body) };
    builder.cut();
    builder.link()?;
    Ok(ordered(builder.blocks))
}

/// Puts blocks in convergence order, drops what is not reachable, and finds where paths meet.
fn ordered(mut blocks: Vec<FlowBlock>) -> Flow {
    let mut graph = Graph { successors: blocks.iter().map(|block| block.end.successors()).collect() };
    let order = order::convergence_order(&mut graph);
    for latch in blocks.len()..graph.successors.len() {
        let end = FlowEnd::Continue(graph.successors[latch][0]);
        blocks.push(FlowBlock { statements: 0..0, end, rejoin: None });
    }
    let mut number = vec![0; blocks.len()];
    for (position, &node) in order.iter().enumerate() {
        number[node as usize] = position as u32;
    }
    let mut taken: Vec<Option<FlowBlock>> = blocks.into_iter().map(Some).collect();
    let mut result = Vec::with_capacity(order.len());
    for &node in &order {
        let Some(mut block) = taken[node as usize].take() else { continue };
        // The graph knows about latches, the ends do not yet: both list successors in the same order.
        block.end.redirect(|i| number[graph.successors[node as usize][i] as usize]);
        result.push(block);
    }
    let successors: Vec<Vec<u32>> = result.iter().map(|block| block.end.successors()).collect();
    for (block, rejoin) in result.iter_mut().zip(dominators::post_dominators(&successors)) {
        if matches!(block.end, FlowEnd::Branch { .. } | FlowEnd::Switch(..)) {
            block.rejoin = rejoin;
        }
    }
    Flow { blocks: result }
}

/// Successor that `link` fills in: the label of the block's end.
const UNLINKED: u32 = u32::MAX;

struct Builder<'a> {
    module: &'a Module<'a>,
    body: &'a Body<'a>,
    blocks: Vec<FlowBlock>,
    /// Block that each label begins.
    labels: Vec<u32>,
    start: usize,
    in_steps: bool,
}

impl<'a> Builder<'a> {
    fn new(module: &'a Module<'a>, body: &'a Body<'a>) -> Self {
        Builder {
            module,
            body,
            blocks: Vec::new(),
            labels: vec![UNLINKED; body.labels.len()],
            start: 0,
            in_steps: false,
        }
    }

    /// Cuts at labels and at ends. Successors in the text are linked at once, labels later.
    fn cut(&mut self) {
        for (i, statement) in self.body.statements.iter().enumerate() {
            match statement {
                Statement::Label(label) => {
                    if i > self.start {
                        let next = self.blocks.len() as u32 + 1;
                        self.close(i, FlowEnd::Continue(next));
                    }
                    self.start = i + 1;
                    self.labels[label.0 as usize] = self.blocks.len() as u32;
                }
                Statement::Instruction(instruction) => self.instruction(i, instruction),
            }
        }
        self.close(self.body.statements.len(), FlowEnd::Fall);
    }

    fn close(&mut self, end: usize, how: FlowEnd) {
        self.blocks.push(FlowBlock { statements: self.start..end, end: how, rejoin: None });
        self.start = end;
    }

    fn instruction(&mut self, i: usize, instruction: &Instruction) {
        let opcode = &self.module.opcodes[instruction.opcode.0 as usize];
        if self.in_steps && i > self.start && communication::communicates(opcode) {
            let next = self.blocks.len() as u32 + 1;
            self.close(i, FlowEnd::Continue(next));
        }
        let next = self.blocks.len() as u32 + 1;
        let row = isa::row(opcode.row);
        let end = match row.operands {
            Operands::Branch => match instruction.guard {
                Some(guard) => FlowEnd::Branch { statement: i, guard, taken: UNLINKED, next },
                None => FlowEnd::Jump(i, UNLINKED),
            },
            Operands::Switch => FlowEnd::Switch(i, Vec::new()),
            Operands::Return | Operands::Exit | Operands::Trap => FlowEnd::Leave(i),
            Operands::Call | Operands::Meet | Operands::MeetCluster => FlowEnd::Through(i, next),
            _ if row.waits_for_lanes(&opcode.modifiers) => FlowEnd::Through(i, next),
            _ => return,
        };
        match (end, instruction.guard) {
            (end @ FlowEnd::Branch { .. }, _) | (end, None) => self.close(i, end),
            // A guarded end stands in a block of its own, which lanes enter by their guard.
            (end, Some(guard)) => {
                let (taken, next) = (next, next + 1);
                self.close(i, FlowEnd::Branch { statement: i, guard, taken, next });
                let end = match end {
                    FlowEnd::Through(i, _) => FlowEnd::Through(i, next),
                    end => end,
                };
                self.close(i, end);
            }
        }
        self.start = i + 1;
    }

    /// Replaces labels by their blocks.
    fn link(&mut self) -> Result<(), Vec<UnknownLabel>> {
        let mut unknown = Vec::new();
        let mut ends: Vec<FlowEnd> = self.blocks.iter().map(|block| block.end.clone()).collect();
        for end in &mut ends {
            let statement = match *end {
                FlowEnd::Jump(i, UNLINKED) | FlowEnd::Branch { statement: i, taken: UNLINKED, .. } => i,
                FlowEnd::Switch(i, _) => i,
                _ => continue,
            };
            let result = match end {
                FlowEnd::Jump(_, to) | FlowEnd::Branch { taken: to, .. } => {
                    self.target(statement, 0).and_then(|label| self.block(label)).map(|block| *to = block)
                }
                FlowEnd::Switch(_, targets) => self.targets(statement).map(|found| *targets = found),
                _ => Ok(()),
            };
            if let Err(name) = result {
                unknown.push(UnknownLabel { statement, name });
            }
        }
        for (block, end) in self.blocks.iter_mut().zip(ends) {
            block.end = end;
        }
        if unknown.is_empty() { Ok(()) } else { Err(unknown) }
    }

    fn operand(&self, statement: usize, index: usize) -> Option<&Operand<'a>> {
        self.body.operands(self.body.instruction(statement)?.operands).get(index)
    }

    fn target(&self, statement: usize, index: usize) -> Result<LabelId, String> {
        match self.operand(statement, index) {
            Some(Operand::Label(label)) => Ok(*label),
            Some(Operand::Symbol(name, _)) => Err(name.to_string()),
            _ => Err(String::new()),
        }
    }

    fn block(&self, label: LabelId) -> Result<u32, String> {
        let block = self.labels[label.0 as usize];
        if block == UNLINKED { Err(self.body.labels[label.0 as usize].to_string()) } else { Ok(block) }
    }

    /// The blocks of a `.branchtargets` table.
    fn targets(&self, statement: usize) -> Result<Vec<u32>, String> {
        let Some(Operand::Symbol(name, 0)) = self.operand(statement, 1) else { return Err(String::new()) };
        let Some((_, table)) = self.body.tables.iter().find(|(table, _)| table == name) else {
            return Err(name.to_string());
        };
        let block = |target: &Target| match target {
            Target::Label(label) => self.block(*label),
            Target::Function(name) => Err(name.to_string()),
        };
        table.iter().map(block).collect()
    }
}
