// due: 3 of 18
// One stream and one set of buffers.

use crate::schedule::{Lane, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking], 1);
    (0..count).for_each(|item| schedule.push_item(item, 0, 0));
    schedule
}
