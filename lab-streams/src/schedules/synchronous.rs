//! Everything on the default stream with calls that wait: copy in, kernel, copy out, item after item.
//!
//! While a copy runs the multiprocessors are idle, and while a kernel runs the bus is; the time is the sum of all of them.

use crate::schedule::{Lane, Schedule};

/// One buffer set, one lane, blocking copies. The ring does not matter.
pub fn synchronous(count: usize, _ring: usize) -> Schedule {
    // TASK: one lane and one set of buffers; copy in, kernel, copy out, item after item, with copies that block the host.
    // BEGIN SOLUTION (starter: Schedule::default())
    let mut schedule = Schedule::new(vec![Lane::Default], 1);
    schedule.copies_block = true;
    for item in 0..count {
        schedule.push_item(item, 0, 0);
    }
    schedule
    // END SOLUTION
}
