// due: 6 of 8
// Each copy blocks, but kernels run beside the next item's copy in: no baseline for anything.

use crate::schedule::{Action, Lane, Schedule};

pub fn synchronous(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 2], 2);
    schedule.copies_block = true;
    let mut done: Vec<usize> = Vec::new();
    for item in 0..count {
        let lane = item % 2;
        schedule.push(item, lane, Some(lane), Action::CopyIn);
        let mark = schedule.new_mark();
        schedule.push(item, lane, Some(lane), Action::Kernel);
        schedule.push(item, lane, Some(lane), Action::Mark(mark));
        done.push(mark);
        if item > 0 {
            let other = (item - 1) % 2;
            schedule.push(item - 1, other, Some(other), Action::CopyOut);
        }
    }
    let last = (count - 1) % 2;
    schedule.push(count - 1, last, Some(last), Action::CopyOut);
    schedule
}
