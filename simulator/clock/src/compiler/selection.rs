//! A basic block's instructions as a machine has them: `ptxas` joins, splits, drops and unrolls some. Read off its code for `calibration.cu`.
use super::invariant::compared_before;
use crate::constants::UNROLLED;
use machine::program::{Function, Site};
use ptx::isa::joins::joins;
use ptx::isa::machine::Unit;
use rustc_hash::FxHashMap;

/// A machine instruction before it has its place.
#[derive(Clone, Debug)]
pub struct Unscheduled {
    pub unit: Unit,
    pub site: u32,
    pub turn: u8,
    /// True for an access to shared memory.
    pub shared: bool,
    /// True for a load of memory that nobody writes to.
    pub unwritten: bool,
    pub writes: Vec<u32>,
    /// For a load: registers of 32 bits that a value takes.
    pub words: usize,
    /// Loads of the text that it stands for.
    pub joined: u8,
    pub reads: Vec<u32>,
    /// Predicates that switch it off.
    pub guard: Vec<u32>,
    /// True if accesses to memory stay on their side of it.
    pub ordered: bool,
}

impl Unscheduled {
    /// An instruction of a unit that nothing depends on.
    pub fn alone(unit: Unit, site: u32) -> Unscheduled {
        Unscheduled {
            unit,
            site,
            turn: 0,
            shared: false,
            unwritten: false,
            writes: Vec::new(),
            words: 1,
            joined: 1,
            reads: Vec::new(),
            guard: Vec::new(),
            ordered: false,
        }
    }
}

/// Sites of a region, and the predicates that they are issued under.
pub struct Part {
    pub sites: Vec<u32>,
    pub guard: Vec<u32>,
}

/// True if a site loads a constant at an address that the text names: it is an operand of the instructions that take it.
pub fn is_operand(function: &Function, site: &Site) -> bool {
    site.opcode.is_constant() && function.reads(site).is_empty()
}

/// Facts about a function's registers, whichever of its blocks is selected.
pub struct Registers {
    /// By register: how often it is read.
    uses: Vec<u32>,
    /// Constants that the text moves to registers.
    moved: FxHashMap<u32, u32>,
    /// By site: whether it compares in each turn of a loop what stays the same.
    compared_before: Vec<bool>,
}

impl Registers {
    pub fn of(function: &Function) -> Registers {
        let mut uses = vec![0; function.registers_end()];
        let read = function.sites.iter().flat_map(|site| function.reads(site));
        read.for_each(|&register| uses[register as usize] += 1);
        let constant = |site: &&Site| site.opcode.moves() && !site.special && function.reads(site).is_empty();
        let moved = |site: &Site| Some((*function.writes(site).first()?, site.offset as u32));
        let moved = function.sites.iter().filter(constant).filter_map(moved).collect();
        Registers { uses, moved, compared_before: compared_before(function) }
    }
}

/// The earlier instruction of the block that one becomes a part of, and the units that the two then take together.
fn joined(
    function: &Function,
    registers: &Registers,
    draft: &[Unscheduled],
    made: &FxHashMap<u32, usize>,
    facts: &Site,
) -> Option<(usize, Vec<Unit>)> {
    let reads = function.reads(facts);
    joins(&facts.opcode, |of| {
        let single = |register: &&u32| registers.uses[**register as usize] == 1 && made.contains_key(*register);
        let maker = |register: &u32| made[register];
        let candidate = |at: &usize| {
            let own: &Unscheduled = &draft[*at];
            own.unit != Unit::Nothing
                && own.writes.len() == 1
                && !function.sites[own.site as usize].guarded
                && of(&function.sites[own.site as usize].opcode)
        };
        reads.iter().filter(single).map(maker).find(candidate)
    })
}

/// The other half of a product of 64 bits, where it was made in the block and nothing since needs what this one reads.
fn other_half(
    function: &Function,
    registers: &Registers,
    draft: &[Unscheduled],
    (facts, guard): (&Site, &[u32]),
    half: bool,
) -> Option<usize> {
    let reads = function.reads(facts);
    let wanted = factors(function, facts, &registers.moved);
    let is_other = |own: &Unscheduled| {
        let found = &function.sites[own.site as usize];
        found.opcode.half_of_product() == Some(half)
            && factors(function, found, &registers.moved) == wanted
            && own.guard == *guard
            && !(found.guarded || facts.guarded)
            && own.writes.len() == 1
            && own.unit == Unit::Multiply
    };
    let at = draft.iter().rposition(is_other)?;
    draft[at + 1..].iter().all(|own| own.writes.iter().all(|register| !reads.contains(register))).then_some(at)
}

/// The instructions of a region in the order of the text.
pub fn select(
    function: &Function,
    parts: &[Part],
    registers: &Registers,
    fresh: &mut u32,
    loops: bool,
) -> Vec<Unscheduled> {
    let sites = || parts.iter().flat_map(|part| part.sites.iter().map(move |&site| (site, &part.guard)));
    let written: Vec<u32> =
        sites().flat_map(|(site, _)| function.writes(&function.sites[site as usize]).to_vec()).collect();
    let mut divisors: Vec<u32> = Vec::new();
    let mut constants: Option<i64> = None;
    let mut draft: Vec<Unscheduled> = Vec::with_capacity(sites().count());
    // By register: the instruction of this block that made it.
    let mut made: FxHashMap<u32, usize> = FxHashMap::default();
    // By sum of 64 bits that was made in this block: its lower half, for which alone the next sum's lower half waits.
    let mut lower: FxHashMap<u32, u32> = FxHashMap::default();
    for (site, guard) in sites() {
        let facts = &function.sites[site as usize];
        let (writes, reads) = (function.writes(facts).to_vec(), function.reads(facts).to_vec());
        let mut units: Vec<Unit> = facts.units().to_vec();
        // The comparison for a branch stays where it stands: a branch waits as long in any case.
        let is_guard = |register: &u32| parts.iter().any(|part| part.guard.contains(register));
        if registers.compared_before[site as usize] && writes.iter().all(is_guard) {
            units = vec![Unit::Nothing];
        }
        if is_operand(function, facts) {
            // Two words that lie side by side come together.
            let pair = Some(facts.offset >> 3);
            units = vec![if std::mem::replace(&mut constants, pair) == pair { Unit::Nothing } else { Unit::Constant }];
        }
        let joined = joined(function, registers, &draft, &made, facts);
        if let Some((at, unit)) = joined {
            // The earlier one costs nothing any more, and hands on when its operands are ready.
            let first = draft[at].site;
            draft.iter_mut().filter(|part| part.site == first).for_each(|part| part.unit = Unit::Nothing);
            units = unit;
        }
        if let Some(other) = facts.opcode.half_of_product()
            && let Some(at) = other_half(function, registers, &draft, (facts, guard), !other)
        {
            let first = draft[at].site;
            draft[..at].iter_mut().filter(|own| own.site == first).for_each(|own| own.unit = Unit::Nothing);
            draft[at].unit = Unit::Wide;
            draft[at].writes.extend(&writes);
            made.extend(writes.iter().map(|&register| (register, at)));
            continue;
        }
        // The reciprocal of a divisor is found once.
        if let Some(found) = facts.opcode.of_the_divisor()
            && let [_, divisor] = reads[..]
        {
            if divisors.contains(&divisor) || loops && !written.contains(&divisor) {
                units.drain(..found);
            }
            divisors.push(divisor);
        }
        let last = units.len() - 1;
        let in_halves = units[..] == [Unit::Add, Unit::Add];
        let lower_half = *fresh;
        for (part, unit) in units.into_iter().enumerate() {
            // A value that is handed on inside of a chain has a register of its own.
            let own = if part == last { writes.clone() } else { vec![*fresh] };
            let sources = match part {
                0 if in_halves => reads.iter().map(|register| *lower.get(register).unwrap_or(register)).collect(),
                0 => reads.clone(),
                _ if in_halves => [&[lower_half], &reads[..]].concat(),
                _ => vec![*fresh - 1],
            };
            *fresh += u32::from(part != last);
            draft.push(Unscheduled {
                unit,
                site,
                turn: 0,
                shared: facts.opcode.is_shared(),
                unwritten: facts.opcode.is_unwritten(),
                writes: own,
                words: facts.element_bytes.div_ceil(4).max(1) as usize,
                joined: 1,
                reads: sources,
                guard: guard.clone(),
                ordered: false,
            });
        }
        for &register in &writes {
            made.insert(register, draft.len() - 1);
            match in_halves {
                true => lower.insert(register, lower_half),
                false => lower.remove(&register),
            };
        }
    }
    draft
}

/// The factors of a product: registers, and a constant, which the text has in its place or moves to a register.
fn factors(function: &Function, site: &Site, moved: &FxHashMap<u32, u32>) -> (Vec<u32>, u32) {
    let mut constant = site.offset as u32;
    let mut registers = function.reads(site).to_vec();
    if let Some(at) = registers.iter().position(|register| moved.contains_key(register)) {
        constant = moved[&registers.remove(at)];
    }
    registers.sort_unstable();
    (registers, constant)
}

/// Words that are loaded from shared memory after each other are one load: four that begin at a multiple of 16 bytes, two at one of 8.
/// `low`: the low four bits that any address of an instruction has.
pub fn join_loads(function: &Function, draft: &mut Vec<Unscheduled>, low: &dyn Fn(u32) -> u8) {
    let site = |own: &Unscheduled| &function.sites[own.site as usize];
    let word = |own: &Unscheduled| {
        let site = site(own);
        own.unit == Unit::Memory
            && site.opcode.is_shared_word()
            && !site.guarded
            && own.guard.is_empty()
            && own.writes.len() == 1
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
            // The store may change what is loaded.
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
        for words in [4, 2] {
            // The part that lies at a multiple of so many words, and those after it.
            let bytes = words * 4;
            let begins = |part: &&(i64, usize)| low(draft[part.1].site) & (bytes as u8 - 1) == 0;
            let Some(begin) = parts.iter().find(begins).map(|part| part.0) else { continue };
            for group in 0..parts.len() as i64 {
                let there = |word| parts.iter().find(|part| part.0 == begin + group * bytes + word * 4);
                let wanted: Vec<usize> =
                    (0..words).filter_map(there).map(|part| part.1).filter(|&at| !gone[at]).collect();
                if wanted.len() < words as usize || wanted.iter().any(|&at| draft[at].writes.len() > 1) {
                    continue;
                }
                let leader = wanted.iter().copied().min().unwrap_or(first);
                let writes = wanted.iter().flat_map(|&at| draft[at].writes.clone()).collect();
                wanted.iter().filter(|&&at| at != leader).for_each(|&at| gone[at] = true);
                draft[leader].writes = writes;
                draft[leader].joined = words as u8;
            }
        }
    }
    let mut gone = gone.into_iter();
    draft.retain(|_| !gone.next().unwrap_or(false));
}

/// Several turns of a loop as one block: with a name of its own for what each turn but the last makes, and one branch.
pub fn unroll(draft: &[Unscheduled], fresh: &mut u32) -> Vec<Unscheduled> {
    let mut names: FxHashMap<u32, u32> = FxHashMap::default();
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
            let guard = own.guard.iter().map(|register| names.get(register).copied().unwrap_or(*register)).collect();
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
            turns.push(Unscheduled { turn: turn as u8, writes, reads, guard, ..own.clone() });
        }
    }
    turns
}
