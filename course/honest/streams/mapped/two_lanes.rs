// Two lanes, whatever the ring.

use crate::schedule::{Action, Lane, Schedule};

pub fn mapped(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 2], 0);
    (0..count).for_each(|item| schedule.push(item, item % 2, None, Action::Kernel));
    schedule
}
