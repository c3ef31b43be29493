// Events belong to the buffers and are recorded again and again.

use crate::schedule::{Action, Lane, Schedule};

pub fn pipelined(count: usize, ring: usize) -> Schedule {
    let slots = ring.clamp(1, count);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 3], slots);
    let mut marks = |n: usize| (0..n).map(|_| schedule.new_mark()).collect::<Vec<_>>();
    let (loaded, computed, drained) = (marks(slots), marks(slots), marks(slots));
    for item in 0..count {
        let slot = item % slots;
        // An event that was never recorded holds nobody up.
        for (lane, action) in [
            (2, Action::Await(computed[slot])),
            (2, Action::CopyIn),
            (2, Action::Mark(loaded[slot])),
            (1, Action::Await(loaded[slot])),
            (1, Action::Await(drained[slot])),
            (1, Action::Kernel),
            (1, Action::Mark(computed[slot])),
            (0, Action::Await(computed[slot])),
            (0, Action::CopyOut),
            (0, Action::Mark(drained[slot])),
        ] {
            schedule.push(item, lane, Some(slot), action);
        }
    }
    schedule
}
