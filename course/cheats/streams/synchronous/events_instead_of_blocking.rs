// due: 6 of 8
// The host runs ahead; an event after each item makes the next one wait on the device.

use crate::schedule::{Action, Lane, Schedule};

pub fn synchronous(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 2], 1);
    let mut before = None;
    for item in 0..count {
        if let Some(mark) = before {
            schedule.push(item, item % 2, None, Action::Await(mark));
        }
        schedule.push_item(item, item % 2, 0);
        let mark = schedule.new_mark();
        schedule.push(item, item % 2, None, Action::Mark(mark));
        before = Some(mark);
    }
    schedule
}
