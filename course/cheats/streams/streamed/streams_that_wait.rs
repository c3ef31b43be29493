// due: 3 of 18
// A stream per item, each of which waits for the one before.

use crate::schedule::{Action, Lane, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; count], count);
    let mut before = None;
    for item in 0..count {
        if let Some(mark) = before {
            schedule.push(item, item, None, Action::Await(mark));
        }
        schedule.push_item(item, item, item);
        let mark = schedule.new_mark();
        schedule.push(item, item, None, Action::Mark(mark));
        before = Some(mark);
    }
    schedule
}
