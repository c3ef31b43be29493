//! A batch of items on one device as data: what is put on which stream, in which order, and what waits for what.
//!
//! Each variant is a function from a number of items to a [`Schedule`]; one engine ([`Engine`](crate::Engine)) carries all of them out, with or
//! without time stamps, directly or captured in a graph. Because a schedule is data, a missing wait can be found by looking at it
//! ([`Schedule::hazard`]), and a test can take one away.

use std::collections::HashMap;

/// Streams at most where each item would have one: beyond that they only take turns on the device's queues, and each holds buffers.
pub const MOST_STREAMS: usize = 32;

/// A queue of the device's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The legacy default stream: waits for all blocking streams, and they for it.
    Default,
    /// A stream of its own, ordered with the default stream (`cudaStreamCreate`).
    Blocking,
    /// A stream of its own that knows nothing of the default stream (`cudaStreamNonBlocking`).
    NonBlocking,
}

/// What one step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Input of the item from the host to its slot.
    CopyIn,
    /// The item's kernel.
    Kernel,
    /// Output of the item from its slot to the host.
    CopyOut,
    /// Records an event.
    Mark(usize),
    /// What follows on this lane waits for an event; one that was never recorded holds nobody up.
    Await(usize),
}

/// One call of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// For which item.
    pub item: usize,
    /// On which lane.
    pub lane: usize,
    /// Which device buffers the item has; `None`: none, its kernel reaches the host's memory.
    pub slot: Option<usize>,
    /// What.
    pub action: Action,
}

/// All calls for a batch, in the order in which the host makes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The streams.
    pub lanes: Vec<Lane>,
    /// How many sets of device buffers, each with room for one item's input and output.
    pub slots: usize,
    /// How many events.
    pub marks: usize,
    /// The calls.
    pub steps: Vec<Step>,
    /// Whether each copy call returns only when its copy is done (`cudaMemcpy`).
    pub copies_block: bool,
    /// Whether inputs lie on the device before the clock starts, and outputs stay there until it has stopped.
    pub resident: bool,
}

impl Schedule {
    /// No steps yet.
    pub fn new(lanes: Vec<Lane>, slots: usize) -> Self {
        Schedule { lanes, slots, ..Schedule::default() }
    }

    /// One more event.
    pub fn new_mark(&mut self) -> usize {
        self.marks += 1;
        self.marks - 1
    }

    /// One more call.
    pub fn push(&mut self, item: usize, lane: usize, slot: Option<usize>, action: Action) {
        self.steps.push(Step { item, lane, slot, action });
    }

    /// Copy in, kernel, copy out of one item on one lane, which keeps them in order by itself.
    pub fn push_item(&mut self, item: usize, lane: usize, slot: usize) {
        for action in [Action::CopyIn, Action::Kernel, Action::CopyOut] {
            self.push(item, lane, Some(slot), action);
        }
    }

    /// The same calls without any wait between lanes: a program that forgot them.
    pub fn without_waits(mut self) -> Self {
        self.steps.retain(|step| !matches!(step.action, Action::Await(_)));
        self
    }

    /// Why an engine cannot carry this out for `count` items: nothing to do, a lane, item, slot or event beyond what there is, or a
    /// copy without device buffers. `None`: it can be carried out; whether it is right is another question.
    pub fn refusal(&self, count: usize) -> Option<String> {
        if self.steps.is_empty() {
            return Some("the schedule has no steps".to_owned());
        }
        for (place, step) in self.steps.iter().enumerate() {
            let mark = match step.action {
                Action::Mark(mark) | Action::Await(mark) => Some(mark),
                _ => None,
            };
            let beyond = [
                ("lane", step.lane, self.lanes.len()),
                ("item", step.item, count),
                ("slot", step.slot.unwrap_or(0), if step.slot.is_some() { self.slots } else { 1 }),
                ("event", mark.unwrap_or(0), if mark.is_some() { self.marks } else { 1 }),
            ];
            if let Some((what, number, of)) = beyond.into_iter().find(|(_, number, of)| number >= of) {
                return Some(format!("step {place} names {what} {number}; the schedule has {of}"));
            }
            if step.slot.is_none() && matches!(step.action, Action::CopyIn | Action::CopyOut) {
                return Some(format!("step {place} copies, but has no slot to copy to or from"));
            }
        }
        None
    }

    /// The first pair of steps (by their places) that touch the same device buffers, need an order, and have none. `None` is a proof
    /// that every item's result is right whatever the device does within CUDA's rules.
    pub fn hazard(&self) -> Option<(usize, usize)> {
        let before = self.order();
        let work =
            |place: &usize| matches!(self.steps[*place].action, Action::CopyIn | Action::Kernel | Action::CopyOut);
        let places: Vec<usize> = (0..self.steps.len()).filter(work).collect();
        for (nth, &later) in places.iter().enumerate() {
            for &earlier in &places[..nth] {
                let (a, b) = (self.steps[earlier], self.steps[later]);
                if a.slot.is_some() && a.slot == b.slot && conflict(a.action, b.action) && !before[later][earlier] {
                    return Some((earlier, later));
                }
            }
        }
        None
    }

    /// `order()[b][a]`: step a is done before step b starts, by lanes, by events, by calls that block the host, by the default stream.
    fn order(&self) -> Vec<Vec<bool>> {
        let mut before: Vec<Vec<bool>> = Vec::new();
        // What the next step of each lane comes behind, and what the host has waited for.
        let mut last_of_lane: HashMap<usize, usize> = HashMap::new();
        let mut recorded: HashMap<usize, usize> = HashMap::new();
        let mut awaited_by_host: Vec<usize> = Vec::new();
        for (place, step) in self.steps.iter().enumerate() {
            let mut direct: Vec<usize> = awaited_by_host.clone();
            let ordered = |other: &usize| match (self.lanes[*other], self.lanes[step.lane]) {
                _ if *other == step.lane => true,
                (Lane::Default, Lane::Blocking) | (Lane::Blocking, Lane::Default) => true,
                _ => false,
            };
            direct.extend(last_of_lane.iter().filter(|(lane, _)| ordered(lane)).map(|(_, &last)| last));
            match step.action {
                Action::Await(mark) => direct.extend(recorded.get(&mark)),
                Action::Mark(mark) => {
                    recorded.insert(mark, place);
                }
                Action::CopyIn | Action::CopyOut if self.copies_block => awaited_by_host.push(place),
                _ => {}
            }
            let mut row = vec![false; place];
            for earlier in direct {
                row[earlier] = true;
                for (known, earlier_known) in row.iter_mut().zip(&before[earlier]) {
                    *known |= *earlier_known;
                }
            }
            before.push(row);
            last_of_lane.insert(step.lane, place);
        }
        before
    }
}

/// A slot holds an input, which copies write and kernels read, and an output, which kernels write and copies read.
fn conflict(a: Action, b: Action) -> bool {
    use Action::{CopyIn, CopyOut};
    !matches!((a, b), (CopyIn | CopyOut, CopyOut) | (CopyOut, CopyIn))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_lane_orders_everything() {
        let mut schedule = Schedule::new(vec![Lane::NonBlocking], 1);
        schedule.push_item(0, 0, 0);
        schedule.push_item(1, 0, 0);
        assert_eq!(schedule.hazard(), None);
    }

    #[test]
    fn two_lanes_need_an_event_between_them() {
        let mut schedule = Schedule::new(vec![Lane::NonBlocking; 2], 1);
        let loaded = schedule.new_mark();
        schedule.push(0, 0, Some(0), Action::CopyIn);
        schedule.push(0, 0, Some(0), Action::Mark(loaded));
        schedule.push(0, 1, Some(0), Action::Await(loaded));
        schedule.push(0, 1, Some(0), Action::Kernel);
        assert_eq!(schedule.hazard(), None);
        assert_eq!(schedule.without_waits().hazard(), Some((0, 2)));
    }

    #[test]
    fn the_default_stream_orders_blocking_streams_and_no_others() {
        for (kind, hazard) in [(Lane::Blocking, None), (Lane::NonBlocking, Some((0, 1)))] {
            let mut schedule = Schedule::new(vec![kind, Lane::Default], 1);
            schedule.push(0, 0, Some(0), Action::CopyIn);
            schedule.push(0, 1, Some(0), Action::Kernel);
            assert_eq!(schedule.hazard(), hazard);
        }
    }

    #[test]
    fn a_blocking_copy_orders_what_the_host_calls_afterwards() {
        let mut schedule = Schedule::new(vec![Lane::NonBlocking; 2], 1);
        schedule.push(0, 0, Some(0), Action::CopyIn);
        schedule.push(0, 1, Some(0), Action::Kernel);
        assert_eq!(schedule.hazard(), Some((0, 1)));
        schedule.copies_block = true;
        assert_eq!(schedule.hazard(), None);
    }
}
