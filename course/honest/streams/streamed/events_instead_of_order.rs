// Three streams per item, with events between its steps.

use crate::schedule::{Action, Lane, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; 3 * count], count);
    for item in 0..count {
        let [loaded, computed] = [schedule.new_mark(), schedule.new_mark()];
        let slot = Some(item);
        schedule.push(item, 3 * item, slot, Action::CopyIn);
        schedule.push(item, 3 * item, slot, Action::Mark(loaded));
        schedule.push(item, 3 * item + 1, slot, Action::Await(loaded));
        schedule.push(item, 3 * item + 1, slot, Action::Kernel);
        schedule.push(item, 3 * item + 1, slot, Action::Mark(computed));
        schedule.push(item, 3 * item + 2, slot, Action::Await(computed));
        schedule.push(item, 3 * item + 2, slot, Action::CopyOut);
    }
    schedule
}
