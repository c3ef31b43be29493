//! The same as `streamed`, with one launch on the legacy default stream in the middle: it waits for all that was called before on any
//! blocking stream, and all that is called afterwards waits for it. One careless `<<<grid, block>>>` cuts the overlap in two.

use crate::schedule::{Lane, MOST_STREAMS, Schedule};

/// Blocking streams, as `cudaStreamCreate` makes them, and the default stream as the last lane. The ring does not matter.
pub fn default_stream(count: usize, _ring: usize) -> Schedule {
    // TASK: the streamed schedule on blocking streams, but the kernel of item count/2 goes to the legacy default stream, which is
    // one lane more.
    // BEGIN SOLUTION (starter: Schedule::default())
    let streams = count.min(MOST_STREAMS);
    let mut schedule = Schedule::new(vec![Lane::Blocking; streams], streams);
    schedule.lanes.push(Lane::Default);
    for item in 0..count {
        schedule.push_item(item, item % streams, item % streams);
        if item == count / 2 {
            let kernel = schedule.steps.len() - 2;
            schedule.steps[kernel].lane = streams;
        }
    }
    schedule
    // END SOLUTION
}
