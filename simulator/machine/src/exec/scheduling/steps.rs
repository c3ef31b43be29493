//! A chosen order of one block's warps, step by step. In a program that is lowered for it ([`Tier::Stepped`](crate::lower::Tier)) a warp stops ahead
//! of each operation that threads communicate by; a step is such an operation, and what the warp does up to its next.
use std::sync::{Mutex, PoisonError};

/// Steps of a block that are recorded at the most.
pub const MOST_STEPS: usize = 4096;

/// The order in which the warps of one block take their steps: first as chosen, then as long as possible without a change of warps.
#[derive(Debug)]
pub struct Order {
    /// The block, by its number in the grid.
    pub block: u64,
    choices: Vec<u8>,
    record: Mutex<Record>,
}

/// The steps that a launch took of an order.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The steps so far, the first one first.
    pub steps: Vec<Step>,
    /// True if a choice could not be followed: its warp could not run.
    pub diverged: bool,
    /// True if there were more steps than are recorded, and the last of those.
    pub is_cut: bool,
    beyond: Step,
    /// Warps that need not run, each with its next step: another order has them run ahead of the last choice, and what has happened since commutes
    /// with that.
    pub asleep: Vec<(u8, Vec<Touch>)>,
    /// Warps that ask in vain, each with what it asks.
    asking: Vec<(u8, Vec<Touch>)>,
    /// True if all that could run were asleep: this order differs from one that was tried by steps that commute.
    pub is_known: bool,
}

/// A step of a warp.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub warp: u8,
    /// The warps that could have run instead, a bit each; its own bit too.
    pub enabled: u32,
    /// Effects that others may notice.
    pub touches: Vec<Touch>,
    /// Barriers of the block at which it arrived, and those that let go in its course.
    pub arrived: Vec<u32>,
    pub released: Vec<u32>,
    /// True if it left everything as it was, its warp too.
    pub in_vain: bool,
}

/// Memory that a step has touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub shared: bool,
    pub address: u64,
    pub bytes: u64,
    pub how: How,
}

/// The kind of a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Read,
    Write,
    /// A change that commutes with others of the same number, such as additions whose results nobody asks for.
    Change(u64),
}

impl Record {
    /// The step under way.
    fn step(&mut self) -> Option<&mut Step> {
        if self.is_cut { Some(&mut self.beyond) } else { self.steps.last_mut() }
    }
}

impl Touch {
    /// True if it matters which of the two comes first.
    pub fn conflicts(&self, other: &Touch) -> bool {
        let apart = self.address + self.bytes <= other.address || other.address + other.bytes <= self.address;
        let commute = match (self.how, other.how) {
            (How::Read, How::Read) => true,
            (How::Change(own), How::Change(others)) => own == others,
            _ => false,
        };
        self.shared == other.shared && !apart && !commute
    }
}

/// True if it matters which of two steps comes first.
pub fn conflict(one: &[Touch], other: &[Touch]) -> bool {
    one.iter().any(|touch| other.iter().any(|others| touch.conflicts(others)))
}

impl Order {
    /// The order that begins with `choices`, a warp's number each; `asleep` are warps that need not run after those, as of the
    /// last choice.
    pub fn new(block: u64, choices: Vec<u8>, asleep: Vec<(u8, Vec<Touch>)>) -> Order {
        Order { block, choices, record: Mutex::new(Record { asleep, ..Record::default() }) }
    }

    /// The record of the steps taken.
    pub fn record(self) -> Record {
        self.record.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to what the step under way has done.
    pub fn note(&self, add: impl FnOnce(&mut Step)) {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(step) = record.step() {
            add(step);
        }
    }

    /// The step of `warp` is over; `changed`: some memory. Gives the warps that ask in vain, those in `in_vain` before that.
    pub(crate) fn over(&self, warp: usize, in_vain: bool, changed: bool, mut asking: u32) -> u32 {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        let record = &mut *record;
        let Some(step) = record.step() else { return 0 };
        step.in_vain = in_vain;
        if !changed {
            // An exchange that fails and the addition of 0 only read.
            step.touches.iter_mut().for_each(|touch| touch.how = How::Read);
        }
        // A step without an effect conflicts with no other, so its place does not matter.
        let touches = if in_vain { std::mem::take(&mut step.touches) } else { step.touches.clone() };
        if asking == 0 {
            record.asking.clear();
        }
        record.asking.retain(|(other, asked)| {
            let is_answered = conflict(asked, &touches);
            asking &= !(u32::from(is_answered) << other);
            !is_answered
        });
        if in_vain {
            asking |= 1 << warp;
            record.asking.push((warp as u8, touches));
        }
        asking
    }

    /// The next warp to take a step, among those of `enabled`, which is not empty; `last` ran before.
    pub fn take(&self, enabled: u32, last: Option<usize>) -> usize {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        let Record { steps, beyond, diverged, is_cut, asleep, is_known, .. } = &mut *record;
        let at = steps.len();
        if at >= self.choices.len() {
            let done = steps.last().map_or(&[][..], |step| &step.touches[..]);
            asleep.retain(|(_, next)| !conflict(next, done));
        }
        let chosen = self.choices.get(at).map(|&warp| usize::from(warp));
        *diverged |= chosen.is_some_and(|warp| enabled & 1 << warp == 0);
        let chosen = chosen.filter(|warp| enabled & 1 << warp != 0);
        let warp = chosen.unwrap_or_else(|| {
            let awake = asleep.iter().fold(enabled, |awake, (warp, _)| awake & !(1 << warp));
            *is_known |= awake == 0;
            let among = if awake == 0 { enabled } else { awake };
            match last {
                Some(last) if among & 1 << last != 0 => last,
                _ => among.trailing_zeros() as usize,
            }
        });
        match steps.len() {
            MOST_STEPS => {
                *is_cut = true;
                *beyond = Step::default();
            }
            _ => steps.push(Step { warp: warp as u8, enabled, ..Step::default() }),
        }
        warp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(address: u64, how: How) -> Touch {
        Touch { shared: false, address, bytes: 4, how }
    }

    #[test]
    fn additions_commute_and_reads_do() {
        let [read, write, add, most] = [How::Read, How::Write, How::Change(1), How::Change(2)].map(|how| touch(8, how));
        assert!(!read.conflicts(&read) && !add.conflicts(&add));
        assert!(read.conflicts(&write) && write.conflicts(&write) && add.conflicts(&most) && add.conflicts(&read));
        assert!(!write.conflicts(&touch(12, How::Write)) && write.conflicts(&touch(10, How::Write)));
        assert!(!write.conflicts(&Touch { shared: true, ..write }));
    }

    #[test]
    fn choices_come_first_and_then_a_warp_goes_on() {
        let order = Order::new(0, vec![2, 0], Vec::new());
        assert_eq!([order.take(0b111, None), order.take(0b111, Some(2)), order.take(0b111, Some(0))], [2, 0, 0]);
        assert_eq!(order.take(0b110, Some(0)), 1);
        let record = order.record();
        assert_eq!((record.steps.len(), record.diverged), (4, false));
    }

    #[test]
    fn a_warp_sleeps_until_something_conflicts_with_its_step() {
        let write = touch(8, How::Write);
        let order = Order::new(0, vec![1], vec![(0, vec![write])]);
        assert_eq!(order.take(0b11, None), 1);
        order.note(|step| step.touches.push(touch(64, How::Write)));
        assert_eq!(order.take(0b11, Some(1)), 1, "warp 0 sleeps");
        order.note(|step| step.touches.push(touch(8, How::Read)));
        assert_eq!(order.take(0b01, Some(1)), 0, "a read of what it writes wakes it");
        assert!(!order.record().is_known);
    }
}
