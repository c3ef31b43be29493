//! Lanes of a warp that are at the same place, and which of them run next.
//!
//! A warp whose lanes part becomes several splits. The one at the lowest position runs; a position is the block numbers
//! along the call stack, and since blocks are numbered in convergence order, lanes meet where hardware lets them meet.
use crate::exec::view::op::Row;
use crate::program::BarrierKind;
use std::cmp::Ordering;

/// Lanes of one warp with one position and one call stack.
#[derive(Clone, Debug)]
pub(crate) struct WarpSplit {
    pub mask: u32,
    /// Where it is: the frame that runs, and those that called it, outermost first.
    pub top: Frame,
    pub callers: Vec<Frame>,
    pub state: State,
    /// How often it stepped back for others: a split that spins runs after those that do not.
    pub round: u64,
    /// The result of a barrier's reduction, to be written when the split goes on.
    pub result: Option<(Row, BarrierKind, u32)>,
    /// Turns that it used up without pausing.
    pub turns: u32,
    /// The outcome of its wait at a warp-synchronous op.
    pub meeting: Meeting,
    /// True if it may take the step that its block begins with.
    pub steps: bool,
    /// True if it has let others run before the block in which it signals.
    pub deferred: bool,
}

/// An activation of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    pub function: u32,
    /// The block that runs next; for a caller, the block that ends with the call.
    pub block: u32,
    /// True if the block's ops have run and only its end is left.
    pub at_end: bool,
    /// Where its registers begin in the warp's register file.
    pub registers: u32,
    /// Where its variables begin in each lane's local memory.
    pub local: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// At a barrier of the block, whose result goes to the row.
    Barrier {
        id: u32,
        site: u32,
        result: Option<(Row, BarrierKind)>,
    },
    /// At the barrier of its cluster, whose phase is not over.
    Cluster {
        site: u32,
        orders: bool,
    },
    /// Before a warp-synchronous op, for lanes that are not here yet.
    Converging {
        members: u32,
        /// True if others may come to another place.
        anywhere: bool,
    },
}

/// How the wait at a warp-synchronous op ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Meeting {
    /// It has not.
    #[default]
    Pending,
    /// Nobody can come any more: the op runs with the lanes that are there.
    Incomplete,
    /// These of its lanes have met all that they name, some of them at another place.
    Met(u32),
}

impl Meeting {
    /// The lanes that have met all that they name.
    pub fn met(self) -> u32 {
        if let Meeting::Met(lanes) = self { lanes } else { 0 }
    }
}

impl WarpSplit {
    /// Lanes at the beginning of a frame.
    pub fn new(mask: u32, top: Frame) -> WarpSplit {
        WarpSplit {
            mask,
            top,
            callers: Vec::new(),
            state: State::Ready,
            round: 0,
            result: None,
            turns: 0,
            meeting: Meeting::Pending,
            steps: false,
            deferred: false,
        }
    }

    /// Which of two splits is after: compared along the call stack; in one block, the caller is before the called.
    pub fn compare(&self, other: &WarpSplit) -> Ordering {
        let frames = |split: &WarpSplit| split.callers.len() + 1;
        for depth in 0..frames(self).min(frames(other)) {
            let (a, b) = (self.frame(depth), other.frame(depth));
            let key = |f: &Frame| (f.block, f.at_end, f.function, f.registers);
            let order = key(a).cmp(&key(b));
            if order != Ordering::Equal {
                return order;
            }
        }
        frames(self).cmp(&frames(other))
    }

    /// The frame at a depth, 0 being the entry's.
    pub fn frame(&self, depth: usize) -> &Frame {
        self.callers.get(depth).unwrap_or(&self.top)
    }

    /// Returns whether two splits are one: same place, same frames.
    pub fn meets(&self, other: &WarpSplit) -> bool {
        self.top == other.top && self.callers == other.callers
    }
}

/// The splits of a warp that do not run now.
#[derive(Debug, Default)]
pub(crate) struct WarpSplits(pub Vec<WarpSplit>);

impl WarpSplits {
    /// Takes the split that is to run: the one that stepped back least often, and of those the lowest; together with
    /// all that are at the same place. `None`: nobody can run.
    pub fn pick(&mut self) -> Option<WarpSplit> {
        let ready = |f: &&WarpSplit| f.state == State::Ready;
        let best = match self.0.as_slice() {
            [] => return None,
            [only] => (only.state == State::Ready).then_some(0)?,
            many => {
                let key = |&(_, f): &(usize, &WarpSplit)| f.round;
                let round = many.iter().enumerate().filter(|(_, f)| ready(f)).map(|pair| key(&pair)).min()?;
                let lowest = many
                    .iter()
                    .enumerate()
                    .filter(|(_, f)| ready(f) && f.round == round)
                    .min_by(|(_, a), (_, b)| a.compare(b))?;
                lowest.0
            }
        };
        let mut chosen = self.0.swap_remove(best);
        self.absorb(&mut chosen, |other| {
            other.state == State::Ready && other.result.is_none() && other.meeting == Meeting::Pending
        });
        Some(chosen)
    }

    /// Joins to `split` those at the same place that `which` lets through.
    pub fn absorb(&mut self, split: &mut WarpSplit, which: impl Fn(&WarpSplit) -> bool) {
        if split.result.is_some() || split.meeting != Meeting::Pending {
            return;
        }
        self.0.retain(|other| {
            let joins = which(other) && other.meets(split);
            if joins {
                split.mask |= other.mask;
                split.round = split.round.min(other.round);
            }
            !joins
        });
    }

    /// The block before which the running split may go on without asking who is after: the lowest of a ready split.
    /// Only sure among splits of the same frame; others make it 0.
    pub fn limit(&self, running: &WarpSplit) -> u32 {
        let later = |f: &WarpSplit| {
            if f.state != State::Ready {
                u32::MAX
            } else if f.callers == running.callers && f.top.registers == running.top.registers {
                f.top.block
            } else {
                0
            }
        };
        self.0.iter().map(later).min().unwrap_or(u32::MAX)
    }

    /// Where a new frame of a function may begin: at `wanted`, or after the frames of other lanes that use those rows for
    /// something else.
    pub fn free_registers(&self, function: u32, wanted: u32, bytes: u32, frame_bytes: impl Fn(u32) -> u32) -> u32 {
        let mut start = wanted;
        loop {
            let conflict = self.0.iter().flat_map(|f| f.callers.iter().chain([&f.top])).find(|frame| {
                let overlaps = frame.registers < start + bytes && start < frame.registers + frame_bytes(frame.function);
                overlaps && !(frame.function == function && frame.registers == start)
            });
            match conflict {
                Some(frame) => start = frame.registers + frame_bytes(frame.function),
                None => return start,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(mask: u32, block: u32, callers: &[u32]) -> WarpSplit {
        let frame = |block, depth| Frame { block, registers: depth * 64, ..Frame::default() };
        let callers: Vec<_> = callers.iter().zip(0..).map(|(&block, depth)| frame(block, depth)).collect();
        let top = frame(block, callers.len() as u32);
        WarpSplit { callers, ..WarpSplit::new(mask, top) }
    }

    #[test]
    fn the_lowest_runs_first_and_equals_join() {
        let mut splits = WarpSplits(vec![at(1, 7, &[]), at(2, 3, &[]), at(4, 7, &[]), at(8, 3, &[])]);
        let first = splits.pick().unwrap();
        assert_eq!((first.mask, first.top.block), (10, 3));
        let second = splits.pick().unwrap();
        assert_eq!((second.mask, second.top.block), (5, 7));
        assert!(splits.pick().is_none());
    }

    #[test]
    fn a_callee_is_between_its_call_and_what_follows() {
        let mut splits = WarpSplits(vec![at(1, 6, &[]), at(2, 90, &[5]), at(4, 5, &[])]);
        assert_eq!(splits.pick().unwrap().mask, 4);
        assert_eq!(splits.pick().unwrap().mask, 2);
        assert_eq!(splits.pick().unwrap().mask, 1);
    }

    #[test]
    fn who_spins_steps_back() {
        let mut spinner = at(1, 2, &[]);
        spinner.round = 1;
        let mut splits = WarpSplits(vec![spinner, at(2, 9, &[])]);
        assert_eq!(splits.pick().unwrap().mask, 2);
        assert_eq!(splits.pick().unwrap().mask, 1);
    }

    #[test]
    fn frames_of_other_functions_are_left_alone() {
        let mut other = at(1, 0, &[3]);
        other.top = Frame { function: 5, registers: 64, ..Frame::default() };
        let splits = WarpSplits(vec![other]);
        assert_eq!(splits.free_registers(5, 64, 128, |f| if f == 5 { 128 } else { 64 }), 64);
        assert_eq!(splits.free_registers(6, 64, 128, |f| if f == 5 { 128 } else { 64 }), 192);
    }
}
