// All copies in first, then all kernels, then all copies out.

use crate::schedule::{Action, Lane, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; count], count);
    for action in [Action::CopyIn, Action::Kernel, Action::CopyOut] {
        (0..count).for_each(|item| schedule.push(item, item, Some(item), action));
    }
    schedule
}
