//! Facts of a launch that the sanitizer needs everywhere: its extents, and names of places in it.
use super::knowledge::When;
use machine::probe::{Launch, Place, Scope, Who};

/// Facts of the launch, copied so that the probe can outlive it.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    pub shared_bytes: u32,
    /// Lanes of a warp go in step on this card.
    pub in_lock_step: bool,
}

impl Geometry {
    pub fn of(launch: &Launch) -> Self {
        let (grid, block, cluster) = (launch.grid, launch.block, launch.cluster);
        Self { grid, block, cluster, shared_bytes: launch.shared_bytes, in_lock_step: launch.in_lock_step }
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

    /// True if clusters have several blocks.
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

    /// The place of an earlier access: when, in which block, and its function and site.
    pub fn place_of(&self, when: When, block: [u32; 3], (function, site): (u32, u32)) -> Place {
        let who = Who { function, block, block_index: u64::from(when.block), warp: when.warp };
        self.place(who, site, 1 << when.lane.min(31))
    }

    /// The block whose shared memory an address names, and where in it.
    pub fn owner(&self, who: Who, address: u64) -> (u64, u64) {
        let (tag, offset) = (address >> 24, address & 0xff_ffff);
        if tag == 0 {
            return (who.block_index, offset);
        }
        let (rank, [cx, cy, _]) = ((tag - 1) as u32, self.cluster.map(|extent| extent.max(1)));
        let within = [rank % cx, rank / cx % cy, rank / (cx * cy)];
        let at = |axis: usize| {
            let extent = self.cluster[axis].max(1);
            u64::from(who.block[axis] / extent * extent + within[axis])
        };
        let [x, y] = [0, 1].map(|axis| u64::from(self.grid[axis]));
        (at(0) + x * (at(1) + y * at(2)), offset)
    }
}
