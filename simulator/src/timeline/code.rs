//! A function's machine code, roughly as `ptxas` would make it: what an estimate of a kernel's time needs of it and no more.
//!
//! Instructions of the text that cost nothing are dropped (moves, parameters, address spaces), those that a machine has one instruction
//! for are joined (multiply and add, shift and add, three-way additions and logic), those that it has none for become several, and each
//! basic block is put in an order that gives loads a head start.
use super::draft::{Draft, MOST_UNROLLED, MOST_UNROLLED_WITH_LOADS, draft, join_loads, unroll};
use super::issue_order::schedule;
use super::uniform;
use crate::isa::Class;
use crate::isa::machine::Unit;
use crate::isa::opcode::{awaits_groups, is_shared, is_sum, polls};
use crate::program::{BarrierKind, BasicBlock, BlockId, End, Function, Site};
use std::ops::Range;

/// One machine instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub unit: Unit,
    /// Of the instruction of the text that it comes from.
    pub site: u32,
    /// In [`Code::operands`]: registers that it writes, then those that it reads.
    operands: u32,
    writes: u16,
    reads: u16,
    /// Different registers that it reads.
    pub ports: u8,
    /// Of an unrolled loop.
    pub turn: u8,
    /// Of [`Unit::Await`]: groups that may be under way still.
    pub open: u8,
}

/// The code of one function.
#[derive(Debug, Default)]
pub struct Code {
    pub instructions: Vec<Instruction>,
    operands: Vec<u32>,
    /// Instructions of each basic block.
    pub blocks: Vec<Range<u32>>,
    /// Instructions of the text of each basic block.
    pub sites: Vec<Range<u32>>,
    /// By basic block: the short one behind it that lanes go around, and that is issued under a guard for all of them.
    pub guarded: Vec<Option<u32>>,
    /// Blocks that ask again and again whether a barrier's phase has ended: how often depends on the order in which warps ran.
    pub polls: Vec<bool>,
    /// Those of [`UNROLLED`](super::draft::UNROLLED) turns of a block that is a loop by itself.
    pub unrolled: Vec<Option<Range<u32>>>,
    pub registers: usize,
    /// By register: whether it is a constant or a parameter, which instructions read without a register.
    constant: Vec<bool>,
}

impl Code {
    /// Of a function. `aligned`: whether the addresses of an instruction's lanes are multiples of 16, which `ptxas` knows of words that lie
    /// behind each other in arrays.
    pub fn new(function: &Function, aligned: &dyn Fn(u32) -> bool) -> Code {
        let mut uses = Vec::new();
        for site in &function.sites {
            for &register in function.reads(site) {
                count(&mut uses, register);
            }
        }
        let most = function.registers.iter().max().map_or(0, |&register| register as usize + 1);
        uses.resize(most, 0);
        let mut code = Code::default();
        code.registers = most;
        code.constant = vec![true; code.registers];
        for site in &function.sites {
            if !function.reads(site).is_empty() || site.units() != [Unit::Nothing] {
                function.writes(site).iter().for_each(|&register| code.constant[register as usize] = false);
            }
        }
        let uniform = uniform::registers(function);
        for block in &function.blocks {
            let mut fresh = most as u32;
            let mut draft = draft(function, block.sites.clone(), &uses, &mut fresh, loops(function, &code, block));
            code.fold_addresses(function, &mut draft);
            join_loads(function, &mut draft, aligned);
            let whole_block = matches!(&block.end, End::Barrier(barrier) if barrier.count.is_none() && barrier.kind != BarrierKind::Arrive);
            for own in
                draft.iter_mut().filter(|own| own.unit == Unit::Barrier && !(whole_block && own.site == block.site))
            {
                own.unit = Unit::Control;
            }
            let loops = loops(function, &code, block);
            let guarded = if loops { None } else { guarded(function, block) };
            let last = draft.len().saturating_sub(1);
            if let (End::Branch { .. }, false, Some(branch)) = (&block.end, loops, draft.last().cloned()) {
                let parts = branch.reads.iter().any(|&register| !uniform[register as usize]);
                match guarded {
                    // There is no branch.
                    Some(_) => draft[last].unit = Unit::Nothing,
                    // Where lanes will meet again is noted before, and they wait there.
                    None if parts => draft
                        .splice(last..last, [(); 2].map(|()| Draft { reads: Vec::new(), ..branch.clone() }))
                        .for_each(drop),
                    None => {}
                }
            }
            code.polls.push(
                function.sites[block.sites.start as usize..block.sites.end as usize]
                    .iter()
                    .any(|site| polls(&site.text)),
            );
            code.guarded.push(guarded);
            code.sites.push(block.sites.clone());
            let issued = draft.iter().filter(|own| own.unit != Unit::Nothing).count();
            let waits = draft.iter().any(|own| matches!(own.unit, Unit::Memory | Unit::Detour));
            let most = if waits { MOST_UNROLLED_WITH_LOADS } else { MOST_UNROLLED };
            let turns = (loops && issued <= most && counts(function, block)).then(|| unroll(&draft, &mut fresh));
            let range = code.emit(function, &draft);
            code.blocks.push(range);
            let range = turns.map(|turns| code.emit(function, &turns));
            code.unrolled.push(range);
            code.registers = code.registers.max(fresh as usize);
        }
        code
    }

    /// A shared array's address plus an offset is an operand of the access itself.
    fn fold_addresses(&self, function: &Function, draft: &mut [Draft]) {
        let shared = |own: &Draft| own.unit == Unit::Memory && is_shared(&function.sites[own.site as usize].text);
        for at in 0..draft.len() {
            let own = &draft[at];
            let text = &*function.sites[own.site as usize].text;
            let adds = own.unit == Unit::Add && is_sum(text) && own.reads.len() == 2;
            if !adds || !own.reads.iter().any(|&register| self.constant[register as usize]) {
                continue;
            }
            let made = own.writes.clone();
            let mut users =
                draft.iter().enumerate().filter(|(_, user)| user.reads.iter().any(|register| made.contains(register)));
            if users.all(|(place, user)| place > at && shared(user)) {
                draft[at].unit = Unit::Nothing;
            }
        }
    }

    /// Appends a block's instructions in the order of their issue.
    fn emit(&mut self, function: &Function, draft: &[Draft]) -> Range<u32> {
        let start = self.instructions.len() as u32;
        for index in schedule(draft) {
            let Draft { unit, site, turn, writes, reads, .. } = &draft[index];
            let operands = self.operands.len() as u32;
            self.operands.extend(writes);
            self.operands.extend(reads);
            let open = if *unit == Unit::Await { open(&function.sites[*site as usize]) } else { 0 };
            let constant = |register: u32| self.constant.get(register as usize).is_some_and(|&constant| constant);
            let mut ports: Vec<u32> = reads.iter().copied().filter(|&register| !constant(register)).collect();
            ports.sort_unstable();
            ports.dedup();
            // A value of 64 bits lies in two registers.
            let width = if *unit == Unit::Fp64 { 2 } else { 1 };
            let (ports, turn) = (ports.len() as u8 * width, *turn);
            let (writes, reads) = (writes.len() as u16, reads.len() as u16);
            self.instructions.push(Instruction {
                unit: *unit,
                site: *site,
                operands,
                writes,
                reads,
                ports,
                turn,
                open,
            });
        }
        start..self.instructions.len() as u32
    }

    /// Registers that an instruction writes.
    pub fn writes(&self, instruction: &Instruction) -> &[u32] {
        &self.operands[instruction.operands as usize..][..instruction.writes as usize]
    }

    /// Registers that it reads.
    pub fn reads(&self, instruction: &Instruction) -> &[u32] {
        &self.operands[instruction.operands as usize + instruction.writes as usize..][..instruction.reads as usize]
    }
}

/// How many groups of copies may be under way when a wait for them ends.
fn open(site: &Site) -> u8 {
    if awaits_groups(&site.text) { site.offset.clamp(0, 255) as u8 } else { 0 }
}

/// Whether a block, the next one of the code, is a loop by itself.
fn loops(function: &Function, code: &Code, block: &BasicBlock) -> bool {
    let own = BlockId(code.blocks.len() as u32);
    match block.end {
        End::Branch { taken, next, .. } => (through(function, taken) == own) != (through(function, next) == own),
        _ => false,
    }
}

/// The block behind a block that is short enough for a guard instead of a branch around it.
fn guarded(function: &Function, block: &BasicBlock) -> Option<u32> {
    let End::Branch { taken, next, .. } = block.end else { return None };
    let around = |short: BlockId, other: BlockId| {
        let BasicBlock { sites, end, .. } = &function.blocks[short.0 as usize];
        let few = sites.len() <= MOST_GUARDED;
        let plain = function.sites[sites.start as usize..sites.end as usize].iter().all(|site| {
            let slow = site.units().contains(&Unit::Detour);
            !slow && !matches!(site.class, Class::Barrier | Class::Warp | Class::Matrix)
        });
        let leads = matches!(end, End::Jump(to) if *to == other || through(function, *to) == other);
        (few && plain && leads).then_some(short.0)
    };
    around(next, taken).or_else(|| around(taken, next))
}

/// Instructions of a block that is guarded, at the most.
const MOST_GUARDED: usize = 8;

/// Whether a loop's branch compares what grows by a constant in each turn: what `ptxas` unrolls.
fn counts(function: &Function, block: &BasicBlock) -> bool {
    let sites = &function.sites[block.sites.start as usize..block.sites.end as usize];
    let maker = |register: u32| sites.iter().rev().find(|site| function.writes(site).contains(&register));
    let Some(branch) = sites.last() else { return false };
    let grows =
        |register: &u32| maker(*register).is_some_and(|site| is_sum(&site.text) && function.reads(site) == [*register]);
    let compared = function.reads(branch).last().and_then(|&predicate| maker(predicate));
    compared.is_some_and(|site| function.reads(site).iter().any(grows))
}

/// The block that a block without instructions leads to.
fn through(function: &Function, block: BlockId) -> BlockId {
    let BasicBlock { sites, end, .. } = &function.blocks[block.0 as usize];
    match end {
        End::Jump(next) if sites.is_empty() => *next,
        _ => block,
    }
}

fn count(uses: &mut Vec<u32>, register: u32) {
    if uses.len() <= register as usize {
        uses.resize(register as usize + 1, 0);
    }
    uses[register as usize] += 1;
}
