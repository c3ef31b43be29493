//! A warp of a multiprocessor that is played through: where in its trace it is, and when what it needs next is there.
use super::code::{Code, Instruction};
use super::draft::UNROLLED;
use super::stalls::Reason;
use super::trace::{Run, Touch, WarpTrace};
use crate::isa::machine::{Pipe, Unit};
use rustc_hash::FxHashMap;

/// When a register is ready, what is waited for until then, and the pipe whose own instructions have it at that time, others a clock later.
pub type Ready = (u64, Reason, Pipe);
/// Cycles from one pipe to another.
const CROSSING_CYCLES: u64 = 1;
/// The time of what nobody knows yet.
pub const NEVER: u64 = u64::MAX;
pub const BRANCH_CYCLES: u64 = 7;
/// More, where the lanes that go on are not those that came.
pub const PARTING_CYCLES: u64 = 24;

/// A warp that is under way.
pub struct Warp<'t> {
    pub trace: &'t WarpTrace,
    pub number: u64,
    pub block: usize,
    pub copy: u64,
    pub run: usize,
    /// The block that was run before, and whether it was one under a guard.
    before: Option<Run>,
    of_guarded: bool,
    pub lanes: u32,
    /// Index in the code of the basic block that is run.
    pub at: u32,
    pub end: u32,
    pub function: u32,
    /// Accesses that belong to basic blocks so far, and those of each turn of the one that is run.
    pub taken: usize,
    pub turns: Vec<std::ops::Range<usize>>,
    pub ready: u64,
    pub why: Reason,
    pub issued: u64,
    /// When what it has stored is there.
    pub stored: u64,
    /// When each group of its copies is there, and those that are in no group yet.
    pub groups: Vec<u64>,
    pub ungrouped: u64,
    pub registers: Vec<Ready>,
    /// Unit of the next instruction.
    pub unit: Unit,
}

impl<'t> Warp<'t> {
    /// At the beginning of what was followed; it may begin at a time.
    pub fn new(trace: &'t WarpTrace, block: usize, copy: u64, at: u64, codes: &FxHashMap<u32, Code>) -> Warp<'t> {
        let registers = codes.values().map(|code| code.registers).max().unwrap_or(0);
        Warp {
            trace,
            number: 0,
            block,
            copy,
            run: 0,
            before: None,
            of_guarded: false,
            lanes: 0,
            at: 0,
            end: 0,
            function: 0,
            taken: 0,
            turns: Vec::new(),
            ready: at,
            why: Reason::Selected,
            issued: at,
            stored: 0,
            groups: Vec::new(),
            ungrouped: 0,
            registers: vec![(0, Reason::Selected, Pipe::Other); registers],
            unit: Unit::Nothing,
        }
    }

    /// Goes to the next instruction that is issued, and finds when its operands are there. `false`: there is none.
    pub fn advance(&mut self, codes: &FxHashMap<u32, Code>) -> bool {
        loop {
            while self.at == self.end {
                let Some(&Run { function, block, lanes }) = self.trace.runs.get(self.run) else { return false };
                let code = &codes[&function];
                // The short block that all lanes have gone around is issued all the same.
                let before = self.before.take().filter(|before| before.function == function);
                let guarded = before.and_then(|before| code.guarded[before.block as usize]);
                if let Some(skipped) = guarded.filter(|&skipped| skipped != block) {
                    self.turns.clear();
                    let range = code.blocks[skipped as usize].clone();
                    (self.function, self.at, self.end) = (function, range.start, range.end);
                    continue;
                }
                self.run += 1;
                let again = before.is_some_and(|before| before.function == function && before.block == block);
                if again && code.polls[block as usize] {
                    self.before = before;
                    let sites = &code.sites[block as usize];
                    self.take_touches(sites);
                    continue;
                }
                self.before = Some(Run { function, block, lanes });
                // Into a guarded block and out of it nobody parts.
                let parts = guarded.is_none() && !std::mem::replace(&mut self.of_guarded, guarded.is_some());
                let parted = std::mem::replace(&mut self.lanes, lanes) != lanes;
                if parted && parts && self.run > 1 && self.ready != NEVER {
                    let ready = self.issued + BRANCH_CYCLES + PARTING_CYCLES;
                    if ready > self.ready {
                        (self.ready, self.why) = (ready, Reason::BranchResolving);
                    }
                }
                let mut range = code.blocks[block as usize].clone();
                let sites = &code.sites[block as usize];
                self.turns.clear();
                self.take_touches(sites);
                if let Some(unrolled) = &code.unrolled[block as usize] {
                    let same = |run: &Run| run.function == function && run.block == block && run.lanes == lanes;
                    let next = self.trace.runs.get(self.run..self.run + UNROLLED - 1);
                    if next.is_some_and(|next| next.iter().all(same)) {
                        for _ in 1..UNROLLED {
                            self.take_touches(sites);
                        }
                        self.run += UNROLLED - 1;
                        range = unrolled.clone();
                    }
                }
                (self.function, self.at, self.end) = (function, range.start, range.end);
            }
            let code = &codes[&self.function];
            let instruction: &Instruction = &code.instructions[self.at as usize];
            let mut ready: Ready = (0, Reason::Selected, Pipe::Other);
            let pipe = instruction.unit.pipe();
            for &register in code.reads(instruction) {
                let mut operand = self.registers[register as usize];
                if operand.2 != Pipe::Other && operand.2 != pipe && instruction.unit != Unit::Nothing {
                    operand.0 += CROSSING_CYCLES;
                }
                if operand.0 > ready.0 {
                    ready = operand;
                }
            }
            if instruction.unit == Unit::Nothing {
                for &register in code.writes(instruction) {
                    self.registers[register as usize] = ready;
                }
                self.at += 1;
                continue;
            }
            self.unit = instruction.unit;
            if ready.0 > self.ready {
                (self.ready, self.why) = (ready.0, ready.1);
            }
            return true;
        }
    }

    /// The accesses of a turn of the basic block that begins: those that come next and are of its sites, in the order of the text.
    fn take_touches(&mut self, sites: &std::ops::Range<u32>) {
        let start = self.taken;
        let of_block = self.trace.touches[start..].iter().scan(None, |last, touch| {
            let here = sites.contains(&touch.site) && last.is_none_or(|last| last < touch.site);
            *last = Some(touch.site);
            here.then_some(())
        });
        self.taken = start + of_block.count();
        self.turns.push(start..self.taken);
    }

    /// The access of an instruction that is run; `None`: its lanes are switched off.
    pub fn touch(&self, instruction: &Instruction) -> Option<Touch> {
        let turn = self.turns.get(usize::from(instruction.turn))?.clone();
        self.trace.touches[turn].iter().find(|touch| touch.site == instruction.site).copied()
    }
}
