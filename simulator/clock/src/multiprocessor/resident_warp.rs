//! A warp of a multiprocessor that is played through: where in its trace it is, and when what it needs next is there.
use crate::analytic::stalls::Reason;
use crate::compiler::code::{Code, Instruction, Region};
use crate::constants::{BRANCH_CYCLES, CROSSING_CYCLES, GUARD_CYCLES, MOST_AHEAD, PARTING_CYCLES, UNROLLED};
use crate::listeners::acts::Act;
use crate::listeners::warp_trace::{Run, Touch, WarpTrace};
use ptx::isa::machine::{Pipe, Unit};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// When a register is ready, what is waited for until then, and the pipe whose own instructions have it at that time, others a clock later.
pub type Ready = (u64, Reason, Pipe);
/// The time of what nobody knows yet.
pub const NEVER: u64 = u64::MAX;

/// How long a warp that has all it needs has waited for its unit.
#[derive(Clone, Copy, Default)]
pub struct Throttled {
    pub cycles: u64,
    until: u64,
}

impl Throttled {
    /// The unit is seen to be busy from now on until then. It may have been seen before.
    pub fn wait(&mut self, now: u64, until: u64) {
        self.cycles += until.saturating_sub(now.max(self.until));
        self.until = self.until.max(until);
    }
}

/// A warp that is under way.
pub struct Warp<'t> {
    pub trace: &'t WarpTrace,
    pub number: u64,
    pub block: usize,
    pub copy: u64,
    pub run: usize,
    /// The region that was run before: its function and first block.
    before: Option<(u32, u32)>,
    pub lanes: u32,
    /// Index in the code of the basic block that is run.
    pub at: u32,
    pub end: u32,
    pub function: u32,
    /// Of that function.
    pub code: &'t Code,
    /// Accesses that belong to basic blocks so far, and those of each turn of the one that is run.
    pub taken: usize,
    pub turns: Vec<std::ops::Range<usize>>,
    /// The place in its turn of the access behind the one that was looked for last.
    behind_last: usize,
    /// The run that each of these turns begins with, of a warp that did something at barriers.
    runs_of_turns: Vec<usize>,
    pub ready: u64,
    pub why: Reason,
    pub issued: u64,
    /// When what it has stored is there.
    pub stored: u64,
    /// When each group of its copies is there, and those that are in no group yet.
    pub groups: Vec<u64>,
    pub ungrouped: u64,
    /// The same of its products with three other warps.
    pub products: Vec<u64>,
    pub ungrouped_products: u64,
    pub registers: Vec<Ready>,
    /// Unit of the next instruction.
    pub unit: Unit,
    pub throttled: Throttled,
    /// Instructions of the text that one of the machine stands for where it is, and those of what was passed without any.
    pub each: f64,
    pub passed: f64,
}

impl<'t> Warp<'t> {
    /// At the beginning of what was followed, which has a run; it may begin at a time.
    pub fn new(
        trace: &'t WarpTrace,
        block: usize,
        copy: u64,
        at: u64,
        codes: &'t FxHashMap<u32, Arc<Code>>,
    ) -> Warp<'t> {
        let registers = codes.values().map(|code| code.registers).max().unwrap_or(0);
        Warp {
            trace,
            number: 0,
            block,
            copy,
            run: 0,
            before: None,
            lanes: 0,
            at: 0,
            end: 0,
            function: trace.runs[0].function,
            code: &codes[&trace.runs[0].function],
            taken: 0,
            turns: Vec::new(),
            behind_last: 0,
            runs_of_turns: Vec::new(),
            ready: at,
            why: Reason::Selected,
            issued: at,
            stored: 0,
            groups: Vec::new(),
            ungrouped: 0,
            products: Vec::new(),
            ungrouped_products: 0,
            registers: vec![(0, Reason::Selected, Pipe::Other); registers],
            unit: Unit::Nothing,
            throttled: Throttled::default(),
            each: 0.0,
            passed: 0.0,
        }
    }

    /// Goes to the next instruction that is issued, and finds when its operands are there. `false`: there is none.
    pub fn advance(&mut self, codes: &'t FxHashMap<u32, Arc<Code>>) -> bool {
        loop {
            while self.at == self.end {
                if !self.enter(codes) {
                    return false;
                }
            }
            let code = self.code;
            let instruction: &Instruction = &code.instructions[self.at as usize];
            let mut ready: Ready = (0, Reason::Selected, Pipe::Other);
            let pipe = instruction.unit.pipe();
            for &register in code.reads(instruction) {
                let mut operand = self.registers[register as usize];
                operand.0 += match operand.2 {
                    _ if instruction.unit == Unit::Nothing => 0,
                    Pipe::Other => 0,
                    Pipe::Comparison if instruction.takes_predicates => 0,
                    Pipe::Comparison => GUARD_CYCLES,
                    from if from == pipe => 0,
                    _ => CROSSING_CYCLES,
                };
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

    /// Goes to the region that its next basic block begins. `false`: there is none.
    fn enter(&mut self, codes: &'t FxHashMap<u32, Arc<Code>>) -> bool {
        let Some(&Run { function, block, lanes }) = self.trace.runs.get(self.run) else { return false };
        if function != self.function {
            (self.function, self.code) = (function, &codes[&function]);
        }
        let code = self.code;
        let again = self.before.replace((function, block)) == Some((function, block));
        self.turns.clear();
        self.runs_of_turns.clear();
        let region = &code.regions[block as usize];
        if again && code.polls[block as usize] {
            self.follow(code, region);
            return true;
        }
        if std::mem::replace(&mut self.lanes, lanes) != lanes && self.run > 0 && self.ready != NEVER {
            let ready = self.issued + BRANCH_CYCLES + PARTING_CYCLES;
            if ready > self.ready {
                (self.ready, self.why) = (ready, Reason::BranchResolving);
            }
        }
        self.follow(code, region);
        let mut range = region.once.clone();
        if let Some(unrolled) = &region.unrolled {
            let mut end = self.run;
            let same = |run: &Run| run.function == function && run.block == block && run.lanes == lanes;
            let turns = (1..UNROLLED).take_while(|_| {
                let next = self.trace.runs.get(end).is_some_and(same);
                end = if next { self.behind(end, region) } else { end };
                next
            });
            if turns.count() + 1 == UNROLLED {
                (1..UNROLLED).for_each(|_| self.follow(code, region));
                range = unrolled.clone();
            }
        }
        let issued = code.issued(&range);
        self.each = if issued > 0 { std::mem::take(&mut self.passed) / f64::from(issued) } else { 0.0 };
        (self.at, self.end) = (range.start, range.end);
        true
    }

    /// The run behind those of a region that begins with one.
    fn behind(&self, first: usize, region: &Region) -> usize {
        let runs = &self.trace.runs;
        let mut end = first + 1;
        for member in &region.members[1..] {
            // Lanes may go either way first.
            let with = |block: u32| match member.under {
                None => block == member.block,
                under => region.members.iter().any(|other| other.under == under && other.block == block),
            };
            match runs.get(end) {
                Some(run) if with(run.block) && run.function == runs[first].function => end += 1,
                _ if member.under.is_some() => {}
                _ => break,
            }
        }
        end
    }

    /// Takes a region's runs and their accesses as one turn.
    fn follow(&mut self, code: &Code, region: &Region) {
        let (first, end) = (self.run, self.behind(self.run, region));
        let start = self.taken;
        for at in first..end {
            let Run { block, lanes, .. } = self.trace.runs[at];
            self.passed += code.sites[block as usize].len() as f64;
            self.take_touches(&code.sites[block as usize]);
            if region.members.iter().any(|member| member.block == block && member.under.is_none()) {
                self.lanes = lanes;
            }
        }
        self.run = end;
        self.turns.push(start..self.taken);
        if !self.trace.acts.is_empty() {
            self.runs_of_turns.push(first);
        }
    }

    /// The accesses of a basic block that begins: those that come next and are of its sites, in the order of the text.
    fn take_touches(&mut self, sites: &std::ops::Range<u32>) {
        let of_block = self.trace.touches[self.taken..].iter().scan(None, |last, touch| {
            let here = sites.contains(&touch.site) && last.is_none_or(|last| last < touch.site);
            *last = Some(touch.site);
            here.then_some(())
        });
        self.taken += of_block.count();
    }

    /// What it does at barriers with the next instruction, and the bulk copies that it asks for by it. Asking again and again it finds a
    /// phase over in the last of the runs that ask.
    pub fn acts(&self) -> &'t [Act] {
        let instruction = &self.code.instructions[self.at as usize];
        let all = &self.trace.acts;
        if !instruction.acts || all.is_empty() {
            return &[];
        }
        let turn = usize::from(instruction.turn);
        let Some(&first) = self.runs_of_turns.get(turn) else { return &[] };
        let mut end = self.runs_of_turns.get(turn + 1).copied().unwrap_or(self.run);
        if instruction.polls {
            let asks = |run: &&Run| {
                run.function == self.function && self.code.sites[run.block as usize].contains(&instruction.site)
            };
            end += self.trace.runs[end..].iter().take_while(asks).count();
        }
        let acts = &all[all.partition_point(|act| (act.run as usize) < first)..];
        let acts = &acts[..acts.partition_point(|act| (act.run as usize) < end)];
        let Some(first) = acts.iter().position(|act| act.site == instruction.site) else { return &[] };
        let count = acts[first..].iter().take_while(|act| (act.run, act.site) == (acts[first].run, acts[first].site));
        &acts[first..][..count.count()]
    }

    /// Whether the next instruction is a store.
    pub fn stores(&self) -> bool {
        self.unit == Unit::Memory && self.code.writes(&self.code.instructions[self.at as usize]).is_empty()
    }

    /// The access of an instruction that is run; `None`: its lanes are switched off. Most lie behind the one before, in their turn or another.
    pub fn touch(&mut self, instruction: &Instruction) -> Option<Touch> {
        let of_site = |touch: &Touch| touch.site == instruction.site;
        if instruction.ahead {
            let next = self.trace.touches[self.taken..].iter().take(MOST_AHEAD);
            return next.copied().find(of_site).map(|touch| touch.joined(instruction.joined));
        }
        let touches = &self.trace.touches[self.turns.get(usize::from(instruction.turn))?.clone()];
        let (before, behind) = touches.split_at_checked(self.behind_last).unwrap_or((touches, &[]));
        let place = match behind.iter().position(of_site) {
            Some(place) => before.len() + place,
            None => before.iter().position(of_site)?,
        };
        self.behind_last = place + 1;
        Some(touches[place].joined(instruction.joined))
    }
}
