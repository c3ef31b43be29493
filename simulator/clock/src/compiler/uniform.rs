//! Which registers hold the same value in all lanes of a warp, as far as the text says: what `ptxas` keeps in registers of the warp, and
//! where it adds the lanes of an atomic up before one of them goes to memory.
use machine::program::{Function, Site};
use ptx::isa::Class;
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// By register.
pub fn registers(function: &Function) -> Vec<bool> {
    let most = function.registers_end();
    let mut uniform = vec![true; most];
    loop {
        let mut changed = false;
        for site in &function.sites {
            let same = !varies(site) && function.reads(site).iter().all(|&register| uniform[register as usize]);
            for &register in function.writes(site).iter().filter(|_| !same) {
                changed |= std::mem::take(&mut uniform[register as usize]);
            }
        }
        if !changed {
            return uniform;
        }
    }
}

/// Whether an instruction may give lanes different results of the same operands.
fn varies(site: &Site) -> bool {
    let constant = site.opcode.is_parameter() && !site.call_parameter || site.opcode.is_constant();
    site.by_thread || !constant && matches!(site.class, Class::Memory | Class::Atomic | Class::Async | Class::Matrix)
}

/// Whether a site adds integers to one word for all lanes, which a warp adds up by itself.
pub fn is_added_up(function: &Function, site: u32) -> bool {
    let find = || {
        let uniform = registers(function);
        let address = |site: &Site| function.reads(site).first().is_none_or(|&register| uniform[register as usize]);
        function.sites.iter().map(|site| site.opcode.adds_integers_in_memory() && address(site)).collect()
    };
    of_site(&function.added_up, find, site)
}

/// Whether a site is an atomic whose result some instruction reads. The others only add to memory, whatever the text calls them.
pub fn answers(function: &Function, site: u32) -> bool {
    let find = || {
        let read: FxHashSet<u32> = function.sites.iter().flat_map(|site| function.reads(site)).copied().collect();
        let asked = |site: &Site| function.writes(site).iter().any(|register| read.contains(register));
        function.sites.iter().map(|site| site.class == Class::Atomic && asked(site)).collect()
    };
    of_site(&function.answers, find, site)
}

/// What is found of all sites when it is first asked for, of one of them.
fn of_site(found: &OnceLock<Vec<bool>>, find: impl FnOnce() -> Vec<bool>, site: u32) -> bool {
    found.get_or_init(find).get(site as usize).copied().unwrap_or(false)
}
