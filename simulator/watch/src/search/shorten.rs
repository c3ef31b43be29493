//! Makes an order that goes wrong short: with fewer switches between warps it is easier to follow.
//!
//! A warp goes on by itself until it waits; a switch is a step that another warp takes. Switches are left out from the end, and turns are joined with
//! the same warp's turn before or after, as long as the order still goes wrong: none of what is left can go by itself.
use machine::exec::steps::Step;

/// Orders that are tried for it at the most.
const MOST: usize = 200;

/// The places of an order's switches: where a warp is chosen that would not be [by itself](machine::exec::steps::Order::take).
pub fn switches(steps: &[Step]) -> Vec<usize> {
    let mut last = None;
    let is_switch = |step: &Step| {
        let before = last.replace(step.warp);
        let by_itself = before.filter(|&warp| step.enabled & 1 << warp != 0);
        step.warp != by_itself.unwrap_or(step.enabled.trailing_zeros() as u8)
    };
    let is_switch: Vec<bool> = steps.iter().map(is_switch).collect();
    (0..steps.len()).filter(|&at| is_switch[at]).collect()
}

/// Shortens an order that goes wrong. `replay` runs one that begins with these choices, and gives its steps if it still does.
pub fn shorten(found: Vec<Step>, mut replay: impl FnMut(Vec<u8>) -> Option<Vec<Step>>) -> Vec<Step> {
    let (mut best, mut tried) = (found, 0);
    'shorter: loop {
        let count = switches(&best).len();
        for choices in candidates(&best) {
            if tried == MOST {
                return best;
            }
            tried += 1;
            if let Some(steps) = replay(choices).filter(|steps| switches(steps).len() < count) {
                best = steps;
                continue 'shorter;
            }
        }
        return best;
    }
}

/// Orders that may have fewer switches: without the last ones, the fewest first, or with one turn of a warp elsewhere.
fn candidates(steps: &[Step]) -> Vec<Vec<u8>> {
    let warps: Vec<u8> = steps.iter().map(|step| step.warp).collect();
    let places = switches(steps);
    let Some(end) = places.last().map(|last| last + 1) else { return Vec::new() };
    let mut candidates: Vec<Vec<u8>> = places.iter().map(|&at| warps[..at].to_vec()).collect();
    for &begin in &places {
        let warp = warps[begin];
        let over = (begin..end).find(|&at| warps[at] != warp).unwrap_or(end);
        let before = (0..begin).rev().find(|&at| warps[at] == warp).map(|at| at + 1);
        let later = (over..end).find(|&at| warps[at] == warp);
        let turn = &warps[begin..over];
        // After the last switch it gets its turn by itself.
        candidates.push([&warps[..begin], &warps[over..end]].concat());
        candidates.extend(later.map(|at| [&warps[..begin], &warps[over..at], turn, &warps[at..end]].concat()));
        candidates.extend(before.map(|at| [&warps[..at], turn, &warps[at..begin], &warps[over..end]].concat()));
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::exec::steps::Order;

    /// Runs warps of six steps each; gives which ran when, and the order's steps if it could be followed.
    fn run(warps: usize, choices: Vec<u8>) -> (Vec<(usize, usize)>, Option<Vec<Step>>) {
        let order = Order::new(0, choices, Vec::new());
        let (mut done, mut ran) = (vec![0; warps], Vec::new());
        while ran.len() < 6 * warps {
            let enabled = (0..warps).filter(|&warp| done[warp] < 6).fold(0, |all, warp| all | 1 << warp);
            let warp = order.take(enabled, ran.last().map(|&(warp, _)| warp));
            ran.push((warp, done[warp]));
            done[warp] += 1;
        }
        let record = order.record();
        (ran, Some(record.steps).filter(|_| !record.diverged))
    }

    /// Shortens an order that goes wrong if `is_wrong`, and gives how many switches it had and has.
    fn shortened(warps: usize, choices: &[u8], is_wrong: fn(&dyn Fn(usize, usize) -> usize) -> bool) -> (usize, usize) {
        let replay = |choices| {
            let (ran, steps) = run(warps, choices);
            let at = |warp, step| ran.iter().position(|one| *one == (warp, step)).expect("all ran");
            steps.filter(|_| is_wrong(&at))
        };
        let found = replay(choices.to_vec()).expect("it goes wrong at first");
        let before = switches(&found).len();
        let short = shorten(found, replay);
        let choices = short.iter().map(|step| step.warp).take(switches(&short).last().map_or(0, |last| last + 1));
        assert!(replay(choices.collect()).is_some(), "up to its last switch it still goes wrong");
        (before, switches(&short).len())
    }

    #[test]
    fn the_switches_that_matter_are_left() {
        let alternating: Vec<u8> = (0..12).map(|at| at % 2).collect();
        // Lost update: warp 1 changes something while warp 0 is between its look and its store.
        let lost = |at: &dyn Fn(usize, usize) -> usize| at(0, 2) < at(1, 2) && at(1, 2) < at(0, 3);
        assert_eq!(shortened(2, &alternating, lost), (10, 1));
        // Both are between their looks and their stores.
        let crossed =
            |at: &dyn Fn(usize, usize) -> usize| at(0, 2) < at(1, 3) && at(1, 2) < at(0, 3) && at(0, 5) < at(1, 5);
        assert_eq!(shortened(2, &alternating, crossed), (10, 2));
        let turns: Vec<u8> = (0..18).map(|at| at % 3).collect();
        assert_eq!(shortened(3, &turns, |at| at(2, 0) < at(0, 1)), (15, 1));
        assert_eq!(shortened(3, &turns, |_| true), (15, 0), "an order that always goes wrong needs no switch");
    }
}
