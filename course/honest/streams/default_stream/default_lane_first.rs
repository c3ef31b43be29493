// The default stream is the first lane; streams are taken from a pool of twenty.

use crate::schedule::{Action, Lane, Schedule};

pub fn default_stream(count: usize, _ring: usize) -> Schedule {
    let streams = count.min(20);
    let mut lanes = vec![Lane::Default];
    lanes.extend(vec![Lane::Blocking; streams]);
    let mut schedule = Schedule::new(lanes, streams);
    for item in 0..count {
        let (lane, slot) = (1 + item % streams, Some(item % streams));
        schedule.push(item, lane, slot, Action::CopyIn);
        schedule.push(item, if item == count / 2 { 0 } else { lane }, slot, Action::Kernel);
        schedule.push(item, lane, slot, Action::CopyOut);
    }
    schedule
}
