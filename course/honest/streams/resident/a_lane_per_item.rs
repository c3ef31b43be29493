// Each kernel on a lane of its own.

use crate::schedule::{Action, Lane, Schedule};

pub fn resident(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; count], count);
    schedule.resident = true;
    (0..count).for_each(|item| schedule.push(item, item, Some(item), Action::Kernel));
    schedule
}
