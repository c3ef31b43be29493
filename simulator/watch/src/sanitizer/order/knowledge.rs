//! A thread's knowledge of others: per warp of its block and per warp of other blocks, up to which stamp it has learnt of
//! their accesses.
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

/// Knowledge of blocks: per block the knowledge of each of its warps.
pub type Outside = FxHashMap<u32, Arc<[Seen]>>;

/// Up to which stamp the accesses of a warp's lanes are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The stamp of all lanes.
    all: u32,
    /// The stamp of each lane, where more is known of some.
    lanes: Option<Arc<[u32; 32]>>,
}

impl Seen {
    /// All lanes' accesses up to a stamp.
    pub fn all(stamp: u32) -> Self {
        Self { all: stamp, lanes: None }
    }

    /// True if an access of the warp is among them; of several lanes at once, one of them.
    pub fn covers(&self, earlier: When) -> bool {
        self.all >= earlier.stamp
            || self.lanes.as_ref().is_some_and(|lanes| match lanes.get(earlier.lane as usize) {
                Some(&stamp) => stamp >= earlier.stamp,
                None => earlier.lane == MANY && lanes.iter().any(|&stamp| stamp >= earlier.stamp),
            })
    }

    /// The lanes of `mask` are known up to a stamp.
    pub fn raise(&mut self, mask: u32, stamp: u32) {
        if stamp <= self.all {
            return;
        }
        let lanes = Arc::make_mut(self.lanes.get_or_insert_with(|| Arc::new([self.all; 32])));
        for (lane, known) in lanes.iter_mut().enumerate() {
            *known = (*known).max(if mask >> lane & 1 != 0 { stamp } else { 0 });
        }
        self.simplify();
    }

    fn simplify(&mut self) {
        if let Some(lanes) = &self.lanes {
            self.all = self.all.max(lanes.iter().copied().min().unwrap_or(0));
            if lanes.iter().all(|&stamp| stamp <= self.all) {
                self.lanes = None;
            }
        }
    }

    fn join(&mut self, other: &Seen) {
        self.all = self.all.max(other.all);
        match (&mut self.lanes, &other.lanes) {
            (_, None) => {}
            (None, Some(lanes)) => self.lanes = Some(lanes.clone()),
            (Some(own), Some(lanes)) if Arc::ptr_eq(own, lanes) => {}
            (Some(own), Some(lanes)) => {
                Arc::make_mut(own).iter_mut().zip(lanes.iter()).for_each(|(own, other)| *own = (*own).max(*other));
            }
        }
        self.simplify();
    }

    /// True if the other knows of accesses that this one does not.
    fn lacks(&self, other: &Seen) -> bool {
        let of = |lane: usize| self.lanes.as_ref().map_or(self.all, |lanes| lanes[lane].max(self.all));
        other.all > self.all && (self.lanes.is_none() || (0..32).any(|lane| other.all > of(lane)))
            || other.lanes.as_ref().is_some_and(|lanes| (0..32).any(|lane| lanes[lane] > of(lane)))
    }
}

/// The knowledge of one thread.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Knowledge of its own warp, beside what it did itself.
    pub own: Seen,
    /// Knowledge of the warps of its block; the entry of its own warp may lag behind `own`.
    inside: Arc<[Seen]>,
    outside: Arc<Outside>,
}

impl Knowledge {
    /// Nothing, in a block of so many warps.
    pub fn new(warps: usize) -> Self {
        Self { own: Seen::default(), inside: vec![Seen::default(); warps].into(), outside: Arc::default() }
    }

    /// True if an access is known to a thread of a block's warp.
    pub fn covers(&self, earlier: When, block: u32, warp: u32) -> bool {
        match () {
            () if earlier.block != block => {
                let seen = self.outside.get(&earlier.block).and_then(|warps| warps.get(earlier.warp as usize));
                seen.is_some_and(|seen| seen.covers(earlier))
            }
            () if earlier.warp == warp => self.own.covers(earlier),
            () => self.inside.get(earlier.warp as usize).is_some_and(|seen| seen.covers(earlier)),
        }
    }

    /// True if all that the warp of an access did up to its stamp is known.
    #[inline]
    pub fn covers_all(&self, earlier: When, block: u32, warp: u32) -> bool {
        match () {
            () if earlier.block != block => {
                let seen = self.outside.get(&earlier.block).and_then(|warps| warps.get(earlier.warp as usize));
                seen.is_some_and(|seen| seen.all >= earlier.stamp)
            }
            () if earlier.warp == warp => self.own.all >= earlier.stamp,
            () => self.inside.get(earlier.warp as usize).is_some_and(|seen| seen.all >= earlier.stamp),
        }
    }

    /// Adds what another thread of the same warp knows.
    pub fn join(&mut self, other: &Knowledge) {
        self.own.join(&other.own);
        join_warps(&mut self.inside, &other.inside);
        join(&mut self.outside, &other.outside);
    }

    /// The knowledge that a thread of a block's warp gives to threads of any block: its own, and the accesses of its lanes in `mask`
    /// up to a stamp.
    pub fn told(&self, block: u32, warp: u32, mask: u32, stamp: u32) -> Arc<Outside> {
        let mut own = self.own.clone();
        own.raise(mask, stamp);
        let mut warps = self.inside.clone();
        if let Some(entry) = Arc::make_mut(&mut warps).get_mut(warp as usize) {
            entry.join(&own);
        }
        let mut told = self.outside.clone();
        join_block(Arc::make_mut(&mut told), block, &warps);
        told
    }

    /// Learns what was told, as a thread of a block's warp.
    pub fn learn(&mut self, (block, warp): (u32, u32), told: &Arc<Outside>) {
        if told.is_empty() || Arc::ptr_eq(&self.outside, told) {
            return;
        }
        if let Some(warps) = told.get(&block) {
            join_warps(&mut self.inside, warps);
            if let Some(own) = warps.get(warp as usize) {
                self.own.join(own);
            }
        }
        join(&mut self.outside, told);
    }

    /// The knowledge of all who meet at a barrier together, by their warps; it is nobody's own.
    pub fn met<'a>(warps: usize, all: impl Iterator<Item = (u32, &'a Knowledge)> + Clone) -> Knowledge {
        let Some((_, first)) = all.clone().next() else { return Self::new(warps) };
        let mut met = Knowledge { own: Seen::default(), ..first.clone() };
        for (_, other) in all.clone().skip(1) {
            // After a barrier all share one list, until somebody learns more.
            if !Arc::ptr_eq(&first.inside, &other.inside) {
                join_warps(&mut met.inside, &other.inside);
            }
            join(&mut met.outside, &other.outside);
        }
        let inside = Arc::make_mut(&mut met.inside);
        for (warp, known) in all {
            if let Some(entry) = inside.get_mut(warp as usize) {
                entry.join(&known.own);
            }
        }
        met
    }

    /// Becomes what a warp whose lanes were all at a barrier knows after it.
    pub fn take(&mut self, met: &Knowledge, warp: u32) {
        self.inside = met.inside.clone();
        self.outside = met.outside.clone();
        self.own = self.inside.get(warp as usize).cloned().unwrap_or_default();
    }

    /// Adds what was brought to a barrier.
    pub fn join_met(&mut self, met: &Knowledge, warp: u32) {
        join_warps(&mut self.inside, &met.inside);
        join(&mut self.outside, &met.outside);
        if let Some(own) = met.inside.get(warp as usize) {
            self.own.join(own);
        }
    }
}

/// The accesses of one lane of one of a block's warps, up to a stamp.
pub fn told_of(warps: usize, block: u32, warp: u32, lane: u32, stamp: u32) -> Arc<Outside> {
    let mut seen = vec![Seen::default(); warps];
    if let Some(entry) = seen.get_mut(warp as usize) {
        entry.raise(1 << lane, stamp);
    }
    Arc::new([(block, seen.into())].into_iter().collect())
}

/// Adds what is known of blocks.
pub fn join(to: &mut Arc<Outside>, from: &Arc<Outside>) {
    if Arc::ptr_eq(to, from) || from.is_empty() {
        return;
    }
    if to.is_empty() {
        *to = from.clone();
        return;
    }
    let news = from.iter().any(|(block, warps)| to.get(block).is_none_or(|known| lacks(known, warps)));
    if news {
        let to = Arc::make_mut(to);
        from.iter().for_each(|(&block, warps)| join_block(to, block, warps));
    }
}

fn join_block(to: &mut Outside, block: u32, warps: &Arc<[Seen]>) {
    match to.get_mut(&block) {
        None => {
            to.insert(block, warps.clone());
        }
        Some(known) => join_warps(known, warps),
    }
}

fn join_warps(to: &mut Arc<[Seen]>, from: &Arc<[Seen]>) {
    if lacks(to, from) {
        Arc::make_mut(to).iter_mut().zip(from.iter()).for_each(|(to, from)| to.join(from));
    }
}

fn lacks(known: &Arc<[Seen]>, news: &Arc<[Seen]>) -> bool {
    !Arc::ptr_eq(known, news) && known.iter().zip(news.iter()).any(|(known, news)| known.lacks(news))
}
