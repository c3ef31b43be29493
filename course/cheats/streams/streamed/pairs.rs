// due: 10 of 18
// Two items at a time: a kernel on the default stream waits for both before the next two begin.

use crate::schedule::{Action, Lane, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 2], 2);
    let mut done: Vec<usize> = Vec::new();
    for item in 0..count {
        let lane = item % 2;
        if item % 2 == 0 {
            for &mark in &done {
                schedule.push(item, 0, None, Action::Await(mark));
                schedule.push(item, 1, None, Action::Await(mark));
            }
            done.clear();
        }
        schedule.push_item(item, lane, lane);
        let mark = schedule.new_mark();
        schedule.push(item, lane, None, Action::Mark(mark));
        done.push(mark);
    }
    schedule
}
