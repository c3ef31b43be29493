//! The order in which a compiler issues a basic block.
use super::draft::Draft;
use crate::isa::machine::Unit;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Registers that a compiler leaves to loads under way before it takes the value of one of them.
const MOST_OPEN: usize = 16;

/// How soon after an instruction one that needs its result may follow, as the compiler sees it.
fn distance(unit: Unit) -> u32 {
    match unit {
        Unit::Nothing => 0,
        Unit::Memory => 200,
        Unit::Special | Unit::Shuffle => 20,
        Unit::Fp64 | Unit::Tensor => 8,
        _ => 4,
    }
}

/// The order in which a compiler issues a block: those first that most waits for, as soon as what they need was issued. Stores,
/// atomics, barriers and warp-wide instructions keep their order, and loads stay on their side of them.
pub fn schedule(draft: &[Draft]) -> Vec<usize> {
    let count = draft.len();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut waits = vec![0u32; count];
    let mut link = |from: usize, to: usize, after: &mut Vec<Vec<usize>>| {
        after[from].push(to);
        waits[to] += 1;
    };
    let mut writer: rustc_hash::FxHashMap<u32, usize> = rustc_hash::FxHashMap::default();
    let mut readers: rustc_hash::FxHashMap<u32, Vec<usize>> = rustc_hash::FxHashMap::default();
    // By memory: what later loads stay behind, and the loads since then. Stores to the one leave loads of the other alone.
    let mut fences: [Option<usize>; 2] = [None; 2];
    let mut loads: [Vec<usize>; 2] = Default::default();
    let mut last_ordered: Option<usize> = None;
    let mut wall: Option<usize> = None;
    for (at, own) in draft.iter().enumerate() {
        if at > 0 && draft[at - 1].site == own.site {
            link(at - 1, at, &mut after);
        }
        for register in &own.reads {
            if let Some(&from) = writer.get(register) {
                link(from, at, &mut after);
            }
            readers.entry(*register).or_default().push(at);
        }
        for register in &own.writes {
            for from in readers.remove(register).into_iter().flatten().filter(|&from| from != at) {
                link(from, at, &mut after);
            }
            if let Some(from) = writer.insert(*register, at)
                && from != at
            {
                link(from, at, &mut after);
            }
        }
        let ordered = match own.unit {
            Unit::Memory => own.writes.is_empty(),
            Unit::Barrier | Unit::Shuffle | Unit::Tensor | Unit::Copy | Unit::Commit | Unit::Await => true,
            Unit::Control => at + 1 == count,
            _ => false,
        };
        let load = own.unit == Unit::Memory && !ordered;
        let memories = match own.unit {
            Unit::Memory if own.shared => 0..1,
            Unit::Memory => 1..2,
            Unit::Shuffle => 0..0,
            Unit::Copy | Unit::Commit => 1..2,
            _ => 0..2,
        };
        for memory in memories.filter(|_| ordered || load) {
            if let Some(from) = fences[memory] {
                link(from, at, &mut after);
            }
            if ordered {
                loads[memory].drain(..).for_each(|from| link(from, at, &mut after));
                fences[memory] = Some(at);
            } else {
                loads[memory].push(at);
            }
        }
        if ordered && let Some(from) = last_ordered.replace(at) {
            link(from, at, &mut after);
        }
        // Nothing passes a place where the code may go another way.
        if let Some(from) = wall {
            link(from, at, &mut after);
        }
        if own.unit == Unit::Detour {
            (wall.map_or(0, |from| from + 1)..at).for_each(|from| link(from, at, &mut after));
            wall = Some(at);
        }
        if own.unit == Unit::Control && at + 1 == count {
            for from in 0..at {
                if after[from].is_empty() {
                    link(from, at, &mut after);
                }
            }
        }
    }
    let mut height = vec![0u32; count];
    for at in (0..count).rev() {
        let next = after[at].iter().map(|&next| height[next]).max().unwrap_or(0);
        height[at] = next + distance(draft[at].unit);
    }
    // Loads whose values nobody has taken yet hold registers.
    let mut opens: Vec<Vec<usize>> = vec![Vec::new(); count];
    let is_load = |at: usize| draft[at].unit == Unit::Memory && !draft[at].writes.is_empty();
    for at in (0..count).filter(|&at| is_load(at)) {
        after[at].iter().for_each(|&next| opens[next].push(at));
    }
    let mut open = vec![false; count];
    let mut ready: BTreeSet<(Reverse<u32>, usize)> =
        (0..count).filter(|&at| waits[at] == 0).map(|at| (Reverse(height[at]), at)).collect();
    let mut order = Vec::with_capacity(count);
    let mut held = 0;
    while let Some(&first) = ready.first() {
        let other = (held >= MOST_OPEN).then(|| ready.iter().find(|&&(_, at)| !is_load(at)).copied()).flatten();
        let chosen = other.unwrap_or(first);
        ready.remove(&chosen);
        let at = chosen.1;
        order.push(at);
        for &load in &opens[at] {
            held -= if std::mem::take(&mut open[load]) { draft[load].writes.len() } else { 0 };
        }
        if is_load(at) {
            open[at] = true;
            held += draft[at].writes.len();
        }
        for &next in &after[at] {
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.insert((Reverse(height[next]), next));
            }
        }
    }
    order
}
