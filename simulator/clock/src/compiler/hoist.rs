//! Loads that a compiler issues before a branch around instructions, though they stand behind them: whichever way the branch goes, its lanes come
//! to them. `ptxas` 13.0 puts the loads of four unrolled turns in front of the first turn's branch, those whose addresses were loaded among them;
//! but for loads that a store before them may change.
use super::regions::{Member, leads_back, ways};
use crate::constants::MOST_PASSED;
use machine::program::{BlockId, End, Function, Site};
use ptx::isa::Class;
use ptx::isa::machine::Unit;
use std::collections::BTreeSet;

/// What has changed its place.
pub struct Hoisted {
    /// By block that a region begins with: sites that it has before its branch, in their order.
    pub into: Vec<Vec<u32>>,
    /// By site: whether another region has it.
    pub gone: Vec<bool>,
}

/// Of a function with these regions. `under_way`: by block, registers for loads that are under way.
pub fn hoisted(function: &Function, regions: &[Vec<Member>], under_way: &[usize]) -> Hoisted {
    let mut found = Hoisted { into: vec![Vec::new(); function.blocks.len()], gone: vec![false; function.sites.len()] };
    let ways = ways(function);
    let mut inside = vec![false; function.blocks.len()];
    for member in regions.iter().flat_map(|members| &members[1..]) {
        inside[member.block as usize] = true;
    }
    for head in (0..function.blocks.len()).rev().filter(|&head| !inside[head]) {
        let members = &regions[head];
        let Some((passed, behind)) = passed(function, members, &ways).filter(|way| !inside[way.1 as usize]) else {
            continue;
        };
        let own = sites_of(function, &regions[behind as usize]);
        let kept = own.iter().copied().filter(|&(site, _)| !found.gone[site as usize]);
        // What has come there from further behind stands before its branch.
        let all: Vec<(u32, bool)> = kept.chain(found.into[behind as usize].iter().map(|&site| (site, true))).collect();
        let mut free = under_way[head] as u32;
        for (place, &site) in passed.iter().enumerate() {
            free = free.saturating_sub(registers(function, site, &passed[..place]));
        }
        let chosen = choose(function, &passed, &all, free);
        found.into[behind as usize].retain(|site| !chosen.contains(site));
        chosen.iter().for_each(|&site| found.gone[site as usize] = true);
        found.into[head] = chosen;
    }
    found
}

/// The sites that the branch at a region's end may lead around, where all of its ways meet again soon, and the block where they do.
fn passed(function: &Function, members: &[Member], ways: &[u32]) -> Option<(Vec<u32>, u32)> {
    let last = members.last().filter(|member| member.under.is_none())?;
    let block = &function.blocks[last.block as usize];
    let (End::Branch { .. }, Some(BlockId(behind))) = (&block.end, block.rejoin) else { return None };
    if behind <= last.block || leads_back(function, block, members[0].block) {
        return None;
    }
    let mut between = BTreeSet::new();
    let mut next: Vec<BlockId> = block.end.successors();
    let mut met = 0;
    while let Some(BlockId(at)) = next.pop() {
        if at == behind {
            met += 1;
        } else if at <= last.block || at > behind {
            return None;
        } else if between.insert(at) {
            let (End::Jump(_) | End::Branch { .. }) = function.blocks[at as usize].end else { return None };
            next.extend(function.blocks[at as usize].end.successors());
        }
    }
    let in_order = between.iter().all(|&at| function.blocks[at as usize].end.successors().iter().all(|to| to.0 > at));
    let sites: Vec<u32> = between.iter().flat_map(|&at| function.blocks[at as usize].sites.clone()).collect();
    (met == ways[behind as usize] && in_order && sites.len() <= MOST_PASSED).then_some((sites, behind))
}

/// Sites of a region, and whether all of its lanes run them.
fn sites_of(function: &Function, members: &[Member]) -> Vec<(u32, bool)> {
    let own = |member: &Member| {
        let plain = member.under.is_none();
        function.blocks[member.block as usize].sites.clone().map(move |site| (site, plain))
    };
    members.iter().flat_map(own).collect()
}

/// Registers of 32 bits that a load fills, and those of its address, where that is computed by sites before it.
fn registers(function: &Function, site: u32, before: &[u32]) -> u32 {
    let site = &function.sites[site as usize];
    if !site.opcode.loads_from_afar() {
        return 0;
    }
    let own =
        |register: &u32| before.iter().any(|&at| function.writes(&function.sites[at as usize]).contains(register));
    site.opcode.words + 2 * u32::from(function.reads(site).iter().any(own))
}

/// Of sites behind others, the loads that can be issued before these, and what their addresses are computed by, as far as the registers last.
fn choose(function: &Function, passed: &[u32], behind: &[(u32, bool)], mut free: u32) -> Vec<u32> {
    let mut stays = Stays::default();
    passed.iter().for_each(|&site| stays.add(function, &function.sites[site as usize]));
    let mut movable: Vec<u32> = Vec::new();
    for &(at, plain) in behind {
        let site = &function.sites[at as usize];
        let wanted = registers(function, at, &movable);
        if plain && wanted <= free && stays.lets(function, site) {
            free -= wanted;
            movable.push(at);
        } else {
            stays.add(function, site);
        }
    }
    // Computations go along for a load's sake only.
    let mut wanted: BTreeSet<u32> = BTreeSet::new();
    let mut chosen: Vec<u32> = Vec::new();
    for &at in movable.iter().rev() {
        let site = &function.sites[at as usize];
        if site.opcode.loads_from_afar() || function.writes(site).iter().any(|register| wanted.contains(register)) {
            wanted.extend(function.reads(site));
            chosen.push(at);
        }
    }
    chosen.reverse();
    chosen
}

/// What the sites that keep their place read, write and store.
#[derive(Default)]
struct Stays {
    reads: BTreeSet<u32>,
    writes: BTreeSet<u32>,
    stores: bool,
}

impl Stays {
    fn add(&mut self, function: &Function, site: &Site) {
        self.reads.extend(function.reads(site));
        self.writes.extend(function.writes(site));
        let computes =
            site.units().iter().all(|unit| !matches!(unit, Unit::Memory | Unit::Barrier | Unit::Copy | Unit::Await));
        self.stores |= !(computes || !function.writes(site).is_empty() && site.opcode.loads());
    }

    /// Whether a site may be issued before all of them.
    fn lets(&self, function: &Function, site: &Site) -> bool {
        let computes = site
            .units()
            .iter()
            .all(|unit| matches!(unit, Unit::Add | Unit::Integer | Unit::Multiply | Unit::Wide | Unit::Nothing))
            && !matches!(site.class, Class::Barrier | Class::Warp | Class::Matrix);
        let moves = site.opcode.loads_from_afar() && (!self.stores || site.opcode.is_unwritten());
        let free = |register: &u32| !self.writes.contains(register);
        (computes || moves)
            && !site.guarded
            && !function.writes(site).is_empty()
            && function.reads(site).iter().all(free)
            && function.writes(site).iter().all(|register| free(register) && !self.reads.contains(register))
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler::issued::{count, first, region};
    use ptx::isa::machine::Unit;

    /// A load, so many multiply-adds around which a branch leads, and another load.
    fn around(length: usize, within: &str, load: &str) -> String {
        format!(
            "ld.global.f32 %x, [%a];
            setp.lt.f32 %p, %x, %s;
            @%p bra BEHIND;
            {{}}{within}
            BEHIND:
            {load}
            fma.rn.f32 %s, %y, %y, %s;"
        )
        .replace("{}", &"fma.rn.f32 %s, %x, %s, %x;\n".repeat(length))
    }

    const LOAD: &str = "ld.global.f32 %y, [%a+64];";

    #[test]
    fn loads_go_before_a_branch_around_what_is_long() {
        let units = first(&around(30, "", LOAD));
        assert_eq!((count(&units, Unit::Memory), count(&units, Unit::Fp32)), (2, 0), "{units:?}");
    }

    #[test]
    fn loads_stay_behind_a_store_that_may_change_what_they_load() {
        let store = "st.global.f32 [%c], %s;";
        assert_eq!(count(&first(&around(30, store, LOAD)), Unit::Memory), 1);
        assert_eq!(count(&first(&around(30, store, "ld.global.nc.f32 %y, [%a+64];")), Unit::Memory), 2);
    }

    #[test]
    fn loads_stay_behind_what_their_address_or_their_register_is_needed_for() {
        assert_eq!(count(&first(&around(30, "add.s64 %a, %a, 8;", LOAD)), Unit::Memory), 1, "the address");
        assert_eq!(count(&first(&around(30, "mov.f32 %s, %y;", LOAD)), Unit::Memory), 1, "the register");
    }

    #[test]
    fn what_computes_an_address_goes_along_and_what_does_not_stays() {
        let computed = "mul.wide.u32 %d, %i, 4; add.s64 %e, %a, %d; ld.global.f32 %y, [%e]; add.s32 %n, %n, 7;";
        let units = first(&around(30, "", computed));
        assert_eq!((count(&units, Unit::Memory), count(&units, Unit::Wide), count(&units, Unit::Add)), (2, 1, 0));
    }

    #[test]
    fn a_few_instructions_are_issued_under_a_guard() {
        // All is one region then; in a loop fewer are.
        assert_eq!(count(&first(&around(19, "", LOAD)), Unit::Fp32), 20);
        assert_eq!(count(&first(&around(20, "", LOAD)), Unit::Fp32), 0);
        let turn = |length| {
            let body = around(length, "", LOAD);
            region(&format!("AGAIN: {body} add.s32 %i, %i, 1; setp.lt.s32 %q, %i, %n; @%q bra AGAIN;"), 1)
        };
        assert_eq!((count(&turn(8), Unit::Fp32), count(&turn(9), Unit::Fp32)), (9, 0));
    }

    #[test]
    fn of_two_ways_both_are_issued_where_both_are_short() {
        let ways = |length| {
            let way = "fma.rn.f32 %s, %x, %s, %x;\n".repeat(length);
            first(&format!(
                "ld.global.f32 %x, [%a]; setp.lt.f32 %p, %x, %s;
                @%p bra ELSE; {way} bra.uni BEHIND; ELSE: {way} BEHIND:"
            ))
        };
        assert_eq!(count(&ways(9), Unit::Fp32), 18);
        assert_eq!(count(&ways(10), Unit::Fp32), 0);
    }
}
