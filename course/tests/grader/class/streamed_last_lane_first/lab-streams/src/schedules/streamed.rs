use crate::schedule::*;

/// The first item on the last stream.
pub fn streamed(number: usize, _: usize) -> Schedule {
    let most = if number < MOST_STREAMS { number } else { MOST_STREAMS };
    let mut plan = Schedule::new((0..most).map(|_| Lane::NonBlocking).collect(), most);
    let mut item = 0;
    while item < number {
        let own = most - 1 - item % most;
        plan.push_item(item, own, own);
        item += 1;
    }
    plan
}
