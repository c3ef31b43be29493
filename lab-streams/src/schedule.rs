//! A batch of items on one device as data: what is put on which stream, in which order, and what waits for what.
//!
//! Each variant is a function from a number of items to a [`Schedule`]; one engine ([`Engine`](crate::Engine)) carries all of them out, with or
//! without time stamps, directly or captured in a graph. Because a schedule is data, a missing wait can be found by looking at it
//! ([`Schedule::hazard`]), and a test can take one away.

use std::collections::HashMap;
use std::ops::Range;

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

/// The work of one step.
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
    /// The lane waits for an event before its next step; an event that was never recorded holds nobody up.
    Await(usize),
}

/// Which share of an item a step is for: its rows (of a product) or elements (of a chunk) from `start`/`of` to `end`/`of`. What all
/// shares of an item need, a product's B, comes in with the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The first of so many equal pieces.
    pub start: usize,
    /// The one after the last.
    pub end: usize,
    /// How many pieces the item has.
    pub of: usize,
}

impl Part {
    /// The item in one piece.
    pub const WHOLE: Part = Part { start: 0, end: 1, of: 1 };

    /// The share of `len` rows or elements; empty where there are fewer of them than pieces.
    pub fn range(self, len: usize) -> Range<usize> {
        len * self.start / self.of..len * self.end / self.of
    }

    fn overlaps(self, other: Part) -> bool {
        self.start * other.of < other.end * self.of && other.start * self.of < self.end * other.of
    }
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
    /// How much of the item.
    pub part: Part,
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
    /// True if each copy call returns only when its copy is done (`cudaMemcpy`).
    pub copies_block: bool,
    /// True if inputs lie on the device before the clock starts, and outputs stay there until it has stopped.
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

    /// One more call, for the whole item.
    pub fn push(&mut self, item: usize, lane: usize, slot: Option<usize>, action: Action) {
        self.push_part(item, lane, slot, action, Part::WHOLE);
    }

    /// One more call, for a share of the item.
    pub fn push_part(&mut self, item: usize, lane: usize, slot: Option<usize>, action: Action, part: Part) {
        self.steps.push(Step { item, lane, slot, action, part });
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
                return Some(format!("step {place} names {what} {number}; the schedule has {of}, from 0 on"));
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
        let order = self.order();
        let work =
            |place: &usize| matches!(self.steps[*place].action, Action::CopyIn | Action::Kernel | Action::CopyOut);
        let places: Vec<usize> = (0..self.steps.len()).filter(work).collect();
        for (nth, &later) in places.iter().enumerate() {
            for &earlier in &places[..nth] {
                let (a, b) = (self.steps[earlier], self.steps[later]);
                if a.slot.is_some() && a.slot == b.slot && conflict(a, b) && !order.is_before(earlier, later) {
                    return Some((earlier, later));
                }
            }
        }
        None
    }

    /// The first wait for an event that no step before it records, by its place: such a wait holds nothing up.
    pub fn vain_wait(&self) -> Option<usize> {
        let recorded = |place: usize, mark| self.steps[..place].iter().any(|step| step.action == Action::Mark(mark));
        let is_vain = |step: &Step, place| matches!(step.action, Action::Await(mark) if !recorded(place, mark));
        self.steps.iter().enumerate().position(|(place, step)| is_vain(step, place))
    }

    /// Which step is done before which other one starts: by lanes, by events, by calls that block the host, by the default stream.
    pub fn order(&self) -> Order {
        let mut before: Vec<Places> = Vec::new();
        // The steps that the next step of each lane comes after, and all that the host has waited for.
        let mut last_of_lane: HashMap<usize, usize> = HashMap::new();
        let mut recorded: HashMap<usize, usize> = HashMap::new();
        let mut awaited_by_host = Places::default();
        for (place, step) in self.steps.iter().enumerate() {
            let ordered = |other: &usize| match (self.lanes[*other], self.lanes[step.lane]) {
                _ if *other == step.lane => true,
                (Lane::Default, Lane::Blocking) | (Lane::Blocking, Lane::Default) => true,
                _ => false,
            };
            let of_lanes = last_of_lane.iter().filter(|(lane, _)| ordered(lane)).map(|(_, &last)| last);
            let mut direct: Vec<usize> = of_lanes.collect();
            if let Action::Await(mark) = step.action {
                direct.extend(recorded.get(&mark));
            }
            let mut row = awaited_by_host.clone();
            for earlier in direct {
                row.insert(earlier);
                row.insert_all(&before[earlier]);
            }
            match step.action {
                Action::Mark(mark) => {
                    recorded.insert(mark, place);
                }
                Action::CopyIn | Action::CopyOut if self.copies_block => {
                    awaited_by_host.insert(place);
                    awaited_by_host.insert_all(&row);
                }
                _ => {}
            }
            before.push(row);
            last_of_lane.insert(step.lane, place);
        }
        Order { before }
    }
}

/// The order that a schedule gives its steps, by their places.
#[derive(Clone, Debug)]
pub struct Order {
    before: Vec<Places>,
}

impl Order {
    /// Returns whether a step is done before another one starts, whatever the device does within CUDA's rules.
    pub fn is_before(&self, earlier: usize, later: usize) -> bool {
        self.before[later].contains(earlier)
    }
}

/// A set of places, a bit each: orders of long schedules are quadratic in their steps.
#[derive(Clone, Debug, Default)]
struct Places(Vec<u64>);

impl Places {
    fn insert(&mut self, place: usize) {
        let word = place / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (place % 64);
    }

    fn insert_all(&mut self, other: &Places) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, others)| *own |= others);
    }

    fn contains(&self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }
}

/// A slot holds an input, which copies write and kernels read, and an output, which kernels write and copies read. Shares of one item
/// that do not overlap meet only where a kernel reads what came in with the item's first share.
fn conflict(a: Step, b: Step) -> bool {
    use Action::{CopyIn, CopyOut, Kernel};
    if a.item == b.item && !a.part.overlaps(b.part) {
        return match (a.action, b.action) {
            (CopyIn, Kernel) => a.part.start == 0,
            (Kernel, CopyIn) => b.part.start == 0,
            _ => false,
        };
    }
    !matches!((a.action, b.action), (CopyIn | CopyOut, CopyOut) | (CopyOut, CopyIn))
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

    #[test]
    fn shares_of_an_item_meet_in_what_all_of_them_need() {
        let half = |start| Part { start, end: start + 1, of: 2 };
        let mut schedule = Schedule::new(vec![Lane::NonBlocking; 2], 1);
        let [first, second] = [(); 2].map(|()| schedule.new_mark());
        schedule.push_part(0, 0, Some(0), Action::CopyIn, half(0));
        schedule.push(0, 0, Some(0), Action::Mark(first));
        schedule.push_part(0, 0, Some(0), Action::CopyIn, half(1));
        schedule.push(0, 0, Some(0), Action::Mark(second));
        schedule.push(0, 1, Some(0), Action::Await(first));
        schedule.push_part(0, 1, Some(0), Action::Kernel, half(0));
        assert_eq!(schedule.hazard(), None, "the second half is none of its business");
        schedule.push_part(0, 1, Some(0), Action::Kernel, half(1));
        assert_eq!(schedule.hazard(), Some((2, 6)), "the second half has not been waited for");
        schedule.steps[4].action = Action::Await(second);
        assert_eq!(schedule.hazard(), None);
        assert_eq!(schedule.without_waits().hazard(), Some((0, 4)), "both read what came with the first half");
    }

    #[test]
    fn parts_cover_an_item() {
        let eighths = |len| (0..8).map(|start| Part { start, end: start + 1, of: 8 }.range(len).len()).sum::<usize>();
        assert_eq!([0, 1, 7, 19, 1024].map(eighths), [0, 1, 7, 19, 1024]);
        assert_eq!(Part::WHOLE.range(5), 0..5);
    }
}
