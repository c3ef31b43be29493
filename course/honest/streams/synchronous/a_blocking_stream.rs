// One stream of its own; every step pushed by hand, a set of buffers per item.

use crate::schedule::{Action, Lane, Schedule};

pub fn synchronous(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule { copies_block: true, ..Schedule::new(vec![Lane::Blocking], count) };
    for item in 0..count {
        for action in [Action::CopyIn, Action::Kernel, Action::CopyOut] {
            schedule.push(item, 0, Some(item), action);
        }
    }
    schedule
}
