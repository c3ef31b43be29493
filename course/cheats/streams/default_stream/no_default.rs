// due: 2 of 10
// No launch on the default stream.

use crate::schedule::{Lane, Schedule};

pub fn default_stream(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Blocking; count], count);
    (0..count).for_each(|item| schedule.push_item(item, item, item));
    schedule
}
