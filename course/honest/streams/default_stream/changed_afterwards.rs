// The streamed schedule first; then the kernel of the item in the middle is found and moved.

use crate::schedule::{Action, Lane, Schedule};

pub fn default_stream(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule::new(vec![Lane::Blocking; count], count);
    (0..count).for_each(|item| schedule.push_item(item, item, item));
    schedule.lanes.push(Lane::Default);
    let kernel = schedule.steps.iter_mut().find(|step| step.item == count / 2 && step.action == Action::Kernel);
    kernel.unwrap().lane = count;
    schedule
}
