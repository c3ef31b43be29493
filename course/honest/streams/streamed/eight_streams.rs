// No more than eight streams, each with one set of buffers.

use crate::schedule::{Lane, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    const STREAMS: usize = 8;
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; STREAMS], STREAMS);
    for item in 0..count {
        schedule.push_item(item, item % STREAMS, item % STREAMS);
    }
    schedule
}
