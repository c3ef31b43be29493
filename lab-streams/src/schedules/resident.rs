//! The kernels alone: inputs are on the device before the clock starts, results stay there. What is left of the batch if copies cost nothing.

use crate::schedule::{Action, Lane, MOST_STREAMS, Schedule};

/// One kernel after the other on one stream; all items stay on the device at once. The ring does not matter.
pub fn resident(count: usize, _ring: usize) -> Schedule {
    on_lanes(count, 1)
}

/// Kernels side by side where there is room: small ones leave multiprocessors idle alone. Part of the limit, not a variant.
pub fn resident_concurrent(count: usize, _ring: usize) -> Schedule {
    on_lanes(count, count.min(MOST_STREAMS))
}

fn on_lanes(count: usize, lanes: usize) -> Schedule {
    // TASK: kernels only, dealt out to so many lanes; every item has buffers of its own, and the schedule says that the data is
    // there before the clock starts and stays until it has stopped.
    // BEGIN SOLUTION (starter: Schedule::default())
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; lanes], count);
    schedule.resident = true;
    for item in 0..count {
        schedule.push(item, item % lanes, Some(item), Action::Kernel);
    }
    schedule
    // END SOLUTION
}
