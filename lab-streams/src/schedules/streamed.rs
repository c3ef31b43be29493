//! A stream per item: copies of one item may run beside kernels of another, because nothing orders the streams.
//!
//! From pageable memory a copy first passes through a buffer of the driver, which the host fills: the call returns late and little overlaps.
//! From page-locked memory all calls return at once and the device's engines are the only order.

use crate::schedule::{Lane, MOST_STREAMS, Schedule};

/// Streams and buffers for each item, up to a limit. The ring does not matter.
pub fn streamed(count: usize, _ring: usize) -> Schedule {
    // TASK: a stream and a set of buffers per item, up to the most that make sense; items beyond that take turns.
    // BEGIN SOLUTION (starter: Schedule::default())
    let lanes = count.min(MOST_STREAMS);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; lanes], lanes);
    for item in 0..count {
        schedule.push_item(item, item % lanes, item % lanes);
    }
    schedule
    // END SOLUTION
}
