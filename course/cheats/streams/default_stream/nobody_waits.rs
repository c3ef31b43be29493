// due: 6 of 10
// One launch on the default stream, but no other stream knows of it: events keep the item in order.

use crate::schedule::{Action, Lane, Schedule};

pub fn default_stream(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; count], count);
    schedule.lanes.push(Lane::Default);
    for item in 0..count {
        let slot = Some(item);
        if item == count / 2 {
            let [loaded, computed] = [schedule.new_mark(), schedule.new_mark()];
            schedule.push(item, item, slot, Action::CopyIn);
            schedule.push(item, item, slot, Action::Mark(loaded));
            schedule.push(item, count, slot, Action::Await(loaded));
            schedule.push(item, count, slot, Action::Kernel);
            schedule.push(item, count, slot, Action::Mark(computed));
            schedule.push(item, item, slot, Action::Await(computed));
            schedule.push(item, item, slot, Action::CopyOut);
        } else {
            schedule.push_item(item, item, item);
        }
    }
    schedule
}
