//! The order in which a compiler issues a basic block.
use super::selection::Unscheduled;
use crate::constants::{
    ISSUES_BETWEEN_ACCESSES, ISSUES_OF_ARITHMETIC, ISSUES_OF_FP64, ISSUES_OF_GLOBAL, ISSUES_OF_SHARED,
    ISSUES_OF_SPECIAL, MOST_OPEN_OF_SHARED,
};
use ptx::isa::machine::Unit;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How soon after an instruction one that needs its result may follow, as the compiler sees it.
fn distance(own: &Unscheduled) -> u32 {
    match own.unit {
        Unit::Nothing | Unit::Setup => 0,
        // Nobody waits for what is stored.
        Unit::Memory if own.writes.is_empty() => 1,
        Unit::Memory if own.shared => ISSUES_OF_SHARED,
        Unit::Memory => ISSUES_OF_GLOBAL,
        Unit::Special | Unit::Shuffle | Unit::Constant => ISSUES_OF_SPECIAL,
        Unit::Fp64 | Unit::Tensor => ISSUES_OF_FP64,
        _ => ISSUES_OF_ARITHMETIC,
    }
}

/// Registers of 32 bits that a load's data take.
fn registers(load: &Unscheduled) -> usize {
    load.writes.len() * load.words
}

/// Which instructions of a block come after which.
struct Links {
    /// By instruction: those that come after it, and how many issues later at the soonest.
    after: Vec<Vec<(usize, u32)>>,
    /// By instruction: how many it comes after.
    waits: Vec<u32>,
}

impl Links {
    fn of(draft: &[Unscheduled]) -> Links {
        let mut links = Links { after: vec![Vec::new(); draft.len()], waits: vec![0; draft.len()] };
        links.by_registers(draft);
        links.by_memory(draft);
        links
    }

    fn add(&mut self, from: usize, to: usize, later: u32) {
        self.after[from].push((to, later));
        self.waits[to] += 1;
    }

    /// An instruction comes after who writes what it reads, and after who needs what it overwrites.
    fn by_registers(&mut self, draft: &[Unscheduled]) {
        let mut writer: FxHashMap<u32, usize> = FxHashMap::default();
        let mut readers: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (at, own) in draft.iter().enumerate() {
            if at > 0 && draft[at - 1].site == own.site {
                self.add(at - 1, at, distance(&draft[at - 1]));
            }
            for register in own.reads.iter().chain(&own.guard) {
                if let Some(&from) = writer.get(register) {
                    self.add(from, at, distance(&draft[from]));
                }
                readers.entry(*register).or_default().push(at);
            }
            for register in &own.writes {
                for from in readers.remove(register).into_iter().flatten().filter(|&from| from != at) {
                    self.add(from, at, 0);
                }
                if let Some(from) = writer.insert(*register, at)
                    && from != at
                {
                    self.add(from, at, 0);
                }
            }
        }
    }

    /// Accesses keep their order where it matters; nothing passes a branch.
    fn by_memory(&mut self, draft: &[Unscheduled]) {
        let count = draft.len();
        // By memory: the instruction that later loads come after, and the loads since then. Stores to the one leave loads of the other alone.
        let mut fences: [Option<usize>; 2] = [None; 2];
        let mut loads: [Vec<usize>; 2] = Default::default();
        let mut last_ordered: Option<usize> = None;
        let mut wall: Option<usize> = None;
        for (at, own) in draft.iter().enumerate() {
            let ordered = match own.unit {
                Unit::Memory => own.writes.is_empty(),
                Unit::Barrier | Unit::Shuffle | Unit::Tensor | Unit::Copy | Unit::Commit | Unit::Await => true,
                Unit::Control => own.ordered || at + 1 == count,
                _ => false,
            };
            let load = own.unit == Unit::Memory && !ordered;
            let memories = match own.unit {
                Unit::Memory if own.shared => 0..1,
                Unit::Memory if own.unwritten => 0..0,
                Unit::Memory => 1..2,
                Unit::Shuffle => 0..0,
                Unit::Copy | Unit::Commit => 1..2,
                _ => 0..2,
            };
            for memory in memories.filter(|_| ordered || load) {
                if let Some(from) = fences[memory] {
                    self.add(from, at, 0);
                }
                if ordered {
                    loads[memory].drain(..).for_each(|from| self.add(from, at, 0));
                    fences[memory] = Some(at);
                } else {
                    loads[memory].push(at);
                }
            }
            if ordered && let Some(from) = last_ordered.replace(at) {
                self.add(from, at, 0);
            }
            // Nothing passes a place where the code may go another way.
            if let Some(from) = wall {
                self.add(from, at, 0);
            }
            if own.unit == Unit::Detour {
                (wall.map_or(0, |from| from + 1)..at).for_each(|from| self.add(from, at, 0));
                wall = Some(at);
            }
            if own.unit == Unit::Control && at + 1 == count {
                for from in 0..at {
                    if self.after[from].is_empty() {
                        self.add(from, at, 0);
                    }
                }
            }
        }
    }
}

/// The order in which a compiler issues a block: that of the text, but for instructions whose operands it does not take for ready yet, which
/// others go past. Stores, atomics, barriers and warp-wide instructions keep their order, and loads stay on their side of them.
/// `most_open`: registers for loads under way, before it takes the value of one of them.
pub fn schedule(draft: &[Unscheduled], most_open: usize) -> Vec<usize> {
    let count = draft.len();
    let Links { after, mut waits } = Links::of(draft);
    // Loads whose values nobody has taken yet hold registers. Who writes to the register of an address only waits for the load to be issued.
    let mut opens: Vec<Vec<usize>> = vec![Vec::new(); count];
    let is_load = |at: usize| draft[at].unit == Unit::Memory && !draft[at].writes.is_empty();
    for at in (0..count).filter(|&at| is_load(at)) {
        let takers = after[at].iter().filter(|&&(_, later)| later > 0);
        takers.for_each(|&(next, _)| opens[next].push(at));
    }
    // There are few predicates: what is under a guard, and what that waits for, comes first.
    let mut patient = vec![true; count];
    for at in (0..count).rev() {
        let waited = after[at].iter().any(|&(next, later)| later > 0 && !patient[next]);
        patient[at] = draft[at].guard.is_empty() && !waited;
    }
    let mut under_guards = (0..count).filter(|&at| is_load(at) && !draft[at].guard.is_empty()).count();
    let mut open = vec![false; count];
    let mut when = vec![0u32; count];
    let mut ready: BTreeSet<(bool, usize)> = BTreeSet::new();
    let mut soon: BTreeSet<(u32, usize)> = (0..count).filter(|&at| waits[at] == 0).map(|at| (0, at)).collect();
    let mut order = Vec::with_capacity(count);
    let mut held = 0;
    let (mut now, mut accesses) = (0, 0);
    loop {
        while let Some(&(time, at)) = soon.first()
            && (time <= now || ready.is_empty())
        {
            soon.pop_first();
            now = now.max(time);
            ready.insert((patient[at], at));
        }
        // Data that were loaded under guards are stored when all such loads are under way.
        let is_early = |at: usize| {
            let own = &draft[at];
            under_guards > 0 && own.unit == Unit::Memory && own.writes.is_empty() && own.guard.is_empty()
        };
        let gives_way = |at: usize| {
            draft[at].unit == Unit::Memory && (now < accesses || held >= most_open && is_load(at)) || is_early(at)
        };
        // For loads from far away registers are worth more than a place in which nothing is issued.
        let is_too_many = |at: usize| {
            let most = if draft[at].shared { MOST_OPEN_OF_SHARED } else { most_open };
            is_early(at) || held >= most && is_load(at) && !soon.is_empty()
        };
        let first = |away: &dyn Fn(usize) -> bool| ready.iter().copied().find(|&(_, at)| !away(at));
        let Some(chosen) = first(&gives_way).or_else(|| first(&is_too_many)) else {
            match soon.first() {
                Some(&(time, _)) => now = time,
                None if ready.is_empty() => break,
                None => under_guards = 0,
            }
            continue;
        };
        ready.remove(&chosen);
        let at = chosen.1;
        order.push(at);
        for &load in &opens[at] {
            held -= if std::mem::take(&mut open[load]) { registers(&draft[load]) } else { 0 };
        }
        if is_load(at) {
            under_guards = under_guards.saturating_sub(usize::from(!draft[at].guard.is_empty()));
            open[at] = true;
            held += registers(&draft[at]);
        }
        for &(next, later) in &after[at] {
            waits[next] -= 1;
            when[next] = when[next].max(now + later);
            if waits[next] == 0 {
                soon.insert((when[next], next));
            }
        }
        if draft[at].unit == Unit::Memory {
            accesses = now + ISSUES_BETWEEN_ACCESSES;
        }
        now += u32::from(draft[at].unit != Unit::Nothing);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(site: u32, unit: Unit, shared: bool, writes: &[u32], reads: &[u32], guard: &[u32]) -> Unscheduled {
        let [writes, reads, guard] = [writes, reads, guard].map(<[u32]>::to_vec);
        Unscheduled { shared, writes, reads, guard, ..Unscheduled::alone(unit, site) }
    }

    /// A chain of so many additions from a register to the next ones, from a site on.
    fn chain(site: u32, from: u32, length: u32, guard: &[u32]) -> Vec<Unscheduled> {
        (0..length).map(|at| own(site + at, Unit::Add, false, &[from + at + 1], &[from + at], guard)).collect()
    }

    #[test]
    fn loads_go_past_stores_of_what_was_loaded() {
        let draft = [
            own(0, Unit::Memory, false, &[1], &[0], &[]),
            own(1, Unit::Memory, true, &[], &[9, 1], &[]),
            own(2, Unit::Memory, false, &[2], &[0], &[]),
            own(3, Unit::Memory, true, &[], &[9, 2], &[]),
        ];
        assert_eq!(schedule(&draft, 16), [0, 2, 1, 3]);
    }

    #[test]
    fn as_many_loads_go_ahead_of_a_chain_of_sums_as_there_are_registers_for() {
        // Pairs of loads, and of each a product that is added to the last one's sum.
        let ahead = |words: usize| {
            let pair = |pair: u32| {
                let load = |register| Unscheduled {
                    words,
                    ..own(3 * pair + register % 2, Unit::Memory, false, &[register], &[0], &[])
                };
                let (first, second) = (10 + 2 * pair, 11 + 2 * pair);
                let sum = own(3 * pair + 2, Unit::Fp64, false, &[101 + pair], &[first, second, 100 + pair], &[]);
                [load(first), load(second), sum]
            };
            let draft: Vec<Unscheduled> = (0..16).flat_map(pair).collect();
            let order = schedule(&draft, 16);
            order.iter().take_while(|&&at| draft[at].unit == Unit::Memory).count()
        };
        assert_eq!((ahead(1), ahead(2)), (16, 8));
    }

    #[test]
    fn a_load_whose_address_goes_on_keeps_its_register_until_its_value_is_taken() {
        let draft = [
            own(0, Unit::Memory, false, &[10], &[0], &[]),
            own(1, Unit::Memory, false, &[11], &[1], &[]),
            own(2, Unit::Memory, false, &[12], &[1], &[]),
            own(3, Unit::Add, false, &[0], &[0], &[]),
            own(4, Unit::Fp32, false, &[20], &[10, 11], &[]),
        ];
        assert_eq!(schedule(&draft, 2), [0, 3, 1, 4, 2]);
        assert_eq!(schedule(&draft, 3), [0, 3, 1, 2, 4]);
    }

    #[test]
    fn what_takes_long_to_come_to_its_load_is_after_the_first_store_unless_it_is_under_a_guard() {
        let order = |guard: &[u32]| {
            let mut draft =
                vec![own(0, Unit::Memory, false, &[1], &[0], guard), own(1, Unit::Memory, true, &[], &[9, 1], &[])];
            draft.extend(chain(2, 10, 12, guard));
            draft.push(own(14, Unit::Memory, false, &[2], &[22], guard));
            let order = schedule(&draft, 16);
            [1, 14].map(|site| order.iter().position(|&at| at == site).unwrap())
        };
        let [store, load] = order(&[]);
        assert!(store < load);
        let [store, load] = order(&[30]);
        assert!(load < store);
    }

    #[test]
    fn a_store_that_a_guarded_load_needs_does_not_wait_for_it() {
        let draft = [own(0, Unit::Memory, true, &[], &[9, 1], &[]), own(1, Unit::Memory, true, &[2], &[9], &[30])];
        assert_eq!(schedule(&draft, 16), [0, 1]);
    }
}
