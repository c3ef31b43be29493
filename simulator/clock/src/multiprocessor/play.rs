//! From what a few blocks did to the time of a launch: one multiprocessor is played through, and what it takes is weighed by what all
//! blocks did.
use super::run::run;
use super::setting::Setting;
use crate::analytic::atomics::atomic_cycles;
use crate::analytic::kernel_time::Played;
use crate::analytic::work::Work;
use crate::cards::Device;
use crate::compiler::codes::Codes;
use crate::constants::{
    ALIKE, HELD_UP, LEAST_OF_WARP, LEAST_PLAYED, MOST_PLAYED, PLAYED_OF_ALL, SECTOR_BYTES, SLOWED_BY_PRODUCTS,
    WARP_LANES,
};
use crate::listeners::trace::Trace;
use crate::listeners::warp_trace::Run;
use crate::occupancy::Occupancy;
use machine::probe::AccessKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The waits that a launch is played without: none, unless something is tried.
#[derive(Default)]
pub struct Without {
    /// Barriers that nobody waits at and loads whose data are there at once, each by function and site.
    pub waits: FxHashSet<(u32, u32)>,
    /// Instructions that are not there, each by function and site.
    pub counting: FxHashSet<(u32, u32)>,
    /// True if every multiprocessor has as much to do as the others.
    pub even: bool,
}

/// Plays a launch's blocks through. `known` has its program's code. `None`: nothing was followed, or the kernel does what the model has no units for.
pub fn play(
    card: &Device,
    occupancy: Occupancy,
    work: &Work,
    shared_bytes: u32,
    mut trace: Trace,
    (known, without): (&Codes, &Without),
) -> Option<Played> {
    trace.leave();
    // The machine code is that of Volta and later; older multiprocessors issue and schedule in other ways.
    let has_model = card.architecture.compute_capability.0 >= 7;
    if !has_model || trace.kept.is_empty() {
        return None;
    }
    let mut codes = FxHashMap::default();
    let low = low_bits(&trace);
    let mut last = None;
    for function in trace.kept.values().flatten().flat_map(|warp| &warp.runs).map(|run| run.function) {
        if last.replace(function) != Some(function) {
            codes.entry(function).or_insert_with(|| {
                let code = known.of(card.architecture, trace.functions(), function, &low);
                let is_gone = |site: u32| without.counting.contains(&(function, site));
                if without.counting.is_empty() { code } else { Arc::new(code.without(is_gone)) }
            });
        }
    }
    let resident = u64::from(occupancy.blocks_per_multiprocessor.max(1));
    let multiprocessors = u64::from(card.multiprocessors);
    let room = resident * multiprocessors;
    let busiest = work.blocks / room * resident + (work.blocks % room).div_ceil(multiprocessors);
    let mean = work.blocks as f64 / multiprocessors as f64;
    let busiest = if without.even { busiest.min(work.blocks / multiprocessors).max(1) } else { busiest };
    let a = card.architecture;
    let unified = a.l1_bytes_per_multiprocessor >= a.shared_bytes_per_multiprocessor;
    let taken = if unified { u64::from(shared_bytes) * resident.min(busiest) } else { 0 };
    // Where few warps bring by bulk copies what the others wait for, the beginning of a block is not like its rest.
    let least = if trace.transfers() { MOST_PLAYED } else { LEAST_PLAYED };
    let most = (work.instructions / PLAYED_OF_ALL).clamp(least, MOST_PLAYED);
    let places = resident.min(busiest).max(1) * u64::from(work.threads_per_block.div_ceil(WARP_LANES)).max(1);
    // The share of atomics among the instructions is taken to be that of the blocks that were followed.
    let touches = trace.kept.values().flatten().flat_map(|warp| &warp.touches);
    let atomics = touches.filter(|touch| touch.kind == AccessKind::Atomic && !touch.shared).count();
    let followed: u64 = trace.kept.values().flatten().map(|warp| u64::from(warp.instructions)).sum();
    let atomics = (atomics as f64 * work.instructions as f64 / followed.max(1) as f64).max(1.0);
    cut(&mut trace, (most / places).max(LEAST_OF_WARP));
    // Only the beginning of long warps was followed, and only a few blocks.
    let kept: u64 = trace.kept.values().flatten().map(|warp| u64::from(warp.instructions)).sum();
    let of_kept = kept as f64 / trace.kept.len() as f64;
    let of_all = work.instructions as f64 / work.blocks.max(1) as f64;
    let weight = if of_kept > 0.0 { of_all / of_kept } else { 1.0 };
    // Fewer blocks than multiprocessors are as many shorter ones.
    let shorter = if without.even { mean.min(1.0) } else { 1.0 };
    let spread = spread(&trace.counts, multiprocessors as usize, resident as usize, work.blocks);
    let spread = spread.filter(|_| !without.even);
    let setting = Setting {
        resident,
        blocks: busiest,
        active: if without.even { multiprocessors } else { work.blocks.min(multiprocessors) } as f64,
        l1_bytes: u64::from(a.l1_bytes_per_multiprocessor).saturating_sub(taken),
        weight: weight * shorter,
        alike: spread.is_none(),
        atomic_cycles: 0.0,
        waits: &without.waits,
        beyond_l2: (work.memory_bytes as f64 / (work.l2_sectors.max(1) * SECTOR_BYTES) as f64).min(1.0),
    };
    let found = run(card, &setting, &trace, &codes);
    let mut cycles = if without.even { found.cycles * (mean / busiest as f64).max(1.0) } else { found.cycles };
    if let Some(spread) = spread {
        // The longest block that was followed by itself, as long as the longest of all: what a block takes to start is not more in a long one.
        let length = |block: &u64| trace.counts.iter().find(|count| count.0 == *block).map_or(0, |count| count.1);
        let longest = trace.kept.keys().copied().max_by_key(|block| length(block));
        trace.kept.retain(|block, _| Some(*block) == longest);
        let of_longest = trace.kept.values().flatten().map(|warp| u64::from(warp.instructions)).sum::<u64>();
        let weight = spread.longest / of_longest.max(1) as f64;
        let alone = Setting { resident: 1, blocks: 1, weight, ..setting };
        let alone = run(card, &alone, &trace, &codes).cycles;
        let even = busiest as f64 * spread.mean;
        cycles = f64::max(cycles * (spread.busiest / even).max(1.0), alone);
    }
    let issued = found.issued_per_block * work.blocks as f64;
    // Blocks do not wait for their additions until too many are under way. The additions of blocks of one wave come at
    // once: the first ones' instructions are on their way yet when the last ones begin.
    let atomics_end = found.first_atomic.filter(|_| work.atomic_steps > 0).map_or(0.0, |first| {
        let begins = first + 2.0 * f64::from(a.l2_latency_cycles);
        let between = if work.blocks <= room { 0.0 } else { (cycles - begins).max(0.0) };
        begins + atomic_cycles(card, work, between)
    });
    let stalls = if atomics_end > HELD_UP * cycles {
        let each = atomics_end * work.blocks.min(multiprocessors) as f64 / atomics;
        run(card, &Setting { atomic_cycles: each, ..setting }, &trace, &codes).stalls
    } else {
        found.stalls
    };
    let of_four = codes.values().flat_map(|code| &code.instructions).any(|instruction| instruction.of_four);
    let slower = if of_four { SLOWED_BY_PRODUCTS } else { 1.0 };
    Some(Played { cycles: cycles.max(atomics_end) * slower, issued, stalls })
}

/// By site, ascending, the low bits of the addresses that it had.
fn low_bits(trace: &Trace) -> Vec<(u32, u8)> {
    let mut of_site: Vec<Option<u8>> = Vec::new();
    for touch in trace.kept.values().flatten().flat_map(|warp| &warp.touches) {
        let site = touch.site as usize;
        if of_site.len() <= site {
            of_site.resize(site + 1, None);
        }
        *of_site[site].get_or_insert(0) |= touch.low;
    }
    of_site.into_iter().enumerate().filter_map(|(site, low)| Some((site as u32, low?))).collect()
}

/// Leaves so many instructions of each warp.
fn cut(trace: &mut Trace, most: u64) {
    let functions = trace.shared_functions();
    for warp in trace.kept.values_mut().flatten() {
        let mut count = 0;
        let of_run = |run: &Run| {
            let sites = &functions[run.function as usize].blocks[run.block as usize].sites;
            u64::from(sites.end - sites.start)
        };
        let runs = warp.runs.iter().take_while(|run| {
            let begins = count < most;
            count += if begins { of_run(run) } else { 0 };
            begins
        });
        let runs = runs.count();
        warp.runs.truncate(runs);
        warp.cut_acts();
        warp.instructions = u32::try_from(count).unwrap_or(u32::MAX);
    }
}

/// How a launch's work is spread, in instructions.
struct Spread {
    mean: f64,
    /// The most of any multiprocessor, and of any place for a block.
    busiest: f64,
    longest: f64,
}

/// Deals blocks of different lengths out to places as they get free. `None`: they are all alike, or not known.
fn spread(counts: &[(u64, u32)], multiprocessors: usize, resident: usize, blocks: u64) -> Option<Spread> {
    if counts.len() as u64 != blocks || blocks == 0 {
        return None;
    }
    let all: u64 = counts.iter().map(|&(_, count)| u64::from(count)).sum();
    let mean = all as f64 / blocks as f64;
    if counts.iter().all(|&(_, count)| (f64::from(count) / mean - 1.0).abs() < ALIKE) {
        return None;
    }
    let mut counts = counts.to_vec();
    counts.sort_unstable();
    // By the time at which a place is free; places of the same time in the order of the multiprocessors.
    let places = multiprocessors * resident;
    let mut free: BinaryHeap<Reverse<(u64, usize)>> = (0..places).map(|place| Reverse((0, place))).collect();
    let mut of_one = vec![0u64; multiprocessors];
    let mut longest = 0;
    for (_, count) in counts {
        let Reverse((at, place)) = free.pop()?;
        let end = at + u64::from(count);
        of_one[place % multiprocessors] += u64::from(count);
        longest = longest.max(end);
        free.push(Reverse((end, place)));
    }
    let busiest = of_one.into_iter().max()? as f64;
    Some(Spread { mean, busiest, longest: longest as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_one_length_have_no_spread() {
        assert!(spread(&[(0, 100), (1, 101), (2, 100)], 2, 1, 3).is_none());
    }

    #[test]
    fn a_long_block_makes_its_place_the_longest_and_its_multiprocessor_the_busiest() {
        let counts = [(0, 700), (1, 100), (2, 100), (3, 100)];
        let spread = spread(&counts, 2, 1, 4).unwrap();
        assert_eq!((spread.mean, spread.busiest, spread.longest), (250.0, 700.0, 700.0));
    }
}
