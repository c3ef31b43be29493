//! A function's machine code, roughly as `ptxas` would make it, as far as an estimate of a kernel's time needs it.
//!
//! Instructions of the text that cost nothing are dropped (moves, parameters, address spaces), those that a machine has one instruction
//! for are joined (multiply and add, shift and add, three-way additions and logic), those that it has none for become several, and each
//! basic block is put in an order that gives loads a head start.
use super::hoist::{Hoisted, hoisted};
use super::issue_order::schedule;
use super::pressure;
use super::regions::{Member, leads_back, regions};
use super::selection::{Part, Registers, Unscheduled, is_operand, join_loads, select, unroll};
use super::uniform;
use crate::cards::Architecture;
use crate::constants::{MOST_UNROLLED, MOST_UNROLLED_WITH_GUARDS, MOST_UNROLLED_WITH_LOADS, SETUP, SETUP_OF_SHARED};
use machine::program::{BarrierKind, BasicBlock, End, Function, Site};
use ptx::isa::Class;
use ptx::isa::machine::{Pipe, Unit};
use std::ops::Range;

/// One machine instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub unit: Unit,
    /// The instruction of the text that it comes from.
    pub site: u32,
    /// In [`Code::operands`]: registers that it writes, then those that it reads.
    operands: u32,
    writes: u16,
    reads: u16,
    /// Different registers that it reads.
    pub ports: u8,
    /// The part of these that the instruction before reads too.
    pub kept: u8,
    /// The pipe that its result comes out of.
    pub pipe: Pipe,
    /// True if predicates are operands of it, and not guards.
    pub takes_predicates: bool,
    /// The turn of an unrolled loop that it belongs to.
    pub turn: u8,
    /// For [`Unit::Await`]: groups that may be under way still.
    pub open: u8,
    /// True for an access to shared memory.
    pub shared: bool,
    /// The loads of the text that it stands for.
    pub joined: u8,
    /// True if its instruction of the text stands in a block that is run later.
    pub ahead: bool,
    /// Cost of a product of matrices for tensor units, in multiply-adds of 16-bit elements.
    pub tensor_fmas: u32,
    /// True for a product of four warps and for instructions that belong to one; and the bytes of shared memory that all four read for it.
    pub of_four: bool,
    pub shared_bytes: u32,
    /// True if it may be noted in [`WarpTrace::acts`](crate::listeners::warp_trace::WarpTrace::acts); and true if it asks whether a phase is over.
    pub acts: bool,
    pub polls: bool,
}

/// The code of basic blocks that are run as one.
#[derive(Clone, Debug)]
pub struct Region {
    pub members: Vec<Member>,
    /// Its instructions.
    pub once: Range<u32>,
    /// Those of [`UNROLLED`](crate::constants::UNROLLED) turns, of a region that is a loop by itself.
    pub unrolled: Option<Range<u32>>,
}

/// Facts about a function that are found before its regions have their code.
struct Known {
    registers: Registers,
    /// By register: whether all lanes of a warp have the same in it.
    uniform: Vec<bool>,
    /// By basic block: registers for loads that are under way.
    under_way: Vec<usize>,
    hoisted: Hoisted,
    /// True if constants go through registers of the warp, as on Hopper and later cards: on others they are operands.
    loads_constants: bool,
    /// Instructions by which the kernel begins, beside those of its text.
    setup: usize,
}

/// The code of one function.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub instructions: Vec<Instruction>,
    /// How many of those before each one are issued, and of all.
    issued: Vec<u32>,
    operands: Vec<u32>,
    /// By basic block: the region that begins with it.
    pub regions: Vec<Region>,
    /// Instructions of the text of each basic block.
    pub sites: Vec<Range<u32>>,
    /// Blocks that ask again and again whether a barrier's phase has ended: how often depends on the order in which warps ran.
    pub polls: Vec<bool>,
    pub registers: usize,
    /// By register: whether it is a constant or a parameter, which instructions read without a register.
    constant: Vec<bool>,
}

impl Code {
    /// The code of a function for cards of a generation. `low`: the low four bits that any address of an instruction's lanes has. `ptxas` knows how words in arrays are
    /// aligned.
    pub fn new(a: &Architecture, function: &Function, low: &dyn Fn(u32) -> u8) -> Code {
        let registers = Registers::of(function);
        let most = function.registers_end();
        let mut code = Code::default();
        code.registers = most;
        code.constant = vec![true; code.registers];
        for site in &function.sites {
            if site.by_thread
                || !is_operand(function, site) && (!function.reads(site).is_empty() || site.units() != [Unit::Nothing])
            {
                function.writes(site).iter().for_each(|&register| code.constant[register as usize] = false);
            }
        }
        let uniform = uniform::registers(function);
        let under_way = pressure::open(a, function, &code.constant, &uniform);
        code.polls = function.blocks.iter().map(|block| any_polls(function, block)).collect();
        code.sites = function.blocks.iter().map(|block| block.sites.clone()).collect();
        let length = |block: &BasicBlock| {
            let part = Part { sites: block.sites.clone().collect(), guard: Vec::new() };
            let issued = |own: &Unscheduled| !matches!(own.unit, Unit::Nothing | Unit::Control);
            select(function, &[part], &registers, &mut (most as u32), false).into_iter().filter(issued).count()
        };
        let found = regions(function, &length);
        let hoisted = hoisted(function, &found, &under_way);
        let loads_constants = a.compute_capability.0 >= 9;
        let setup = setup(function, loads_constants);
        let known = Known { registers, uniform, under_way, hoisted, loads_constants, setup };
        for members in found {
            let region = code.region(function, members, &known, low);
            code.regions.push(region);
        }
        code.count();
        code
    }

    /// The same without the instructions of some sites.
    pub fn without(&self, is_gone: impl Fn(u32) -> bool) -> Code {
        let mut code = self.clone();
        code.instructions.iter_mut().filter(|own| is_gone(own.site)).for_each(|own| own.unit = Unit::Nothing);
        code.count();
        code
    }

    fn count(&mut self) {
        let counts = self.instructions.iter().scan(0, |before, own| {
            *before += u32::from(own.unit != Unit::Nothing);
            Some(*before)
        });
        self.issued = std::iter::once(0).chain(counts).collect();
    }

    fn region(&mut self, function: &Function, members: Vec<Member>, known: &Known, low: &dyn Fn(u32) -> u8) -> Region {
        let Known { registers, uniform, under_way, hoisted, loads_constants, setup } = known;
        let mut fresh = self.registers as u32;
        let block = |number: u32| &function.blocks[number as usize];
        // The predicates of a block's branch.
        let asked = |number: u32| {
            let branch = &function.sites[block(number).site as usize];
            function.reads(branch).to_vec()
        };
        let kept = |number: u32| block(number).sites.clone().filter(|&site| !hoisted.gone[site as usize]).collect();
        let mut parts: Vec<Part> = members
            .iter()
            .map(|member| Part { sites: kept(member.block), guard: member.under.map(asked).unwrap_or_default() })
            .collect();
        let ahead = &hoisted.into[members[0].block as usize];
        if let (false, Some(Part { sites, .. })) = (ahead.is_empty(), parts.last_mut()) {
            let branch = sites.len() - 1;
            sites.splice(branch..branch, ahead.iter().copied());
        }
        let plain = members.iter().rev().find(|member| member.under.is_none());
        let head = members[0].block;
        let end = block(plain.map_or(head, |member| member.block));
        let open = members.last().is_some_and(|member| member.under.is_some());
        let loops = !open && leads_back(function, end, head);
        let mut draft = select(function, &parts, registers, &mut fresh, loops);
        for own in draft.iter_mut().filter(|own| own.unit == Unit::Constant && !loads_constants) {
            own.unit = Unit::Nothing;
        }
        self.fold_addresses(function, &mut draft);
        join_loads(function, &mut draft, low);
        let whole_block =
            matches!(&end.end, End::Barrier(barrier) if barrier.count.is_none() && barrier.kind != BarrierKind::Arrive);
        for own in draft.iter_mut().filter(|own| own.unit == Unit::Barrier && !(whole_block && own.site == end.site)) {
            (own.unit, own.ordered) = (Unit::Control, true);
        }
        // Inside of a region there are no branches.
        let last = members.last().map_or(head, |member| member.block);
        let inner: Vec<u32> = members
            .iter()
            .filter(|member| member.block != last || open)
            .map(|member| block(member.block))
            .filter(|block| matches!(block.end, End::Branch { .. } | End::Jump(_)))
            .map(|block| block.site)
            .collect();
        for own in draft.iter_mut().filter(|own| own.unit == Unit::Control && inner.contains(&own.site)) {
            own.unit = Unit::Nothing;
        }
        if let (End::Branch { .. }, false, false, Some(branch)) = (&end.end, loops, open, draft.last().cloned())
            && branch.reads.iter().any(|&register| !uniform[register as usize])
        {
            // Where lanes will meet again is noted before, and they wait there.
            let last = draft.len() - 1;
            draft
                .splice(last..last, [(); 2].map(|()| Unscheduled { reads: Vec::new(), ..branch.clone() }))
                .for_each(drop);
        }
        if let (0, Some(first)) = (head, draft.first()) {
            let begins = Unscheduled::alone(Unit::Setup, first.site);
            draft.splice(0..0, std::iter::repeat_n(begins, *setup)).for_each(drop);
        }
        let issued = draft.iter().filter(|own| own.unit != Unit::Nothing).count();
        let waits = draft.iter().any(|own| matches!(own.unit, Unit::Memory | Unit::Detour));
        let guarded = draft.iter().any(|own| !own.guard.is_empty());
        let waits_under_guard = draft.iter().any(|own| own.unit == Unit::Memory && !own.guard.is_empty());
        let most = match (waits, guarded) {
            _ if waits_under_guard => 0,
            (true, true) => MOST_UNROLLED_WITH_GUARDS,
            (true, false) => MOST_UNROLLED_WITH_LOADS,
            (false, _) => MOST_UNROLLED,
        };
        let may_unroll = loops && !block(head).not_unrolled;
        let counted = loops && counts(function, end);
        let turns = (may_unroll && issued <= most && counted).then(|| unroll(&draft, &mut fresh));
        // The counter of turns is compared long before its branch.
        let early = counts(function, end).then_some(end.site);
        let most_open = under_way[head as usize];
        let once = self.emit(function, &draft, early, most_open);
        for own in &mut self.instructions[once.start as usize..] {
            own.ahead = ahead.contains(&own.site);
        }
        let unrolled = turns.map(|turns| self.emit(function, &turns, early, most_open));
        self.registers = self.registers.max(fresh as usize);
        Region { members, once, unrolled }
    }

    /// A shared array's address plus an offset is an operand of the access itself.
    fn fold_addresses(&self, function: &Function, draft: &mut [Unscheduled]) {
        let shared =
            |own: &Unscheduled| own.unit == Unit::Memory && function.sites[own.site as usize].opcode.is_shared();
        for at in 0..draft.len() {
            let own = &draft[at];
            let adds =
                own.unit == Unit::Add && function.sites[own.site as usize].opcode.is_sum() && own.reads.len() == 2;
            // The register between the halves of a sum is no register of the text.
            let constant = |register: &u32| self.constant.get(*register as usize).copied();
            let of_text = own.reads.iter().all(|register| constant(register).is_some());
            if !adds || !of_text || !own.reads.iter().any(|register| constant(register) == Some(true)) {
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

    /// Appends a block's instructions in the order of their issue. `early`: the branch whose predicate is there long before it. `most_open`:
    /// registers for loads under way.
    fn emit(&mut self, function: &Function, draft: &[Unscheduled], early: Option<u32>, most_open: usize) -> Range<u32> {
        let start = self.instructions.len() as u32;
        let mut before: Vec<u32> = Vec::new();
        for index in schedule(draft, most_open) {
            let Unscheduled { unit, site, turn, shared, joined, writes, reads, guard, .. } = &draft[index];
            let operands = self.operands.len() as u32;
            self.operands.extend(writes);
            self.operands.extend(reads);
            self.operands.extend(guard);
            let open = if *unit == Unit::Await { open(&function.sites[*site as usize]) } else { 0 };
            let constant = |register: u32| self.constant.get(register as usize).is_some_and(|&constant| constant);
            let mut ports: Vec<u32> = reads.iter().copied().filter(|&register| !constant(register)).collect();
            ports.sort_unstable();
            ports.dedup();
            // A value of 64 bits lies in two registers.
            let width = if *unit == Unit::Fp64 { 2 } else { 1 };
            let kept = ports.iter().filter(|register| before.contains(register)).count() as u8 * width;
            if *unit != Unit::Nothing {
                before.clone_from(&ports);
            }
            let (ports, turn) = (ports.len() as u8 * width, *turn);
            let facts = &function.sites[*site as usize];
            let of_four = facts.opcode.work.is_of_four_warps();
            // Beside its sums it has a description of each operand and a predicate, or four registers of A.
            let a_in_registers = facts.reads > facts.writes + 4;
            let pipe = if facts.opcode.compares() { Pipe::Comparison } else { unit.pipe() };
            let (writes, reads) = (writes.len() as u16, (reads.len() + guard.len()) as u16);
            self.instructions.push(Instruction {
                unit: *unit,
                site: *site,
                operands,
                writes,
                reads,
                // Tensor units have the sums to themselves until a wait for them.
                ports: if of_four { 0 } else { ports },
                kept: if of_four { 0 } else { kept },
                pipe,
                takes_predicates: facts.opcode.work.takes_predicates() || early == Some(*site),
                turn,
                open,
                shared: *shared,
                joined: *joined,
                ahead: false,
                tensor_fmas: facts.tensor_fmas,
                of_four,
                shared_bytes: if of_four { facts.opcode.shared_bytes_of_product(a_in_registers) } else { 0 },
                acts: matches!(facts.class, Class::Async | Class::Barrier),
                polls: facts.opcode.polls(),
            });
        }
        start..self.instructions.len() as u32
    }

    /// How many instructions of a range are issued.
    pub fn issued(&self, range: &Range<u32>) -> u32 {
        self.issued[range.end as usize] - self.issued[range.start as usize]
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

/// Instructions by which a kernel begins that its text does not have or that are moves there: its stack's place, the description of its memory,
/// special registers, and on Hopper and later cards parameters and the place of shared arrays. Read off `ptxas`'s code for 40 kernels.
fn setup(function: &Function, loads_constants: bool) -> usize {
    if !function.is_entry {
        return 0;
    }
    let special = function.sites.iter().filter(|site| site.special).count();
    let parameters = function.sites.iter().filter(|site| site.opcode.is_parameter() && !site.call_parameter).count();
    let shared = if function.shared_symbols.is_empty() { 0 } else { SETUP_OF_SHARED };
    SETUP + special + if loads_constants { parameters + shared } else { 0 }
}

/// How many groups of copies may be under way when a wait for them ends.
fn open(site: &Site) -> u8 {
    if site.opcode.work.awaits_groups() { site.offset.clamp(0, 255) as u8 } else { 0 }
}

/// True for a block that polls a barrier's phase.
fn any_polls(function: &Function, block: &BasicBlock) -> bool {
    function.sites[block.sites.start as usize..block.sites.end as usize].iter().any(|site| site.opcode.polls())
}

/// True if a loop's branch compares a value that grows by a constant in each turn: such loops `ptxas` unrolls.
fn counts(function: &Function, block: &BasicBlock) -> bool {
    let sites = &function.sites[block.sites.start as usize..block.sites.end as usize];
    let maker = |register: u32| sites.iter().rev().find(|site| function.writes(site).contains(&register));
    let Some(branch) = sites.last() else { return false };
    let grows = |register: &u32| {
        maker(*register).is_some_and(|site| site.opcode.is_sum() && function.reads(site) == [*register])
    };
    let compared = function.reads(branch).last().and_then(|&predicate| maker(predicate));
    compared.is_some_and(|site| function.reads(site).iter().any(grows))
}

#[cfg(test)]
mod tests {
    use crate::compiler::issued::{count, first};
    use ptx::isa::machine::Unit;

    #[test]
    fn a_kernel_begins_with_its_parameters_and_special_registers() {
        // The stack's place, the description of memory, three parameters and %tid.
        assert_eq!(count(&first(""), Unit::Setup), 6);
        assert_eq!(count(&first("mov.u32 %n, %ctaid.x;"), Unit::Setup), 7);
        assert_eq!(count(&first("mov.u32 %n, 7;"), Unit::Setup), 6);
    }

    #[test]
    fn both_halves_of_a_product_are_one_instruction() {
        let units = |body: &str| first(&format!("{body} st.global.v2.u32 [%a], {{%n, %j}};"));
        let halves = units("mul.hi.u32 %j, %i, 0xd2511f53; mul.lo.s32 %n, %i, 0xd2511f53;");
        assert_eq!((count(&halves, Unit::Wide), count(&halves, Unit::Multiply)), (1, 0), "{halves:?}");
        let moved = units("mov.u32 %m, 0xd2511f53; mul.lo.u32 %n, %i, 0xd2511f53; mul.hi.u32 %j, %i, %m;");
        assert_eq!((count(&moved, Unit::Wide), count(&moved, Unit::Multiply)), (1, 0), "{moved:?}");
        let others = units("mul.hi.u32 %j, %i, 0xd2511f53; mul.lo.u32 %n, %i, 0xcd9e8d57;");
        assert_eq!((count(&others, Unit::Wide), count(&others, Unit::Multiply)), (0, 3), "{others:?}");
        let between = units("mul.hi.u32 %j, %i, 3000000000; add.u32 %i, %i, 5; mul.lo.u32 %n, %i, 3000000000;");
        assert_eq!(count(&between, Unit::Wide), 0, "{between:?}");
    }
}
