//! The events that the executor tells listeners. It does not know who listens.
//!
//! Events carry what happened and never a judgement: `counters` adds them up, `sanitizer` decides what is wrong. They come
//! from the probed versions of ops only, so a launch without listeners pays nothing for them.
mod access;
pub mod banks;
mod passage;
pub mod remembered;
mod texture;
mod undefined;
mod who;

use crate::memory::Memory;
use crate::program::{Function, Program};
pub use access::{Access, AccessKind, Addresses, Order, Scope, Stored, Strength, WarpElements, WarpLoad, lanes};
pub use passage::{MOST_WARPS, Passage, Step, columns};
use ptx::isa::Space;
use std::any::Any;
use std::sync::Arc;
pub use texture::{Texel, TextureAccess};
pub use undefined::{Defined, Following, Origin, UndefinedByte, Use};
pub use who::Who;

/// A launch, before its first instruction.
#[derive(Clone, Copy)]
pub struct Launch<'p> {
    pub program: &'p Program,
    pub function: &'p Function,
    pub function_id: u32,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    /// Static and dynamic, with what lies between them.
    pub shared_bytes: u32,
    pub dynamic_shared_bytes: u32,
    pub cooperative: bool,
    /// Addresses of the barrier of a cooperative grid, from and to; `None` in other launches, and once the launch has ended.
    pub grid_barrier: Option<[u64; 2]>,
    /// Lanes of a warp go in step on this card, before compute capability 7.0.
    pub in_lock_step: bool,
    /// The parameter buffer, laid out per [`Function::parameters`].
    pub parameters: &'p [u8],
    /// The device's memory: allocations and their names.
    pub memory: &'p Memory,
}

/// Where in a launch something happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Index of the function in the program, and of the site in the function.
    pub function: u32,
    pub site: u32,
    pub block: [u32; 3],
    /// First lane concerned, as thread coordinates, with its warp and lane.
    pub thread: [u32; 3],
    pub warp: u32,
    pub lane: u32,
    /// All lanes concerned.
    pub lanes: u32,
}

/// Lanes that arrive at a barrier of their block.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub who: Who,
    pub site: u32,
    /// Lanes that arrive, and lanes of the warp that have not exited.
    pub mask: u32,
    pub live: u32,
    pub id: u32,
    /// Threads that the barrier waits for.
    pub expected: u32,
    pub aligned: bool,
    /// `false`: they arrive and go on (`bar.arrive`).
    pub waits: bool,
}

/// An operation of lanes on `mbarrier` objects in shared memory, each on the one at its address.
#[derive(Clone, Copy, Debug)]
pub struct Phase<'a> {
    pub who: Who,
    pub site: u32,
    pub mask: u32,
    /// Offsets in shared memory.
    pub addresses: &'a [u64; 32],
    pub act: PhaseAct,
    pub order: Order,
}

/// The operation on an `mbarrier` object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseAct {
    Init,
    Invalidate,
    /// Arrivals, of which those of the lanes in `ended` were the last ones of a phase.
    Arrive {
        ended: u32,
    },
    /// Tests, of which those of the lanes in `over` found the phase over.
    Test {
        over: u32,
    },
}

/// An operation of the asynchronous proxy, such as a bulk copy: one thread's, or for matrix products one warp's.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'a> {
    pub who: Who,
    pub site: u32,
    pub lane: u32,
    /// Its number among those of the launch's worker.
    pub number: u64,
    /// The memory that it reads and writes.
    pub regions: &'a [Region],
    /// The ranges that it copies, by the addresses that it reads from; empty where it computes.
    pub moves: &'a [Move],
    /// The bits that are not defined of a value that it brings: by the byte, and where they come from.
    pub undefined: Option<([u8; 16], Origin)>,
    /// The `mbarrier` that hears of its end: the block's number, and the offset in its shared memory.
    pub barrier: Option<(u64, u64)>,
}

/// Bytes that a transfer copies, with addresses as in its regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: u64,
    pub to: u64,
    pub bytes: u64,
}

/// A range of memory that the asynchronous proxy touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub kind: AccessKind,
    /// Global or shared.
    pub space: Space,
    /// The number of the block that it belongs to, if it is shared memory.
    pub block: u64,
    pub address: u64,
    pub bytes: u64,
}

/// Why a transfer is done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferEnd {
    /// Somebody asked for the phase of its barrier.
    Asked,
    /// Its thread waited for its group.
    Waited,
    /// A block ends: nobody has waited.
    Block,
}

/// The effect of a transfer's end on its `mbarrier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The number of the block that the barrier belongs to, and its offset in shared memory.
    pub block: u64,
    pub address: u64,
    /// True if a phase ended by it.
    pub ended: bool,
    /// True if the phase in which it began was over before.
    pub late: bool,
}

/// A warp-synchronous op.
#[derive(Clone, Copy, Debug)]
pub struct Convergence {
    pub who: Who,
    pub site: u32,
    /// Lanes that run it, lanes that its member mask names, lanes of the warp that have not exited.
    pub mask: u32,
    pub members: u32,
    pub live: u32,
    /// `shfl`: lanes whose value was read although they did not take part.
    pub read_outside: u32,
}

/// Hands the events to a macro: to the one below, which makes the trait of them, and to whoever passes them on. An event is
/// named here and nowhere else but where it is told and heard.
#[macro_export]
#[doc(hidden)]
macro_rules! events {
    ($with:ident) => {
        $with! {
            launch(launch: &Launch);
            block_start(block: [u32; 3], block_index: u64);
            block_end(block: [u32; 3], block_index: u64);
            /// A basic block was run to its end by the lanes of `mask`; `live` are the lanes of the warp that have not exited.
            /// Instruction counts follow from this and the program; `guarded` tells the rest.
            run(who: Who, block: u32, mask: u32, live: u32);
            /// A guarded op ran with `mask` out of `active` lanes.
            guarded(who: Who, site: u32, active: u32, mask: u32);
            /// A conditional branch: lanes that took it out of the active ones.
            branch(who: Who, site: u32, active: u32, taken: u32);
            /// An access, before it happens, in bounds (but for [`across_the_end`](Self::across_the_end)) and aligned.
            access(access: &Access);
            /// A load of the lanes of `mask` begins inside global or shared memory and ends past the end of its allocation, in
            /// elements that the kernel uses. A card does not stop at it; the `access` comes next.
            across_the_end(access: &Access);
            /// Atomics of the lanes of `mask` have happened, of which [`access`](Self::access) told before: `left` are the bytes that stay, low
            /// address first, once all lanes have had their turn.
            updated(who: Who, site: u32, mask: u32, left: &dyn Fn(usize) -> [u8; 16]);
            /// Texels are fetched, or a surface is accessed; loads have happened.
            texture(access: &TextureAccess);
            /// The executor itself wrote local or shared memory: arguments and results of calls.
            written(who: Who, space: Space, mask: u32, addresses: &[u64; 32], bytes: u32);
            barrier_arrive(arrival: &Arrival);
            /// A barrier of the block lets go: everything its threads did before it happens before everything they do after it.
            barrier_release(block_index: u64, id: u32);
            converge(convergence: &Convergence);
            /// A memory fence of the lanes of `mask`.
            fence(who: Who, site: u32, mask: u32, scope: Scope);
            /// An operation on `mbarrier` objects, after it happened; [`Probe::access`] told of it as an access before.
            phase(phase: &Phase);
            /// A fence of the lanes of `mask` between the generic and the asynchronous proxy.
            proxy_fence(who: Who, site: u32, mask: u32);
            /// The asynchronous proxy is given something to do; it is done at any time until `transfer_ends`.
            transfer_begins(transfer: &Transfer);
            /// A transfer is done, because of what `who` did; `completed`: what its barrier heard.
            transfer_ends(who: Who, number: u64, end: TransferEnd, completed: Option<Completed>);
            /// Lanes wait for the launches that theirs may overlap (`griddepcontrol.wait`), or let those begin that may overlap theirs.
            dependents(who: Who, site: u32, mask: u32, waits: bool);
            /// Lanes arrive at the barrier of their cluster, or leave it: `waits`.
            cluster_barrier(who: Who, site: u32, mask: u32, waits: bool, orders: bool);
            /// A value that is not defined in the lanes of `mask` matters; `origin` is where it comes from.
            undefined_used(who: Who, site: u32, mask: u32, what: Use, origin: Origin);
            /// An asynchronous copy to shared memory is under way; it is told as a store by the same site when its lanes have
            /// waited for it.
            copy_begins(who: Who, site: u32, mask: u32, addresses: &[u64; 32], bytes: u32);
            /// An asynchronous copy reads what it brings, when its lanes have waited for it or their block has ended;
            /// [`access`](Self::access) told of it when it was issued.
            copy_reads(access: &Access);
            /// The write of an asynchronous copy that nobody had waited for when its block ended.
            copy_abandoned(access: &Access);
        }
    };
}
macro_rules! probe {
    ($($(#[$doc:meta])* $event:ident($($argument:ident: $type:ty),*);)*) => {
        /// The events, with empty defaults. One listener per worker thread: `fork` makes it, `join` takes it back.
        #[allow(unused_variables)]
        pub trait Probe: Send + Any {
            /// A fresh listener for another worker thread of the same launch.
            fn fork(&self) -> Box<dyn Probe>;
            /// Takes a worker's results back, which are of the same type; called in the order of the workers.
            fn join(&mut self, worker: Box<dyn Probe>) {}
            /// Returns whether events must come from one thread in the order in which they happen.
            fn one_thread(&self) -> bool {
                false
            }
            /// Where the listener follows undefined values: what it shares with the executor.
            fn following(&self) -> Option<Arc<Following>> {
                None
            }
            /// The undefined bytes that the last access has read, once.
            fn undefined(&mut self) -> Vec<UndefinedByte> {
                Vec::new()
            }

            /// Where the listener follows undefined values: the memory that has none, as far as the last loads showed.
            fn defined(&self, memory: &mut Defined) {}

            /// Weak loads of a full warp, each an [`access`](Self::access) like any other, which it becomes where a listener does
            /// nothing of its own here. Most of what is told are these, so all come at once that a warp makes between two other
            /// events; where undefined values are [followed](Self::following), only those from [`defined`](Self::defined) memory, and another one is
            /// the last of those that are told of together.
            fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
                loads.iter().for_each(|load| self.access(&load.access(who)));
            }

            /// Returns whether the listener may hear of what a warp did when others of its block did more since: it asks nothing of the
            /// executor when it hears of something. Then warps may go through straight code together.
            fn in_hindsight(&self) -> bool {
                false
            }
            /// Warps went through straight code together, told once for all of them, before anything that they did after it. A listener
            /// that only counts counts here, and nothing in [`passed`](Self::passed).
            fn passage(&mut self, passage: &Passage) {}
            /// A warp's part of a passage, told where it would have been told of if it had gone alone.
            fn passed(&mut self, passage: &Passage, column: usize) {
                passage.replay(column, self);
            }

            $($(#[$doc])* fn $event(&mut self, $($argument: $type),*) {})*
        }
    };
}
events!(probe);

impl dyn Probe {
    /// The listener by its own type; `None` where it is of another one.
    pub fn concrete<T: Probe>(self: Box<Self>) -> Option<Box<T>> {
        (self as Box<dyn Any>).downcast().ok()
    }
}
