//! Which orders of a block's warps are left to try.
//!
//! Orders that differ by steps that commute have the same outcome, so one of them is enough: of two steps in conflict that nothing orders, the later
//! one is also tried ahead of the earlier one (dynamic partial order reduction with source sets, Abdulla and others 2014), and a warp whose next step
//! was tried from a place sleeps until something conflicts with that (sleep sets, Godefroid 1996). Barriers of the block order what is on their two
//! sides.
use machine::exec::steps::{Record, Step, Touch, conflict};
use std::collections::HashMap;

/// Warps that need not run, each with its next step.
type Asleep = Vec<(u8, Vec<Touch>)>;

/// The orders tried so far, as the way to the last one and what is left at each of its places.
#[derive(Default)]
pub struct Explorer {
    places: Vec<Place>,
}

/// A place on the way: the step that was taken there, and the others.
struct Place {
    /// The warp that the last order has run here.
    warp: u8,
    /// The warps that have to be tried, those that were with their steps, and those that sleep.
    wanted: u32,
    tried: Asleep,
    asleep: Asleep,
}

/// The begin of an order: its choices, and the warps that sleep at the last of them.
#[derive(Debug, PartialEq)]
pub struct Begin {
    pub choices: Vec<u8>,
    pub asleep: Asleep,
}

impl Explorer {
    /// Learns from an order that was tried, and gives the begin of the next one; `None`: all have been.
    pub fn next(&mut self, record: &Record) -> Option<Begin> {
        let known = self.places.len();
        for (at, step) in record.steps.iter().enumerate() {
            if at >= known {
                let asleep = self.asleep_after(at, record);
                self.places.push(Place { warp: step.warp, wanted: 0, tried: Vec::new(), asleep });
            }
            let place = &mut self.places[at];
            place.warp = step.warp;
            if !place.tried.iter().any(|(warp, _)| *warp == step.warp) {
                place.tried.push((step.warp, step.touches.clone()));
            }
        }
        self.places.truncate(record.steps.len());
        for (at, warps) in reversals(&record.steps) {
            let place = &mut self.places[at];
            let known = place.tried.iter().chain(&place.asleep).fold(place.wanted, |all, (warp, _)| all | 1 << warp);
            match warps & record.steps[at].enabled {
                // None of them could run there: one of those that could leads on.
                0 => place.wanted |= record.steps[at].enabled,
                able if known & able == 0 => place.wanted |= able & able.wrapping_neg(),
                _ => {}
            }
        }
        while let Some(place) = self.places.last() {
            let done = |warp: u32| place.tried.iter().chain(&place.asleep).any(|(other, _)| u32::from(*other) == warp);
            let left = (0..32).find(|&warp| place.wanted & 1 << warp != 0 && !done(warp));
            if let Some(warp) = left {
                let mut choices: Vec<u8> = self.places.iter().map(|place| place.warp).collect();
                *choices.last_mut()? = warp as u8;
                let asleep = place.asleep.iter().chain(&place.tried).cloned().collect();
                return Some(Begin { choices, asleep });
            }
            self.places.pop();
        }
        None
    }

    /// The warps that sleep at a new place.
    fn asleep_after(&self, at: usize, record: &Record) -> Asleep {
        let Some(before) = at.checked_sub(1) else { return Vec::new() };
        let (place, step) = (&self.places[before], &record.steps[before]);
        let tried = place.tried.iter().filter(|(warp, _)| *warp != step.warp);
        let sleeps = |(_, next): &&(u8, Vec<Touch>)| !conflict(next, &step.touches);
        place.asleep.iter().chain(tried).filter(sleeps).cloned().collect()
    }
}

/// For each two steps in conflict that nothing else orders: the place of the earlier one, and the warps of which one has to be tried there so that
/// the later one comes first (the *initials* of what does not come after the earlier one).
fn reversals(steps: &[Step]) -> Vec<(usize, u32)> {
    let mut found = Vec::new();
    // How many steps of each warp come before what a warp does next, and before a step is over.
    let mut now: Vec<[usize; 32]> = vec![[0; 32]; 32];
    let mut of_step: Vec<[usize; 32]> = Vec::with_capacity(steps.len());
    // The warps that stand at each barrier.
    let mut standing: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        let warp = usize::from(step.warp);
        let mut clock = now[warp];
        let mut in_a_race = Vec::new();
        for (earlier, other) in steps[..at].iter().enumerate().rev() {
            let of = usize::from(other.warp);
            if of == warp || !conflict(&step.touches, &other.touches) {
                continue;
            }
            if clock[of] < of_step[earlier][of] {
                in_a_race.push(earlier);
            }
            join(&mut clock, &of_step[earlier]);
        }
        clock[warp] += 1;
        of_step.push(clock);
        found.extend(in_a_race.into_iter().map(|earlier| (earlier, initials(steps, &of_step, earlier, at))));
        now[warp] = clock;
        for id in &step.arrived {
            standing.entry(*id).or_default().push(warp);
        }
        for id in &step.released {
            let met = standing.remove(id).unwrap_or_default();
            let mut all = [0; 32];
            met.iter().for_each(|&warp| join(&mut all, &now[warp]));
            met.iter().for_each(|&warp| now[warp] = all);
        }
    }
    found
}

/// The warps that may be first where a step comes ahead of an earlier one, together with all between them that does not come after that.
fn initials(steps: &[Step], of_step: &[[usize; 32]], earlier: usize, step: usize) -> u32 {
    let is_after = |later: usize, first: usize| {
        let warp = usize::from(steps[first].warp);
        of_step[later][warp] >= of_step[first][warp]
    };
    let moved: Vec<usize> = (earlier + 1..step).filter(|&at| !is_after(at, earlier)).chain([step]).collect();
    let is_first = |&(place, at): &(usize, usize)| !moved[..place].iter().any(|&before| is_after(at, before));
    let firsts = moved.iter().copied().enumerate().filter(is_first);
    firsts.fold(0, |all, (_, at)| all | 1 << steps[at].warp)
}

fn join(own: &mut [usize; 32], other: &[usize; 32]) {
    own.iter_mut().zip(other).for_each(|(own, other)| *own = (*own).max(*other));
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::exec::steps::{How, Order};
    use std::collections::BTreeSet;

    /// The touches of each warp's steps, in a program without control flow.
    type Program = Vec<Vec<(u64, How)>>;
    /// The outcome of an order: of each two touches in conflict, the first and then the second, each by its warp and number.
    type Outcome = BTreeSet<[(usize, usize); 2]>;

    fn touch((address, how): (u64, How)) -> Touch {
        Touch { shared: false, address, bytes: 4, how }
    }

    fn outcome(program: &Program, order: &[(usize, usize)]) -> Outcome {
        let of = |&(warp, step): &(usize, usize)| touch(program[warp][step]);
        let pairs = order
            .iter()
            .enumerate()
            .flat_map(|(at, first)| order[at + 1..].iter().map(move |second| [*first, *second]));
        pairs.filter(|[first, second]| of(first).conflicts(&of(second))).collect()
    }

    /// Goes through all orders that are left, and gives their number and outcomes.
    fn explore(program: &Program) -> (usize, BTreeSet<Outcome>) {
        let mut explorer = Explorer::default();
        let (mut begin, mut orders, mut outcomes) = (Begin { choices: vec![], asleep: vec![] }, 0, BTreeSet::new());
        loop {
            orders += 1;
            assert!(orders < 100_000, "endless");
            let order = Order::new(0, begin.choices, begin.asleep);
            let (mut done, mut last, mut ran) = (vec![0; program.len()], None, Vec::new());
            loop {
                let enabled = (0..program.len()).filter(|&warp| done[warp] < program[warp].len());
                let enabled = enabled.fold(0, |all, warp| all | 1 << warp);
                if enabled == 0 {
                    break;
                }
                let warp = order.take(enabled, last);
                last = Some(warp);
                order.note(|step| step.touches.push(touch(program[warp][done[warp]])));
                ran.push((warp, done[warp]));
                done[warp] += 1;
            }
            let record = order.record();
            assert!(!record.diverged);
            if !record.is_known {
                outcomes.insert(outcome(program, &ran));
            }
            match explorer.next(&record) {
                Some(next) => begin = next,
                None => return (orders, outcomes),
            }
        }
    }

    /// All orders there are.
    fn all(program: &Program, ran: &mut Vec<(usize, usize)>, found: &mut BTreeSet<Outcome>) {
        let mut is_end = true;
        for warp in 0..program.len() {
            let done = ran.iter().filter(|(other, _)| *other == warp).count();
            if done < program[warp].len() {
                is_end = false;
                ran.push((warp, done));
                all(program, ran, found);
                ran.pop();
            }
        }
        if is_end {
            found.insert(outcome(program, ran));
        }
    }

    const W: How = How::Write;
    const R: How = How::Read;

    #[test]
    fn steps_that_commute_are_one_order() {
        assert_eq!(explore(&vec![vec![(0, W), (4, W)], vec![(8, W), (12, W)], vec![(16, W)]]).0, 1);
        assert_eq!(explore(&vec![vec![(0, R), (0, R)], vec![(0, R)]]).0, 1);
        assert_eq!(explore(&vec![vec![(0, How::Change(1))]; 4]).0, 1);
    }

    #[test]
    fn steps_that_do_not_commute_are_tried_in_each_order_once() {
        for (each, orders) in [(1, 2), (2, 6), (3, 20)] {
            assert_eq!(explore(&vec![vec![(0, W); each]; 2]).0, orders, "{each} writes each");
        }
        assert_eq!(explore(&vec![vec![(0, W); 3], vec![(0, R)]]).0, 4);
    }

    #[test]
    fn every_outcome_of_random_programs_is_seen() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..400 {
            let hows = [R, W, How::Change(1), How::Change(2)];
            let warps = 2 + random(2) as usize;
            let program: Program = (0..warps)
                .map(|_| (0..1 + random(3)).map(|_| (4 * random(2), hows[random(4) as usize])).collect())
                .collect();
            let mut expected = BTreeSet::new();
            all(&program, &mut Vec::new(), &mut expected);
            assert_eq!(explore(&program).1, expected, "{program:?}");
        }
    }

    #[test]
    fn barriers_order_what_they_part() {
        let step = |warp, touch: Option<u64>, arrived: &[u32], released: &[u32]| Step {
            warp,
            enabled: 0b11,
            touches: touch.map(|address| Touch { shared: true, address, bytes: 4, how: W }).into_iter().collect(),
            arrived: arrived.to_vec(),
            released: released.to_vec(),
            in_vain: false,
        };
        let parted = [step(0, Some(0), &[0], &[]), step(1, None, &[0], &[0]), step(1, Some(0), &[], &[])];
        assert_eq!(reversals(&parted), []);
        let apart = [step(0, Some(0), &[], &[]), step(1, Some(0), &[], &[])];
        assert_eq!(reversals(&apart), [(0, 0b10)]);
    }
}
