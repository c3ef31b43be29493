//! Ways through a kernel: between which two lines a barrier is missing, and which barrier some threads pass by.
use super::scene::Scene;
use super::source::{Spot, site};
use crate::sanitizer::finding::Between;
use machine::fault::Place;
use machine::program::{BarrierKind, BlockId, End, Location};

/// The line of a barrier of the block that lies between two lines of one file, or else on the line of either: where threads race all the
/// same, some of them pass it by. Where no lines are known, those of the PTX text.
pub(super) fn barrier_between(scene: &Scene, one: &Place, other: &Place) -> Option<Spot> {
    let function = scene.launch.program.functions.get(one.function as usize)?;
    let [one_at, other_at] = [one, other].map(|place| site(scene, place).map(|site| site.at));
    let (one_at, other_at) = (one_at?, other_at?);
    let of_ptx = one_at.line == 0 && other_at.line == 0;
    let number = |at: Location| if of_ptx { at.ptx_line } else { at.line };
    // A __syncthreads() waits for all of the block; barriers with a count of their own are for some threads only.
    let of_block = |end: &End| matches!(end, End::Barrier(barrier) if barrier.count.is_none() && barrier.kind != BarrierKind::Arrive);
    let barriers = function.blocks.iter().filter(|block| of_block(&block.end));
    let lines = barriers.filter_map(|block| function.sites.get(block.site as usize)).map(|site| site.at);
    let mut numbers = lines.filter(|at| at.file == one_at.file && at.file == other_at.file).map(number);
    let (one, other) = (number(one_at), number(other_at));
    let number = numbers.find(|number| *number != 0 && (one.min(other)..=one.max(other)).contains(number))?;
    Some(Spot { of_ptx, number })
}

/// Whether a thread can come from one place to another without meeting a barrier (for lanes of one warp: without any
/// instruction that keeps a warp together). `true` where the two are in different functions and nothing is known.
pub(super) fn open_way(scene: &Scene, between: Between, from: &Place, to: &Place) -> bool {
    let Some(function) = scene.launch.program.functions.get(from.function as usize) else { return true };
    if from.function != to.function {
        return true;
    }
    let block_of = |site: u32| function.blocks.iter().position(|block| block.sites.contains(&site));
    let (Some(start), Some(goal)) = (block_of(from.site), block_of(to.site)) else { return true };
    if start == goal && from.site < to.site {
        return true;
    }
    let mut seen = vec![false; function.blocks.len()];
    let mut todo = vec![start];
    while let Some(block) = todo.pop() {
        let closed = match &function.blocks[block].end {
            End::Barrier(barrier) => barrier.kind != BarrierKind::Arrive,
            End::Converge { .. } => between == Between::Lanes,
            _ => false,
        };
        if closed {
            continue;
        }
        for BlockId(next) in function.blocks[block].end.successors() {
            let next = next as usize;
            if next == goal {
                return true;
            }
            if let Some(seen) = seen.get_mut(next)
                && !std::mem::replace(seen, true)
            {
                todo.push(next);
            }
        }
    }
    false
}
