//! Accesses as better code would have them.
use super::causes::{Sites, is_global};
use crate::analytic::work::Work;
use crate::listeners::acts::Action;
use crate::listeners::warp_trace::{ALONE, Touch, WarpTrace};
use machine::probe::AccessKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// The warps of the blocks that were followed.
pub type Kept = std::collections::BTreeMap<u64, Vec<WarpTrace>>;

/// The function of a warp's accesses, of which the sites alone are known: that in which it began.
fn function_of(warp: &WarpTrace) -> u32 {
    warp.runs.first().map_or(0, |run| run.function)
}

/// Each access of some sites.
fn each(kept: &mut Kept, sites: &Sites, mut change: impl FnMut(&mut Touch)) {
    let sites: FxHashSet<(u32, u32)> = sites.iter().copied().collect();
    for warp in kept.values_mut().flatten() {
        let function = function_of(warp);
        warp.touches.iter_mut().filter(|touch| sites.contains(&(function, touch.site))).for_each(&mut change);
    }
}

/// Shared memory answers each access in as few wavefronts as its words fill.
pub fn without_conflicts(kept: &mut Kept, sites: &Sites, work: &mut Work) {
    let (mut before, mut after) = (0u64, 0u64);
    let all: u64 = kept
        .values()
        .flatten()
        .flat_map(|warp| &warp.touches)
        .filter(|touch| touch.shared)
        .map(|touch| u64::from(touch.wavefronts))
        .sum();
    each(kept, sites, |touch| {
        before += u64::from(touch.wavefronts);
        touch.wavefronts = touch.wavefronts.min(touch.least.max(1));
        after += u64::from(touch.wavefronts);
        for (wide, words) in touch.wide.iter_mut().zip([2, 4]) {
            *wide = (*wide).min(words * touch.least.max(1));
        }
    });
    work.shared_wavefronts = scaled(work.shared_wavefronts, all - before + after, all);
}

/// No lane waits for another, and no two meet in one place of L2.
pub fn without_turns(kept: &mut Kept, sites: &Sites, work: &mut Work) {
    let (mut turns, mut accesses) = (0, 0);
    each(kept, sites, |touch| {
        turns += if touch.shared { 0 } else { u64::from(touch.wavefronts) };
        accesses += u64::from(!touch.shared);
        (touch.wavefronts, touch.counts) = (1, true);
        (touch.swaps, touch.word) = (touch.swaps.min(1), ALONE);
    });
    if accesses > 0 {
        work.atomic_steps = scaled(work.atomic_steps, accesses, turns);
        work.atomic_queue = Default::default();
        work.atomic_spread = work.atomic_steps as f64;
    }
}

/// Sectors that accesses ask for, each time, and different ones.
#[derive(Default)]
struct Sectors {
    loads: u64,
    stores: u64,
    different: FxHashMap<u64, u8>,
}

impl Sectors {
    fn of(kept: &Kept) -> Sectors {
        let mut all = Sectors::default();
        for warp in kept.values().flatten() {
            for touch in warp.touches.iter().filter(|touch| is_global(warp, touch)) {
                for &(line, sectors) in &warp.lines[touch.first as usize..][..touch.lines.into()] {
                    let count = if touch.kind == AccessKind::Load { &mut all.loads } else { &mut all.stores };
                    *count += u64::from(sectors.count_ones());
                    *all.different.entry(line).or_default() |= sectors;
                }
            }
        }
        all
    }

    fn different(&self) -> u64 {
        self.different.values().map(|sectors| u64::from(sectors.count_ones())).sum()
    }
}

/// The same part of a count.
pub fn scaled(count: u64, part: u64, whole: u64) -> u64 {
    if whole == 0 { count } else { (count as f64 * part as f64 / whole as f64) as u64 }
}

/// Takes over what accesses have become.
fn take_over(work: &mut Work, before: &Sectors, after: &Sectors) {
    let [all, all_after] = [before, after].map(|sectors| sectors.loads + sectors.stores);
    let stores = scaled(work.l1_sectors, before.stores, all).min(work.l2_sectors);
    // A store goes on to L2 each time, a load where L1 does not have it.
    let loads = scaled(work.l2_sectors - stores, after.different().min(before.different()), before.different());
    work.l2_sectors = scaled(stores, after.stores, before.stores) + loads;
    work.partial_sectors = scaled(work.partial_sectors, after.stores, before.stores.max(1));
    work.l1_sectors = scaled(work.l1_sectors, all_after, all);
    work.memory_bytes = scaled(work.memory_bytes, after.different().min(before.different()), before.different());
}

/// Each access goes to as few sectors as its bytes fill. Those of a block that went to the same lines share them out among each other.
pub fn without_sectors(kept: &mut Kept, sites: &Sites, work: &mut Work) {
    let before = Sectors::of(kept);
    let sites: FxHashSet<(u32, u32)> = sites.iter().copied().collect();
    for warps in kept.values_mut() {
        let mut taken: FxHashMap<(u64, bool), u64> = FxHashMap::default();
        for warp in warps {
            let function = function_of(warp);
            let mut lines = Vec::with_capacity(warp.lines.len());
            let mut touches = std::mem::take(&mut warp.touches);
            for touch in &mut touches {
                let own = &warp.lines[touch.first as usize..][..touch.lines.into()];
                let sectors: u32 = own.iter().map(|line| line.1.count_ones()).sum();
                touch.first = lines.len() as u32;
                let is_scattered = touch.kind != AccessKind::Atomic && sectors > u32::from(touch.least);
                if !is_scattered || touch.shared || !sites.contains(&(function, touch.site)) {
                    lines.extend_from_slice(own);
                    continue;
                }
                let next = taken.entry((own[0].0, touch.kind == AccessKind::Load)).or_default();
                for place in *next..*next + u64::from(touch.least) {
                    let line = own[(place / 4) as usize % own.len()].0;
                    let sector = 1 << (place % 4);
                    match lines[touch.first as usize..].iter_mut().find(|other: &&mut (u64, u8)| other.0 == line) {
                        Some(known) => known.1 |= sector,
                        None => lines.push((line, sector)),
                    }
                }
                *next += u64::from(touch.least);
                touch.lines = (lines.len() - touch.first as usize) as u16;
                touch.wavefronts = touch.wavefronts.min(touch.least.div_ceil(4).max(1));
                (touch.partial, touch.sparse) = (0, false);
            }
            for act in &mut warp.acts {
                if let Action::Transfer { first, lines: count, .. } = &mut act.action {
                    let own = &warp.lines[*first as usize..][..*count as usize];
                    *first = lines.len() as u32;
                    lines.extend_from_slice(own);
                }
            }
            (warp.touches, warp.lines) = (touches, lines);
        }
    }
    take_over(work, &before, &Sectors::of(kept));
}

/// A block loads each sector once, and has it from shared memory from then on.
pub fn without_repeats(kept: &mut Kept, sites: &Sites, work: &mut Work) {
    let before = Sectors::of(kept);
    let sites: FxHashSet<(u32, u32)> = sites.iter().copied().collect();
    for warps in kept.values_mut() {
        let is_one = |warp: &WarpTrace, touch: &Touch| {
            let function = function_of(warp);
            touch.kind == AccessKind::Load && is_global(warp, touch) && sites.contains(&(function, touch.site))
        };
        let mut times: FxHashMap<u64, u64> = FxHashMap::default();
        for warp in warps.iter() {
            for touch in warp.touches.iter().filter(|touch| is_one(warp, touch)) {
                for line in &warp.lines[touch.first as usize..][..touch.lines.into()] {
                    *times.entry(line.0).or_default() += 1;
                }
            }
        }
        // Whose turn it is differs from line to line, so that a block's warps share the loads.
        let mut so_far: FxHashMap<u64, u64> = FxHashMap::default();
        for warp in warps {
            let mut touches = std::mem::take(&mut warp.touches);
            for touch in &mut touches {
                if !is_one(warp, touch) {
                    continue;
                }
                let mut first = false;
                for line in &mut warp.lines[touch.first as usize..][..touch.lines.into()] {
                    let turn = so_far.entry(line.0).or_default();
                    first |= *turn == line.0 % times[&line.0];
                    *turn += 1;
                }
                touch.shared = !first;
            }
            warp.touches = touches;
        }
    }
    take_over(work, &before, &Sectors::of(kept));
}
