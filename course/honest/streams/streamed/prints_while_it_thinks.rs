// The same, by someone who looks at what the program does.

use crate::schedule::{Lane, MOST_STREAMS, Schedule};

pub fn streamed(count: usize, _ring: usize) -> Schedule {
    println!("count = {count}");
    let lanes = count.min(MOST_STREAMS);
    let mut schedule = Schedule::new(vec![Lane::NonBlocking; lanes], lanes);
    for item in 0..count {
        schedule.push_item(item, item % lanes, item % lanes);
        print!("{item} ");
    }
    println!("{:?}", schedule.steps.first());
    eprintln!("{} steps", schedule.steps.len());
    schedule
}
