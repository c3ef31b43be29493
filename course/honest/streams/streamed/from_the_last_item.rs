// Depth first, the last item first.

use crate::schedule::{Lane, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    let lanes = count.clamp(1, 12);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; lanes], lanes);
    (0..count).rev().for_each(|item| schedule.push_item(item, item % lanes, item % lanes));
    schedule
}
