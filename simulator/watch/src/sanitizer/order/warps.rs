//! The warps of a running block, and their knowledge of each other.
use super::geometry::Geometry;
use super::knowledge::{Knowledge, Outside, told_of};
use super::transfer_party::{PROXIES, TransferParty};
use super::vector_clock::VectorClock;
use std::sync::Arc;

/// A block's warps: where they are, and what each of them knows of the others.
pub struct Warps {
    pub index: u64,
    pub coordinates: [u32; 3],
    pub clocks: Vec<VectorClock>,
    /// Per warp the number under which its accesses to global memory are noted, and the stamp it stands for.
    pub contexts: Vec<(u32, u32)>,
}

impl Warps {
    /// The warps of a block at its start, which know nothing yet.
    pub fn new(index: u64, coordinates: [u32; 3], geometry: &Geometry) -> Self {
        let warps = geometry.warps();
        // One list for all of them, until somebody learns something.
        let nothing = Knowledge::new(warps + PROXIES);
        let clock = |warp| VectorClock::new(index as u32, warp, &nothing, geometry.lanes(warp));
        let clocks = (0..warps as u32).map(clock).collect();
        Self { index, coordinates, clocks, contexts: vec![(0, 0); warps + PROXIES] }
    }

    /// The knowledge that a transfer gives to those who have waited for it.
    pub fn told_of(&self, party: TransferParty) -> Arc<Outside> {
        told_of(self.clocks.len() + PROXIES, self.index as u32, party.warp, party.lane, party.stamp)
    }
}
