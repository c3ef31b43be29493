//! Runs one warp until it waits, spins, ends or faults.
use super::block_end::{branch, rare_end};
use super::warp::{Next, Pause, Runner, Warp};
use super::warp_split::{Meeting, State, WarpSplit};
use crate::exec::undefined::propagation;
use crate::exec::view::lanes::{Lanes, MOST_SPINS};
use crate::exec::view::op::Op;
use crate::probe::Use;
use crate::program::{BasicBlock, End};

/// Turns after which a split steps back for those of its warp that wait: it may wait for them without showing it.
const LONG_TURNS: u32 = 64;
/// How often a warp lets others run before it signals: each time another block may begin.
const MOST_DEFERRALS: u32 = 3;
/// Runs the warp as far as it goes.
pub(crate) fn run(runner: &mut Runner, warp: &mut Warp) -> Pause {
    std::mem::swap(&mut runner.lanes.context.blocks.copies, &mut warp.copies);
    let context = &runner.lanes.context;
    let pause = match context.listener.listens() || context.footprint.is_some() {
        true => {
            tell_parts(runner, warp);
            runner.lanes.context.listener.twins = warp.twins.take();
            runner.lanes.context.listener.following.twins(runner.lanes.context.listener.twins.is_some());
            let pause = run_probed::<true>(runner, warp);
            warp.twins = runner.lanes.context.listener.twins.take();
            pause
        }
        false => run_probed::<false>(runner, warp),
    };
    std::mem::swap(&mut runner.lanes.context.blocks.copies, &mut warp.copies);
    pause
}

/// Tells of what the warp did together with others, before it does more alone.
pub(crate) fn tell_parts(runner: &mut Runner, warp: &mut Warp) {
    if !warp.parts.is_empty() {
        warp.parts.drain(..).for_each(|part| runner.lanes.context.listener.tell_part(part));
    }
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
            match release_incomplete(runner, warp) {
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
fn release_incomplete(runner: &mut Runner, warp: &mut Warp) -> Option<WarpSplit> {
    if !runner.incomplete {
        return None;
    }
    let waits = |f: &&mut WarpSplit| matches!(f.state, State::Converging { .. });
    let lowest = warp.splits.0.iter_mut().filter(waits).min_by(|a, b| a.compare(b))?;
    lowest.state = State::Ready;
    lowest.meeting = Meeting::Incomplete;
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
            if PROBED && let Some(pause) = pause_before(runner.lanes, warp, &mut split, block) {
                warp.splits.0.push(split);
                return Some(pause);
            }
            if split.top.at_end {
                split.top.at_end = false;
            } else {
                run_ops::<PROBED>(runner.lanes, ops, block, &split, warp.live);
                if PROBED {
                    split.steps = false;
                }
                if PROBED && block.signals {
                    runner.lanes.context.blocks.signalled_at = runner.lanes.stores;
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
                    if PROBED && lanes.context.listener.twins.is_some() {
                        propagation::decide(lanes, (*when, 0), split.mask, block.site, Use::Branch);
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
            if let Some(pause) = pause_after(runner, warp, &mut split) {
                warp.splits.0.push(split);
                return Some(pause);
            }
            if split.top.block >= limit {
                warp.splits.0.push(split);
                return None;
            }
        }
    }
}

/// Why a split that is probed pauses before a block, if it does.
#[inline(always)]
fn pause_before(lanes: &Lanes, warp: &mut Warp, split: &mut WarpSplit, block: &BasicBlock) -> Option<Pause> {
    if block.signals && lets_others_first(lanes, warp, split) {
        return Some(Pause::Defers);
    }
    let steps = block.is_step && !split.top.at_end && !std::mem::replace(&mut split.steps, true);
    steps.then_some(Pause::Step)
}

/// Why a split pauses after a block, if it does: it spins, or its turn is used up.
#[inline(always)]
fn pause_after(runner: &mut Runner, warp: &mut Warp, split: &mut WarpSplit) -> Option<Pause> {
    let lanes = &mut *runner.lanes;
    let over = lanes.context.clock.instructions >= runner.turn_ends;
    let (pause, steps_back) = if lanes.spins >= MOST_SPINS && (over || !runner.patient) {
        lanes.spins = 0;
        (Pause::Spins, true)
    } else if over {
        split.turns += 1;
        (Pause::Turn, split.turns.is_multiple_of(LONG_TURNS))
    } else {
        return None;
    };
    if steps_back {
        warp.rounds += 1;
        split.round = warp.rounds;
    }
    Some(pause)
}

/// Returns whether a warp pauses before a block that signals, see [`Context::signals_late`].
#[cold]
#[inline(never)]
fn lets_others_first(lanes: &Lanes, warp: &mut Warp, split: &mut WarpSplit) -> bool {
    let context = &lanes.context;
    let stands_for_nothing = context.launch.signals_late && lanes.stores == context.blocks.signalled_at;
    let defers = stands_for_nothing && warp.deferrals < MOST_DEFERRALS && !split.top.at_end && !split.deferred;
    warp.deferrals += u32::from(defers);
    split.deferred |= defers;
    defers
}

/// Runs a block's ops for the active lanes.
#[inline(always)]
fn run_ops<const PROBED: bool>(lanes: &mut Lanes, ops: &[Op], block: &BasicBlock, split: &WarpSplit, live: u32) {
    let ops = &ops[block.ops.start as usize..block.ops.end as usize];
    if PROBED && let Some(footprint) = &mut lanes.context.footprint {
        footprint.run(lanes.context.who, split.top.block);
    }
    if PROBED && lanes.context.listener.twins.is_some() {
        propagation::run_all(lanes, ops);
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
                propagation::finish_load(lanes, op);
                propagation::run_all(lanes, rest.as_slice());
                break;
            }
        }
    }
    lanes.context.clock.instructions += u64::from(block.ops.end - block.ops.start) + 1;
    if PROBED {
        let who = lanes.context.who;
        if let Some(probe) = lanes.context.probe_of_flow() {
            probe.run(who, split.top.block, split.mask, live);
        }
    }
}
