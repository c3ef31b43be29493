//! Which registers hold the same value in all lanes of a warp, as far as the text says: what `ptxas` keeps in registers of the warp, and
//! where it adds the lanes of an atomic up before one of them goes to memory.
use crate::isa::Class;
use crate::isa::opcode::{adds_integers_in_memory, is_constant, is_parameter};
use crate::program::{Function, Site};

/// By register.
pub fn registers(function: &Function) -> Vec<bool> {
    let most = function.registers.iter().max().map_or(0, |&register| register as usize + 1);
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
    let constant = is_parameter(&site.text) && !site.call_parameter || is_constant(&site.text);
    site.by_thread || !constant && matches!(site.class, Class::Memory | Class::Atomic | Class::Async | Class::Matrix)
}

/// By site: integer additions to one word for all lanes, which a warp adds up by itself.
pub fn added_up(function: &Function) -> Vec<bool> {
    let uniform = registers(function);
    let address = |site: &Site| function.reads(site).first().is_none_or(|&register| uniform[register as usize]);
    function.sites.iter().map(|site| adds_integers_in_memory(&site.text) && address(site)).collect()
}

/// By site: atomics whose result some instruction reads. The others only add to memory, whatever the text calls them.
pub fn answers(function: &Function) -> Vec<bool> {
    let read: rustc_hash::FxHashSet<u32> =
        function.sites.iter().flat_map(|site| function.reads(site)).copied().collect();
    let asked = |site: &Site| function.writes(site).iter().any(|register| read.contains(register));
    function.sites.iter().map(|site| site.class == Class::Atomic && asked(site)).collect()
}
