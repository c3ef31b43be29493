//! Faults of a launch as data; the crate `watch` alone words them.
pub use crate::probe::{AccessKind, Place};
use ptx::isa::Space;
use std::ops::Range;

/// The fault that stops a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An access outside every live allocation (global), or outside the block's shared or the thread's local memory.
    OutOfBounds { at: Place, space: Space, address: u64, bytes: u32, kind: AccessKind },
    /// An access whose address is not a multiple of its size.
    Misaligned { at: Place, space: Space, address: u64, bytes: u32, kind: AccessKind },
    /// `trap`, or `grid.sync()` outside a cooperative launch.
    /// The calls on the way to it, innermost first.
    Trap { at: Place, calls: Vec<Call> },
    /// A failed `assert`.
    Assert { at: Place, expression: String, file: String, line: u32, function: String },
    /// No lane of a block, or of a cooperative grid, can go on: the waiting places.
    Deadlock { waiting: Vec<(Place, Waiting)> },
    /// The instruction budget of the launch, or of one block, is spent: where it was last.
    Budget { at: Place, warp_instructions: u64, of_block: bool, around: Option<Around> },
    /// A barrier's number that no barrier has: ids go from 0 to 15.
    BadBarrier { at: Place, id: u32 },
    /// More bytes in a phase of an mbarrier than its count holds, 2²⁰ − 1 ("PTX ISA", mbarrier).
    TooManyBytes { at: Place, bytes: u64 },
    /// `free` in a kernel of something that `malloc` in a kernel did not give, or that was freed.
    BadFree { at: Place, address: u64 },
    /// An indirect call of something that is no function.
    BadCall { at: Place, address: u64 },
    /// An access to the shared memory of a block of the cluster that has ended.
    BlockLeft { at: Place, address: u64, kind: AccessKind },
    /// A tensor copy through something that is no tensor map, or none of that many dimensions.
    BadTensorMap { at: Place, address: u64 },
    /// A fetch by something that is no texture object, or a surface access by something that is no surface object.
    BadTexture { at: Place, address: u64 },
    /// A tile whose corner is at an index of the innermost dimension that is no multiple of 16 bytes; elements are of so many.
    UnalignedCorner { at: Place, index: i32, element_bytes: u32 },
    /// A tile that is stored, or added, with its corner before the tensor's first index of a dimension; 0 is the innermost.
    CornerBefore { at: Place, dimension: u32, index: i32 },
    /// Call depth beyond the stack limit.
    StackOverflow { at: Place, depth: u32 },
    /// `alloca` of more than is left of the stack.
    StackFull { at: Place, bytes: u64, left: u64 },
}

/// A call that a fault lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The call, in its caller.
    pub at: Place,
    /// Index of the called function in the program.
    pub called: u32,
    /// The first eight bytes of each of its arguments, in the first lane.
    pub arguments: Vec<u64>,
}

/// The way of a block that goes on after its budget is spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Around {
    Loop(Box<Loop>),
    /// It ended soon.
    End,
}

/// A loop that a warp went round when its budget was spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    pub function: u32,
    /// Its sites, basic block by basic block.
    pub sites: Vec<Range<u32>>,
    /// Its ways out, none of which was taken.
    pub exits: Vec<Exit>,
    /// Lanes of the block that have not ended.
    pub lanes: u32,
    /// Instructions of the warp, before its rounds were counted (a part of the block's that is as large as other warps') and while they were.
    pub spent: [u64; 2],
}

/// A way out of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The branch.
    pub site: u32,
    /// The comparison that decides it, if one does.
    pub compared: Option<Compared>,
    /// Rounds between the two times of the comparison.
    pub rounds: u64,
}

/// Both sides of a comparison, as bits, in one lane: at two times with many rounds between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    pub site: u32,
    pub before: [u64; 2],
    pub after: [u64; 2],
}

/// The event that a lane waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waiting {
    Barrier {
        id: u32,
        arrived: u32,
        expected: u32,
    },
    Lanes {
        members: u32,
        here: u32,
    },
    /// Spins on memory.
    Spin,
    /// Asks for the phase of an `mbarrier` that waits for so many arrivals and bytes; below zero where more bytes came than
    /// were announced.
    Phase {
        address: u64,
        arrivals: u32,
        bytes: i32,
    },
    /// Waits at the barrier of its cluster.
    Cluster {
        arrived: u32,
        expected: u32,
    },
}
