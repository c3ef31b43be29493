// The default stream alone.

use crate::schedule::{Action, Lane, Schedule};

pub fn mapped(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Default], 0);
    (0..count).for_each(|item| schedule.push(item, 0, None, Action::Kernel));
    schedule
}
