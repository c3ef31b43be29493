//! Happens-before between the threads of a launch, by vector clocks: the causality order of PTX's memory model.
//!
//! Each warp has a stamp that grows whenever one of its threads lets others know what it has done. An access carries its
//! warp's stamp and its lane, and comes before whatever a thread does that knows of that stamp. Threads learn
//!
//! - at barriers and warp-synchronous instructions, from all who take part;
//! - from a value that they read, if its writer *released* it (`.release`, or a fence before a strong write) and the
//!   reader *acquired* it (`.acquire`, or a fence behind a strong read), each with a scope that reaches the other.
//!
//! The lanes of a warp mostly know the same, which is kept once; where they do not, each lane's knowledge is kept until
//! they meet again.
use super::knowledge::{Knowledge, Outside, Seen, join};
use crate::probe::{Order, Scope, Strength, lanes};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Lane number of an access that several lanes made at once.
pub const MANY: u32 = 32;

/// When an access happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    pub block: u32,
    pub warp: u32,
    pub lane: u32,
    pub stamp: u32,
}

/// What one warp knows.
#[derive(Clone, Debug)]
pub struct Clock {
    block: u32,
    warp: u32,
    /// That of the accesses made now; from 1.
    stamp: u32,
    /// The last stamp of accesses of a lane that come before what the same lane does now.
    until: u32,
    /// Lanes that have not exited, as far as is known.
    live: u32,
    /// What every lane knows at least.
    common: Knowledge,
    /// What each lane knows, where they know different things.
    each: Option<Box<[Knowledge; 32]>>,
    /// The latest fences: what the lanes' next strong writes publish.
    fences: Vec<Fence>,
    /// What threads whom the lanes have met since had fenced before: `__threadfence(); __syncthreads();`, and then one
    /// thread signals for all.
    met: Vec<Fenced>,
    /// What lanes have read of signals without having acquired it.
    pending: Vec<Pending>,
}

/// What lanes knew when they came to a fence.
#[derive(Clone, Debug)]
struct Fence {
    mask: u32,
    scope: Scope,
    stamp: u32,
    common: Knowledge,
    each: Option<Box<[Knowledge; 32]>>,
    /// Lanes that have met those of the fence since.
    met: u32,
}

impl Fence {
    /// What the lanes of `mask`, which came to it, knew together.
    fn told(&self, (block, warp): (u32, u32), mask: u32) -> Arc<Outside> {
        let Some(each) = &self.each else { return self.common.told(block, warp, mask, self.stamp) };
        let mut all = lanes(mask).map(|lane| &each[lane]);
        let mut known = all.next().unwrap_or(&self.common).clone();
        all.for_each(|other| known.join(other));
        known.told(block, warp, mask, self.stamp)
    }
}

/// What was known at other threads' fences.
#[derive(Clone, Debug)]
pub struct Fenced {
    mask: u32,
    scope: Scope,
    known: Arc<Outside>,
}

/// What lanes bring to a barrier.
#[derive(Clone, Debug)]
pub struct Brought {
    pub known: Knowledge,
    fenced: Vec<Fenced>,
}

/// What those know who leave a barrier.
pub struct Met {
    known: Knowledge,
    fenced: Vec<Fenced>,
}

impl Met {
    /// At a barrier in a block of so many warps, by the warps that came.
    pub fn new(warps: usize, all: &[(u32, Brought)]) -> Self {
        let mut fenced = Vec::new();
        for part in all.iter().flat_map(|(_, brought)| &brought.fenced) {
            add_fenced(&mut fenced, part.clone());
        }
        Self { known: Knowledge::met(warps, all), fenced }
    }
}

fn add_fenced(all: &mut Vec<Fenced>, new: Fenced) {
    match all.iter_mut().find(|known| (known.mask, known.scope) == (new.mask, new.scope)) {
        Some(known) => join(&mut known.known, &new.known),
        None => all.push(new),
    }
}

/// What lanes have read, and would know if a fence or a wider scope made it an acquire.
#[derive(Clone, Debug, Default)]
pub struct Pending {
    mask: u32,
    /// Function and site of the read.
    pub read: (u32, u32),
    /// Known behind any fence; behind one for the device; not at all, since somebody's scope is too narrow.
    near: Arc<Outside>,
    far: Arc<Outside>,
    narrow: Arc<Outside>,
}

/// Why a thread does not know of an access although it has read a signal behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// No fence between the read of the signal and now.
    Fence,
    /// The scope of the signal, of its read or of a fence ends at the block.
    Scope,
}

/// What was published at an address.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// For every thread of the device.
    far: Arc<Outside>,
    /// Per block, for its own threads.
    near: FxHashMap<u32, Arc<Outside>>,
    /// With a scope that ends at the block, for messages.
    narrow: Arc<Outside>,
}

impl Published {
    fn add(&mut self, block: u32, scope: Scope, news: &Arc<Outside>) {
        join(self.near.entry(block).or_default(), news);
        join(if scope >= Scope::Device { &mut self.far } else { &mut self.narrow }, news);
    }
}

impl Clock {
    /// The clock of a warp in a block of `warps`.
    pub fn new(block: u32, warp: u32, warps: usize, live: u32) -> Self {
        let common = Knowledge::new(warps);
        Self {
            block,
            warp,
            stamp: 1,
            until: u32::MAX,
            live,
            common,
            each: None,
            fences: Vec::new(),
            met: Vec::new(),
            pending: Vec::new(),
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

    /// What a lane knows.
    fn of(&self, lane: u32) -> &Knowledge {
        self.each.as_ref().and_then(|each| each.get(lane as usize)).unwrap_or(&self.common)
    }

    /// Whether an earlier access comes before what `lane` of this warp does now.
    pub fn is_after(&self, earlier: When, lane: u32) -> bool {
        if (earlier.block, earlier.warp, earlier.lane) == (self.block, self.warp, lane) && lane != MANY {
            return earlier.stamp <= self.until;
        }
        match &self.each {
            // Several lanes at once: one that knows speaks for all.
            Some(each) if lane == MANY => each.iter().any(|known| known.covers(earlier, self.block, self.warp)),
            _ => self.of(lane).covers(earlier, self.block, self.warp),
        }
    }

    /// As [`Clock::is_after`], for all lanes of both sides.
    #[inline]
    pub fn is_after_all(&self, earlier: When) -> bool {
        self.common.covers_all(earlier, self.block, self.warp)
    }

    /// Why `lane` does not know of an earlier access although it has read a signal behind it, and where it read that.
    pub fn missed(&self, earlier: When, lane: u32) -> Option<(Missed, (u32, u32))> {
        let of_lane = |pending: &&Pending| lane == MANY || pending.mask >> lane & 1 != 0;
        let covers = |outside: &Outside| {
            outside
                .get(&earlier.block)
                .and_then(|warps| warps.get(earlier.warp as usize))
                .is_some_and(|seen| seen.covers(earlier))
        };
        self.pending.iter().rev().filter(of_lane).find_map(|pending| {
            let missed = match () {
                () if earlier.block != self.block && covers(&pending.narrow) => Missed::Scope,
                () if covers(&pending.near) || covers(&pending.far) => Missed::Fence,
                () => return None,
            };
            Some((missed, pending.read))
        })
    }

    /// Makes the knowledge of each lane of `mask` what `change` makes of it.
    fn change(&mut self, mask: u32, mut change: impl FnMut(&mut Knowledge)) {
        if self.each.is_none() && mask & self.live == self.live {
            return change(&mut self.common);
        }
        let common = &self.common;
        let each = self.each.get_or_insert_with(|| Box::new(std::array::from_fn(|_| common.clone())));
        lanes(mask).for_each(|lane| change(&mut each[lane]));
    }

    /// What the lanes of `mask` know together, their own accesses up to `stamp` included.
    fn together(&self, mask: u32, stamp: u32) -> Knowledge {
        let mut known = match &self.each {
            None => self.common.clone(),
            Some(each) => {
                let mut all = lanes(mask).map(|lane| &each[lane]);
                let mut known = all.next().unwrap_or(&self.common).clone();
                all.for_each(|other| known.join(other));
                known
            }
        };
        if mask & self.live == self.live {
            known.own = Seen::all(stamp);
        } else {
            known.own.raise(mask, stamp);
        }
        known
    }

    /// A warp-synchronous operation of the lanes of `mask`.
    pub fn gather(&mut self, mask: u32) {
        let stamp = self.stamp;
        self.stamp += 1;
        if !self.fences.is_empty() {
            for part in self.fenced(mask, true) {
                add_fenced(&mut self.met, Fenced { mask, ..part });
            }
        }
        if self.each.is_none() && mask & self.live == self.live {
            self.common.own = Seen::all(stamp);
            return;
        }
        let known = self.together(mask, stamp);
        self.settle(mask, known);
    }

    /// What was known at the fences of the lanes of `mask`, and of those whom they have met: `here`, only at those that
    /// not all of them know of.
    fn fenced(&mut self, mask: u32, here: bool) -> Vec<Fenced> {
        let place = (self.block, self.warp);
        let mut all = Vec::new();
        for fence in &mut self.fences {
            if fence.mask & mask != 0 && !(here && mask & !fence.met == 0) {
                fence.met |= if here { mask } else { 0 };
                add_fenced(
                    &mut all,
                    Fenced { mask: !0, scope: fence.scope, known: fence.told(place, fence.mask & mask) },
                );
            }
        }
        for met in self.met.iter().filter(|met| met.mask & mask != 0 && !(here && mask & !met.mask == 0)) {
            add_fenced(&mut all, Fenced { mask: !0, ..met.clone() });
        }
        all
    }

    /// The lanes of `mask` know the same from now on.
    fn settle(&mut self, mask: u32, known: Knowledge) {
        if mask & self.live == self.live {
            self.common = known;
            self.each = None;
        } else {
            self.change(mask, |own| *own = known.clone());
        }
    }

    /// A fence of the lanes of `mask`: acquires what they have read, and prepares what they write next to release.
    pub fn fence(&mut self, mask: u32, scope: Scope) {
        self.acquire_pending(mask, scope);
        for fence in self.fences.iter_mut().filter(|fence| fence.scope <= scope) {
            fence.mask &= !mask;
        }
        self.fences.retain(|fence| fence.mask != 0);
        let (common, each) = (self.common.clone(), self.each.clone());
        self.fences.push(Fence { mask, scope, stamp: self.stamp, common, each, met: 0 });
        self.stamp += 1;
    }

    fn acquire_pending(&mut self, mask: u32, scope: Scope) {
        for mut pending in std::mem::take(&mut self.pending) {
            let both = pending.mask & mask;
            if both != 0 {
                let here = (self.block, self.warp);
                self.change(both, |known| {
                    known.learn(here, &pending.near);
                    if scope >= Scope::Device {
                        known.learn(here, &pending.far);
                    }
                });
                // What a narrow fence leaves out stays, as what a narrow scope does.
                if scope < Scope::Device && !(pending.far.is_empty() && pending.narrow.is_empty()) {
                    let mut narrow = pending.narrow.clone();
                    join(&mut narrow, &pending.far);
                    let far = pending.far.clone();
                    self.pending.push(Pending { mask: both, read: pending.read, near: Arc::default(), far, narrow });
                } else if !pending.narrow.is_empty() {
                    let narrow = pending.narrow.clone();
                    let (near, far) = (Arc::default(), Arc::default());
                    self.pending.push(Pending { mask: both, read: pending.read, near, far, narrow });
                }
            }
            pending.mask &= !mask;
            if pending.mask != 0 {
                self.pending.push(pending);
            }
        }
    }

    /// Whether a strong write of this warp publishes anything.
    #[inline]
    pub fn publishes(&self, order: Order) -> bool {
        releases(order) || !self.fences.is_empty() || !self.met.is_empty()
    }

    /// A strong write of a lane: publishes at its address what came before the lane's last fences, and with a release all
    /// that came before the write. `update`: the write is an atomic's, which carries on what was published before.
    pub fn publish(&mut self, lane: u32, order: Order, update: bool, at: &mut Option<Published>) {
        if !update {
            *at = None;
        }
        for fence in self.fences.iter().filter(|fence| fence.mask >> lane & 1 != 0) {
            let news = fence.told((self.block, self.warp), 1 << lane);
            at.get_or_insert_default().add(self.block, fence.scope.min(order.scope), &news);
        }
        for met in self.met.iter().filter(|met| met.mask >> lane & 1 != 0) {
            at.get_or_insert_default().add(self.block, met.scope.min(order.scope), &met.known);
        }
        if releases(order) {
            at.get_or_insert_default().add(self.block, order.scope, &self.told(lane));
        }
    }

    /// What is done from now on comes behind what was released.
    pub fn released(&mut self) {
        self.stamp += 1;
    }

    /// A strong read of what was published, by the lanes of `mask` at a function's site.
    pub fn learn(&mut self, mask: u32, order: Order, read: (u32, u32), at: &Published) {
        let here = (self.block, self.warp);
        let nothing = Arc::default();
        let near = at.near.get(&self.block).unwrap_or(&nothing);
        let wide = order.scope >= Scope::Device;
        let far = if wide { &at.far } else { &nothing };
        let acquires = matches!(order.strength, Strength::Acquire | Strength::AcquireRelease);
        if acquires {
            self.change(mask, |known| {
                known.learn(here, near);
                known.learn(here, far);
            });
        }
        let mut narrow = at.narrow.clone();
        if !wide {
            join(&mut narrow, &at.far);
        }
        if acquires && narrow.is_empty() {
            return;
        }
        let found = self.pending.iter().position(|pending| pending.read == read && pending.mask == mask);
        let index = found.unwrap_or_else(|| {
            self.pending.push(Pending { mask, read, ..Pending::default() });
            self.pending.len() - 1
        });
        let pending = &mut self.pending[index];
        if !acquires {
            join(&mut pending.near, near);
            join(&mut pending.far, far);
        }
        join(&mut pending.narrow, &narrow);
    }

    /// Lanes come to a barrier: what they bring. One that waits there counts as a fence behind what its threads have read.
    pub fn arrive(&mut self, mask: u32, waits: bool) -> Brought {
        if waits && !self.pending.is_empty() {
            self.acquire_pending(mask, Scope::System);
        }
        let known = self.together(mask, self.stamp);
        let fenced = if self.fences.is_empty() && self.met.is_empty() { Vec::new() } else { self.fenced(mask, false) };
        self.stamp += 1;
        Brought { known, fenced }
    }

    /// A barrier lets lanes go: they know what all brought.
    pub fn leave(&mut self, mask: u32, met: &Met) {
        let (warp, brought) = (self.warp, &met.known);
        for fenced in &met.fenced {
            add_fenced(&mut self.met, Fenced { mask, ..fenced.clone() });
        }
        if mask & self.live == self.live {
            self.common.take(brought, warp);
            self.each = None;
        } else {
            self.change(mask, |known| known.join_met(brought, warp));
        }
    }

    /// What a lane tells who releases now.
    pub fn told(&self, lane: u32) -> Arc<Outside> {
        self.of(lane).told(self.block, self.warp, 1 << lane, self.stamp)
    }

    /// What the lanes of `mask` together tell who release now.
    pub fn told_by(&self, mask: u32) -> Arc<Outside> {
        self.together(mask, self.stamp).told(self.block, self.warp, mask, self.stamp)
    }

    /// The clock of an asynchronous copy that begins now, and that what its thread does from now on does not come before.
    pub fn beginning(&mut self) -> Clock {
        let (common, each) = (self.common.clone(), self.each.clone());
        let (fences, met, pending) = (Vec::new(), Vec::new(), Vec::new());
        let began = Clock { until: self.stamp, common, each, fences, met, pending, ..*self };
        self.stamp += 1;
        began
    }

    /// The lanes of `mask` learn what was told.
    pub fn fetch(&mut self, mask: u32, brought: &Arc<Outside>) {
        let here = (self.block, self.warp);
        self.change(mask, |known| known.learn(here, brought));
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

    fn clocks(block: u32, warps: u32) -> Vec<Clock> {
        (0..warps).map(|warp| Clock::new(block, warp, warps as usize, !0)).collect()
    }

    fn when(block: u32, warp: u32, lane: u32, clock: &Clock) -> When {
        When { block, warp, lane, stamp: clock.stamp() }
    }

    /// All lanes of the warps come to a barrier.
    fn meet(clocks: &mut [Clock], warps: &[u32]) {
        let brought: Vec<_> = warps.iter().map(|&warp| (warp, clocks[warp as usize].arrive(!0, true))).collect();
        let known = Met::new(clocks.len(), &brought);
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
        let known = Met::new(2, &[(0, arrived), (1, waits)]);
        warps[1].leave(!0, &known);
        assert!(warps[1].is_after(early, 0));
        assert!(!warps[1].is_after(late, 0));
        assert!(!warps[0].is_after(waiting, 0));
    }

    #[test]
    fn a_gather_orders_the_lanes_that_take_part() {
        let mut warp = Clock::new(0, 0, 1, !0);
        let (outside, inside) = (when(0, 0, 5, &warp), when(0, 0, 2, &warp));
        warp.gather(0xf);
        assert!(!warp.is_after(outside, 1));
        assert!(warp.is_after(inside, 1));
        assert!(!warp.is_after(inside, 5), "who does not take part learns nothing");
        warp.gather(!0);
        assert!(warp.is_after(outside, 1) && warp.is_after(inside, 5));
    }

    #[test]
    fn a_fence_on_each_side_of_a_relaxed_signal_tells_another_block() {
        let (mut writer, mut reader) = (Clock::new(0, 0, 1, !0), Clock::new(1, 0, 1, !0));
        let mut flag = None;
        let write = when(0, 0, 0, &writer);
        writer.publish(0, relaxed(Scope::Device), true, &mut flag);
        assert!(flag.is_none(), "without a fence nothing is published");
        writer.fence(!0, Scope::Device);
        let late = when(0, 0, 0, &writer);
        writer.publish(0, relaxed(Scope::Device), true, &mut flag);
        reader.learn(1, relaxed(Scope::Device), SOME, flag.as_ref().unwrap());
        assert!(!reader.is_after(write, 0), "no fence behind the read");
        assert_eq!(reader.missed(write, 0), Some((Missed::Fence, SOME)));
        reader.fence(1, Scope::Block);
        assert!(!reader.is_after(write, 0), "too narrow a fence");
        assert_eq!(reader.missed(write, 0), Some((Missed::Scope, SOME)));
        reader.fence(1, Scope::Device);
        assert!(reader.is_after(write, 0));
        assert!(!reader.is_after(write, 9), "another lane has read nothing");
        assert!(!reader.is_after(late, 0), "written behind the fence");
    }

    #[test]
    fn one_thread_signals_for_all_who_have_fenced_and_met() {
        let mut block = clocks(0, 2);
        let mut reader = Clock::new(1, 0, 1, !0);
        let acquire = Order { strength: Strength::Acquire, scope: Scope::Device };
        let write = when(0, 1, 5, &block[1]);
        block.iter_mut().for_each(|clock| clock.fence(!0, Scope::Device));
        let late = when(0, 1, 5, &block[1]);
        meet(&mut block, &[0, 1]);
        let mut flag = None;
        block[0].publish(0, relaxed(Scope::Device), false, &mut flag);
        reader.learn(!0, acquire, SOME, flag.as_ref().unwrap());
        assert!(reader.is_after(write, 0));
        assert!(!reader.is_after(late, 0), "behind its fence");
    }

    #[test]
    fn a_release_of_one_lane_tells_of_what_that_lane_did() {
        let (mut writer, mut reader) = (Clock::new(0, 0, 1, !0), Clock::new(1, 0, 1, !0));
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
        let mut outside = Clock::new(1, 0, 1, !0);
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
        let (mut second, mut third) = (Clock::new(1, 0, 2, !0), Clock::new(2, 0, 2, !0));
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
        let mut writer = Clock::new(0, 0, 1, !0);
        let mut flag = None;
        writer.publish(0, Order { strength: Strength::Release, scope: Scope::Device }, false, &mut flag);
        let mut other = Clock::new(1, 0, 1, !0);
        other.publish(0, relaxed(Scope::Device), true, &mut flag);
        assert!(flag.is_some(), "an atomic carries it on");
        other.publish(0, relaxed(Scope::Device), false, &mut flag);
        assert!(flag.is_none());
    }
}
