//! What the sanitizer keeps of a running block, and the launch's facts that it needs everywhere.
use super::barrier::BarrierState;
use super::clock::Clock;
use super::copies::Copies;
use super::knowledge::{Knowledge, Outside, When, told_of};
use super::proxy::PROXIES;
use super::race::Noted;
use super::shadow::Shadow;
use super::signals::{Phases, Signals};
use super::strictly_after::RanBlocks;
use super::updates::VolatileLoads;
use machine::memory::Stains;
use machine::probe::Place;
use machine::probe::{Launch, Scope, Who};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Facts of the launch, copied so that the probe can outlive it.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    pub shared_bytes: u32,
}

impl Geometry {
    pub fn of(launch: &Launch) -> Self {
        let (grid, block, cluster) = (launch.grid, launch.block, launch.cluster);
        Self { grid, block, cluster, shared_bytes: launch.shared_bytes }
    }
    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }
    pub fn warps(&self) -> usize {
        self.threads().div_ceil(32) as usize
    }
    /// The lanes of a warp that have a thread.
    pub fn lanes(&self, warp: u32) -> u32 {
        let left = self.threads().saturating_sub(warp * 32).min(32);
        if left == 0 { 0 } else { u32::MAX >> (32 - left) }
    }
    /// Whether clusters have several blocks.
    pub fn is_clustered(&self) -> bool {
        self.cluster.iter().product::<u32>() > 1
    }
    /// A scope as it counts here: that of the cluster reaches other blocks where clusters have several.
    pub fn widened(&self, scope: Scope) -> Scope {
        if self.is_clustered() && scope == Scope::Cluster { Scope::Device } else { scope }
    }
    /// A place by warp and lanes; the first of the lanes is the one that is named.
    pub fn place(&self, who: Who, site: u32, lanes: u32) -> Place {
        let lane = lanes.trailing_zeros().min(31);
        let thread = who.warp * 32 + lane;
        let [x, y, _] = self.block.map(|edge| edge.max(1));
        Place {
            function: who.function,
            site,
            block: who.block,
            thread: [thread % x, thread / x % y, thread / (x * y)],
            warp: who.warp,
            lane,
            lanes,
        }
    }
}

/// A block's warps: where they are, and what each of them knows of the others.
pub struct Warps {
    pub index: u64,
    pub coordinates: [u32; 3],
    pub clocks: Vec<Clock>,
}

impl Warps {
    /// What a transfer lets those know who have waited for it.
    pub fn told_of(&self, noted: Noted) -> Arc<Outside> {
        told_of(self.clocks.len() + PROXIES, self.index as u32, noted.warp, noted.lane, noted.stamp)
    }
}

/// A block between its start and its end.
pub struct BlockState {
    pub warps: Warps,
    /// Per warp the number under which its accesses to global memory are noted, and the stamp it stands for.
    pub contexts: Vec<(u32, u32)>,
    pub shared: Shadow,
    /// What was published at which shared address.
    pub signals: Signals,
    /// What was brought to the `mbarrier` at which shared address.
    pub phases: FxHashMap<u64, Phases>,
    /// Asynchronous copies to shared memory that are under way.
    pub copies: Copies,
    /// Per warp.
    pub volatile_loads: Vec<VolatileLoads>,
    /// Per word of shared memory a bit for each byte that was written.
    pub shared_written: Vec<u8>,
    /// Values in shared memory that are not defined though they were written.
    pub shared_stains: Stains,
    /// How many words of shared memory are not written as a whole.
    pub shared_open: usize,
    /// Per warp: for each byte of local memory the lanes that have written it.
    pub local_written: Vec<Vec<u32>>,
    /// Accesses from other blocks of the cluster: by block, warp and site the last one, and its place.
    pub visits: FxHashMap<(u32, u32, u32), (When, Place)>,
    pub barriers: BarrierState,
    pub ran: RanBlocks,
}

impl BlockState {
    /// The block at its start. `old` is one that has ended: its room serves again.
    pub fn new(index: u64, coordinates: [u32; 3], geometry: &Geometry, old: Option<BlockState>) -> Self {
        let warps = geometry.warps();
        let words = geometry.shared_bytes.div_ceil(4) as usize;
        let old = old.map(|old| (old.shared, old.shared_written, old.ran));
        let (mut shared, mut shared_written, mut ran) = old.unwrap_or_default();
        ran.clear(warps);
        // One list for all of them, until somebody learns something.
        let nothing = Knowledge::new(warps + PROXIES);
        let clock = |warp| Clock::new(index as u32, warp, &nothing, geometry.lanes(warp));
        let clocks = (0..warps as u32).map(clock).collect();
        shared.clear(words);
        shared_written.clear();
        shared_written.resize(words, 0);
        Self {
            warps: Warps { index, coordinates, clocks },
            contexts: vec![(0, 0); warps + PROXIES],
            shared,
            signals: FxHashMap::default(),
            phases: FxHashMap::default(),
            copies: Copies::default(),
            volatile_loads: vec![VolatileLoads::default(); warps],
            shared_written,
            shared_stains: Stains::default(),
            shared_open: words,
            local_written: vec![Vec::new(); warps],
            visits: FxHashMap::default(),
            barriers: BarrierState::new(warps),
            ran,
        }
    }
}
