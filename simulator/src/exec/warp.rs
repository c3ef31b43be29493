//! Runs one warp until it waits, spins, ends or faults.
use super::async_copy::Copies;
use super::barrier::Barriers;
use super::call;
use super::executable::Executable;
use super::fragment::{Fragment, Fragments, Frame, State};
use super::gather::{self, Gathering};
use super::lanes::{Lane, Lanes, SLACK, WARP, Window};
use super::op::{Op, Row};
use crate::fault::{Fault, Waiting};
use crate::memory::Range;
use crate::probe::Arrival;
use crate::program::{Barrier, BarrierKind, Block, BlockId, End, Function, Program};

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
    pub fragments: Fragments,
    registers: Vec<Line>,
    /// Local memory: one segment per lane, each of `local_stride` bytes.
    local: Vec<u8>,
    local_stride: u32,
    /// Counts the times that a fragment stepped back.
    rounds: u64,
    copies: Copies,
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

/// Signs of spinning that end a fragment's turn.
pub(super) const PATIENCE: u32 = 16;
/// Turns after which a fragment steps back for those of its warp that wait: it may wait for them without showing it.
const LONG_TURNS: u32 = 64;
/// Calls deeper than this are taken for a recursion without end.
pub(super) const MOST_CALLS: usize = 4096;

impl Warp {
    /// Makes the warp ready to run `function` from its beginning.
    pub fn start(&mut self, index: u32, live: u32, function_id: u32, function: &Function) {
        self.index = index;
        self.live = live;
        self.rounds = 0;
        self.copies.clear();
        self.reserve_registers(function.frame_bytes as usize);
        self.reserve_local(function.local_bytes);
        self.fragments.0.clear();
        self.fragments.0.push(Fragment::new(live, Frame { function: function_id, ..Frame::default() }));
    }

    /// Makes room for `bytes` of registers. Moves them: who points at them must look again.
    pub fn reserve_registers(&mut self, bytes: usize) {
        let lines = (bytes + SLACK).div_ceil(LINE);
        if self.registers.len() < lines {
            self.registers.resize(lines, Line([0; LINE]));
        }
    }

    /// Makes room for `bytes` of local memory in each lane. Moves it: who points at it must look again.
    pub fn reserve_local(&mut self, bytes: u32) {
        if self.local_stride >= bytes {
            return;
        }
        let (old, new) = (self.local_stride as usize, bytes.next_multiple_of(64) as usize);
        let mut local = vec![0; new * WARP];
        for lane in 0..WARP {
            local[lane * new..][..old].copy_from_slice(&self.local[lane * old..][..old]);
        }
        self.local = local;
        self.local_stride = new as u32;
    }

    /// Gives a waiting fragment its result and lets it go on.
    pub fn release(&mut self, barrier: u32, outcome: super::barrier::Outcome) {
        for fragment in &mut self.fragments.0 {
            if let State::Barrier { id, result, .. } = fragment.state
                && id == barrier
            {
                fragment.state = State::Ready;
                fragment.result = result.map(|(row, kind)| (row, kind, outcome.of(kind)));
            }
        }
    }

    /// Points the lanes at the fragment's frame.
    #[allow(unsafe_code)]
    pub fn enter(&mut self, runner: &mut Runner, fragment: &mut Fragment, function: &Function) {
        let caches = &mut runner.caches[fragment.top.function as usize];
        if caches.len() < function.sites.len() {
            caches.resize(function.sites.len(), Range::NONE);
        }
        let lanes = &mut *runner.lanes;
        lanes.mask = fragment.mask;
        lanes.context.who.function = fragment.top.function;
        // SAFETY: `start` and `call` reserved the frame in the warp's registers, with slack behind it; the caches are as many
        // as the sites; the warp and the program outlive the turn, and nothing moves registers without entering again.
        unsafe {
            let frame = self.registers.as_mut_ptr().cast::<u8>().add(fragment.top.registers as usize);
            lanes.enter(frame, &function.rows, caches.as_mut_ptr());
        }
        if fragment.top.block == 0 && fragment.callers.is_empty() {
            // Writing them again when a loop leads back to the first block changes nothing.
            write_constants(lanes, function, 0);
        }
        if let Some((row, kind, value)) = fragment.result.take() {
            match kind {
                BarrierKind::RedAnd | BarrierKind::RedOr => lanes.set_predicate(row, if value != 0 { !0 } else { 0 }),
                _ => lanes.set(row, [value; WARP]),
            }
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
        Some(_) => run_probed::<true>(runner, warp),
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
        let Some(fragment) = warp.fragments.pick() else {
            if warp.live == 0 {
                return Pause::Done;
            }
            match settle(runner, warp) {
                Some(fragment) => {
                    if let Some(pause) = run_fragment::<PROBED>(runner, warp, fragment) {
                        return pause;
                    }
                    continue;
                }
                None => return Pause::Waits,
            }
        };
        if let Some(pause) = run_fragment::<PROBED>(runner, warp, fragment) {
            return pause;
        }
    }
}

/// The lowest fragment that waits for lanes, where waiting is in vain.
fn settle(runner: &mut Runner, warp: &mut Warp) -> Option<Fragment> {
    if !runner.settle_for_less {
        return None;
    }
    let waits = |f: &&mut Fragment| matches!(f.state, State::Gather { .. });
    let lowest = warp.fragments.0.iter_mut().filter(waits).min_by(|a, b| a.compare(b))?;
    lowest.state = State::Ready;
    lowest.settled = true;
    warp.fragments.pick()
}

/// What follows a block's end.
pub(super) enum Next {
    /// The same frame, at another block.
    Goto(BlockId),
    /// Another frame: called or returned to.
    Frame,
    /// Part of the fragment went elsewhere: the rest goes on at the block.
    Split(BlockId),
    /// The fragment is put aside, or gone.
    Aside,
    /// The warp pauses; the fragment is put aside already.
    Pause(Pause),
}

/// Runs one fragment until another is to run (`None`) or the warp pauses.
fn run_fragment<const PROBED: bool>(runner: &mut Runner, warp: &mut Warp, mut fragment: Fragment) -> Option<Pause> {
    let program = runner.program;
    'frame: loop {
        let function = &program.functions[fragment.top.function as usize];
        let ops = &program.ops[fragment.top.function as usize][..];
        warp.enter(runner, &mut fragment, function);
        let mut limit = warp.fragments.limit(&fragment);
        loop {
            let block = &function.blocks[fragment.top.block as usize];
            if !fragment.top.at_end {
                run_ops::<PROBED>(runner.lanes, ops, block, &fragment, warp.live);
                // An op that faulted has cleared the mask.
                if runner.lanes.mask == 0 {
                    return Some(Pause::Stopped);
                }
            }
            let lanes = &mut *runner.lanes;
            let next = match &block.end {
                End::Jump(target) => Next::Goto(*target),
                End::Branch { when, negated, taken, next } => {
                    let predicate = lanes.predicate(*when) ^ if *negated { !0 } else { 0 };
                    branch::<PROBED>(runner, warp, &mut fragment, block.site, predicate, *taken, *next)
                }
                _ => rare_end::<PROBED>(runner, warp, &mut fragment, (function, ops), block),
            };
            match next {
                Next::Goto(target) => fragment.top.block = target.0,
                Next::Split(target) => {
                    fragment.top.block = target.0;
                    limit = warp.fragments.limit(&fragment);
                    runner.lanes.mask = fragment.mask;
                }
                Next::Frame => {
                    if warp.fragments.0.is_empty() {
                        continue 'frame;
                    }
                    warp.fragments.0.push(fragment);
                    return None;
                }
                Next::Aside => return None,
                Next::Pause(pause) => return Some(pause),
            }
            let lanes = &mut *runner.lanes;
            if lanes.spins >= PATIENCE {
                lanes.spins = 0;
                warp.rounds += 1;
                fragment.round = warp.rounds;
                warp.fragments.0.push(fragment);
                return Some(Pause::Spins);
            }
            if lanes.context.instructions >= runner.turn_ends {
                fragment.turns += 1;
                if fragment.turns.is_multiple_of(LONG_TURNS) {
                    warp.rounds += 1;
                    fragment.round = warp.rounds;
                }
                warp.fragments.0.push(fragment);
                return Some(Pause::Turn);
            }
            if fragment.top.block >= limit {
                warp.fragments.0.push(fragment);
                return None;
            }
        }
    }
}

/// Runs a block's ops for the active lanes.
#[inline(always)]
fn run_ops<const PROBED: bool>(lanes: &mut Lanes, ops: &[Op], block: &Block, fragment: &Fragment, live: u32) {
    for op in &ops[block.ops.start as usize..block.ops.end as usize] {
        // SAFETY: `enter` pointed the view at a frame of this function, and lowering chose the version by what the host
        // has.
        #[allow(unsafe_code)]
        unsafe {
            (op.exec)(lanes, op)
        };
    }
    lanes.context.instructions += u64::from(block.ops.end - block.ops.start) + 1;
    if PROBED {
        let who = lanes.context.who;
        if let Some(probe) = &mut lanes.context.probe {
            probe.run(who, fragment.top.block, fragment.mask, live);
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

#[inline(always)]
fn branch<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    fragment: &mut Fragment,
    site: u32,
    predicate: u32,
    taken: BlockId,
    next: BlockId,
) -> Next {
    let mask = fragment.mask;
    let jump = mask & predicate;
    if PROBED {
        let context = &mut runner.lanes.context;
        if let Some(probe) = &mut context.probe {
            probe.branch(context.who, site, mask, jump);
        }
    }
    if jump == mask {
        return Next::Goto(taken);
    }
    if jump == 0 {
        return Next::Goto(next);
    }
    if taken == next {
        return Next::Goto(next);
    }
    let (low, high, low_mask) = if taken < next { (taken, next, jump) } else { (next, taken, mask & !jump) };
    let mut other = fragment.clone();
    other.mask = mask & !low_mask;
    other.top.block = high.0;
    warp.fragments.0.push(other);
    fragment.mask = low_mask;
    Next::Split(low)
}

/// Ends other than jumps and branches.
fn rare_end<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    fragment: &mut Fragment,
    (function, ops): (&Function, &[Op]),
    block: &Block,
) -> Next {
    match &block.end {
        End::Jump(target) => Next::Goto(*target),
        End::Branch { taken, .. } => Next::Goto(*taken),
        End::Switch { index, targets } => switch::<PROBED>(runner, warp, fragment, block.site, *index, targets),
        End::Exit => exit(runner, warp, fragment),
        End::Return | End::Fall => {
            if fragment.callers.is_empty() {
                exit(runner, warp, fragment)
            } else {
                call::leave(runner, fragment);
                Next::Frame
            }
        }
        End::Call(target) => match call::enter(runner, warp, fragment, function, block, target) {
            call::Entered::Frame => Next::Frame,
            call::Entered::Builtin(next) => Next::Goto(next),
            call::Entered::Stopped => Next::Pause(Pause::Stopped),
        },
        End::Barrier(barrier) => wait::<PROBED>(runner, warp, fragment, block.site, barrier),
        End::Gather { op, members, next } => gather::run::<PROBED>(
            runner,
            warp,
            fragment,
            &Gathering { op: &ops[*op as usize], members: *members, site: block.site, next: *next },
        ),
        End::Trap => {
            let at = runner.lanes.context.place(block.site, fragment.mask);
            runner.lanes.context.stop(Fault::Trap { at });
            Next::Pause(Pause::Stopped)
        }
    }
}

fn exit(runner: &mut Runner, warp: &mut Warp, fragment: &Fragment) -> Next {
    warp.live &= !fragment.mask;
    runner.lanes.context.live = warp.live;
    runner.barriers.leave(warp.index, fragment.mask);
    // Those who wait for these lanes wait no longer.
    for waiting in &mut warp.fragments.0 {
        if let State::Gather { members, .. } = waiting.state
            && members & warp.live & !waiting.mask == 0
        {
            waiting.state = State::Ready;
        }
    }
    match runner.barriers.released.is_empty() {
        true => Next::Aside,
        false => Next::Pause(if warp.live == 0 { Pause::Done } else { Pause::Released }),
    }
}

fn switch<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    fragment: &mut Fragment,
    site: u32,
    index: Row,
    targets: &[BlockId],
) -> Next {
    let indices = runner.lanes.get::<u32>(index);
    let last = targets.len() - 1;
    let target = |lane: usize| targets[(indices[lane] as usize).min(last)];
    let first = target(fragment.mask.trailing_zeros() as usize);
    let mut parts: Vec<(BlockId, u32)> = Vec::new();
    runner.lanes.each(|lane| match parts.iter_mut().find(|(block, _)| *block == target(lane)) {
        Some((_, mask)) => *mask |= 1 << lane,
        None => parts.push((target(lane), 1 << lane)),
    });
    if PROBED {
        let context = &mut runner.lanes.context;
        if let Some(probe) = &mut context.probe {
            // Uniform, or parted: to a listener the first lane's way is the one taken.
            let taken = parts.iter().find(|(block, _)| *block == first).map_or(0, |(_, mask)| *mask);
            probe.branch(context.who, site, fragment.mask, taken);
        }
    }
    if let [(target, _)] = parts[..] {
        return Next::Goto(target);
    }
    parts.sort_unstable_by_key(|&(block, _)| block);
    for &(block, mask) in &parts[1..] {
        let mut other = fragment.clone();
        other.mask = mask;
        other.top.block = block.0;
        warp.fragments.0.push(other);
    }
    let (block, mask) = parts[0];
    fragment.mask = mask;
    Next::Split(block)
}

/// Arrives at a barrier of the block.
fn wait<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    fragment: &mut Fragment,
    site: u32,
    barrier: &Barrier,
) -> Next {
    let lane = fragment.mask.trailing_zeros() as usize;
    let id = runner.lanes.get::<u32>(barrier.id)[lane];
    let count = barrier.count.map(|row| runner.lanes.get::<u32>(row)[lane]);
    if id >= super::barrier::COUNT {
        let at = runner.lanes.context.place(site, fragment.mask);
        runner.lanes.context.stop(Fault::BadBarrier { at, id });
        return Next::Pause(Pause::Stopped);
    }
    let predicate = match barrier.predicate {
        Some((row, negated)) => runner.lanes.predicate(row) ^ if negated { !0 } else { 0 },
        None => 0,
    };
    let context = &mut runner.lanes.context;
    if PROBED && let Some(probe) = &mut context.probe {
        let expected = count.unwrap_or_else(|| context.block.iter().product());
        let (who, mask, live) = (context.who, fragment.mask, warp.live);
        let (aligned, waits) = (barrier.aligned, barrier.kind != BarrierKind::Arrive);
        probe.barrier_arrive(&Arrival { who, site, mask, live, id, expected, aligned, waits });
    }
    fragment.top.block = barrier.next.0;
    let result = match barrier.kind {
        BarrierKind::Sync | BarrierKind::Arrive => None,
        kind => Some((barrier.dst, kind)),
    };
    if barrier.kind != BarrierKind::Arrive {
        fragment.state = State::Barrier { id, site, result };
    }
    warp.fragments.0.push(fragment.clone());
    runner.barriers.arrive(id, warp.index, fragment.mask, count, predicate);
    if runner.barriers.released.is_empty() { Next::Aside } else { Next::Pause(Pause::Released) }
}

/// What the waiting fragments of a warp wait for: function, site, lanes, and what.
pub(super) fn waiting(warp: &Warp, barriers: &Barriers, program: &Program) -> Vec<(u32, u32, u32, Waiting)> {
    let of = |fragment: &Fragment| {
        let block = &program.functions[fragment.top.function as usize].blocks[fragment.top.block as usize];
        let (site, what) = match fragment.state {
            State::Ready => (block.site, Waiting::Spin),
            State::Barrier { id, site, .. } => {
                let standing = barriers.standing(id);
                (site, Waiting::Barrier { id, arrived: standing.arrived, expected: standing.expected })
            }
            State::Gather { members, .. } => (block.site, Waiting::Lanes { members, here: fragment.mask }),
        };
        (fragment.top.function, site, fragment.mask, what)
    };
    warp.fragments.0.iter().map(of).collect()
}
