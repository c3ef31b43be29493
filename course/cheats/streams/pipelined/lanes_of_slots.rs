// due: 12 of 16
// A lane per set of buffers instead of one per engine: a copy in stands after the copy out that had its lane before.

use crate::schedule::{Lane, Schedule};

pub fn pipelined(count: usize, ring: usize) -> Schedule {
    let slots = ring.clamp(1, count);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; slots], slots);
    for item in 0..count {
        schedule.push_item(item, item % slots, item % slots);
    }
    schedule
}
