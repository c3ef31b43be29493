//! Where a warp's lanes go at the end of a basic block.
use super::call;
use super::convergence::{self, ConvergencePoint};
use super::warp::{Next, Pause, Runner, Warp};
use super::warp_split::{State, WarpSplit};
use crate::exec::undefined::propagation;
use crate::exec::view::op::{Op, Row};
use crate::fault::Fault;
use crate::probe::{Arrival, Use};
use crate::program::{Barrier, BarrierKind, BasicBlock, BlockId, End, Function};

#[inline(always)]
pub(crate) fn branch<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    split: &mut WarpSplit,
    site: u32,
    predicate: u32,
    taken: BlockId,
    next: BlockId,
) -> Next {
    let mask = split.mask;
    let jump = mask & predicate;
    if PROBED {
        let who = runner.lanes.context.who;
        if let Some(probe) = runner.lanes.context.probe_of_flow() {
            probe.branch(who, site, mask, jump);
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
    let mut other = split.clone();
    other.mask = mask & !low_mask;
    other.top.block = high.0;
    warp.splits.0.push(other);
    split.mask = low_mask;
    Next::Split(low)
}

/// Ends other than jumps and branches. Inlined, since each shuffle of a warp is such an end.
#[inline(always)]
pub(super) fn rare_end<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    split: &mut WarpSplit,
    (function, ops): (&Function, &[Op]),
    block: &BasicBlock,
) -> Next {
    match &block.end {
        End::Jump(target) => Next::Goto(*target),
        End::Branch { taken, .. } => Next::Goto(*taken),
        End::Switch { index, targets } => switch::<PROBED>(runner, warp, split, block.site, *index, targets),
        End::Exit => exit(runner, warp, split),
        End::Return | End::Fall => {
            if split.callers.is_empty() {
                exit(runner, warp, split)
            } else {
                call::leave(runner, split);
                Next::Frame
            }
        }
        End::Call(target) => match call::enter(runner, warp, split, function, block, target) {
            call::Entered::Frame => Next::Frame,
            call::Entered::Builtin(next) => Next::Goto(next),
            call::Entered::Stopped => Next::Pause(Pause::Stopped),
        },
        End::Barrier(barrier) => wait::<PROBED>(runner, warp, split, block.site, barrier),
        End::Cluster { waits, orders, next } => {
            cluster_barrier::<PROBED>(runner, warp, split, block.site, (*waits, *orders), *next)
        }
        End::Converge { op, members, next } => convergence::run::<PROBED>(
            runner,
            warp,
            split,
            &ConvergencePoint { op: &ops[*op as usize], members: *members, site: block.site, next: *next },
        ),
        End::Trap => {
            let at = runner.lanes.context.place(block.site, split.mask);
            let calls = call::under_way(runner, split, &at);
            runner.lanes.context.stop(Fault::Trap { at, calls });
            Next::Pause(Pause::Stopped)
        }
    }
}

/// Ends the lanes of a split.
pub(crate) fn exit(runner: &mut Runner, warp: &mut Warp, split: &WarpSplit) -> Next {
    warp.live &= !split.mask;
    runner.lanes.context.live = warp.live;
    runner.barriers.leave(warp.index, split.mask);
    runner.lanes.context.blocks.clusters.leave(split.mask);
    convergence::leave(runner, warp);
    match runner.barriers.released.is_empty() {
        true => Next::Aside,
        false => Next::Pause(if warp.live == 0 { Pause::Done } else { Pause::Released }),
    }
}

fn switch<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    split: &mut WarpSplit,
    site: u32,
    index: Row,
    targets: &[BlockId],
) -> Next {
    if PROBED && runner.lanes.context.listener.twins.is_some() {
        propagation::decide(runner.lanes, (index, 4), split.mask, site, Use::Branch);
    }
    let indices = runner.lanes.get::<u32>(index);
    let last = targets.len() - 1;
    let target = |lane: usize| targets[(indices[lane] as usize).min(last)];
    let first = target(split.mask.trailing_zeros() as usize);
    let mut parts: Vec<(BlockId, u32)> = Vec::new();
    runner.lanes.each(|lane| match parts.iter_mut().find(|(block, _)| *block == target(lane)) {
        Some((_, mask)) => *mask |= 1 << lane,
        None => parts.push((target(lane), 1 << lane)),
    });
    if PROBED {
        let who = runner.lanes.context.who;
        if let Some(probe) = runner.lanes.context.probe() {
            // Uniform, or parted: to a listener the first lane's way is the one taken.
            let taken = parts.iter().find(|(block, _)| *block == first).map_or(0, |(_, mask)| *mask);
            probe.branch(who, site, split.mask, taken);
        }
    }
    if let [(target, _)] = parts[..] {
        return Next::Goto(target);
    }
    parts.sort_unstable_by_key(|&(block, _)| block);
    for &(block, mask) in &parts[1..] {
        let mut other = split.clone();
        other.mask = mask;
        other.top.block = block.0;
        warp.splits.0.push(other);
    }
    let (block, mask) = parts[0];
    split.mask = mask;
    Next::Split(block)
}

/// Arrives at the barrier of the cluster, or waits for the phase that was arrived at.
fn cluster_barrier<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    split: &mut WarpSplit,
    site: u32,
    (waits, orders): (bool, bool),
    next: BlockId,
) -> Next {
    let context = &mut runner.lanes.context;
    let (who, mask) = (context.who, split.mask);
    if !waits {
        if PROBED && let Some(probe) = context.probe() {
            probe.cluster_barrier(who, site, mask, waits, orders);
        }
        context.blocks.clusters.arrive(who.block_index, warp.index, mask);
        return Next::Goto(next);
    }
    if context.blocks.clusters.is_over(who.block_index, warp.index, mask) {
        if PROBED && let Some(probe) = context.probe() {
            probe.cluster_barrier(who, site, mask, waits, orders);
        }
        return Next::Goto(next);
    }
    split.top.block = next.0;
    split.state = State::Cluster { site, orders };
    warp.splits.0.push(split.clone());
    Next::Aside
}

/// Arrives at a barrier of the block.
pub(crate) fn wait<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    split: &mut WarpSplit,
    site: u32,
    barrier: &Barrier,
) -> Next {
    if PROBED && runner.lanes.context.listener.twins.is_some() {
        let numbers = [Some(barrier.id), barrier.count].into_iter().flatten().map(|row| (row, 4));
        for value in numbers.chain(barrier.predicate.map(|(row, _)| (row, 0))) {
            propagation::decide(runner.lanes, value, split.mask, site, Use::Barrier);
        }
    }
    let lane = split.mask.trailing_zeros() as usize;
    let id = runner.lanes.get::<u32>(barrier.id)[lane];
    let count = barrier.count.map(|row| runner.lanes.get::<u32>(row)[lane]);
    if id >= crate::exec::scheduling::barrier::COUNT {
        let at = runner.lanes.context.place(site, split.mask);
        runner.lanes.context.stop(Fault::BadBarrier { at, id });
        return Next::Pause(Pause::Stopped);
    }
    let predicate = match barrier.predicate {
        Some((row, negated)) => runner.lanes.predicate(row) ^ if negated { !0 } else { 0 },
        None => 0,
    };
    let context = &mut runner.lanes.context;
    let (who, threads) = (context.who, context.launch.block.iter().product());
    if PROBED && let Some(probe) = context.probe_of_flow() {
        let (mask, live, expected) = (split.mask, warp.live, count.unwrap_or(threads));
        let (aligned, waits) = (barrier.aligned, barrier.kind != BarrierKind::Arrive);
        probe.barrier_arrive(&Arrival { who, site, mask, live, id, expected, aligned, waits });
    }
    split.top.block = barrier.next.0;
    let result = match barrier.kind {
        BarrierKind::Sync | BarrierKind::Arrive => None,
        kind => Some((barrier.dst, kind)),
    };
    if barrier.kind != BarrierKind::Arrive {
        split.state = State::Barrier { id, site, result };
    }
    warp.splits.0.push(split.clone());
    runner.barriers.arrive(id, warp.index, split.mask, count, predicate);
    if runner.barriers.released.is_empty() { Next::Aside } else { Next::Pause(Pause::Released) }
}
