//! One access of one warp, as a picture of it needs it: data alone.
use machine::probe::{Access, AccessKind};
use ptx::isa::Space;
use serde::Serialize;

/// Offsets in global memory count from a multiple of this: a line of the caches.
const LINE_BYTES: u64 = 128;

/// One access of one warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// `global` or `shared`.
    pub space: &'static str,
    /// `load`, `store` or `atomic`.
    pub kind: &'static str,
    /// Bytes of each lane.
    pub bytes: u32,
    pub block: [u32; 3],
    pub warp: u32,
    /// What the offsets are from: an address in global memory, 0 in shared memory.
    pub base: u64,
    /// Each lane's first byte; `None` where the lane does not take part.
    pub lanes: [Option<u64>; 32],
    /// Width of a bank of shared memory; absent for global memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_bytes: Option<u32>,
    /// Sectors of 32 bytes in global memory, wavefronts in shared memory: as the counters of the line have them.
    pub count: u64,
    /// The fewest that the same bytes, or in shared memory the same lanes, could take.
    pub ideal: u64,
    /// Of the block in its grid, for the order among samples.
    #[serde(skip)]
    pub(super) block_index: u64,
}

impl Sample {
    pub(super) fn lane_count(&self) -> usize {
        self.lanes.iter().flatten().count()
    }

    /// Whether a picture of it would look the same: equal costs, and the same distances between lanes.
    pub(super) fn is_like(&self, other: &Sample) -> bool {
        let distances = |sample: &Sample| {
            let first = sample.lanes.iter().flatten().next().copied().unwrap_or(0);
            sample.lanes.map(|lane| lane.map(|offset| offset.wrapping_sub(first)))
        };
        (self.space, self.kind, self.bytes, self.count) == (other.space, other.kind, other.bytes, other.count)
            && distances(self) == distances(other)
    }

    /// Comes first where two are equally good.
    pub(super) fn place(&self) -> (u64, u32) {
        (self.block_index, self.warp)
    }
}

pub(super) fn sample(access: &Access, bank_bytes: u32, count: u64, ideal: u64) -> Sample {
    let shared = access.space == Space::Shared;
    let lowest = access.lanes().map(|lane| access.address(lane)).min().unwrap_or(0);
    let base = if shared { 0 } else { lowest / LINE_BYTES * LINE_BYTES };
    Sample {
        space: if shared { "shared" } else { "global" },
        kind: match access.kind {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
        },
        bytes: access.bytes,
        block: access.who.block,
        warp: access.who.warp,
        base,
        lanes: std::array::from_fn(|lane| (access.mask >> lane & 1 == 1).then(|| access.address(lane) - base)),
        bank_bytes: shared.then_some(bank_bytes),
        count,
        ideal,
        block_index: access.who.block_index,
    }
}
