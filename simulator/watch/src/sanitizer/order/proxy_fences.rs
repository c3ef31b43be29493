//! Fences between the generic and the asynchronous proxy: a transfer sees what threads have written before a fence that its own thread
//! knows of.
use super::knowledge::When;
use super::vector_clock::VectorClock;
use machine::probe::{Who, lanes};

/// The proxy fences of the blocks that run.
#[derive(Default)]
pub struct ProxyFences(Vec<ProxyFence>);

/// A fence between the proxies.
struct ProxyFence {
    block: u64,
    warp: u32,
    mask: u32,
    stamp: u32,
    clock: VectorClock,
}

/// The knowledge of lanes when they came to a proxy fence.
#[derive(Clone, Debug)]
pub struct KnownFence {
    clock: VectorClock,
    lanes: u32,
}

impl KnownFence {
    /// True if an access came before the fence.
    pub fn covers(&self, earlier: When) -> bool {
        lanes(self.lanes).any(|lane| self.clock.is_after(earlier, lane as u32))
    }
}

/// Fences of a warp that are kept: older ones cover less.
const MOST_FENCES: usize = 4;

impl ProxyFences {
    /// A fence of the lanes of `mask`.
    pub fn fence(&mut self, who: Who, mask: u32, clock: &mut VectorClock) {
        let stamp = clock.stamp();
        let fence = ProxyFence { block: who.block_index, warp: who.warp, mask, stamp, clock: clock.beginning() };
        let same = |fence: &ProxyFence| (fence.block, fence.warp) == (who.block_index, who.warp);
        if self.0.iter().filter(|fence| same(fence)).count() >= MOST_FENCES
            && let Some(oldest) = self.0.iter().position(same)
        {
            self.0.remove(oldest);
        }
        self.0.push(fence);
    }

    /// The fences that a lane with a clock knows of.
    pub fn known(&self, clock: &VectorClock, lane: u32) -> Vec<KnownFence> {
        let knows = |fence: &ProxyFence, of: usize| {
            let (block, warp, stamp) = (fence.block as u32, fence.warp, fence.stamp);
            clock.is_after(When { block, warp, lane: of as u32, stamp }, lane)
        };
        let known = |fence: &ProxyFence| {
            let lanes = lanes(fence.mask).filter(|&of| knows(fence, of)).fold(0, |mask, of| mask | 1 << of);
            (lanes != 0).then(|| KnownFence { clock: fence.clock.clone(), lanes })
        };
        self.0.iter().filter_map(known).collect()
    }

    /// A block has ended: nobody asks for its fences any more.
    pub fn end_block(&mut self, block: u64) {
        self.0.retain(|fence| fence.block != block);
    }
}
