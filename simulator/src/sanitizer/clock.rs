//! Happens-before between the warps of a launch, by vector clocks.
//!
//! Each warp has a stamp that grows whenever it lets others know what it has done: at a barrier, at a fence, at a release.
//! An access carries its warp's stamp; it comes before whatever a warp does that has learnt of that stamp. Warps learn at
//! barriers (from all who take part) and when they read, atomically or volatile, what another has published: with a release,
//! or with a fence and then an atomic or volatile write. What a warp knows of its own block is a short list, what it knows
//! of other blocks is shared between its block's warps until they differ.
use std::collections::HashMap;
use std::sync::Arc;

/// What is known of other blocks: per block the stamp of each of its warps.
pub type Outside = HashMap<u32, Arc<[u32]>>;

/// What one warp knows.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Own stamp, from 1.
    stamp: u32,
    /// Latest known stamp of each warp of the block; the own entry is the latest published.
    inside: Vec<u32>,
    outside: Arc<Outside>,
    /// Stamp before the last fence, for the block and for the device: what the next atomic write publishes. 0: none yet.
    fenced: [u32; 2],
    /// Per lane the stamp after its last warp-synchronous operation.
    gathered: [u32; 32],
    /// The earliest of them.
    settled: u32,
}

/// What was published at an address.
#[derive(Clone, Debug, Default)]
pub struct Published {
    outside: Arc<Outside>,
}

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

impl Clock {
    /// The clock of a warp in a block of `warps`.
    pub fn new(warps: usize) -> Self {
        Self {
            stamp: 1,
            inside: vec![0; warps],
            outside: Arc::default(),
            fenced: [0; 2],
            gathered: [0; 32],
            settled: 0,
        }
    }

    /// The stamp that accesses carry now.
    pub fn stamp(&self) -> u32 {
        self.stamp
    }

    /// Whether an earlier access comes before what `lane` of warp `warp` of block `block`, whose clock this is, does now.
    pub fn is_after(&self, earlier: When, block: u32, warp: u32, lane: u32) -> bool {
        if earlier.block != block {
            let known = self.outside.get(&earlier.block).and_then(|warps| warps.get(earlier.warp as usize));
            return known.is_some_and(|&stamp| stamp >= earlier.stamp);
        }
        if earlier.warp != warp {
            return self.inside.get(earlier.warp as usize).is_some_and(|&stamp| stamp >= earlier.stamp);
        }
        if earlier.lane == lane && lane != MANY {
            return true;
        }
        match self.gathered.get(earlier.lane as usize) {
            Some(&stamp) => stamp > earlier.stamp,
            // Several lanes: one that has been synchronised since speaks for all.
            None => self.gathered.iter().any(|&stamp| stamp > earlier.stamp),
        }
    }

    /// As [`Clock::is_after`], for all lanes of both sides.
    #[inline]
    pub fn is_after_all(&self, earlier: When, block: u32, warp: u32) -> bool {
        match () {
            () if earlier.block != block => self.is_after(earlier, block, warp, MANY),
            () if earlier.warp == warp => self.settled > earlier.stamp,
            () => self.inside.get(earlier.warp as usize).is_some_and(|&stamp| stamp >= earlier.stamp),
        }
    }

    /// A warp-synchronous operation of the lanes of `mask`.
    pub fn gather(&mut self, mask: u32) {
        self.stamp += 1;
        for (lane, gathered) in self.gathered.iter_mut().enumerate() {
            if mask >> lane & 1 != 0 {
                *gathered = self.stamp;
            }
        }
        self.settled = self.gathered.into_iter().min().unwrap_or(0);
    }

    /// A fence for the block or, `device`, for other blocks too.
    pub fn fence(&mut self, device: bool) {
        self.fenced[0] = self.stamp;
        if device {
            self.fenced[1] = self.stamp;
        }
        self.stamp += 1;
    }

    /// An atomic or volatile write: publishes what came before the last fence or, with `release`, everything so far.
    /// `device`: to memory that other blocks see.
    pub fn publish(&mut self, block: u32, warp: u32, release: bool, device: bool, at: &mut Option<Published>) {
        let own = if release { self.stamp } else { self.fenced[usize::from(device)] };
        if own == 0 {
            return;
        }
        let mut warps = self.inside.clone();
        if let Some(entry) = warps.get_mut(warp as usize) {
            *entry = (*entry).max(own);
        }
        if release {
            self.stamp += 1;
        }
        let published = at.get_or_insert_default();
        join(&mut published.outside, &self.outside);
        join_block(Arc::make_mut(&mut published.outside), block, &warps.into());
    }

    /// An atomic or volatile read of what was published.
    pub fn learn(&mut self, block: u32, at: &Published) {
        if Arc::ptr_eq(&self.outside, &at.outside) {
            return;
        }
        if let Some(own) = at.outside.get(&block) {
            self.inside.iter_mut().zip(own.iter()).for_each(|(to, from)| *to = (*to).max(*from));
        }
        join(&mut self.outside, &at.outside);
    }
}

/// A barrier lets go: all who took part know what any of them knew and did.
pub fn meet(clocks: &mut [Clock], took_part: &[u32]) {
    let Some(&first) = took_part.first() else { return };
    let mut inside = vec![0u32; clocks.len()];
    let mut outside = clocks[first as usize].outside.clone();
    for &warp in took_part {
        let clock = &mut clocks[warp as usize];
        inside.iter_mut().zip(&clock.inside).for_each(|(to, from)| *to = (*to).max(*from));
        inside[warp as usize] = inside[warp as usize].max(clock.stamp);
        join(&mut outside, &clock.outside);
    }
    for &warp in took_part {
        let clock = &mut clocks[warp as usize];
        clock.inside.copy_from_slice(&inside);
        clock.outside = outside.clone();
        // A barrier of the block synchronises the warp's lanes too.
        clock.stamp += 1;
        clock.gathered = [clock.stamp; 32];
        clock.settled = clock.stamp;
    }
}

fn join(to: &mut Arc<Outside>, from: &Arc<Outside>) {
    if Arc::ptr_eq(to, from) || from.is_empty() {
        return;
    }
    if to.is_empty() {
        *to = from.clone();
        return;
    }
    let news = |to: &Outside| {
        from.iter()
            .any(|(block, warps)| to.get(block).is_none_or(|known| !Arc::ptr_eq(known, warps) && older(known, warps)))
    };
    if news(to) {
        let to = Arc::make_mut(to);
        from.iter().for_each(|(&block, warps)| join_block(to, block, warps));
    }
}

fn older(known: &[u32], news: &[u32]) -> bool {
    known.iter().zip(news).any(|(known, news)| known < news)
}

fn join_block(to: &mut Outside, block: u32, warps: &Arc<[u32]>) {
    match to.get_mut(&block) {
        None => {
            to.insert(block, warps.clone());
        }
        Some(known) if Arc::ptr_eq(known, warps) || !older(known, warps) => {}
        Some(known) => *known = known.iter().zip(warps.iter()).map(|(a, b)| *a.max(b)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn when(block: u32, warp: u32, lane: u32, clock: &Clock) -> When {
        When { block, warp, lane, stamp: clock.stamp() }
    }

    #[test]
    fn a_barrier_orders_warps_and_lanes() {
        let mut warps = vec![Clock::new(2), Clock::new(2)];
        let write = when(0, 0, 3, &warps[0]);
        assert!(warps[0].is_after(write, 0, 0, 3), "the same thread");
        assert!(!warps[0].is_after(write, 0, 0, 4), "another lane");
        assert!(!warps[1].is_after(write, 0, 1, 3), "another warp");
        meet(&mut warps, &[0, 1]);
        assert!(warps[0].is_after(write, 0, 0, 4));
        assert!(warps[1].is_after(write, 0, 1, 3));
        assert!(!warps[1].is_after(when(0, 0, 3, &warps[0]), 0, 1, 3), "what comes after the barrier is new");
    }

    #[test]
    fn a_barrier_of_some_warps_orders_only_them() {
        let mut warps = vec![Clock::new(3); 3];
        let write = when(0, 0, 0, &warps[0]);
        meet(&mut warps, &[0, 1]);
        assert!(warps[1].is_after(write, 0, 1, 0));
        assert!(!warps[2].is_after(write, 0, 2, 0));
        meet(&mut warps, &[1, 2]);
        assert!(warps[2].is_after(write, 0, 2, 0), "knowledge travels");
    }

    #[test]
    fn a_gather_orders_the_lanes_that_take_part() {
        let mut warp = Clock::new(1);
        let write = when(0, 0, 5, &warp);
        let wide = when(0, 0, MANY, &warp);
        warp.gather(0xf);
        assert!(!warp.is_after(write, 0, 0, 1));
        assert!(warp.is_after(wide, 0, 0, 1));
        warp.gather(!0);
        assert!(warp.is_after(write, 0, 0, 1));
    }

    #[test]
    fn a_fence_and_an_atomic_tell_another_block() {
        let mut writer = Clock::new(1);
        let mut reader = Clock::new(1);
        let mut counter = None;
        let write = when(0, 0, 0, &writer);
        writer.publish(0, 0, false, true, &mut counter);
        assert!(counter.is_none(), "an atomic without a fence publishes nothing");
        writer.fence(true);
        let late = when(0, 0, 0, &writer);
        writer.publish(0, 0, false, true, &mut counter);
        reader.learn(1, counter.as_ref().unwrap());
        assert!(reader.is_after(write, 1, 0, 0));
        assert!(!reader.is_after(late, 1, 0, 0), "written behind the fence");
    }

    #[test]
    fn knowledge_passes_through_a_third_block() {
        let mut blocks: Vec<Clock> = (0..3).map(|_| Clock::new(2)).collect();
        let write = when(0, 1, 0, &blocks[0]);
        let mut counter = None;
        blocks[0].publish(0, 1, true, true, &mut counter);
        blocks[1].learn(1, counter.as_ref().unwrap());
        let mut other = None;
        blocks[1].publish(1, 0, true, true, &mut other);
        blocks[2].learn(2, other.as_ref().unwrap());
        assert!(blocks[2].is_after(write, 2, 0, 0));
        assert!(!blocks[2].is_after(When { warp: 0, ..write }, 2, 0, 0));
    }
}
