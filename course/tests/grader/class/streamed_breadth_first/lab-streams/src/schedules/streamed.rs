use crate::schedule::*;

/// The last item first, on the last stream; all of a round's copies in, then its kernels, then its copies out.
pub fn streamed(number: usize, _: usize) -> Schedule {
    let most = if number < MOST_STREAMS { number } else { MOST_STREAMS };
    let mut plan = Schedule::new((0..most).map(|_| Lane::NonBlocking).collect(), most);
    let backwards: Vec<usize> = (0..number).rev().collect();
    for round in backwards.chunks(most.max(1)) {
        for action in [Action::CopyIn, Action::Kernel, Action::CopyOut] {
            for &item in round {
                let own = most - 1 - item % most;
                plan.push(item, own, Some(own), action);
            }
        }
    }
    plan
}
