// due: 6 of 10
// One launch on the default stream, and one blocking stream for all the rest: there is no overlap to cut.

use crate::schedule::{Lane, Schedule};

pub fn default_stream(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Blocking, Lane::Default], 1);
    for item in 0..count {
        schedule.push_item(item, 0, 0);
        if item == count / 2 {
            let kernel = schedule.steps.len() - 2;
            schedule.steps[kernel].lane = 1;
        }
    }
    schedule
}
