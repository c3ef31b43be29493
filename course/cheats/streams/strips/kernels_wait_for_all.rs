// due: 5 of 10
// Eighths in and out, but kernels wait for the whole item, and its copies out for all kernels.

use crate::schedule::{Action, Lane, Part, Schedule};

const PIECES: usize = 8;

/// Where the parts of an item end.
fn ends(item: usize, count: usize) -> Vec<usize> {
    match (item == 0, item + 1 == count) {
        (false, false) => vec![PIECES],
        _ => vec![1, 2, 3, 4, 5, 6, 7, 8],
    }
}

pub fn strips(count: usize, ring: usize) -> Schedule {
    let slots = ring.clamp(1, count);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 4], slots);
    let (mut computed, mut drained): (Vec<usize>, Vec<usize>) = Default::default();
    for item in 0..count {
        let slot = Some(item % slots);
        let [loaded, done, left] = [(); 3].map(|()| schedule.new_mark());
        if let Some(before) = item.checked_sub(slots) {
            schedule.push(item, 2, slot, Action::Await(computed[before]));
            schedule.push(item, 1, slot, Action::Await(drained[before]));
        }
        // All parts in, then all kernels, then all parts out.
        for (lane, action, before, after) in [
            (2, Action::CopyIn, None, loaded),
            (1, Action::Kernel, Some(loaded), done),
            (0, Action::CopyOut, Some(done), left),
        ] {
            if let Some(mark) = before {
                schedule.push(item, lane, slot, Action::Await(mark));
            }
            let mut start = 0;
            for end in ends(item, count) {
                schedule.push_part(item, lane, slot, action, Part { start, end, of: PIECES });
                start = end;
            }
            schedule.push(item, lane, slot, Action::Mark(after));
        }
        computed.push(done);
        drained.push(left);
    }
    schedule
}
