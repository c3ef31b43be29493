//! Programmatic dependent launch: a launch may begin before the one before it has ended, if that lets it. Until it has waited
//! (`griddepcontrol.wait`) it runs beside the other, and what both touch then is as unordered as two streams.
//!
//! A warp has waited when one of its lanes has, or when it has met a warp of its block that had at a barrier.
use super::block::BlockState;
use machine::memory::{Footprint, Touch};

/// The global memory that an operation touches.
#[derive(Default)]
pub struct Touched {
    pub all: Footprint,
    /// The part that it touches before it has waited for the launches that it may overlap; `None` where there are none.
    pub early: Option<Footprint>,
    /// True if it lets its dependents begin before it has ended, and if it does so before it has waited itself.
    pub lets_go: bool,
    pub lets_go_early: bool,
}

impl From<Footprint> for Touched {
    fn from(all: Footprint) -> Self {
        Self { all, ..Self::default() }
    }
}

impl Touched {
    /// Nothing yet, of a launch that may overlap those before it, or may not.
    pub fn new(overlaps: bool) -> Self {
        Self { early: overlaps.then(Footprint::default), ..Self::default() }
    }

    /// Notes bytes, from an address on, that a warp touches which has waited or has not.
    pub(crate) fn add(&mut self, waited: bool, (first, bytes): (u64, u64), touch: Touch, site: (u32, u32)) {
        self.all.add(first, bytes, touch, site);
        if let Some(early) = self.early.as_mut().filter(|_| !waited) {
            early.add(first, bytes, touch, site);
        }
    }
}

impl BlockState {
    /// A warp hears what others of its block know, and so of those that have waited.
    pub(crate) fn knows_who_waited(&mut self, warp: u32) {
        if self.waited != 0 {
            self.waited |= 1 << (warp % 32);
        }
    }
}
