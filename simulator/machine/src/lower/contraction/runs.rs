//! Straight runs of code as an assembler has them when it contracts, and who accesses a register in them.
use crate::lower::analyses::liveness;
use crate::lower::control_flow::flow::{Flow, FlowBlock, FlowEnd};
use ptx::isa::{Opcode, contraction};
use ptx::tree::{Body, Instruction, Module, RegisterId};
use std::cell::OnceCell;
use std::collections::HashSet;

const NONE: u32 = u32::MAX;

/// One access to a register, sorted by register and place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    register: u32,
    place: u32,
    pub how: u8,
    pub statement: u32,
}

impl Access {
    pub const READ: u8 = 0;
    /// A write that a guard may skip.
    pub const PARTLY: u8 = 1;
    pub const KILL: u8 = 2;
}

/// Straight runs of code, one after the other.
pub struct StraightRuns<'a, 't> {
    module: &'a Module<'t>,
    body: &'a Body<'t>,
    /// Statements in the order of the runs.
    pub order: Vec<u32>,
    /// By statement: its place in that order.
    pub place: Vec<u32>,
    /// The first place after each run, and the runs that follow it.
    runs: Vec<(u32, Vec<u32>)>,
    accesses: Vec<Access>,
    /// By statement: nothing that an assembler keeps needs its result.
    idle: Vec<bool>,
    /// Loops that may be unrolled: their first and last run, and whether they may be as a whole.
    loops: Vec<(u32, u32, bool)>,
    constant: OnceCell<Vec<bool>>,
    /// Constants decide on a branch, which an assembler takes out.
    folds: bool,
}

impl<'a, 't> StraightRuns<'a, 't> {
    pub fn new(module: &'a Module<'t>, body: &'a Body<'t>, flow: &Flow) -> StraightRuns<'a, 't> {
        let count = body.statements.len();
        let (order, place, runs) = (Vec::with_capacity(count), vec![NONE; count], Vec::new());
        let (accesses, idle, loops) = (Vec::with_capacity(2 * count), vec![false; count], Vec::new());
        let (constant, folds) = (OnceCell::new(), false);
        let mut all = StraightRuns { module, body, order, place, runs, accesses, idle, loops, constant, folds };
        all.find_idle();
        let run_of = all.cut(flow);
        all.list();
        all.find_loops(flow, &run_of);
        all
    }

    pub fn opcode(&self, instruction: &Instruction) -> &'a Opcode<'t> {
        &self.module.opcodes[instruction.opcode.0 as usize]
    }

    /// Finds the computations that an assembler takes out: those that lead to no store, branch or other effect.
    fn find_idle(&mut self) {
        let (mut read, mut names) = (vec![false; self.body.registers.len()], Vec::new());
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for statement in (0..self.body.statements.len()).rev() {
                let Some(instruction) = self.body.instruction(statement) else { continue };
                names.clear();
                let opcode = self.opcode(instruction);
                let (writes, _) = liveness::registers(opcode, self.body, instruction, &mut names);
                let (results, sources) = names.split_at(usize::from(writes));
                self.idle[statement] = opcode.is_pure() && !results.iter().any(|&result| read[result as usize]);
                for &source in sources.iter().filter(|_| !self.idle[statement]) {
                    changed |= !std::mem::replace(&mut read[source as usize], true);
                }
            }
        }
    }

    /// Strings blocks together: one that goes on with a block that nothing else leads to, also over a block of idle computations.
    /// By block: its first run.
    fn cut(&mut self, flow: &Flow) -> Vec<u32> {
        let mut entries = vec![0u32; flow.blocks.len()];
        let successors: Vec<Vec<u32>> = flow.blocks.iter().map(|block| block.end.successors()).collect();
        for (from, next) in successors.iter().enumerate() {
            for (at, &next) in next.iter().enumerate() {
                entries[next as usize] += u32::from(!successors[from][..at].contains(&next));
            }
        }
        let over = |block: u32, to: u32| {
            let empty = flow.blocks[block as usize]
                .statements
                .clone()
                .all(|statement| self.idle[statement] || self.body.instruction(statement).is_none());
            let stays = flow.blocks[block as usize].end.statement().is_some_and(|statement| self.splits(statement));
            empty
                && !stays
                && successors[block as usize] == [to]
                && entries[block as usize] == 1
                && entries[to as usize] == 2
        };
        let follows = |block: usize| match (&flow.blocks[block].end, &successors[block][..]) {
            (FlowEnd::Through(statement, _), _) if self.splits(*statement) => None,
            (_, &[next]) => Some(next).filter(|&next| entries[next as usize] == 1 && next != 0),
            (_, &[next, other]) if next == other => Some(next).filter(|&next| entries[next as usize] == 1),
            (_, &[next, other]) if over(next, other) => Some(other),
            (_, &[next, other]) if over(other, next) => Some(next),
            _ => None,
        };
        let follows: Vec<Option<u32>> = (0..flow.blocks.len()).map(follows).collect();
        let followed: HashSet<u32> = follows.iter().flatten().copied().collect();
        let (mut first, mut ends) = (vec![NONE; flow.blocks.len()], Vec::new());
        for start in (0..flow.blocks.len() as u32).filter(|start| !followed.contains(start)) {
            let mut block = start;
            loop {
                first[block as usize] = self.runs.len() as u32;
                let FlowBlock { statements, end, .. } = &flow.blocks[block as usize];
                for statement in statements.clone().chain(end.statement()) {
                    self.place[statement] = self.order.len() as u32;
                    self.order.push(statement as u32);
                    if self.splits(statement) {
                        let next = self.runs.len() as u32 + 1;
                        self.runs.push((self.order.len() as u32, vec![next]));
                    }
                }
                match follows[block as usize] {
                    Some(next) => block = next,
                    None => break,
                }
            }
            ends.push((self.runs.len(), block));
            self.runs.push((self.order.len() as u32, Vec::new()));
        }
        for (run, block) in ends {
            self.runs[run].1 = successors[block as usize].iter().map(|&next| first[next as usize]).collect();
        }
        first
    }

    fn splits(&self, statement: usize) -> bool {
        self.body.instruction(statement).is_some_and(|instruction| {
            contraction::makes_branches(self.opcode(instruction), instruction.guard.is_some())
        })
    }

    fn list(&mut self) {
        let mut names = Vec::new();
        for (place, &statement) in self.order.iter().enumerate() {
            let Some(instruction) = self.body.instruction(statement as usize) else { continue };
            names.clear();
            let (writes, _) = liveness::registers(self.opcode(instruction), self.body, instruction, &mut names);
            let write = if instruction.guard.is_some() { Access::PARTLY } else { Access::KILL };
            self.accesses.extend(names.iter().enumerate().map(|(at, &register)| {
                let how = if at < usize::from(writes) { write } else { Access::READ };
                Access { register, place: place as u32, how, statement }
            }));
        }
        self.accesses.sort_unstable();
    }

    fn of(&self, register: RegisterId) -> &[Access] {
        let start = self.accesses.partition_point(|access| access.register < register.0);
        let length = self.accesses[start..].partition_point(|access| access.register == register.0);
        &self.accesses[start..start + length]
    }

    /// The accesses to a register after a statement of its run, up to the run's end or the first write that no guard may skip.
    pub fn after(&self, register: RegisterId, statement: usize) -> impl Iterator<Item = Access> {
        let (place, end) = (self.place[statement], self.end(statement));
        let all = self.of(register);
        let all = &all[all.partition_point(|access| access.place <= place)..];
        let until = all.iter().position(|access| access.how == Access::KILL).map_or(all.len(), |at| at + 1);
        all[..until].iter().copied().take_while(move |access| access.place < end)
    }

    fn run(&self, statement: usize) -> usize {
        let place = self.place[statement];
        self.runs.partition_point(|run| run.0 <= place)
    }

    fn end(&self, statement: usize) -> u32 {
        self.runs[self.run(statement)].0
    }

    /// Returns whether something reads, in later runs, the value that a register has at the end of a statement's run.
    pub fn is_read_after(&self, register: RegisterId, statement: usize) -> bool {
        let all = self.of(register);
        let (mut seen, mut open) = (HashSet::new(), self.runs[self.run(statement)].1.clone());
        if self.after(register, statement).any(|access| access.how == Access::KILL) {
            return false;
        }
        while let Some(run) = open.pop() {
            if !seen.insert(run) {
                continue;
            }
            let start = if run == 0 { 0 } else { self.runs[run as usize - 1].0 };
            let here = &all[all.partition_point(|access| access.place < start)..];
            let mut here = here.iter().take_while(|access| access.place < self.runs[run as usize].0);
            match here.find(|access| access.how == Access::KILL || !self.is_idle(access.statement as usize)) {
                Some(access) if access.how == Access::READ => return true,
                Some(access) if access.how == Access::KILL => {}
                _ => open.extend(&self.runs[run as usize].1),
            }
        }
        false
    }

    /// The statements that read a register.
    pub fn readers(&self, register: RegisterId) -> impl Iterator<Item = usize> {
        self.of(register).iter().filter(|access| access.how == Access::READ).map(|access| access.statement as usize)
    }

    /// Returns whether something writes a register from a statement on and before a place.
    pub fn is_written(&self, register: RegisterId, from: usize, before: u32) -> bool {
        let range = self.place[from]..before;
        self.of(register).iter().any(|access| access.how != Access::READ && range.contains(&access.place))
    }

    /// Returns whether a register has the same value whatever the memory holds, which an assembler computes itself.
    pub fn is_constant(&self, register: RegisterId) -> bool {
        self.constant.get_or_init(|| self.of_constants())[register.0 as usize]
    }

    /// Returns whether an assembler takes a statement out, because nothing needs what it computes.
    pub fn is_idle(&self, statement: usize) -> bool {
        self.idle[statement]
    }

    /// Returns whether the unrolling of a loop, or the end of a branch on constants, would put a product and a sum into one run.
    pub fn may_join(&self, product: usize, sum: usize) -> bool {
        let (from, to) = (self.run(product) as u32, self.run(sum) as u32);
        if self.folds && from != to {
            return true;
        }
        let within = |&(first, last, _): &(u32, u32, bool), run: u32| (first..=last).contains(&run);
        self.loops.iter().any(|one| match (within(one, from), within(one, to)) {
            (true, true) => self.place[sum] <= self.place[product],
            (false, false) => false,
            _ => one.2,
        })
    }

    /// Finds the loops by their edges backwards. A loop goes away as a whole where only constants decide on its end.
    fn find_loops(&mut self, flow: &Flow, run_of: &[u32]) {
        let forwards = |(at, block): (usize, &FlowBlock)| match block.end {
            FlowEnd::Branch { guard, taken, next, .. } if taken.min(next) as usize > at => {
                self.is_constant(guard.register)
            }
            _ => false,
        };
        self.folds = flow.blocks.iter().enumerate().any(forwards);
        for (last, block) in flow.blocks.iter().enumerate() {
            for first in block.end.successors().into_iter().filter(|&first| first as usize <= last) {
                let header = flow.blocks[first as usize].statements.start;
                if self.body.not_unrolled.contains(&header) {
                    continue;
                }
                let inside = first as usize..last + 1;
                let ends = flow.blocks[inside.clone()].iter().filter_map(|block| match block.end {
                    FlowEnd::Branch { guard, taken, next, .. } => {
                        let leaves = [taken, next].iter().any(|&to| !inside.contains(&(to as usize)));
                        leaves.then(|| self.is_constant(guard.register))
                    }
                    _ => None,
                });
                let whole = ends.into_iter().any(|whole| whole);
                let runs = || run_of[inside.clone()].iter().copied();
                let (first, last) = (runs().min().unwrap_or(0), runs().max().unwrap_or(0));
                self.loops.push((first, last, whole));
            }
        }
    }

    /// By register: whether constants alone decide on its values, from one turn of a loop to the next.
    fn of_constants(&self) -> Vec<bool> {
        let mut constant = vec![false; self.body.registers.len()];
        for access in self.accesses.iter().filter(|access| access.how != Access::READ) {
            constant[access.register as usize] = true;
        }
        let mut names = Vec::new();
        loop {
            let mut changed = false;
            for instruction in self.order.iter().filter_map(|&statement| self.body.instruction(statement as usize)) {
                names.clear();
                let opcode = self.opcode(instruction);
                let (writes, _) = liveness::registers(opcode, self.body, instruction, &mut names);
                let (results, sources) = names.split_at(usize::from(writes));
                let known = opcode.is_pure()
                    && !liveness::special(self.body, instruction)
                    && sources.iter().all(|&source| constant[source as usize]);
                for &result in results.iter().filter(|_| !known) {
                    changed |= std::mem::replace(&mut constant[result as usize], false);
                }
            }
            if !changed {
                return constant;
            }
        }
    }
}
