//! The sanitizer's state of a running block.
use super::updates::VolatileAccesses;
use crate::sanitizer::order::barrier::BarrierState;
use crate::sanitizer::order::copies::Copies;
use crate::sanitizer::order::geometry::Geometry;
use crate::sanitizer::order::knowledge::When;
use crate::sanitizer::order::signals::{Phases, Signals};
use crate::sanitizer::order::strictly_after::RanBlocks;
use crate::sanitizer::order::warps::Warps;
use crate::sanitizer::shadow::stretch::Shadow;
use crate::sanitizer::shadow::written::{LocalWritten, SharedWritten};
use machine::probe::Place;
use rustc_hash::FxHashMap;

/// A block between its start and its end.
pub struct BlockState {
    pub warps: Warps,
    pub shared: Shadow,
    /// Publications, by their addresses in shared memory.
    pub signals: Signals,
    /// Knowledge that was brought to each `mbarrier`, by its address in shared memory.
    pub phases: FxHashMap<u64, Phases>,
    /// The `mbarrier`s that have ended, by address: when, and where.
    pub ended_barriers: FxHashMap<u64, (When, Place)>,
    /// Asynchronous copies to shared memory that are under way.
    pub copies: Copies,
    /// Per warp.
    pub volatile: Vec<VolatileAccesses>,
    pub shared_written: SharedWritten,
    pub local_written: LocalWritten,
    /// Accesses from other blocks of the cluster: by block, warp and site the last one, and its place.
    pub visits: FxHashMap<(u32, u32, u32), (When, Place)>,
    pub barriers: BarrierState,
    pub ran: RanBlocks,
    /// A bit for each warp that has waited for the launches that this one may overlap, or knows of one in the block that has.
    pub waited: u32,
}

impl BlockState {
    /// The block at its start. `old` is one that has ended: its room serves again.
    pub fn new(index: u64, coordinates: [u32; 3], geometry: &Geometry, old: Option<BlockState>) -> Self {
        let warps = geometry.warps();
        let words = geometry.shared_bytes.div_ceil(4) as usize;
        let old = old.map(|old| (old.shared, old.shared_written, old.ran));
        let (mut shared, mut shared_written, mut ran) = old.unwrap_or_default();
        ran.clear(warps);
        shared.clear(words);
        shared_written.clear(words);
        Self {
            warps: Warps::new(index, coordinates, geometry),
            shared,
            signals: FxHashMap::default(),
            phases: FxHashMap::default(),
            ended_barriers: FxHashMap::default(),
            copies: Copies::default(),
            volatile: vec![VolatileAccesses::default(); warps],
            shared_written,
            local_written: LocalWritten::new(warps),
            visits: FxHashMap::default(),
            barriers: BarrierState::new(warps),
            ran,
            waited: 0,
        }
    }
}
