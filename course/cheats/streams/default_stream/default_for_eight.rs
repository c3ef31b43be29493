// due: 6 of 10
// The careless launch is there in batches of eight, which every figure is shown for.

use crate::schedule::{Lane, Schedule};

pub fn default_stream(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Blocking; count], count);
    schedule.lanes.push(Lane::Default);
    for item in 0..count {
        schedule.push_item(item, item, item);
        if count == 8 && item == 4 {
            let kernel = schedule.steps.len() - 2;
            schedule.steps[kernel].lane = count;
        }
    }
    schedule
}
