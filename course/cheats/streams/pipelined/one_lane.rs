// due: 12 of 16
// One lane, in order; the ring is never needed.

use crate::schedule::{Lane, Schedule};

pub fn pipelined(count: usize, ring: usize) -> Schedule {
    let slots = ring.clamp(1, count);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking], slots);
    (0..count).for_each(|item| schedule.push_item(item, 0, item % slots));
    schedule
}
