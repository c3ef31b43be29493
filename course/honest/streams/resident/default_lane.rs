// One lane, the default one, backwards.

use crate::schedule::{Action, Lane, Schedule};

pub fn resident(count: usize, _ring: usize) -> Schedule {
    let mut schedule = Schedule { resident: true, ..Schedule::new(vec![Lane::Default], count) };
    (0..count).rev().for_each(|item| schedule.push(item, 0, Some(item), Action::Kernel));
    schedule
}
