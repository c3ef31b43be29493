//! Facts about a function's instructions that listeners ask for at each access. They are found once and kept with the function.
use super::uniform;
use machine::program::{BlockId, Function, Site};
use ptx::isa::Class;
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// Facts of a function, each by site, and found when it is first asked for.
#[derive(Default)]
struct Facts {
    added_up: OnceLock<Vec<bool>>,
    answered: OnceLock<Vec<bool>>,
    /// Empty where no site does.
    waits: OnceLock<Vec<bool>>,
}

/// A fact of all sites of a function, found where it is not known yet.
fn known(function: &Function, fact: fn(&Facts) -> &OnceLock<Vec<bool>>, find: impl FnOnce() -> Vec<bool>) -> &[bool] {
    let facts = function.derived.of::<Facts>().expect("nobody but the clock keeps facts with a function");
    fact(facts).get_or_init(find)
}

fn of_site(facts: &[bool], site: u32) -> bool {
    facts.get(site as usize).copied().unwrap_or(false)
}

/// True if a site adds integers to one word for all lanes, which a warp adds up by itself.
pub fn is_added_up(function: &Function, site: u32) -> bool {
    let find = || {
        let uniform = uniform::registers(function);
        let address = |site: &Site| function.reads(site).first().is_none_or(|&register| uniform[register as usize]);
        function.sites.iter().map(|site| site.opcode.adds_integers_in_memory() && address(site)).collect()
    };
    of_site(known(function, |facts| &facts.added_up, find), site)
}

/// True for an atomic whose result some instruction reads. The others only add to memory, whatever the text calls them.
pub fn is_answered(function: &Function, site: u32) -> bool {
    let find = || {
        let read: FxHashSet<u32> = function.sites.iter().flat_map(|site| function.reads(site)).copied().collect();
        let asked = |site: &Site| function.writes(site).iter().any(|register| read.contains(register));
        function.sites.iter().map(|site| site.class == Class::Atomic && asked(site)).collect()
    };
    of_site(known(function, |facts| &facts.answered, find), site)
}

/// True if a function has loads in loops that wait for other blocks.
pub fn waits_for_blocks(function: &Function) -> bool {
    !known(function, |facts| &facts.waits, || waits(function)).is_empty()
}

/// True for such a load.
pub fn waits_for_a_block(function: &Function, site: u32) -> bool {
    of_site(known(function, |facts| &facts.waits, || waits(function)), site)
}

/// By site: true for a strong load in a loop that neither stores nor does anything else for others. Empty where there is none.
fn waits(function: &Function) -> Vec<bool> {
    let acts = |BlockId(block): BlockId| {
        let sites = &function.blocks[block as usize].sites;
        function.sites[sites.start as usize..sites.end as usize].iter().any(|site| {
            site.opcode.stores_for_others() || matches!(site.class, Class::Atomic | Class::Async | Class::Matrix)
        })
    };
    let mut waits = Vec::new();
    for (number, block) in (0..).map(BlockId).zip(&function.blocks) {
        let strong = |site: &u32| function.sites[*site as usize].opcode.loads_strongly();
        if !block.sites.clone().any(|site| strong(&site)) || acts(number) {
            continue;
        }
        // Ways that come back here, through blocks that do not act either.
        let mut reached = vec![false; function.blocks.len()];
        let mut todo = block.end.successors();
        while let Some(next) = todo.pop() {
            if !std::mem::replace(&mut reached[next.0 as usize], true) && !acts(next) && next != number {
                todo.extend(function.blocks[next.0 as usize].end.successors());
            }
        }
        if reached[number.0 as usize] {
            waits.resize(function.sites.len(), false);
            block.sites.clone().filter(strong).for_each(|site| waits[site as usize] = true);
        }
    }
    waits
}
