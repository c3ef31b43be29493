// The host calls an item's copy in one item ahead of its kernel.

use crate::schedule::{Action, Lane, Schedule};

pub fn pipelined(count: usize, ring: usize) -> Schedule {
    let slots = ring.clamp(1, count);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 3], slots);
    let loaded: Vec<usize> = (0..count).map(|_| schedule.new_mark()).collect();
    let computed: Vec<usize> = (0..count).map(|_| schedule.new_mark()).collect();
    let drained: Vec<usize> = (0..count).map(|_| schedule.new_mark()).collect();
    // With one set of buffers there is nothing to be ahead of.
    let ahead = usize::from(slots > 1);
    for turn in 0..count + ahead {
        if turn < count {
            let slot = Some(turn % slots);
            if turn >= slots {
                schedule.push(turn, 0, slot, Action::Await(computed[turn - slots]));
            }
            schedule.push(turn, 0, slot, Action::CopyIn);
            schedule.push(turn, 0, slot, Action::Mark(loaded[turn]));
        }
        let Some(item) = turn.checked_sub(ahead) else { continue };
        let slot = Some(item % slots);
        schedule.push(item, 1, slot, Action::Await(loaded[item]));
        if item >= slots {
            schedule.push(item, 1, slot, Action::Await(drained[item - slots]));
        }
        schedule.push(item, 1, slot, Action::Kernel);
        schedule.push(item, 1, slot, Action::Mark(computed[item]));
        schedule.push(item, 2, slot, Action::Await(computed[item]));
        schedule.push(item, 2, slot, Action::CopyOut);
        schedule.push(item, 2, slot, Action::Mark(drained[item]));
    }
    schedule
}
