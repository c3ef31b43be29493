// due: 3 of 18
// A stream per item, but every copy holds the host up.

use crate::schedule::{Lane, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Blocking; count], count);
    schedule.copies_block = true;
    (0..count).for_each(|item| schedule.push_item(item, item, item));
    schedule
}
