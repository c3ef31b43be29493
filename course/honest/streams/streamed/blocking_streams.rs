// Streams as cudaStreamCreate makes them: nothing runs on the default stream.

use crate::schedule::{Lane, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Blocking; count.min(16)], count.min(16));
    let lanes = schedule.lanes.len();
    (0..count).for_each(|item| schedule.push_item(item, item % lanes, item % lanes));
    schedule
}
