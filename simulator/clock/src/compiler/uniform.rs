//! Which registers hold the same value in all lanes of a warp, as far as the text says: what `ptxas` keeps in registers of the warp, and
//! where it adds the lanes of an atomic up before one of them goes to memory.
use machine::program::{Function, Site};
use ptx::isa::Class;

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
