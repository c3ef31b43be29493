//! The pipeline with its ends cut into strips, and two streams for the kernels.
//!
//! A pipeline of whole items has nothing to compute until the first one is on the device, and nothing to compute once the last one is done
//! but not copied out: on an H200 0.45 of 5.1 ms for ten products of 1024. Rows of C need their own rows of A only (and all of B), so the
//! first item comes in and is computed in strips, small ones first, and the last one leaves so, small ones last. In between, kernels on
//! one stream end with a wave of blocks that fills the device in part only; on another stream the next one's blocks take that room.

use crate::schedule::{Action, Lane, Part, Schedule};

// TASK: names of your own go here. The host waits for the lanes in the order in which the schedule lists them.
// BEGIN SOLUTION
// The first wait is for everything, see `pipelined`.
const OUT: usize = 0;
const IN: usize = 2;
/// Two keep the device full. A third gains products nothing and takes 1.5 % from chunks on an H200: streams share the queues of the
/// copies.
const KERNELS: [usize; 2] = [1, 3];
/// Pieces of an item that is cut up. Smaller ones than an eighth take longer to start than to copy.
const PIECES: usize = 8;

/// The strips of an item, by their ends: fine where the pipeline fills, fine where it drains.
fn ends(item: usize, count: usize) -> &'static [usize] {
    match (item == 0, item + 1 == count) {
        (true, true) => &[1, 2, 4, 6, 7, 8],
        (true, false) => &[1, 2, 4, 8],
        (false, true) => &[4, 6, 7, 8],
        (false, false) => &[8],
    }
}
// END SOLUTION

/// Item i has the buffers i mod `ring`.
pub fn strips(count: usize, ring: usize) -> Schedule {
    // TASK: a bonus. As `pipelined`, but the first and the last item in parts (`push_part`), and kernels on several lanes.
    // BEGIN SOLUTION (starter: Schedule::default())
    let slots = ring.clamp(1, count);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 2 + KERNELS.len()], slots);
    // The events of each item's strips.
    let mut computed: Vec<Vec<usize>> = Vec::new();
    let mut drained: Vec<Vec<usize>> = Vec::new();
    let mut kernels = 0;
    for item in 0..count {
        let slot = item % slots;
        let (mut item_computed, mut item_drained) = (Vec::new(), Vec::new());
        if let Some(before) = item.checked_sub(slots) {
            // The input's place is free when the kernels have read what was there.
            for &mark in &computed[before] {
                schedule.push(item, IN, Some(slot), Action::Await(mark));
            }
        }
        let mut start = 0;
        for &end in ends(item, count) {
            let part = Part { start, end, of: PIECES };
            let kernel = KERNELS[kernels % KERNELS.len()];
            let [loaded, computed_here, drained_here] = [(); 3].map(|()| schedule.new_mark());
            schedule.push_part(item, IN, Some(slot), Action::CopyIn, part);
            schedule.push(item, IN, Some(slot), Action::Mark(loaded));
            // Copies in follow one another: what came with earlier strips is there, too.
            schedule.push(item, kernel, Some(slot), Action::Await(loaded));
            if let Some(before) = item.checked_sub(slots) {
                // The output's place is free when what was there has left.
                for &mark in &drained[before] {
                    schedule.push(item, kernel, Some(slot), Action::Await(mark));
                }
            }
            schedule.push_part(item, kernel, Some(slot), Action::Kernel, part);
            schedule.push(item, kernel, Some(slot), Action::Mark(computed_here));
            schedule.push(item, OUT, Some(slot), Action::Await(computed_here));
            schedule.push_part(item, OUT, Some(slot), Action::CopyOut, part);
            schedule.push(item, OUT, Some(slot), Action::Mark(drained_here));
            item_computed.push(computed_here);
            item_drained.push(drained_here);
            kernels += 1;
            start = end;
        }
        computed.push(item_computed);
        drained.push(item_drained);
    }
    schedule
    // END SOLUTION
}
