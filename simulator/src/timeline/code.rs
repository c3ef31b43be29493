//! A function's machine code, roughly as `ptxas` would make it: what an estimate of a kernel's time needs of it and no more.
//!
//! Instructions of the text that cost nothing are dropped (moves, parameters, address spaces), those that a machine has one instruction
//! for are joined (multiply and add, shift and add, three-way additions and logic), those that it has none for become several, and each
//! basic block is put in an order that gives loads a head start.
use super::uniform;
use super::units::{self, Unit, units};
use crate::isa::Class;
use crate::program::{BarrierKind, BasicBlock, BlockId, End, Function, Site};
use std::cmp::Reverse;
use std::collections::BTreeSet;
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
    /// Those of [`UNROLLED`] turns of a block that is a loop by itself.
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
            if !function.reads(site).is_empty() || units(site) != [Unit::Nothing] {
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
            let polls =
                |site: &Site| site.text.starts_with("mbarrier.test_wait") || site.text.starts_with("mbarrier.try_wait");
            code.polls.push(function.sites[block.sites.start as usize..block.sites.end as usize].iter().any(polls));
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
        let shared =
            |own: &Draft| own.unit == Unit::Memory && function.sites[own.site as usize].text.contains(".shared");
        for at in 0..draft.len() {
            let own = &draft[at];
            let text = &*function.sites[own.site as usize].text;
            let adds = own.unit == Unit::Add && text.starts_with("add.") && own.reads.len() == 2;
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
    if site.text.starts_with("cp.async.wait_group") { site.offset.clamp(0, 255) as u8 } else { 0 }
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
            let slow = units(site).contains(&Unit::Detour);
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
    let grows = |register: &u32| {
        maker(*register).is_some_and(|site| site.text.starts_with("add.") && function.reads(site) == [*register])
    };
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

#[derive(Clone, Debug)]
struct Draft {
    unit: Unit,
    site: u32,
    turn: u8,
    /// Of an access: whether it is to shared memory.
    shared: bool,
    writes: Vec<u32>,
    reads: Vec<u32>,
}

/// The instructions of a basic block in the order of the text.
fn draft(function: &Function, sites: Range<u32>, uses: &[u32], fresh: &mut u32, loops: bool) -> Vec<Draft> {
    let written: Vec<u32> =
        sites.clone().flat_map(|site| function.writes(&function.sites[site as usize]).to_vec()).collect();
    let mut divisors: Vec<u32> = Vec::new();
    let mut draft: Vec<Draft> = Vec::with_capacity(sites.len());
    // By register: the instruction of this block that made it.
    let mut made: rustc_hash::FxHashMap<u32, usize> = rustc_hash::FxHashMap::default();
    for site in sites {
        let facts = &function.sites[site as usize];
        let (writes, reads) = (function.writes(facts).to_vec(), function.reads(facts).to_vec());
        let mut units: Vec<Unit> = units(facts).to_vec();
        let joined = joins(&facts.text, |of| {
            let single = |register: &&u32| uses[**register as usize] == 1 && made.contains_key(*register);
            let maker = |register: &u32| made[register];
            let candidate = |at: &usize| {
                let own: &Draft = &draft[*at];
                own.unit != Unit::Nothing
                    && !function.sites[own.site as usize].guarded
                    && of(&function.sites[own.site as usize].text)
            };
            reads.iter().filter(single).map(maker).find(candidate)
        });
        if let Some((at, unit)) = joined {
            // The earlier one costs nothing any more, and hands on when its operands are ready.
            let first = draft[at].site;
            draft.iter_mut().filter(|part| part.site == first).for_each(|part| part.unit = Unit::Nothing);
            units = unit;
        }
        // The reciprocal of a divisor is found once.
        if let Some(found) = units::of_the_divisor(&facts.text)
            && let [_, divisor] = reads[..]
        {
            if divisors.contains(&divisor) || loops && !written.contains(&divisor) {
                units.drain(..found);
            }
            divisors.push(divisor);
        }
        let last = units.len() - 1;
        for (part, unit) in units.into_iter().enumerate() {
            // What hands a value on inside of a chain is a register of its own.
            let own = if part == last { writes.clone() } else { vec![*fresh] };
            let sources = if part == 0 { reads.clone() } else { vec![*fresh - 1] };
            *fresh += u32::from(part != last);
            draft.push(Draft {
                unit,
                site,
                turn: 0,
                shared: facts.text.contains(".shared"),
                writes: own,
                reads: sources,
            });
        }
        for &register in &writes {
            made.insert(register, draft.len() - 1);
        }
    }
    draft
}

/// Words that are loaded from shared memory behind each other are one load, where they begin at a multiple of 16 bytes.
fn join_loads(function: &Function, draft: &mut Vec<Draft>, aligned: &dyn Fn(u32) -> bool) {
    let site = |own: &Draft| &function.sites[own.site as usize];
    let word = |own: &Draft| {
        let site = site(own);
        let plain = own.unit == Unit::Memory && site.text.starts_with("ld.shared.") && site.text.ends_with("32");
        plain && !site.text.contains(".v") && !site.guarded && own.writes.len() == 1
    };
    let mut gone = vec![false; draft.len()];
    for first in 0..draft.len() {
        if gone[first] || !word(&draft[first]) {
            continue;
        }
        let (base, offset) = (draft[first].reads.clone(), site(&draft[first]).offset);
        let mut parts: Vec<(i64, usize)> = Vec::new();
        for other in first..draft.len() {
            let own = &draft[other];
            // What is stored may be what is loaded.
            if own.unit == Unit::Barrier || own.unit == Unit::Memory && own.writes.is_empty() {
                break;
            }
            if !gone[other] && word(own) && own.reads == base {
                parts.push((site(own).offset - offset, other));
            }
            if own.writes.iter().any(|register| base.contains(register)) {
                break;
            }
        }
        parts.sort_unstable();
        // The part that lies at a multiple of 16, and three behind it.
        let Some(start) = parts.iter().position(|&(_, at)| aligned(draft[at].site)) else { continue };
        let begin = parts[start].0;
        for group in 0..parts.len().div_ceil(4) as i64 {
            let wanted: Vec<usize> = (0..4)
                .filter_map(|word| parts.iter().find(|part| part.0 == begin + group * 16 + word * 4).map(|part| part.1))
                .collect();
            if wanted.len() < 4 {
                continue;
            }
            let leader = wanted[0].min(wanted[1]).min(wanted[2]).min(wanted[3]);
            let writes = wanted.iter().flat_map(|&at| draft[at].writes.clone()).collect();
            wanted.iter().filter(|&&at| at != leader).for_each(|&at| gone[at] = true);
            draft[leader].writes = writes;
        }
    }
    let mut gone = gone.into_iter();
    draft.retain(|_| !gone.next().unwrap_or(false));
}

/// Turns of a loop with a short body that `ptxas` puts behind each other: read off its code for `calibration.cu`.
pub const UNROLLED: usize = 4;
const MOST_UNROLLED: usize = 30;
const MOST_UNROLLED_WITH_LOADS: usize = 64;

/// Several turns of a loop as one block: with a name of its own for what each turn but the last makes, and one branch.
fn unroll(draft: &[Draft], fresh: &mut u32) -> Vec<Draft> {
    let mut names: rustc_hash::FxHashMap<u32, u32> = rustc_hash::FxHashMap::default();
    let mut turns = Vec::with_capacity(draft.len() * UNROLLED);
    for turn in 0..UNROLLED {
        let last = turn + 1 == UNROLLED;
        let branch = draft.last().filter(|own| own.unit == Unit::Control);
        for (at, own) in draft.iter().enumerate() {
            let counts = branch.is_some_and(|branch| branch.reads.iter().any(|register| own.writes.contains(register)));
            if !last && (counts || branch.is_some() && at + 1 == draft.len()) {
                continue;
            }
            let reads = own.reads.iter().map(|register| names.get(register).copied().unwrap_or(*register)).collect();
            let mut writes = own.writes.clone();
            for register in &mut writes {
                if last {
                    names.remove(register);
                } else {
                    names.insert(*register, *fresh);
                    *register = *fresh;
                    *fresh += 1;
                }
            }
            turns.push(Draft { turn: turn as u8, writes, reads, ..own.clone() });
        }
    }
    turns
}

/// What an instruction becomes together with the one that makes an operand of it, where a machine has one for both.
fn joins(text: &str, find: impl Fn(&dyn Fn(&str) -> bool) -> Option<usize>) -> Option<(usize, Vec<Unit>)> {
    let kind = text.rsplit('.').next().unwrap_or_default();
    let wide = kind.ends_with("64");
    let with = |of: &dyn Fn(&str) -> bool, units: &[Unit]| find(of).map(|at| (at, units.to_vec()));
    let is = |name: &'static str| move |text: &str| text.starts_with(name);
    let logic = |text: &str| ["and.b32", "or.b32", "xor.b32", "not.b32"].iter().any(|name| text.starts_with(name));
    if text.starts_with("add.") && matches!(kind, "u64" | "s64") {
        return with(&is("mul.wide"), &[Unit::Wide])
            .or_else(|| with(&is("shl.b64"), &[Unit::Integer, Unit::Add]))
            .or_else(|| {
                with(
                    &|text| text.starts_with("mul.lo") && text.ends_with("64"),
                    &[Unit::Multiply, Unit::Wide, Unit::Multiply, Unit::Integer],
                )
            });
    }
    if (text.starts_with("add.") || text.starts_with("sub.")) && matches!(kind, "u32" | "s32") {
        return with(&|text| text.starts_with("mul.lo") && text.ends_with("32"), &[Unit::Multiply])
            .or_else(|| with(&|text| text.starts_with("shl.b32") || text.starts_with("shf.l"), &[Unit::Integer]))
            .or_else(|| {
                with(
                    &|text| {
                        (text.starts_with("add.") || text.starts_with("sub."))
                            && text.ends_with("32")
                            && !text.ends_with("f32")
                    },
                    &[Unit::Integer],
                )
            });
    }
    if logic(text) && !wide {
        return with(&logic, &[Unit::Integer]);
    }
    None
}

/// Registers that a compiler leaves to loads under way before it takes the value of one of them.
const MOST_OPEN: usize = 16;

/// How soon after an instruction one that needs its result may follow, as the compiler sees it.
fn distance(unit: Unit) -> u32 {
    match unit {
        Unit::Nothing => 0,
        Unit::Memory => 200,
        Unit::Special | Unit::Shuffle => 20,
        Unit::Fp64 | Unit::Tensor => 8,
        _ => 4,
    }
}

/// The order in which a compiler issues a block: those first that most waits for, as soon as what they need was issued. Stores,
/// atomics, barriers and warp-wide instructions keep their order, and loads stay on their side of them.
fn schedule(draft: &[Draft]) -> Vec<usize> {
    let count = draft.len();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut waits = vec![0u32; count];
    let mut link = |from: usize, to: usize, after: &mut Vec<Vec<usize>>| {
        after[from].push(to);
        waits[to] += 1;
    };
    let mut writer: rustc_hash::FxHashMap<u32, usize> = rustc_hash::FxHashMap::default();
    let mut readers: rustc_hash::FxHashMap<u32, Vec<usize>> = rustc_hash::FxHashMap::default();
    // By memory: what later loads stay behind, and the loads since then. Stores to the one leave loads of the other alone.
    let mut fences: [Option<usize>; 2] = [None; 2];
    let mut loads: [Vec<usize>; 2] = Default::default();
    let mut last_ordered: Option<usize> = None;
    let mut wall: Option<usize> = None;
    for (at, own) in draft.iter().enumerate() {
        if at > 0 && draft[at - 1].site == own.site {
            link(at - 1, at, &mut after);
        }
        for register in &own.reads {
            if let Some(&from) = writer.get(register) {
                link(from, at, &mut after);
            }
            readers.entry(*register).or_default().push(at);
        }
        for register in &own.writes {
            for from in readers.remove(register).into_iter().flatten().filter(|&from| from != at) {
                link(from, at, &mut after);
            }
            if let Some(from) = writer.insert(*register, at)
                && from != at
            {
                link(from, at, &mut after);
            }
        }
        let ordered = match own.unit {
            Unit::Memory => own.writes.is_empty(),
            Unit::Barrier | Unit::Shuffle | Unit::Tensor | Unit::Copy | Unit::Commit | Unit::Await => true,
            Unit::Control => at + 1 == count,
            _ => false,
        };
        let load = own.unit == Unit::Memory && !ordered;
        let memories = match own.unit {
            Unit::Memory if own.shared => 0..1,
            Unit::Memory => 1..2,
            Unit::Shuffle => 0..0,
            Unit::Copy | Unit::Commit => 1..2,
            _ => 0..2,
        };
        for memory in memories.filter(|_| ordered || load) {
            if let Some(from) = fences[memory] {
                link(from, at, &mut after);
            }
            if ordered {
                loads[memory].drain(..).for_each(|from| link(from, at, &mut after));
                fences[memory] = Some(at);
            } else {
                loads[memory].push(at);
            }
        }
        if ordered && let Some(from) = last_ordered.replace(at) {
            link(from, at, &mut after);
        }
        // Nothing passes a place where the code may go another way.
        if let Some(from) = wall {
            link(from, at, &mut after);
        }
        if own.unit == Unit::Detour {
            (wall.map_or(0, |from| from + 1)..at).for_each(|from| link(from, at, &mut after));
            wall = Some(at);
        }
        if own.unit == Unit::Control && at + 1 == count {
            for from in 0..at {
                if after[from].is_empty() {
                    link(from, at, &mut after);
                }
            }
        }
    }
    let mut height = vec![0u32; count];
    for at in (0..count).rev() {
        let next = after[at].iter().map(|&next| height[next]).max().unwrap_or(0);
        height[at] = next + distance(draft[at].unit);
    }
    // Loads whose values nobody has taken yet hold registers.
    let mut opens: Vec<Vec<usize>> = vec![Vec::new(); count];
    let is_load = |at: usize| draft[at].unit == Unit::Memory && !draft[at].writes.is_empty();
    for at in (0..count).filter(|&at| is_load(at)) {
        after[at].iter().for_each(|&next| opens[next].push(at));
    }
    let mut open = vec![false; count];
    let mut ready: BTreeSet<(Reverse<u32>, usize)> =
        (0..count).filter(|&at| waits[at] == 0).map(|at| (Reverse(height[at]), at)).collect();
    let mut order = Vec::with_capacity(count);
    let mut held = 0;
    while let Some(&first) = ready.first() {
        let other = (held >= MOST_OPEN).then(|| ready.iter().find(|&&(_, at)| !is_load(at)).copied()).flatten();
        let chosen = other.unwrap_or(first);
        ready.remove(&chosen);
        let at = chosen.1;
        order.push(at);
        for &load in &opens[at] {
            held -= if std::mem::take(&mut open[load]) { draft[load].writes.len() } else { 0 };
        }
        if is_load(at) {
            open[at] = true;
            held += draft[at].writes.len();
        }
        for &next in &after[at] {
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.insert((Reverse(height[next]), next));
            }
        }
    }
    order
}
