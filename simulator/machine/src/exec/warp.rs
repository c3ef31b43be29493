//! Runs one warp until it waits, spins, ends or faults.
use super::async_copy::Copies;
use super::barrier::{Arrivals, Barriers};
use super::block_end::{Next, branch, rare_end};
use super::context::Context;
use super::executable::Executable;
use super::lanes::{Lane, Lanes, SLACK, WARP, Window};
use super::mbarrier::Waited;
use super::op::{Op, Row};
use super::twin_steps;
use super::twins::{self, Twins};
use super::warp_split::{Frame, Settled, State, WarpSplit, WarpSplits};
use crate::fault::Waiting;
use crate::memory::Range;
use crate::probe::Use;
use crate::program::{BarrierKind, BasicBlock, End, Function, Program};

/// 64 bytes of registers: what rows are aligned to.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line(pub [u8; 64]);

const LINE: usize = size_of::<Line>();

/// One warp of a block that is under way.
#[derive(Default)]
pub(super) struct Warp {
    pub index: u32,
    /// Lanes that have not exited.
    pub live: u32,
    pub splits: WarpSplits,
    registers: Vec<Line>,
    /// Local memory: one segment per lane, each of `local_stride` bytes.
    local: Vec<u8>,
    local_stride: u32,
    /// Counts the times that a split stepped back.
    rounds: u64,
    /// Counts the times that it let others run before it signalled.
    deferrals: u32,
    pub copies: Copies,
    twins: Option<Box<Twins>>,
}

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// All its lanes wait for somebody.
    Waits,
    /// A barrier was completed: others may go on.
    Released,
    /// It waits actively: a turn for others.
    Spins,
    /// Its share of instructions is used up: the worker decides.
    Turn,
    /// All lanes have exited.
    Done,
    /// The launch stops; the fault is in the context.
    Stopped,
}

/// What a worker knows while it runs a warp.
pub(super) struct Runner<'r, 'l> {
    pub program: &'r Executable,
    pub lanes: &'r mut Lanes<'l>,
    /// Caches of each function's sites.
    pub caches: &'r mut [Vec<Range>],
    pub barriers: &'r mut Barriers,
    /// Instruction count at which the warp's turn ends.
    pub turn_ends: u64,
    /// Whether a warp-synchronous op runs with the lanes that are there, because no others can come.
    pub settle_for_less: bool,
}

/// Signs of spinning that end a split's turn.
pub(super) const MOST_SPINS: u32 = 16;
/// Turns after which a split steps back for those of its warp that wait: it may wait for them without showing it.
const LONG_TURNS: u32 = 64;
/// A lane's local memory has a multiple of this: the largest access, and no more, so that a small overrun is told.
const LOCAL_UNIT: u32 = 16;
/// How often a warp lets others run before it signals: each time another block may begin.
const MOST_DEFERRALS: u32 = 3;
/// Calls deeper than this are taken for a recursion without end.
pub(super) const MOST_CALLS: usize = 4096;

impl Warp {
    /// Makes the warp ready to run `function` from its beginning.
    pub fn start(&mut self, index: u32, live: u32, function_id: u32, function: &Function) {
        self.index = index;
        self.live = live;
        self.rounds = 0;
        self.deferrals = 0;
        self.copies.clear();
        self.twins = None;
        self.reserve_registers(function.frame_bytes as usize);
        self.reserve_local(function.local_bytes);
        self.splits.0.clear();
        self.splits.0.push(WarpSplit::new(live, Frame { function: function_id, ..Frame::default() }));
    }

    /// Keeps the storage and forgets what it held.
    pub fn forget(&mut self) {
        self.registers.clear();
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
    pub fn release(&mut self, barrier: u32, outcome: super::barrier::Outcome) {
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
                && context.clusters.is_over(block, warp, split.mask)
            {
                split.state = State::Ready;
                any = true;
                context.who.function = split.top.function;
                let who = context.who;
                if let Some(probe) = &mut context.probe {
                    probe.cluster_barrier(who, site, split.mask, true, orders);
                }
            }
        }
        any
    }

    /// Whether lanes wait at the barrier of their cluster.
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
        if split.top.block == 0 && split.callers.is_empty() {
            // Writing them again when a loop leads back to the first block changes nothing.
            twins::in_each(lanes, |lanes| write_constants(lanes, function, 0));
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

/// Runs the warp as far as it goes.
pub(super) fn run(runner: &mut Runner, warp: &mut Warp) -> Pause {
    std::mem::swap(&mut runner.lanes.context.copies, &mut warp.copies);
    let pause = match runner.lanes.context.probe {
        Some(_) => {
            runner.lanes.context.twins = warp.twins.take();
            runner.lanes.context.following.twins(runner.lanes.context.twins.is_some());
            let pause = run_probed::<true>(runner, warp);
            warp.twins = runner.lanes.context.twins.take();
            pause
        }
        None => run_probed::<false>(runner, warp),
    };
    std::mem::swap(&mut runner.lanes.context.copies, &mut warp.copies);
    pause
}

fn run_probed<const PROBED: bool>(runner: &mut Runner, warp: &mut Warp) -> Pause {
    runner.lanes.context.who.warp = warp.index;
    runner.lanes.context.live = warp.live;
    runner.lanes.local = warp.local_window();
    loop {
        let Some(split) = warp.splits.pick() else {
            if warp.live == 0 {
                return Pause::Done;
            }
            match settle(runner, warp) {
                Some(split) => {
                    if let Some(pause) = run_split::<PROBED>(runner, warp, split) {
                        return pause;
                    }
                    continue;
                }
                None => return Pause::Waits,
            }
        };
        if let Some(pause) = run_split::<PROBED>(runner, warp, split) {
            return pause;
        }
    }
}

/// The lowest split that waits for lanes, where waiting is in vain.
fn settle(runner: &mut Runner, warp: &mut Warp) -> Option<WarpSplit> {
    if !runner.settle_for_less {
        return None;
    }
    let waits = |f: &&mut WarpSplit| matches!(f.state, State::Converging { .. });
    let lowest = warp.splits.0.iter_mut().filter(waits).min_by(|a, b| a.compare(b))?;
    lowest.state = State::Ready;
    lowest.settled = Settled::ForLess;
    warp.splits.pick()
}

/// Runs one split until another is to run (`None`) or the warp pauses.
fn run_split<const PROBED: bool>(runner: &mut Runner, warp: &mut Warp, mut split: WarpSplit) -> Option<Pause> {
    let program = runner.program;
    'frame: loop {
        let function = &program.functions[split.top.function as usize];
        let ops = &program.ops[split.top.function as usize][..];
        warp.enter(runner, &mut split, function);
        let mut limit = warp.splits.limit(&split);
        loop {
            let block = &function.blocks[split.top.block as usize];
            if PROBED && block.signals && lets_others_first(runner.lanes, warp, &mut split) {
                warp.splits.0.push(split);
                return Some(Pause::Spins);
            }
            if !split.top.at_end {
                run_ops::<PROBED>(runner.lanes, ops, block, &split, warp.live);
                if PROBED && block.signals {
                    runner.lanes.context.signalled_at = runner.lanes.stores;
                    split.deferred = false;
                }
                // An op that faulted has cleared the mask.
                if runner.lanes.mask == 0 {
                    return Some(Pause::Stopped);
                }
            }
            let lanes = &mut *runner.lanes;
            let next = match &block.end {
                End::Jump(target) => Next::Goto(*target),
                End::Branch { when, negated, taken, next } => {
                    if PROBED && lanes.context.twins.is_some() {
                        twin_steps::decide(lanes, (*when, 0), split.mask, block.site, Use::Branch);
                    }
                    let predicate = lanes.predicate(*when) ^ if *negated { !0 } else { 0 };
                    branch::<PROBED>(runner, warp, &mut split, block.site, predicate, *taken, *next)
                }
                _ => rare_end::<PROBED>(runner, warp, &mut split, (function, ops), block),
            };
            match next {
                Next::Goto(target) => split.top.block = target.0,
                Next::Split(target) => {
                    split.top.block = target.0;
                    limit = warp.splits.limit(&split);
                    runner.lanes.mask = split.mask;
                }
                Next::Frame => {
                    if warp.splits.0.is_empty() {
                        continue 'frame;
                    }
                    warp.splits.0.push(split);
                    return None;
                }
                Next::Aside => return None,
                Next::Pause(pause) => return Some(pause),
            }
            let lanes = &mut *runner.lanes;
            if lanes.spins >= MOST_SPINS {
                lanes.spins = 0;
                warp.rounds += 1;
                split.round = warp.rounds;
                warp.splits.0.push(split);
                return Some(Pause::Spins);
            }
            if lanes.context.instructions >= runner.turn_ends {
                split.turns += 1;
                if split.turns.is_multiple_of(LONG_TURNS) {
                    warp.rounds += 1;
                    split.round = warp.rounds;
                }
                warp.splits.0.push(split);
                return Some(Pause::Turn);
            }
            if split.top.block >= limit {
                warp.splits.0.push(split);
                return None;
            }
        }
    }
}

/// Whether a warp pauses before a block that signals, see [`Context::signals_late`].
#[cold]
#[inline(never)]
fn lets_others_first(lanes: &Lanes, warp: &mut Warp, split: &mut WarpSplit) -> bool {
    let context = &lanes.context;
    let stands_for_nothing = context.signals_late && lanes.stores == context.signalled_at;
    let defers = stands_for_nothing && warp.deferrals < MOST_DEFERRALS && !split.top.at_end && !split.deferred;
    warp.deferrals += u32::from(defers);
    split.deferred |= defers;
    defers
}

/// Runs a block's ops for the active lanes.
#[inline(always)]
fn run_ops<const PROBED: bool>(lanes: &mut Lanes, ops: &[Op], block: &BasicBlock, split: &WarpSplit, live: u32) {
    let ops = &ops[block.ops.start as usize..block.ops.end as usize];
    if PROBED && lanes.context.twins.is_some() {
        twin_steps::run_all(lanes, ops);
    } else {
        let mut rest = ops.iter();
        while let Some(op) = rest.next() {
            // SAFETY: `enter` pointed the view at a frame of this function, and lowering chose the version by what the host
            // has.
            #[allow(unsafe_code)]
            unsafe {
                (op.exec)(lanes, op)
            };
            if PROBED && lanes.undefined {
                twin_steps::finish_load(lanes, op);
                twin_steps::run_all(lanes, rest.as_slice());
                break;
            }
        }
    }
    lanes.context.instructions += u64::from(block.ops.end - block.ops.start) + 1;
    if PROBED {
        let who = lanes.context.who;
        if let Some(probe) = &mut lanes.context.probe {
            probe.run(who, split.top.block, split.mask, live);
        }
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

/// What the waiting splits of a warp wait for: function, site, lanes, and what.
pub(super) fn waiting(
    warp: &Warp,
    barriers: &Barriers,
    program: &Program,
    context: &Context,
) -> Vec<(u32, u32, u32, Waiting)> {
    let of = |split: &WarpSplit| {
        let block = &program.functions[split.top.function as usize].blocks[split.top.block as usize];
        let (site, what) = match split.state {
            State::Ready => match context.waited.get(&(context.who.block_index, warp.index)) {
                Some(&Waited { address, arrivals, bytes }) => (block.site, Waiting::Phase { address, arrivals, bytes }),
                None => (block.site, Waiting::Spin),
            },
            State::Barrier { id, site, .. } => {
                let Arrivals { arrived, expected } = barriers.arrivals(id);
                (site, Waiting::Barrier { id, arrived, expected })
            }
            State::Cluster { site, .. } => {
                let Arrivals { arrived, expected } = context.clusters.arrivals();
                (site, Waiting::Cluster { arrived, expected })
            }
            State::Converging { members, .. } => (block.site, Waiting::Lanes { members, here: split.mask }),
        };
        (split.top.function, site, split.mask, what)
    };
    warp.splits.0.iter().map(of).collect()
}
