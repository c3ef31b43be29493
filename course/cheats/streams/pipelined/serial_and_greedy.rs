// due: 3 of 16
// One lane and buffers for every item.

use crate::schedule::{Lane, Schedule};

pub fn pipelined(count: usize, ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking], count.max(ring + 1));
    (0..count).for_each(|item| schedule.push_item(item, 0, item));
    schedule
}
