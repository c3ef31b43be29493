//! Findings of the sanitizer, as data. `diagnostics` words races (`diagnostics/race.rs`) and faults of memory, for which it looks at the program;
//! the words of a broken rule stand beside the rule (`misuse`).
pub use super::misuse::Misuse;
use machine::probe::{AccessKind, Place, Use};
use ptx::isa::Space;

/// Something wrong with a kernel that did not stop it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    /// How many warp accesses showed the same thing between the same lines; the first is the one described.
    pub count: u64,
}

/// The kinds of findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A load begins inside an allocation and ends after it; other accesses past the end stop the launch.
    AcrossTheEnd { at: Place, space: Space, address: u64, bytes: u32 },
    /// An access, or a bulk copy, leaves the array that its address is made from, and which begins at `start`, and stays in the
    /// block's shared memory: it touches a neighbour.
    BeyondArray { at: Place, start: u32, address: u64, bytes: u32, kind: AccessKind, copy: bool },
    /// An undefined value matters: `from` is where it was read, `at` where it decides something, or was stored to be read.
    Undefined { at: Place, from: Source, effect: Effect },
    /// Bytes were changed in place, or moved by the asynchronous proxy, that nothing has written.
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
    /// A rule of barriers, of warp-synchronous instructions or of the asynchronous proxy was broken.
    Misuse(Misuse),
}

/// Where an undefined value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A load of bytes that nothing had written.
    Read { at: Place, space: Space, address: u64, bytes: u32 },
    /// A load of what an earlier launch had stored, and which was not defined then: by its number in global memory.
    Earlier { stored: u32, at: Place },
    /// Followed no further.
    Unknown,
}

/// The effect of a value that is not defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Used(Use),
    /// It was stored, and the host has read it.
    ReadByHost,
    /// It was stored where the host sees it.
    HostSees,
}

/// The parties of a race, from near to far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Between {
    /// Two lanes of one warp.
    Lanes,
    /// Two warps of one block.
    Warps,
    /// Two blocks of one launch.
    Blocks,
}

/// The reason for which a thread does not know of an access although it has read a signal after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// No fence between the read of the signal and now.
    Fence,
    /// The scope of the signal, of its read or of a fence ends at the block.
    Scope,
}

/// The reason for which two accesses are a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nothing orders them.
    Unordered,
    /// The later thread has read a signal after the earlier access, at `read`, but was not to know of it.
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
    /// Lanes of a warp use each other's volatile words of the step before, as if they went in step.
    InStep,
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
    /// Where the finding is shown: the later party of two.
    pub fn at(&self) -> &Place {
        match self {
            Kind::AcrossTheEnd { at, .. }
            | Kind::BeyondArray { at, .. }
            | Kind::Uninitialised { at, .. }
            | Kind::Undefined { at, .. }
            | Kind::WriteClash { at, .. } => at,
            Kind::Race { second, .. } => &second.at,
            Kind::Misuse(misuse) => misuse.at(),
        }
    }

    /// The other party, where there is one.
    pub fn other(&self) -> Option<&Place> {
        match self {
            Kind::AcrossTheEnd { .. }
            | Kind::BeyondArray { .. }
            | Kind::Uninitialised { .. }
            | Kind::WriteClash { .. } => None,
            Kind::Race { first, .. } => Some(&first.at),
            Kind::Undefined { from: Source::Read { at, .. } | Source::Earlier { at, .. }, .. } => Some(at),
            Kind::Undefined { from: Source::Unknown, .. } => None,
            Kind::Misuse(misuse) => misuse.other(),
        }
    }
}

impl From<Misuse> for Kind {
    fn from(misuse: Misuse) -> Self {
        Kind::Misuse(misuse)
    }
}
