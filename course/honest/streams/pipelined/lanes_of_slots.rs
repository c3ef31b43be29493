// A lane per set of buffers instead of one per engine: the order within a lane is all that it takes.

use crate::schedule::{Lane, Schedule};

pub fn pipelined(count: usize, ring: usize) -> Schedule {
    let slots = ring.clamp(1, count);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; slots], slots);
    for item in 0..count {
        schedule.push_item(item, item % slots, item % slots);
    }
    schedule
}
