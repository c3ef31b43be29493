//! Happens-before between the threads of a launch, by vector clocks: the causality order of PTX's memory model.
//!
//! Each warp has a stamp that grows whenever one of its threads lets others know what it has done. An access carries its
//! warp's stamp and its lane, and comes before whatever a thread does that knows of that stamp. Threads learn
//!
//! - at barriers and warp-synchronous instructions, from all who take part;
//! - from a value that they read, if its writer *released* it (`.release`, or a fence before a strong write: `fences`) and
//!   the reader *acquired* it (`.acquire`, or a fence after a strong read: `published`), each with a scope that reaches
//!   the other.
use super::by_lane::ByLane;
use super::fences::{self, Fenced, Fences};
use super::knowledge::{Knowledge, MANY, Outside, Seen, When};
use super::published::{News, Pending, Published};
use crate::sanitizer::findings::finding::Missed;
use machine::probe::{Order, Scope, Strength};
use std::sync::Arc;

/// The knowledge of one warp.
#[derive(Clone, Debug)]
pub struct VectorClock {
    block: u32,
    warp: u32,
    /// That of the accesses made now; from 1.
    stamp: u32,
    /// The last stamp of accesses of a lane that come before what the same lane does now.
    until: u32,
    /// Lanes that have not exited, as far as is known.
    live: u32,
    known: ByLane,
    /// The fences whose knowledge the lanes' next strong writes publish.
    fences: Fences,
    /// Signals that lanes have read without having acquired them.
    pending: Pending,
}

/// The knowledge that lanes bring to a barrier.
#[derive(Clone, Debug)]
pub struct ArrivalKnowledge {
    known: Knowledge,
    fenced: Vec<Fenced>,
}

/// The knowledge of the lanes that leave a barrier.
pub struct ReleaseKnowledge {
    known: Knowledge,
    fenced: Vec<Fenced>,
}

impl ReleaseKnowledge {
    /// At a barrier in a block of so many warps, by the warps that came.
    pub fn new(warps: usize, all: &[(u32, ArrivalKnowledge)]) -> Self {
        let known = Knowledge::met(warps, all.iter().map(|(warp, brought)| (*warp, &brought.known)));
        Self { known, fenced: fences::together(all.iter().flat_map(|(_, brought)| &brought.fenced)) }
    }
}

impl VectorClock {
    /// The clock of a warp of a block whose warps know nothing yet.
    pub fn new(block: u32, warp: u32, nothing: &Knowledge, live: u32) -> Self {
        Self {
            block,
            warp,
            stamp: 1,
            until: u32::MAX,
            live,
            known: ByLane::same(nothing.clone()),
            fences: Fences::default(),
            pending: Pending::default(),
        }
    }

    /// The stamp that accesses carry now.
    #[inline]
    pub fn stamp(&self) -> u32 {
        self.stamp
    }

    /// Lanes that have not exited.
    #[inline]
    pub fn set_live(&mut self, live: u32) {
        self.live = live;
    }

    /// True if an earlier access comes before what `lane` of this warp does now.
    pub fn is_after(&self, earlier: When, lane: u32) -> bool {
        if (earlier.block, earlier.warp, earlier.lane) == (self.block, self.warp, lane) && lane != MANY {
            return earlier.stamp <= self.until;
        }
        let covers = |known: &Knowledge| known.covers(earlier, self.block, self.warp);
        // Several lanes at once: one that knows speaks for all.
        if lane == MANY { self.known.any(covers) } else { covers(self.known.of(lane)) }
    }

    /// As [`VectorClock::is_after`], for all lanes of both sides.
    #[inline]
    pub fn is_after_all(&self, earlier: When) -> bool {
        self.known.common.covers_all(earlier, self.block, self.warp)
    }

    /// The reason for which `lane` does not know of an earlier access although it has read a signal after it, and where it read that.
    pub fn missed(&self, earlier: When, lane: u32) -> Option<(Missed, (u32, u32))> {
        self.pending.missed(earlier, self.block, lane)
    }

    /// The knowledge of the lanes of `mask` together, their own accesses up to now included.
    fn together(&self, mask: u32) -> Knowledge {
        let mut known = self.known.together(mask);
        if mask & self.live == self.live {
            known.own = Seen::all(self.stamp);
        } else {
            known.own.raise(mask, self.stamp);
        }
        known
    }

    /// A warp-synchronous operation of the lanes of `mask`.
    pub fn converge(&mut self, mask: u32) {
        self.fences.meet((self.block, self.warp), mask);
        if self.known.is_same() && mask & self.live == self.live {
            self.known.common.own = Seen::all(self.stamp);
        } else {
            self.known.merge_lanes(mask, self.live, self.together(mask));
        }
        self.stamp += 1;
    }

    /// A fence of the lanes of `mask`: acquires what they have read, and prepares what they write next to release.
    pub fn fence(&mut self, mask: u32, scope: Scope) {
        self.acquire(mask, scope);
        self.fences.fence(mask, scope, self.stamp, self.known.clone());
        self.stamp += 1;
    }

    fn acquire(&mut self, mask: u32, scope: Scope) {
        let (here, live, known) = ((self.block, self.warp), self.live, &mut self.known);
        self.pending.acquire(mask, scope, |lanes, news| known.change(lanes, live, |known| known.learn(here, news)));
    }

    /// True if a strong write of this warp publishes anything.
    #[inline]
    pub fn publishes(&self, order: Order) -> bool {
        releases(order) || !self.fences.is_empty()
    }

    /// A strong write of a lane: publishes at its address what came before the lane's last fences, and with a release all
    /// that came before the write. `update`: the write is an atomic's, which carries on what was published before.
    pub fn publish(&mut self, lane: u32, order: Order, update: bool, at: &mut Option<Published>) {
        if !update {
            *at = None;
        }
        self.fences.publish((self.block, self.warp), lane, order, at);
        if releases(order) {
            at.get_or_insert_default().add(self.block, order.scope, &self.told(lane));
        }
    }

    /// Accesses from now on come after the release.
    pub fn released(&mut self) {
        self.stamp += 1;
    }

    /// A strong read of what was published, by the lanes of `mask` at a function's site.
    pub fn learn(&mut self, mask: u32, order: Order, read: (u32, u32), at: &Published) {
        let mut news = at.to(self.block, order.scope);
        if matches!(order.strength, Strength::Acquire | Strength::AcquireRelease) {
            self.fetch(mask, &news.near);
            self.fetch(mask, &news.far);
            if news.narrow.is_empty() {
                return;
            }
            news = News { narrow: news.narrow, ..News::default() };
        }
        self.pending.add(mask, read, &news);
    }

    /// Lanes come to a barrier: what they bring. One that waits there counts as a fence after what its threads have read.
    pub fn arrive(&mut self, mask: u32, waits: bool) -> ArrivalKnowledge {
        if waits && !self.pending.is_empty() {
            self.acquire(mask, Scope::System);
        }
        let known = self.together(mask);
        let fenced = self.fences.brought((self.block, self.warp), mask);
        self.stamp += 1;
        ArrivalKnowledge { known, fenced }
    }

    /// A barrier lets lanes go: they know what all brought.
    pub fn leave(&mut self, mask: u32, met: &ReleaseKnowledge) {
        let (warp, brought) = (self.warp, &met.known);
        self.fences.take(mask, &met.fenced);
        if mask & self.live == self.live {
            self.known.all_same().take(brought, warp);
        } else {
            self.known.change(mask, self.live, |known| known.join_met(brought, warp));
        }
    }

    /// The knowledge that a lane gives with a release now.
    pub fn told(&self, lane: u32) -> Arc<Outside> {
        self.known.of(lane).told(self.block, self.warp, 1 << lane, self.stamp)
    }

    /// The knowledge that the lanes of `mask` together give with a release now.
    pub fn told_by(&self, mask: u32) -> Arc<Outside> {
        self.together(mask).told(self.block, self.warp, mask, self.stamp)
    }

    /// The clock of an asynchronous copy that begins now, and that what its thread does from now on does not come before.
    pub fn beginning(&mut self) -> VectorClock {
        let (known, fences, pending) = (self.known.clone(), Fences::default(), Pending::default());
        let began = VectorClock { until: self.stamp, known, fences, pending, ..*self };
        self.stamp += 1;
        began
    }

    /// The lanes of `mask` learn what was told.
    pub fn fetch(&mut self, mask: u32, told: &Arc<Outside>) {
        let here = (self.block, self.warp);
        self.known.change(mask, self.live, |known| known.learn(here, told));
    }
}

fn releases(order: Order) -> bool {
    matches!(order.strength, Strength::Release | Strength::AcquireRelease)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: (u32, u32) = (0, 7);

    fn relaxed(scope: Scope) -> Order {
        Order { strength: Strength::Relaxed, scope }
    }

    fn clocks(block: u32, warps: u32) -> Vec<VectorClock> {
        (0..warps).map(|warp| VectorClock::new(block, warp, &Knowledge::new(warps as usize), !0)).collect()
    }

    fn when(block: u32, warp: u32, lane: u32, clock: &VectorClock) -> When {
        When { block, warp, lane, stamp: clock.stamp() }
    }

    /// All lanes of the warps come to a barrier.
    fn meet(clocks: &mut [VectorClock], warps: &[u32]) {
        let brought: Vec<_> = warps.iter().map(|&warp| (warp, clocks[warp as usize].arrive(!0, true))).collect();
        let known = ReleaseKnowledge::new(clocks.len(), &brought);
        warps.iter().for_each(|&warp| clocks[warp as usize].leave(!0, &known));
    }

    #[test]
    fn a_barrier_orders_warps_and_lanes() {
        let mut warps = clocks(0, 2);
        let write = when(0, 0, 3, &warps[0]);
        assert!(warps[0].is_after(write, 3), "the same thread");
        assert!(!warps[0].is_after(write, 4), "another lane");
        assert!(!warps[1].is_after(write, 3), "another warp");
        meet(&mut warps, &[0, 1]);
        assert!(warps[0].is_after(write, 4));
        assert!(warps[1].is_after(write, 3));
        assert!(!warps[1].is_after(when(0, 0, 3, &warps[0]), 3), "what comes after the barrier is new");
    }

    #[test]
    fn a_barrier_of_some_warps_orders_only_them() {
        let mut warps = clocks(0, 3);
        let write = when(0, 0, 0, &warps[0]);
        meet(&mut warps, &[0, 1]);
        assert!(warps[1].is_after(write, 0));
        assert!(!warps[2].is_after(write, 0));
        meet(&mut warps, &[1, 2]);
        assert!(warps[2].is_after(write, 0), "knowledge travels");
    }

    #[test]
    fn who_only_arrives_learns_nothing_and_tells_nothing_of_what_it_does_next() {
        let mut warps = clocks(0, 2);
        let (early, late);
        let waiting = when(0, 1, 0, &warps[1]);
        early = when(0, 0, 0, &warps[0]);
        let arrived = warps[0].arrive(!0, false);
        late = when(0, 0, 0, &warps[0]);
        let waits = warps[1].arrive(!0, true);
        let known = ReleaseKnowledge::new(2, &[(0, arrived), (1, waits)]);
        warps[1].leave(!0, &known);
        assert!(warps[1].is_after(early, 0));
        assert!(!warps[1].is_after(late, 0));
        assert!(!warps[0].is_after(waiting, 0));
    }

    #[test]
    fn convergence_orders_the_lanes_that_take_part() {
        let mut warp = VectorClock::new(0, 0, &Knowledge::new(1), !0);
        let (outside, inside) = (when(0, 0, 5, &warp), when(0, 0, 2, &warp));
        warp.converge(0xf);
        assert!(!warp.is_after(outside, 1));
        assert!(warp.is_after(inside, 1));
        assert!(!warp.is_after(inside, 5), "who does not take part learns nothing");
        warp.converge(!0);
        assert!(warp.is_after(outside, 1) && warp.is_after(inside, 5));
    }

    #[test]
    fn a_fence_on_each_side_of_a_relaxed_signal_tells_another_block() {
        let (mut writer, mut reader) =
            (VectorClock::new(0, 0, &Knowledge::new(1), !0), VectorClock::new(1, 0, &Knowledge::new(1), !0));
        let mut flag = None;
        let write = when(0, 0, 0, &writer);
        writer.publish(0, relaxed(Scope::Device), true, &mut flag);
        assert!(flag.is_none(), "without a fence nothing is published");
        writer.fence(!0, Scope::Device);
        let late = when(0, 0, 0, &writer);
        writer.publish(0, relaxed(Scope::Device), true, &mut flag);
        reader.learn(1, relaxed(Scope::Device), SOME, flag.as_ref().unwrap());
        assert!(!reader.is_after(write, 0), "no fence after the read");
        assert_eq!(reader.missed(write, 0), Some((Missed::Fence, SOME)));
        reader.fence(1, Scope::Block);
        assert!(!reader.is_after(write, 0), "too narrow a fence");
        assert_eq!(reader.missed(write, 0), Some((Missed::Scope, SOME)));
        reader.fence(1, Scope::Device);
        assert!(reader.is_after(write, 0));
        assert!(!reader.is_after(write, 9), "another lane has read nothing");
        assert!(!reader.is_after(late, 0), "written after the fence");
    }

    #[test]
    fn one_thread_signals_for_all_who_have_fenced_and_met() {
        let mut block = clocks(0, 2);
        let mut reader = VectorClock::new(1, 0, &Knowledge::new(1), !0);
        let acquire = Order { strength: Strength::Acquire, scope: Scope::Device };
        let write = when(0, 1, 5, &block[1]);
        block.iter_mut().for_each(|clock| clock.fence(!0, Scope::Device));
        let late = when(0, 1, 5, &block[1]);
        meet(&mut block, &[0, 1]);
        let mut flag = None;
        block[0].publish(0, relaxed(Scope::Device), false, &mut flag);
        reader.learn(!0, acquire, SOME, flag.as_ref().unwrap());
        assert!(reader.is_after(write, 0));
        assert!(!reader.is_after(late, 0), "after its fence");
    }

    #[test]
    fn a_release_of_one_lane_tells_of_what_that_lane_did() {
        let (mut writer, mut reader) =
            (VectorClock::new(0, 0, &Knowledge::new(1), !0), VectorClock::new(1, 0, &Knowledge::new(1), !0));
        let mut flag = None;
        let release = Order { strength: Strength::Release, scope: Scope::Device };
        let acquire = Order { strength: Strength::Acquire, scope: Scope::Device };
        writer.publish(3, release, false, &mut flag);
        reader.learn(!0, acquire, SOME, flag.as_ref().unwrap());
        assert!(reader.is_after(When { block: 0, warp: 0, lane: 3, stamp: 1 }, 8));
        assert!(!reader.is_after(When { block: 0, warp: 0, lane: 4, stamp: 1 }, 8));
    }

    #[test]
    fn a_block_s_scope_ends_at_the_block() {
        let mut block = clocks(0, 2);
        let mut outside = VectorClock::new(1, 0, &Knowledge::new(1), !0);
        let mut flag = None;
        let release = Order { strength: Strength::Release, scope: Scope::Block };
        let acquire = Order { strength: Strength::Acquire, scope: Scope::Device };
        let write = when(0, 0, 0, &block[0]);
        block[0].publish(0, release, false, &mut flag);
        let flag = flag.unwrap();
        block[1].learn(!0, acquire, SOME, &flag);
        outside.learn(!0, acquire, SOME, &flag);
        assert!(block[1].is_after(write, 0));
        assert!(!outside.is_after(write, 0));
        assert_eq!(outside.missed(write, 0), Some((Missed::Scope, SOME)));
    }

    #[test]
    fn knowledge_passes_through_a_third_block() {
        let mut first = clocks(0, 2);
        let (mut second, mut third) =
            (VectorClock::new(1, 0, &Knowledge::new(2), !0), VectorClock::new(2, 0, &Knowledge::new(2), !0));
        let both = Order { strength: Strength::AcquireRelease, scope: Scope::Device };
        let write = when(0, 1, 0, &first[1]);
        let (mut counter, mut other) = (None, None);
        first[1].publish(0, both, true, &mut counter);
        second.learn(!0, both, SOME, counter.as_ref().unwrap());
        second.publish(0, both, true, &mut other);
        third.learn(!0, both, SOME, other.as_ref().unwrap());
        assert!(third.is_after(write, 0));
        assert!(!third.is_after(When { warp: 0, ..write }, 0));
    }

    #[test]
    fn a_store_that_releases_nothing_ends_what_was_published() {
        let mut writer = VectorClock::new(0, 0, &Knowledge::new(1), !0);
        let mut flag = None;
        writer.publish(0, Order { strength: Strength::Release, scope: Scope::Device }, false, &mut flag);
        let mut other = VectorClock::new(1, 0, &Knowledge::new(1), !0);
        other.publish(0, relaxed(Scope::Device), true, &mut flag);
        assert!(flag.is_some(), "an atomic carries it on");
        other.publish(0, relaxed(Scope::Device), false, &mut flag);
        assert!(flag.is_none());
    }
}
