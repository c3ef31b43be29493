//! Ways through a kernel: between which two lines a barrier is missing.
use super::Scene;
use crate::fault::Place;
use crate::program::{BarrierKind, BlockId, End};
use crate::sanitizer::finding::Between;

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
            End::Gather { .. } => between == Between::Lanes,
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
