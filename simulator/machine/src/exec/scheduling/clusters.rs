//! The clusters of blocks that a worker runs, and the barrier of all threads of one.
use super::barrier::Arrivals;
use crate::exec::view::{Lane32, WARP};
use std::collections::HashMap;

/// The largest cluster that a card may be asked for, past the portable eight.
pub const MOST_BLOCKS: u32 = 16;

/// The clusters that a worker runs, by the number of their first block in the order of clusters.
#[derive(Default)]
pub(crate) struct Clusters {
    /// Blocks of a cluster on each axis.
    pub shape: [u32; 3],
    /// True if the kernel or the launch asked for clusters.
    pub explicit: bool,
    /// The cluster of the block that runs, and the block's rank in it.
    pub current: u64,
    pub rank: u32,
    /// Phases of barriers that have ended: whoever waits looks when it changes.
    pub releases: u64,
    running: HashMap<u64, Cluster>,
}

/// A cluster that is under way.
struct Cluster {
    members: Vec<Member>,
    /// Threads that have not exited, and those of them that have arrived at the barrier's phase.
    live: u32,
    arrived: u32,
    phase: u64,
    /// By block and warp: the phase that each lane arrived at last, plus one.
    arrivals: HashMap<(u64, u32), Lane32<u64>>,
}

/// A block of a cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Its number in the grid.
    pub block: u64,
    /// Its shared memory in host memory.
    pub base: u64,
    pub bytes: u64,
    /// True if it has ended.
    pub left: bool,
}

impl Clusters {
    /// For a launch with clusters of a shape.
    pub fn new(shape: [u32; 3], explicit: bool) -> Clusters {
        Clusters { shape, explicit, ..Clusters::default() }
    }

    /// Blocks of a cluster.
    pub fn size(&self) -> u32 {
        self.shape.iter().product::<u32>().max(1)
    }

    /// Begins a cluster whose blocks have so many threads each.
    pub fn begin(&mut self, id: u64, members: Vec<Member>, threads: u32) {
        let live = members.len() as u32 * threads;
        let (arrived, phase, arrivals) = (0, 0, HashMap::new());
        self.running.insert(id, Cluster { members, live, arrived, phase, arrivals });
    }

    /// A block of a cluster has ended; the last one ends the cluster.
    pub fn end_block(&mut self, id: u64, block: u64) {
        let Some(cluster) = self.running.get_mut(&id) else { return };
        cluster.members.iter_mut().filter(|member| member.block == block).for_each(|member| member.left = true);
        if cluster.members.iter().all(|member| member.left) {
            self.running.remove(&id);
        }
    }

    /// The block of a rank in the cluster that runs.
    pub fn member(&self, rank: u32) -> Option<Member> {
        self.running.get(&self.current)?.members.get(rank as usize).copied()
    }

    /// Lanes of a warp arrive at the barrier; whether that ends its phase.
    pub fn arrive(&mut self, block: u64, warp: u32, mask: u32) -> bool {
        let Some(cluster) = self.running.get_mut(&self.current) else { return false };
        let phase = cluster.phase + 1;
        let arrivals = cluster.arrivals.entry((block, warp)).or_insert([0; WARP]);
        crate::probe::lanes(mask).for_each(|lane| arrivals[lane] = phase);
        cluster.arrived += mask.count_ones();
        let over = cluster.end_phase();
        self.releases += u64::from(over);
        over
    }

    /// Lanes of a warp exit; whether that ends the barrier's phase.
    pub fn leave(&mut self, mask: u32) -> bool {
        let Some(cluster) = self.running.get_mut(&self.current) else { return false };
        cluster.live = cluster.live.saturating_sub(mask.count_ones());
        let over = cluster.arrived != 0 && cluster.end_phase();
        self.releases += u64::from(over);
        over
    }

    /// Returns whether the phases are over that the lanes of a warp arrived at.
    pub fn is_over(&self, block: u64, warp: u32, mask: u32) -> bool {
        let Some(cluster) = self.running.get(&self.current) else { return true };
        let Some(arrivals) = cluster.arrivals.get(&(block, warp)) else { return false };
        crate::probe::lanes(mask).all(|lane| arrivals[lane] != 0 && arrivals[lane] <= cluster.phase)
    }

    /// How many threads of the running block's cluster have arrived, and how many are expected.
    pub fn arrivals(&self) -> Arrivals {
        let arrivals = |cluster: &Cluster| Arrivals { arrived: cluster.arrived, expected: cluster.live };
        self.running.get(&self.current).map_or(Arrivals { arrived: 0, expected: 0 }, arrivals)
    }
}

impl Cluster {
    fn end_phase(&mut self) -> bool {
        let over = self.arrived >= self.live;
        if over {
            self.arrived = 0;
            self.phase += 1;
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(block: u64) -> Member {
        Member { block, base: 0, bytes: 1024, left: false }
    }

    #[test]
    fn a_phase_ends_when_every_thread_that_is_left_has_arrived() {
        let mut clusters = Clusters { shape: [2, 1, 1], ..Clusters::default() };
        clusters.begin(0, vec![member(0), member(1)], 32);
        assert!(!clusters.arrive(0, 0, !0));
        assert!(!clusters.is_over(0, 0, !0));
        assert!(!clusters.arrive(1, 0, 0xffff));
        assert!(clusters.leave(0xffff_0000), "those that exit count as arrived");
        assert!(clusters.is_over(0, 0, !0) && clusters.is_over(1, 0, 0xffff));
        assert!(!clusters.arrive(0, 0, !0));
        assert!(!clusters.is_over(0, 0, !0), "the next phase");
    }

    #[test]
    fn a_cluster_ends_with_its_last_block() {
        let mut clusters = Clusters { shape: [2, 1, 1], ..Clusters::default() };
        clusters.begin(0, vec![member(4), member(5)], 32);
        clusters.end_block(0, 4);
        assert!(clusters.member(0).unwrap().left && !clusters.member(1).unwrap().left);
        clusters.end_block(0, 5);
        assert!(clusters.member(0).is_none());
    }
}
