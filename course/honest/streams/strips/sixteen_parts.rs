// Sixteen equal parts at each end, kernels on three lanes.

use crate::schedule::{Action, Lane, Part, Schedule};

const PIECES: usize = 16;

/// Where the parts of an item end.
fn ends(item: usize, count: usize) -> Vec<usize> {
    match (item == 0, item + 1 == count) {
        (false, false) => vec![PIECES],
        _ => vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    }
}

pub fn strips(count: usize, ring: usize) -> Schedule {
    let slots = ring.clamp(1, count);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 4], slots);
    let (mut computed, mut drained): (Vec<Vec<usize>>, Vec<Vec<usize>>) = Default::default();
    let mut turn = 0;
    for item in 0..count {
        let slot = Some(item % slots);
        let (mut done, mut left) = (Vec::new(), Vec::new());
        if let Some(before) = item.checked_sub(slots) {
            for &mark in &computed[before] {
                schedule.push(item, 2, slot, Action::Await(mark));
            }
        }
        let mut start = 0;
        for end in ends(item, count) {
            let part = Part { start, end, of: PIECES };
            let kernel = [1, 3, 1][turn % [1, 3, 1].len()];
            let [loaded, computed_here, drained_here] = [(); 3].map(|()| schedule.new_mark());
            schedule.push_part(item, 2, slot, Action::CopyIn, part);
            schedule.push(item, 2, slot, Action::Mark(loaded));
            schedule.push(item, kernel, slot, Action::Await(loaded));
            if let Some(before) = item.checked_sub(slots) {
                for &mark in &drained[before] {
                    schedule.push(item, kernel, slot, Action::Await(mark));
                }
            }
            schedule.push_part(item, kernel, slot, Action::Kernel, part);
            schedule.push(item, kernel, slot, Action::Mark(computed_here));
            schedule.push(item, 0, slot, Action::Await(computed_here));
            schedule.push_part(item, 0, slot, Action::CopyOut, part);
            schedule.push(item, 0, slot, Action::Mark(drained_here));
            done.push(computed_here);
            left.push(drained_here);
            turn += 1;
            start = end;
        }
        computed.push(done);
        drained.push(left);
    }
    schedule
}
