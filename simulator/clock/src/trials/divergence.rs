//! Warps that go one way together.
use super::accesses::{Kept, scaled};
use crate::analytic::work::Work;
use crate::listeners::warp_trace::WarpTrace;
use machine::program::Function;
use rustc_hash::{FxHashMap, FxHashSet};

/// Leaves as many whole basic blocks as have the lanes of those that parts of warps run: other warps go the other way.
pub fn without_parts(kept: &mut Kept, sites: &[(u32, u32)], functions: &[Function], work: &mut Work) {
    let (mut before, mut after) = (0u64, 0u64);
    let sites: FxHashSet<(u32, u32)> = sites.iter().copied().collect();
    for warps in kept.values_mut() {
        let mut lanes: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for warp in warps.iter_mut().filter(|warp| warp.acts.is_empty()) {
            let WarpTrace { runs, touches, lines, instructions, .. } = std::mem::take(warp);
            let mut left = WarpTrace { lines, instructions, ..WarpTrace::default() };
            let mut taken = 0;
            for mut run in runs {
                let block = &functions[run.function as usize].blocks[run.block as usize];
                let length = block.sites.len() as u64;
                before += length;
                let mut last = None;
                let own = touches[taken..].iter().take_while(|touch| {
                    let here = block.sites.contains(&touch.site) && last.is_none_or(|last| last < touch.site);
                    last = Some(touch.site);
                    here
                });
                let own = &touches[taken..taken + own.count()];
                taken += own.len();
                if run.lanes != !0 && sites.contains(&(run.function, block.site)) {
                    let count = lanes.entry((run.function, run.block)).or_default();
                    *count += run.lanes.count_ones();
                    if *count < 32 {
                        continue;
                    }
                    *count -= 32;
                    run.lanes = !0;
                }
                after += length;
                left.runs.push(run);
                left.touches.extend_from_slice(own);
            }
            *warp = left;
        }
    }
    work.instructions = scaled(work.instructions, after, before);
}
