//! Warp-synchronous ops: `shfl`, `vote`, `match`, `redux`, `bar.warp.sync`, matrices.
//!
//! Such an op names the lanes that take part. Lanes that are all here run it at once; lanes that miss others wait at the
//! end of their block until the others come, or until nobody can come any more: then they go on with whoever is there, and
//! the probe is told.
use super::block_end::Next;
use super::lanes::Lanes;
use super::op::{Op, Row};
use super::twin_steps;
use super::warp::{Pause, Runner, Warp};
use super::warp_split::{State, WarpSplit, WarpSplits};
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
pub(super) fn run<const PROBED: bool>(
    runner: &mut Runner,
    warp: &mut Warp,
    split: &mut WarpSplit,
    point: &ConvergencePoint,
) -> Next {
    if PROBED
        && runner.lanes.context.twins.is_some()
        && let Some(members) = point.members
    {
        twin_steps::decide(runner.lanes, (members, 4), split.mask, point.site, Use::Barrier);
    }
    if !split.settled && complete(runner.lanes, point, warp.live) != split.mask {
        split.top.at_end = true;
        warp.splits.absorb(split, |other| matches!(other.state, State::Converging { .. }));
        runner.lanes.mask = split.mask;
        let here = complete(runner.lanes, point, warp.live);
        let missed = split.mask & !here;
        if missed != 0 && !wait(runner.lanes, &mut warp.splits, split, point, missed, warp.live) {
            return Next::Aside;
        }
    }
    split.top.at_end = false;
    split.settled = false;
    let lanes = &mut *runner.lanes;
    let mut rest = split.mask;
    while rest != 0 {
        // Groups of lanes that name different members run one after the other.
        let (group, members) = first_group(lanes, point.members, rest, warp.live);
        lanes.mask = group;
        lanes.absent = 0;
        twin_steps::run_op::<PROBED>(lanes, point.op);
        if PROBED {
            let (who, site, absent) = (lanes.context.who, point.site, lanes.absent);
            if let Some(probe) = &mut lanes.context.probe {
                probe.converge(&Convergence { who, site, mask: group, members, live: warp.live, absent });
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

/// Of the lanes in `rest`, those that name the same members as the first; and the members.
fn first_group(lanes: &Lanes, row: Option<Row>, rest: u32, live: u32) -> (u32, u32) {
    let Some(row) = row else { return (rest, live) };
    let masks = lanes.get::<u32>(row);
    let members = masks[rest.trailing_zeros() as usize];
    (rest & lanes.pack(|lane| masks[lane] == members), members)
}

/// Puts the lanes of `missed` aside. `false`: none are left to go on.
fn wait(
    lanes: &mut Lanes,
    splits: &mut WarpSplits,
    split: &mut WarpSplit,
    point: &ConvergencePoint,
    missed: u32,
    live: u32,
) -> bool {
    let mut members = 0;
    let mut rest = missed;
    while rest != 0 {
        let (group, named) = first_group(lanes, point.members, rest, live);
        members |= named;
        rest &= !group;
    }
    let anywhere = point.op.data & MEETS_ANYWHERE != 0;
    let mut waiting = split.clone();
    waiting.mask = missed;
    waiting.state = State::Converging { members, anywhere };
    if anywhere && meet_elsewhere(splits, &waiting, members, live) {
        split.settled = true;
        return true;
    }
    splits.0.push(waiting);
    split.mask &= !missed;
    lanes.mask = split.mask;
    split.mask != 0
}

/// Lets the lanes go that wait for the same ones at other places, if with those at hand all are there.
fn meet_elsewhere(splits: &mut WarpSplits, at_hand: &WarpSplit, members: u32, live: u32) -> bool {
    let same = |other: &WarpSplit| other.state == State::Converging { members, anywhere: true };
    let here = splits.0.iter().filter(|other| same(other)).fold(at_hand.mask, |mask, other| mask | other.mask);
    let all = members & live & !here == 0;
    if all {
        for other in splits.0.iter_mut().filter(|other| same(other)) {
            other.state = State::Ready;
            other.settled = true;
        }
    }
    all
}
