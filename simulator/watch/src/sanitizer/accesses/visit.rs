//! An access beside the words that it touches: who makes it, and who is ordered before it.
use crate::sanitizer::order::knowledge::{MANY, When};
use crate::sanitizer::order::vector_clock::VectorClock;
use crate::sanitizer::order::warps::Warps;
use crate::sanitizer::shadow::cells::Cell;
use crate::sanitizer::shadow::contexts::{Contexts, Owner};
use crate::sanitizer::shadow::stretch::Parties;
use ptx::isa::Space;

/// An access on its way to the words that it touches.
#[derive(Clone, Copy)]
pub struct Visit<'a> {
    pub contexts: &'a Contexts,
    /// Those of the block that makes the access, and which of them does.
    pub warps: &'a Warps,
    pub warp: u32,
    pub space: Space,
    pub clock: &'a VectorClock,
    pub owner: Owner,
    /// Nothing is ordered before a transfer by itself: proxy fences count too.
    pub is_transfer: bool,
}

impl Visit<'_> {
    #[inline(always)]
    fn when(&self, cell: Cell) -> Option<When> {
        self.contexts.when(self.owner, self.space, cell).map(|(when, _)| when)
    }
}

impl Parties for Visit<'_> {
    #[inline(always)]
    fn ordered(&self, cell: Cell) -> bool {
        self.when(cell).is_some_and(|when| !self.is_transfer && self.clock.is_after_all(when))
    }

    #[inline(always)]
    fn stays(&self, older: Cell, latest: Cell) -> bool {
        let global = self.space == Space::Global;
        let here = if global { self.warps.index as u32 } else { self.warp };
        let is_here = |when: When| here == if global { when.block } else { when.warp };
        // Nearly always the latest is from elsewhere.
        self.when(latest).is_some_and(is_here)
            && self.when(older).is_some_and(|when| !is_here(when))
            && !self.ordered(older)
    }

    fn same_lane(&self, cell: Cell, now: Cell) -> bool {
        let Some(when) = self.when(cell) else { return false };
        let here = (self.warps.index as u32, self.warp);
        (when.block, when.warp) == here && (when.lane == now.lane() || when.lane == MANY)
    }
}
