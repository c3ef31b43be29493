//! One warp of a block: its registers, its local memory, its splits, and the frame that the lanes point at.
use super::warp_split::{Frame, State, WarpSplit, WarpSplits};
use crate::exec::asynchronous::copies::Copies;
use crate::exec::asynchronous::phase::Waited;
use crate::exec::fast_paths::passages::Part;
use crate::exec::scheduling::barrier::{Arrivals, Barriers};
use crate::exec::scheduling::executable::Executable;
use crate::exec::undefined::state::Twins;
use crate::exec::undefined::twins;
use crate::exec::view::context::Context;
use crate::exec::view::lane::{Lane, Line, WARP};
use crate::exec::view::lanes::{Lanes, SLACK, Window};
use crate::exec::view::op::Row;
use crate::fault::Waiting;
use crate::memory::Range;
use crate::program::{BarrierKind, BlockId, Function, Program};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

const LINE: usize = size_of::<Line>();

/// One warp of a block that is under way.
#[derive(Default)]
pub(crate) struct Warp {
    pub index: u32,
    /// Lanes that have not exited.
    pub live: u32,
    pub splits: WarpSplits,
    registers: Vec<Line>,
    /// The function whose constants lie in the rows of all lanes, in the frame of a kernel.
    constants_of: Option<u32>,
    /// Local memory: one segment per lane, each of `local_stride` bytes.
    local: Vec<u8>,
    local_stride: u32,
    /// Counts the times that a split stepped back.
    pub rounds: u64,
    /// Counts the times that it let others run before it signalled.
    pub deferrals: u32,
    pub copies: Copies,
    pub twins: Option<Box<Twins>>,
    /// Its parts of passages of which the probe has yet to hear, in order.
    pub parts: Vec<Part>,
}

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// All its lanes wait for somebody.
    Waits,
    /// A barrier was completed: others may go on.
    Released,
    /// It waits actively: a turn for others.
    Spins,
    /// It lets others go first before it signals.
    Defers,
    /// It stands ahead of its next step, see [`steps`](crate::exec::scheduling::steps).
    Step,
    /// Its share of instructions is used up: the worker decides.
    Turn,
    /// All lanes have exited.
    Done,
    /// The launch stops; the fault is in the context.
    Stopped,
}

/// The continuation after a block's end.
pub(crate) enum Next {
    /// The same frame, at another block.
    Goto(BlockId),
    /// Another frame: called or returned to.
    Frame,
    /// Part of the split went elsewhere: the rest goes on at the block.
    Split(BlockId),
    /// The split is put aside, or gone.
    Aside,
    /// The warp pauses; the split is put aside already.
    Pause(Pause),
}

/// A worker's state while it runs a warp.
pub(crate) struct Runner<'r, 'l> {
    pub program: &'r Executable,
    pub lanes: &'r mut Lanes<'l>,
    /// Caches of each function's sites.
    pub caches: &'r mut [Vec<Range>],
    pub barriers: &'r mut Barriers,
    /// Instruction count at which the warp's turn ends.
    pub turn_ends: u64,
    /// True if a warp that may wait actively goes on to the end of its turn: one that reads much has others run ahead of it, or runs ahead.
    pub patient: bool,
    /// True if a warp-synchronous op runs with the lanes that are there, because no others can come.
    pub incomplete: bool,
}

/// A lane's local memory has a multiple of this: the largest access, and no more, so that a small overrun is told.
const LOCAL_UNIT: u32 = 16;
/// Calls deeper than this are taken for a recursion without end.
pub(super) const MOST_CALLS: usize = 4096;

impl Warp {
    /// Makes the warp ready to run `function` from its beginning.
    pub fn start(&mut self, index: u32, live: u32, function_id: u32, function: &Function, stack_bytes: u32) {
        self.index = index;
        self.live = live;
        self.rounds = 0;
        self.deferrals = 0;
        self.copies.clear();
        self.twins = None;
        self.parts.clear();
        self.reserve_registers(function.frame_bytes as usize);
        self.reserve_local(function.local_bytes_with(stack_bytes));
        self.splits.0.clear();
        self.splits.0.push(WarpSplit::new(live, Frame { function: function_id, ..Frame::default() }));
    }

    /// Keeps the storage and forgets what it held.
    pub fn forget(&mut self) {
        self.registers.clear();
        self.constants_of = None;
        self.local.clear();
        self.local_stride = 0;
    }

    /// Makes room for `bytes` of registers. Moves them: who points at them must look again.
    pub fn reserve_registers(&mut self, bytes: usize) {
        let lines = (bytes + SLACK).div_ceil(LINE);
        if self.registers.len() < lines {
            self.registers.resize(lines, Line([0; LINE]));
        }
    }

    /// Makes twins as large as the warp.
    pub fn fit(&self, twins: &mut Twins) {
        twins.grow(self.registers.len(), self.local_stride as usize);
    }

    /// A copy of the register file.
    pub fn register_bytes(&self) -> Vec<u8> {
        self.registers.iter().flat_map(|line| line.0).collect()
    }

    /// Fingerprints of where its lanes stand, and of its registers.
    pub fn state(&self) -> [u64; 2] {
        let [mut place, mut registers] = [FxHasher::default(), FxHasher::default()];
        for split in &self.splits.0 {
            (split.mask, std::mem::discriminant(&split.state)).hash(&mut place);
            let frames = split.callers.iter().chain([&split.top]);
            frames.for_each(|frame| (frame.function, frame.block, frame.at_end).hash(&mut place));
        }
        self.registers.iter().for_each(|line| line.0.hash(&mut registers));
        [place.finish(), registers.finish()]
    }

    /// Makes room for `bytes` of local memory in each lane. Moves it: who points at it must look again.
    pub fn reserve_local(&mut self, bytes: u32) {
        if self.local_stride >= bytes {
            return;
        }
        let (old, new) = (self.local_stride as usize, bytes.next_multiple_of(LOCAL_UNIT) as usize);
        let mut local = vec![0; new * WARP];
        for lane in 0..WARP {
            local[lane * new..][..old].copy_from_slice(&self.local[lane * old..][..old]);
        }
        self.local = local;
        self.local_stride = new as u32;
    }

    /// Gives a waiting split its result and lets it go on.
    pub fn release(&mut self, barrier: u32, outcome: crate::exec::scheduling::barrier::Outcome) {
        for split in &mut self.splits.0 {
            if let State::Barrier { id, result, .. } = split.state
                && id == barrier
            {
                split.state = State::Ready;
                split.result = result.map(|(row, kind)| (row, kind, outcome.of(kind)));
            }
        }
    }

    /// Lets the lanes go on that wait at the barrier of their cluster for a phase that is over.
    pub fn leave_cluster_barrier(&mut self, context: &mut Context) -> bool {
        let mut any = false;
        context.who.warp = self.index;
        for split in &mut self.splits.0 {
            let (block, warp) = (context.who.block_index, self.index);
            if let State::Cluster { site, orders } = split.state
                && context.blocks.clusters.is_over(block, warp, split.mask)
            {
                split.state = State::Ready;
                any = true;
                context.who.function = split.top.function;
                let who = context.who;
                if let Some(probe) = context.probe() {
                    probe.cluster_barrier(who, site, split.mask, true, orders);
                }
            }
        }
        any
    }

    /// Returns whether lanes wait at the barrier of their cluster.
    pub fn waits_for_cluster(&self) -> bool {
        self.splits.0.iter().any(|split| matches!(split.state, State::Cluster { .. }))
    }

    /// Points the lanes at the split's frame.
    #[allow(unsafe_code)]
    pub fn enter(&mut self, runner: &mut Runner, split: &mut WarpSplit, function: &Function) {
        let caches = &mut runner.caches[split.top.function as usize];
        if caches.len() < function.sites.len() {
            caches.resize(function.sites.len(), Range::NONE);
        }
        let lanes = &mut *runner.lanes;
        lanes.mask = split.mask;
        lanes.context.who.function = split.top.function;
        let bytes = (self.registers.len() * LINE) as u64;
        lanes.registers = Window { base: self.registers.as_mut_ptr().cast(), bytes };
        // SAFETY: `start` and `call` reserved the frame in the warp's registers, with slack after it; the caches are as many
        // as the sites; the warp and the program outlive the turn, and nothing moves registers without entering again.
        unsafe {
            let frame = self.registers.as_mut_ptr().cast::<u8>().add(split.top.registers as usize);
            lanes.enter(frame, &function.rows, caches.as_mut_ptr());
        }
        if split.top.block == 0 && split.callers.is_empty() && self.constants_of != Some(split.top.function) {
            // Writing them again when a loop leads back to the first block changes nothing.
            twins::in_each(lanes, |lanes| write_constants(lanes, function, 0));
            // Nothing else writes the rows: the next block of this launch finds them as they are.
            let stay = lanes.mask == !0 && !lanes.context.listener.listens();
            self.constants_of = stay.then_some(split.top.function);
        }
        if let Some((row, kind, value)) = split.result.take() {
            twins::in_each(lanes, |lanes| match kind {
                BarrierKind::RedAnd | BarrierKind::RedOr => lanes.set_predicate(row, if value != 0 { !0 } else { 0 }),
                _ => lanes.set(row, [value; WARP]),
            });
        }
    }

    /// The local memory of all lanes.
    pub fn local_window(&mut self) -> Window {
        Window { base: self.local.as_mut_ptr(), bytes: self.local_stride.into() }
    }
}

/// Fills the constant rows of a frame for the active lanes.
pub(super) fn write_constants(lanes: &mut Lanes, function: &Function, local: u32) {
    fn fill<T: Lane>(lanes: &mut Lanes, row: Row, value: T) {
        lanes.set(row, [value; WARP]);
    }
    for constant in &function.constants {
        let bits = constant.bits.wrapping_add(if constant.local { local.into() } else { 0 });
        match constant.bytes {
            0 => lanes.set_predicate(constant.row, bits as u32),
            1 | 2 => fill(lanes, constant.row, bits as u16),
            4 => fill(lanes, constant.row, bits as u32),
            8 => fill(lanes, constant.row, bits as u64),
            _ => fill(lanes, constant.row, bits),
        }
    }
}

/// The waits of a warp's splits: function, site, lanes, and the event.
pub(crate) fn waiting(
    warp: &Warp,
    barriers: &Barriers,
    program: &Program,
    context: &Context,
) -> Vec<(u32, u32, u32, Waiting)> {
    let of = |split: &WarpSplit| {
        let block = &program.functions[split.top.function as usize].blocks[split.top.block as usize];
        let (site, what) = match split.state {
            State::Ready => match context.blocks.waited.get(&(context.who.block_index, warp.index)) {
                Some(&Waited { address, arrivals, bytes }) => (block.site, Waiting::Phase { address, arrivals, bytes }),
                None => (block.site, Waiting::Spin),
            },
            State::Barrier { id, site, .. } => {
                let Arrivals { arrived, expected } = barriers.arrivals(id);
                (site, Waiting::Barrier { id, arrived, expected })
            }
            State::Cluster { site, .. } => {
                let Arrivals { arrived, expected } = context.blocks.clusters.arrivals();
                (site, Waiting::Cluster { arrived, expected })
            }
            State::Converging { members, .. } => (block.site, Waiting::Lanes { members, here: split.mask }),
        };
        (split.top.function, site, split.mask, what)
    };
    warp.splits.0.iter().map(of).collect()
}
