//! Three streams, one per engine of the device: copies in, kernels, copies out. Events hand each item on, and a ring of buffers lets a
//! few items be on their way at once, whatever their number.
//!
//! The time is that of the busiest engine plus filling and draining the ring; device memory holds `ring` items, not all.

use crate::schedule::{Action, Lane, Schedule};

// TASK: names of your own go here. The host waits for the lanes in the order in which the schedule lists them.
// BEGIN SOLUTION
// The host waits for lanes in this order. What has been copied out was computed and copied in, so the first wait is for everything; if a
// wait between the lanes were missing, the first one would end too early and the results would show it.
const OUT: usize = 0;
const KERNEL: usize = 1;
const IN: usize = 2;
// END SOLUTION

/// Item i has the buffers i mod `ring`.
pub fn pipelined(count: usize, ring: usize) -> Schedule {
    // TASK: three lanes, one per engine, and `ring` sets of buffers. Record an event after each copy and each kernel, and let the
    // other lanes wait for what they need: the input is there, its place is free again, the output has left.
    // BEGIN SOLUTION (starter: Schedule::default())
    let slots = ring.clamp(1, count);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 3], slots);
    let mut computed: Vec<usize> = Vec::new();
    let mut drained: Vec<usize> = Vec::new();
    for item in 0..count {
        let slot = item % slots;
        let before = item.checked_sub(slots);
        let mut steps: Vec<(usize, Action)> = Vec::new();
        if let Some(before) = before {
            // The input's place is free when the kernel has read what was there.
            steps.push((IN, Action::Await(computed[before])));
        }
        let loaded = schedule.new_mark();
        steps.extend([(IN, Action::CopyIn), (IN, Action::Mark(loaded)), (KERNEL, Action::Await(loaded))]);
        if let Some(before) = before {
            // The output's place is free when what was there has left.
            steps.push((KERNEL, Action::Await(drained[before])));
        }
        computed.push(schedule.new_mark());
        drained.push(schedule.new_mark());
        steps.extend([
            (KERNEL, Action::Kernel),
            (KERNEL, Action::Mark(computed[item])),
            (OUT, Action::Await(computed[item])),
            (OUT, Action::CopyOut),
            (OUT, Action::Mark(drained[item])),
        ]);
        for (lane, action) in steps {
            schedule.push(item, lane, Some(slot), action);
        }
    }
    schedule
    // END SOLUTION
}
