//! Warp-synchronous ops: `shfl`, `vote`, `match`, `redux`, `bar.warp.sync`, matrices.
//!
//! Such an op names the lanes that take part. Lanes that are all here run it at once; lanes that miss others wait at the
//! end of their block until the others come, or until nobody can come any more: then they go on with whoever is there, and
//! the probe is told. Lanes may meet at different `bar.warp.sync`, in both arms of a branch say: all of them go on then, and
//! the probe is told once, of all.
use super::warp::{Next, Pause, Runner, Warp};
use super::warp_split::{Meeting, State, WarpSplit, WarpSplits};
use crate::exec::undefined::propagation;
use crate::exec::view::lanes::Lanes;
use crate::exec::view::op::{Op, Row};
use crate::probe::{Convergence, Use};
use crate::program::BlockId;

/// In [`Op::data`] of a warp-synchronous op: lanes that run it at different places meet all the same.
pub(super) const MEETS_ANYWHERE: u32 = 1 << 31;

/// The end of a block that is a warp-synchronous op.
pub(super) struct ConvergencePoint<'f> {
    pub op: &'f Op,
    /// Row of the member mask; `None`: all live lanes.
    pub members: Option<Row>,
    pub site: u32,
    pub next: BlockId,
}

/// Runs the op for the lanes of the split that have all their members here, and lets the others wait.
pub(crate) fn run<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    split: &mut WarpSplit,
    point: &ConvergencePoint,
) -> Next {
    if PROBED
        && runner.lanes.context.listener.twins.is_some()
        && let Some(members) = point.members
    {
        propagation::decide(runner.lanes, (members, 4), split.mask, point.site, Use::Barrier);
    }
    if split.meeting == Meeting::Pending && complete(runner.lanes, point, warp.live) != split.mask {
        split.top.at_end = true;
        warp.splits.absorb(split, |other| matches!(other.state, State::Converging { .. }));
        runner.lanes.mask = split.mask;
        let here = complete(runner.lanes, point, warp.live);
        let missed = split.mask & !here;
        if missed != 0 && !wait::<PROBED>(runner.lanes, &mut warp.splits, split, point, missed, warp.live) {
            return Next::Aside;
        }
    }
    split.top.at_end = false;
    let met = std::mem::take(&mut split.meeting).met();
    let lanes = &mut *runner.lanes;
    let mut rest = split.mask;
    while rest != 0 {
        // Groups of lanes that name different members run one after the other.
        let (group, members) = first_group(lanes, point.members, rest, warp.live);
        lanes.mask = group;
        lanes.read_outside = 0;
        propagation::run_op::<PROBED>(lanes, point.op);
        // The probe was told of lanes that have met elsewhere when the last of them came.
        if PROBED && met & group == 0 {
            let (who, site, read_outside) = (lanes.context.who, point.site, lanes.read_outside);
            if let Some(probe) = lanes.context.probe() {
                probe.converge(&Convergence { who, site, mask: group, members, live: warp.live, read_outside });
            }
        }
        if lanes.mask == 0 {
            return Next::Pause(Pause::Stopped);
        }
        rest &= !group;
    }
    lanes.mask = split.mask;
    Next::Split(point.next)
}

/// The lanes at hand whose members are all at hand, or have exited.
fn complete(lanes: &Lanes, point: &ConvergencePoint, live: u32) -> u32 {
    let mut complete = 0;
    let mut rest = lanes.mask;
    while rest != 0 {
        let (group, members) = first_group(lanes, point.members, rest, live);
        complete |= if members & live & !lanes.mask == 0 { group } else { 0 };
        rest &= !group;
    }
    complete
}

/// The lanes in `rest` that name the same members as the first, and the members.
fn first_group(lanes: &Lanes, row: Option<Row>, rest: u32, live: u32) -> (u32, u32) {
    let Some(row) = row else { return (rest, live) };
    let masks = lanes.get::<u32>(row);
    let members = masks[rest.trailing_zeros() as usize];
    if masks.iter().fold(0, |other, mask| other | (mask ^ members)) == 0 {
        return (rest, members);
    }
    (rest & lanes.pack(|lane| masks[lane] == members), members)
}

/// Puts the lanes of `missed` aside, each group that names the same members for itself, unless with them all have met. `false`:
/// none are left to go on.
fn wait<const PROBED: bool>(
    lanes: &mut Lanes,
    splits: &mut WarpSplits,
    split: &mut WarpSplit,
    point: &ConvergencePoint,
    missed: u32,
    live: u32,
) -> bool {
    let anywhere = point.op.data & MEETS_ANYWHERE != 0 && !lanes.context.launch.facts.in_lock_step;
    let mut rest = missed;
    while rest != 0 {
        let (group, members) = first_group(lanes, point.members, rest, live);
        rest &= !group;
        let mut waiting = split.clone();
        waiting.mask = group;
        waiting.state = State::Converging { members, anywhere };
        splits.0.push(waiting);
        if anywhere && let Some(mask) = meet_elsewhere(splits, members, live) {
            // The lanes at hand go on at once.
            splits.0.pop();
            split.meeting = Meeting::Met(split.meeting.met() | group);
            if PROBED {
                tell_met(lanes, point.site, (mask, members, live));
            }
        } else {
            split.mask &= !group;
        }
    }
    lanes.mask = split.mask;
    split.mask != 0
}

/// Lets the lanes go that wait for the same ones at any place, if all of them are there: gives all of them.
fn meet_elsewhere(splits: &mut WarpSplits, members: u32, live: u32) -> Option<u32> {
    let same = |other: &WarpSplit| other.state == State::Converging { members, anywhere: true };
    let here = splits.0.iter().filter(|other| same(other)).fold(0, |mask, other| mask | other.mask);
    let all = members & live & !here == 0;
    if all {
        for other in splits.0.iter_mut().filter(|other| same(other)) {
            other.state = State::Ready;
            other.meeting = Meeting::Met(other.mask);
        }
    }
    all.then_some(here)
}

/// Tells the probe of lanes that have met at different places; `site`: of the last ones.
fn tell_met(lanes: &mut Lanes, site: u32, (mask, members, live): (u32, u32, u32)) {
    let who = lanes.context.who;
    if let Some(probe) = lanes.context.probe() {
        probe.converge(&Convergence { who, site, mask, members, live, read_outside: 0 });
    }
}

/// Lanes have exited: those who wait for them, and for nobody else, wait no longer.
pub(crate) fn leave(runner: &mut Runner, warp: &mut Warp) {
    let live = warp.live;
    for index in 0..warp.splits.0.len() {
        let waiting = &mut warp.splits.0[index];
        let State::Converging { members, anywhere } = waiting.state else { continue };
        if members & live & !waiting.mask == 0 {
            waiting.state = State::Ready;
        } else if anywhere {
            let (function, block) = (waiting.top.function, waiting.top.block);
            if let Some(mask) = meet_elsewhere(&mut warp.splits, members, live) {
                let site = runner.program.functions[function as usize].blocks[block as usize].site;
                runner.lanes.context.who.function = function;
                tell_met(runner.lanes, site, (mask, members, live));
            }
        }
    }
}
