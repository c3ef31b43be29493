// The last item first.

use crate::schedule::{Lane, Schedule};

pub fn synchronous(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Default], 1);
    schedule.copies_block = true;
    for item in (0..count).rev() {
        schedule.push_item(item, 0, 0);
    }
    schedule
}
