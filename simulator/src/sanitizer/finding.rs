//! What the sanitizer found, as data; `diagnostics` words it.
pub use super::published::Missed;
use crate::isa::Space;
use crate::probe::{AccessKind, Place};

/// Something wrong with a kernel that did not stop it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    /// How many warp accesses showed the same thing between the same lines; the first is the one described.
    pub count: u64,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A load begins inside an allocation and ends behind it; other accesses behind the end stop the launch.
    AcrossTheEnd { at: Place, space: Space, address: u64, bytes: u32 },
    /// Bytes were read that nothing has written.
    Uninitialised { at: Place, space: Space, address: u64, bytes: u32, kind: AccessKind },
    /// Two threads, one address, nothing that orders them. `first` came first in this run. `other_blocks`: blocks race on
    /// these lines too, so that no barrier of a block can be the cure.
    Race {
        between: Between,
        space: Space,
        address: u64,
        bytes: u32,
        first: Party,
        second: Party,
        cause: Cause,
        other_blocks: bool,
    },
    /// Lanes of one instruction write different values to one address.
    WriteClash { at: Place, other_lane: u32, space: Space, address: u64, bytes: u32 },
    /// Threads waited at a barrier while others of their block went on without it: `missing` and where they went.
    SkippedBarrier { at: Place, missing: Place },
    /// Threads left a loop, or the kernel, having passed a barrier fewer times than others.
    UnequalBarrier { at: Place, missing: Place },
    /// Threads of one block met at different barriers.
    MismatchedBarrier { first: Place, second: Place },
    /// The asynchronous proxy is given what a thread wrote, and nothing makes it known there: `first` wrote it. `barrier`: it
    /// is the `mbarrier` that is to hear of a transfer.
    NoProxyFence { at: Place, first: Place, space: Space, address: u64, barrier: bool },
    /// A transfer came when the phase of its barrier was over: fewer bytes were announced than come.
    TooFewBytes { at: Place },
    /// A block ended with a transfer under way that nobody had waited for.
    Unwaited { at: Place, product: bool },
    /// A block may end before another block of its cluster has used its shared memory at a place.
    LeavesTooEarly { at: Place },
    /// A product of four warps, whose registers were written since the last `wgmma.fence`, or without one.
    NoProductFence { at: Place },
    /// The result of a product of four warps was read before it was waited for.
    ProductNotWaitedFor { at: Place },
    /// A warp-synchronous instruction ran without lanes that its mask names, or with lanes that it does not name.
    WrongMask { at: Place, members: u32, missing: u32, unnamed: u32 },
    /// A shuffle read from lanes that did not take part.
    AbsentLanes { at: Place, members: u32, absent: u32 },
}

/// Who races with whom, from near to far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Between {
    /// Of one warp.
    Lanes,
    /// Of one block.
    Warps,
    /// Of one launch.
    Blocks,
}

/// Why two accesses are a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nothing orders them.
    Unordered,
    /// The later thread has read a signal behind the earlier access, at `read`, but was not to know of it.
    Missed { missed: Missed, read: Place },
    /// Both are strong, but the scope of one ends at the block, and the other is outside.
    BlockScope,
    /// The earlier one is a transfer of the asynchronous proxy that was not waited for.
    Transfer,
    /// The later one is a transfer of the asynchronous proxy, which may have touched the place since it began.
    TransferLater,
    /// The later one is an asynchronous copy, which may have written since it began.
    Copy,
    /// Both read and write back the word with volatile accesses, so that one update gets lost.
    LostUpdate,
}

/// One side of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    pub at: Place,
    pub kind: AccessKind,
    /// Atomic, volatile, or with an order of its own.
    pub strong: bool,
}

impl Kind {
    /// Whether threads meet at a barrier in a wrong way.
    pub fn is_of_a_barrier(&self) -> bool {
        matches!(self, Kind::SkippedBarrier { .. } | Kind::UnequalBarrier { .. } | Kind::MismatchedBarrier { .. })
    }

    /// Where the finding is shown: the later party of two.
    pub fn at(&self) -> &Place {
        match self {
            Kind::AcrossTheEnd { at, .. }
            | Kind::Uninitialised { at, .. }
            | Kind::WriteClash { at, .. }
            | Kind::NoProxyFence { at, .. }
            | Kind::TooFewBytes { at }
            | Kind::Unwaited { at, .. }
            | Kind::LeavesTooEarly { at }
            | Kind::NoProductFence { at }
            | Kind::ProductNotWaitedFor { at }
            | Kind::SkippedBarrier { at, .. }
            | Kind::UnequalBarrier { at, .. }
            | Kind::WrongMask { at, .. }
            | Kind::AbsentLanes { at, .. } => at,
            Kind::Race { second, .. } => &second.at,
            Kind::MismatchedBarrier { second, .. } => second,
        }
    }

    /// The other party, where there is one.
    pub fn other(&self) -> Option<&Place> {
        match self {
            Kind::Race { first, .. } => Some(&first.at),
            Kind::SkippedBarrier { missing, .. } | Kind::UnequalBarrier { missing, .. } => Some(missing),
            Kind::MismatchedBarrier { first, .. } | Kind::NoProxyFence { first, .. } => Some(first),
            _ => None,
        }
    }
}
