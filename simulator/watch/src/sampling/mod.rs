//! Running a part of a large grid for all of it: which blocks ([`choose`]), and whether they may stand for the others ([`watch`]).
//!
//! Blocks that work on each other's memory cannot: what is not run is missing then. Data alone; `diagnostics` has the words.
mod bytes;
mod choose;
mod watch;

pub use bytes::Bytes;
pub use choose::{Choice, Part, choose};
pub use watch::{Site, Watch};

use machine::probe::Launch;
use ptx::isa::Class;

/// A reason for which some blocks cannot stand for all.
#[derive(Clone, Debug, PartialEq)]
pub enum NotSampled {
    /// The grid's blocks meet at a barrier.
    Cooperative,
    /// Blocks update, or watch, memory that they share; the instruction, where it is known.
    Shared(Option<Site>),
    /// A block reads of an allocation, by its address, what it has not written itself, and the launch writes to it.
    ReadsResults { allocation: u64, read: Site, written: Site },
    /// Blocks do different amounts of work: the sum would be wrong by so much, in %.
    Uneven { percent: f64 },
}

/// The first reason that a launch's code gives.
pub fn refused_by_code(launch: &Launch) -> Option<NotSampled> {
    if launch.cooperative || launch.function.reads_envreg {
        return Some(NotSampled::Cooperative);
    }
    if !launch.function.order_matters {
        return None;
    }
    let in_function = |index: usize| {
        let sites = &launch.program.functions[index].sites;
        let site = sites.iter().position(|site| site.opcode.is_ordered_among_blocks(site.class == Class::Atomic))?;
        Some(Site { function: index as u32, site: site as u32 })
    };
    // The kernel's own first, then those of the functions that it may call.
    let own = launch.function_id as usize;
    let others = (0..launch.program.functions.len()).filter(|&i| i != own && !launch.program.functions[i].is_entry);
    Some(NotSampled::Shared(std::iter::once(own).chain(others).find_map(in_function)))
}

/// By how much a sum over the grid may be wrong that some units of each stratum stand for: the standard error in % of the sum.
/// `work` has the amount of each unit that was run.
pub fn error_percent(choice: &Choice, work: &[(u64, u64)]) -> f64 {
    let of_unit: rustc_hash::FxHashMap<u64, u64> = work.iter().copied().collect();
    let (mut sum, mut variance) = (0.0, 0.0);
    let mut strata: Vec<u32> = choice.parts.iter().map(|part| part.stratum).collect();
    strata.sort_unstable();
    strata.dedup();
    for stratum in strata {
        let parts = || choice.parts.iter().filter(|part| part.stratum == stratum);
        let amounts: Vec<f64> =
            parts().flat_map(|part| &part.units).map(|unit| of_unit.get(unit).copied().unwrap_or(0) as f64).collect();
        let count = amounts.len() as f64;
        let members = parts().next().map_or(0.0, |part| part.weight * count);
        let mean = amounts.iter().sum::<f64>() / count;
        sum += mean * members;
        if count > 1.0 {
            let spread = amounts.iter().map(|amount| (amount - mean).powi(2)).sum::<f64>() / (count - 1.0);
            variance += members * (members - count).max(0.0) * spread / count;
        }
    }
    if sum > 0.0 { 100.0 * variance.sqrt() / sum } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(choice: &Choice, of: impl Fn(u64) -> u64) -> Vec<(u64, u64)> {
        choice.parts.iter().flat_map(|part| part.units.iter().map(|&unit| (unit, of(unit)))).collect()
    }

    #[test]
    fn blocks_that_are_alike_make_no_error_and_others_do() {
        let choice = choose([100, 100, 1], 24, 2, 1, false).expect("large enough");
        assert_eq!(error_percent(&choice, &work(&choice, |_| 1000)), 0.0);
        // Edges are strata of their own: what is the same along an edge makes no error either.
        let edge = |unit: u64| if unit % 100 == 99 { 500 } else { 1000 };
        assert_eq!(error_percent(&choice, &work(&choice, edge)), 0.0);
        // The upper triangle.
        let triangle = |unit: u64| if unit % 100 > unit / 100 { 1000 } else { 10 };
        assert!(error_percent(&choice, &work(&choice, triangle)) > 3.0);
    }
}
