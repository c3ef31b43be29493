//! Fences: what a warp's lanes knew when they came to one, which their next strong writes publish.
use super::by_lane::ByLane;
use super::knowledge::{Outside, join};
use super::published::Published;
use machine::probe::{Order, Scope};
use std::sync::Arc;

/// The fences that count for a warp.
#[derive(Clone, Debug, Default)]
pub struct Fences {
    /// The lanes' own latest.
    own: Vec<Fence>,
    /// Those that threads whom the lanes have met since had come to before: `__threadfence(); __syncthreads();`, and then
    /// one thread signals for all.
    met: Vec<Fenced>,
}

/// The knowledge of lanes when they came to a fence.
#[derive(Clone, Debug)]
struct Fence {
    mask: u32,
    scope: Scope,
    stamp: u32,
    known: ByLane,
    /// Lanes that have met those of the fence since.
    met: u32,
}

impl Fence {
    /// The knowledge of the lanes of `mask`, which came to it, together.
    fn told(&self, (block, warp): (u32, u32), mask: u32) -> Arc<Outside> {
        self.known.together(mask).told(block, warp, mask, self.stamp)
    }
}

/// Knowledge of other threads at their fences, for the lanes of a mask.
#[derive(Clone, Debug)]
pub struct Fenced {
    mask: u32,
    scope: Scope,
    known: Arc<Outside>,
}

/// The fences that all who meet know of together.
pub fn together<'a>(all: impl Iterator<Item = &'a Fenced>) -> Vec<Fenced> {
    let mut known = Vec::new();
    all.for_each(|part| add(&mut known, part.clone()));
    known
}

fn add(all: &mut Vec<Fenced>, new: Fenced) {
    match all.iter_mut().find(|known| (known.mask, known.scope) == (new.mask, new.scope)) {
        Some(known) => join(&mut known.known, &new.known),
        None => all.push(new),
    }
}

impl Fences {
    /// True if there is none, neither of the lanes nor of those whom they have met.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.met.is_empty()
    }

    /// The lanes of `mask` come to a fence, with what they know and at their warp's stamp.
    pub fn fence(&mut self, mask: u32, scope: Scope, stamp: u32, known: ByLane) {
        for fence in self.own.iter_mut().filter(|fence| fence.scope <= scope) {
            fence.mask &= !mask;
        }
        self.own.retain(|fence| fence.mask != 0);
        self.own.push(Fence { mask, scope, stamp, known, met: 0 });
    }

    /// The lanes of `mask`, of the block's warp `place`, meet: each knows of the others' fences from now on.
    pub fn meet(&mut self, place: (u32, u32), mask: u32) {
        if !self.own.is_empty() {
            for part in self.told(place, mask, true) {
                add(&mut self.met, Fenced { mask, ..part });
            }
        }
    }

    /// The fences that the lanes of `mask` bring to a barrier.
    pub fn brought(&mut self, place: (u32, u32), mask: u32) -> Vec<Fenced> {
        if self.is_empty() { Vec::new() } else { self.told(place, mask, false) }
    }

    /// The lanes of `mask` leave a barrier to which others brought their fences.
    pub fn take(&mut self, mask: u32, brought: &[Fenced]) {
        for fenced in brought {
            add(&mut self.met, Fenced { mask, ..fenced.clone() });
        }
    }

    /// The knowledge at the fences of the lanes of `mask`, and of those whom they have met: `here`, only at those that
    /// not all of them know of.
    fn told(&mut self, place: (u32, u32), mask: u32, here: bool) -> Vec<Fenced> {
        let mut all = Vec::new();
        for fence in &mut self.own {
            if fence.mask & mask != 0 && !(here && mask & !fence.met == 0) {
                fence.met |= if here { mask } else { 0 };
                let known = fence.told(place, fence.mask & mask);
                add(&mut all, Fenced { mask: !0, scope: fence.scope, known });
            }
        }
        for met in self.met.iter().filter(|met| met.mask & mask != 0 && !(here && mask & !met.mask == 0)) {
            add(&mut all, Fenced { mask: !0, ..met.clone() });
        }
        all
    }

    /// A strong write of a lane publishes what came before its fences.
    pub fn publish(&self, (block, warp): (u32, u32), lane: u32, order: Order, at: &mut Option<Published>) {
        for fence in self.own.iter().filter(|fence| fence.mask >> lane & 1 != 0) {
            let news = fence.told((block, warp), 1 << lane);
            at.get_or_insert_default().add(block, fence.scope.min(order.scope), &news);
        }
        for met in self.met.iter().filter(|met| met.mask >> lane & 1 != 0) {
            at.get_or_insert_default().add(block, met.scope.min(order.scope), &met.known);
        }
    }
}
