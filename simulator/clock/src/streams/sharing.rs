//! Kernels side by side: the share of the card that each of them gets.
//!
//! Room for blocks goes to kernels in the order of their launch, as a card's block scheduler deals it out: a later kernel has what the
//! earlier ones leave. The units (arithmetic, L1, L2, memory, the bus, …) serve all blocks that are there in turns: no unit does more
//! than it can, and where kernels want more of one than there is, each has as much of the unit that it wants most of as the others have of
//! theirs, and what one does not want goes to the others (dominant resource fairness; Ghodsi and others 2011).
//!
//! A kernel that was placed stays as it is: later ones get what it leaves. That is why a kernel is placed together with those that are
//! known to come beside it.

use super::span::Span;
use crate::analytic::demand::{Demand, UNITS};
use crate::constants::{LEAST_ROOM, NO_TIME_NS, NOTHING};
use std::collections::BTreeMap;

/// A kernel that wants to run.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// It may start then, and `delay_ns` after the end of each of `after`.
    pub ready_ns: u64,
    /// Others of the same list, before it in the list.
    pub after: Vec<usize>,
    pub delay_ns: u64,
    /// With the card for itself.
    pub duration_ns: u64,
    pub demand: Demand,
}

/// The shares of the card that are left, now and later.
#[derive(Default)]
pub struct Sharing {
    /// By the time from which on they are, until the next such time; before the first, all of the card. A kernel is placed at the cost of a
    /// search, however many were before it. Times are not negative: their bits lie in their order.
    left: BTreeMap<u64, Demand>,
    /// Entries of it that were looked at: a test counts them.
    #[cfg(test)]
    looked_at: std::cell::Cell<usize>,
}

/// The whole card.
const ALL: Demand = Demand { room: 1.0, units: [1.0; UNITS] };

/// How a kernel does, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// `None` until all that it comes after has ended.
    ready: Option<f64>,
    left: f64,
    started: Option<f64>,
    ended: Option<f64>,
}

impl Sharing {
    /// Places one kernel of a list of kernels in the order of their launch; the others are there for what they take meanwhile.
    pub fn place(&mut self, wanted: &[Wanted], index: usize) -> Span {
        let mut kernels: Vec<Progress> = wanted
            .iter()
            .map(|w| Progress {
                ready: w.after.is_empty().then_some((w.ready_ns + w.delay_ns) as f64),
                left: w.duration_ns as f64,
                started: None,
                ended: None,
            })
            .collect();
        let mut own: Vec<(f64, f64, Demand)> = Vec::new();
        let mut now = kernels.iter().filter_map(|kernel| kernel.ready).fold(f64::INFINITY, f64::min);
        while kernels[index].ended.is_none() {
            let (rates, rooms) = self.rates(wanted, &kernels, now);
            let next = self.next_change(&kernels, &rates, now);
            for (kernel, rate) in kernels.iter_mut().zip(&rates).filter(|(_, rate)| **rate > 0.0) {
                kernel.started.get_or_insert(now);
                // At a late hour what is left can be less than the clock can tell: it ends all the same.
                let ends = now + (kernel.left / rate).max(0.0) <= next;
                kernel.left = if ends { 0.0 } else { kernel.left - rate * (next - now) };
            }
            if rates[index] > 0.0 {
                // Blocks that wait for a unit keep their room.
                let units = wanted[index].demand.units.map(|unit| unit * rates[index]);
                own.push((now, next, Demand { room: rooms[index], units }));
            }
            now = next;
            end_finished(wanted, &mut kernels, now);
        }
        own.into_iter().for_each(|(start, end, demand)| self.take(start, end, demand));
        let at = |time: Option<f64>| time.unwrap_or(now).round() as u64;
        Span { start_ns: at(kernels[index].started), end_ns: at(kernels[index].ended) }
    }

    /// Drops what ended before `before_ns`.
    pub fn forget(&mut self, before_ns: u64) {
        let before = (before_ns as f64).to_bits();
        while self.left.keys().nth(1).is_some_and(|&next| next <= before) {
            self.left.pop_first();
        }
    }

    /// Takes a part from what is left meanwhile.
    fn take(&mut self, start: f64, end: f64, demand: Demand) {
        for at in [start, end] {
            let left = self.left_at(at);
            self.left.entry(at.to_bits()).or_insert(left);
        }
        for (_, left) in self.left.range_mut(start.to_bits()..end.to_bits()) {
            #[cfg(test)]
            self.looked_at.set(self.looked_at.get() + 1);
            left.room -= demand.room;
            left.units.iter_mut().zip(demand.units).for_each(|(left, taken)| *left -= taken);
        }
    }

    /// The part of the card that is left at a time.
    fn left_at(&self, at: f64) -> Demand {
        #[cfg(test)]
        self.looked_at.set(self.looked_at.get() + 1);
        self.left.range(..=at.to_bits()).next_back().map_or(ALL, |(_, left)| *left)
    }

    /// How fast each kernel goes at a time, 1 being as fast as alone, and the room that it has.
    fn rates(&self, wanted: &[Wanted], kernels: &[Progress], now: f64) -> (Vec<f64>, Vec<f64>) {
        let Demand { mut room, units: mut free } = self.left_at(now);
        let (mut most, mut rooms) = (vec![0.0; wanted.len()], vec![0.0; wanted.len()]);
        for (index, (Wanted { demand, .. }, kernel)) in wanted.iter().zip(kernels).enumerate() {
            if kernel.ended.is_some() || kernel.ready.is_none_or(|ready| ready > now) {
                continue;
            }
            let got = demand.room.min(room.max(0.0));
            let part = if demand.room > 0.0 { got / demand.room } else { 1.0 };
            if part >= LEAST_ROOM {
                (most[index], rooms[index]) = (part, got);
                room -= got;
            }
        }
        (fair_rates(wanted, &most, &mut free), rooms)
    }

    /// When a rate may be another: a placed kernel begins or ends, a kernel gets ready or ends.
    fn next_change(&self, kernels: &[Progress], rates: &[f64], now: f64) -> f64 {
        let placed = self.left.range(now.to_bits() + 1..).next().map(|(&at, _)| f64::from_bits(at));
        let ready = kernels.iter().filter_map(|kernel| kernel.ready);
        let ends = kernels.iter().zip(rates).filter(|(_, rate)| **rate > 0.0);
        let ends = ends.map(|(kernel, rate)| now + (kernel.left / rate).max(0.0));
        let changes = placed.into_iter().chain(ready).filter(|&at| at > now).chain(ends);
        changes.fold(f64::INFINITY, f64::min)
    }
}

/// Raises all rates, each so fast that what the kernels have of the unit that they want most of grows alike. A kernel stops at its
/// most, and where a unit that it uses is full.
fn fair_rates(wanted: &[Wanted], most: &[f64], free: &mut [f64; UNITS]) -> Vec<f64> {
    let dominant = |index: usize| wanted[index].demand.units.iter().copied().fold(0.0, f64::max);
    // A kernel that no unit limits has its most at once.
    let mut rates: Vec<f64> =
        most.iter().enumerate().map(|(index, &most)| if dominant(index) > NOTHING { 0.0 } else { most }).collect();
    let full = |free: &[f64; UNITS], demand: &Demand| {
        demand.units.iter().zip(free).any(|(unit, free)| *unit > NOTHING && *free <= NOTHING)
    };
    // Each round brings a kernel to its most or fills a unit; more rounds could only be roundings.
    for _ in 0..=wanted.len() + UNITS {
        let rising: Vec<(usize, f64)> = (0..wanted.len())
            .filter(|&index| rates[index] + NOTHING < most[index] && !full(free, &wanted[index].demand))
            .map(|index| (index, 1.0 / dominant(index)))
            .collect();
        let to_most = rising.iter().map(|&(index, speed)| (most[index] - rates[index]) / speed);
        let Some(mut step) = to_most.reduce(f64::min) else { return rates };
        for (unit, &free) in free.iter().enumerate() {
            let taken: f64 = rising.iter().map(|&(index, speed)| wanted[index].demand.units[unit] * speed).sum();
            if taken > NOTHING {
                step = step.min(free / taken);
            }
        }
        for (index, speed) in rising {
            rates[index] += step * speed;
            free.iter_mut().zip(wanted[index].demand.units).for_each(|(free, unit)| *free -= unit * step * speed);
        }
    }
    rates
}

/// Ends the kernels that have nothing left, and lets those after them get ready.
fn end_finished(wanted: &[Wanted], kernels: &mut [Progress], now: f64) {
    for index in 0..kernels.len() {
        let Progress { started, left, ended, .. } = kernels[index];
        if started.is_some() && ended.is_none() && left <= NO_TIME_NS {
            kernels[index].ended = Some(now);
        }
        if kernels[index].ready.is_none() {
            let ends: Option<Vec<f64>> = wanted[index].after.iter().map(|&earlier| kernels[earlier].ended).collect();
            let ready = |ends: Vec<f64>| ends.into_iter().fold(wanted[index].ready_ns as f64, f64::max);
            kernels[index].ready = ends.map(|ends| ready(ends) + wanted[index].delay_ns as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel of 1000 ns that takes that much of the room and of one unit.
    fn kernel(ready_ns: u64, room: f64, unit: f64) -> Wanted {
        let mut demand = Demand { room, ..Demand::default() };
        demand.units[0] = unit;
        Wanted { ready_ns, duration_ns: 1000, demand, ..Wanted::default() }
    }

    fn place_all(wanted: &[Wanted]) -> Vec<Span> {
        let mut sharing = Sharing::default();
        // Those that were placed are no longer wanted.
        (0..wanted.len()).map(|index| sharing.place(&wanted[index..], 0)).collect()
    }

    fn spans(wanted: &[Wanted]) -> Vec<(u64, u64)> {
        place_all(wanted).into_iter().map(|span| (span.start_ns, span.end_ns)).collect()
    }

    #[test]
    fn a_kernel_by_itself_takes_its_own_time() {
        assert_eq!(spans(&[kernel(70, 1.0, 1.0)]), [(70, 1070)]);
    }

    #[test]
    fn a_unit_is_shared_fairly_and_does_no_more_than_it_can() {
        // Two that each keep the unit busy for 0.9 of their time: 1800 ns of it, however they share.
        assert_eq!(spans(&[kernel(0, 0.4, 0.9), kernel(0, 0.4, 0.9)]), [(0, 1800), (0, 1800)]);
        // The one that wants little gets all of it.
        assert_eq!(spans(&[kernel(0, 0.4, 1.0), kernel(0, 0.4, 0.2)]), [(0, 1200), (0, 1000)]);
    }

    #[test]
    fn room_goes_to_the_first() {
        assert_eq!(spans(&[kernel(0, 1.0, 0.1), kernel(0, 1.0, 0.1)]), [(0, 1000), (1000, 2000)]);
        // Half of the second's blocks find room at once.
        assert_eq!(spans(&[kernel(0, 0.75, 0.0), kernel(0, 0.5, 0.0)]), [(0, 1000), (0, 1500)]);
    }

    #[test]
    fn ten_that_overlap_are_no_faster_than_the_unit() {
        let spans = place_all(&vec![kernel(0, 0.44, 0.89); 10]);
        let end = spans.iter().map(|span| span.end_ns).max().unwrap();
        // 8900 ns of the unit, which the last one alone does not fill.
        assert!((8900..9500).contains(&end), "{end}");
        assert!(spans.is_sorted_by_key(|span| span.end_ns), "the first launched ends first: {spans:?}");
    }

    #[test]
    fn what_was_placed_stays_and_others_get_what_it_leaves() {
        let mut sharing = Sharing::default();
        assert_eq!(sharing.place(&[kernel(0, 0.5, 1.0)], 0).end_ns, 1000);
        let late = sharing.place(&[kernel(500, 0.5, 1.0)], 0);
        assert_eq!((late.start_ns, late.end_ns), (1000, 2000));
        sharing.forget(1500);
        assert_eq!(sharing.place(&[kernel(1500, 0.5, 1.0)], 0).start_ns, 2000);
    }

    #[test]
    fn the_past_costs_nothing() {
        // Two beside each other at a time, with a rest after them: the entries that are looked at for each pair.
        let looked_at_for = |pairs: u64| {
            let mut sharing = Sharing::default();
            for at in 0..pairs {
                sharing.place(&[kernel(at * 3000, 0.5, 0.5)], 0);
                sharing.place(&[kernel(at * 3000, 0.5, 0.9)], 0);
            }
            sharing.forget(pairs * 3000);
            assert!(sharing.left.len() < 10, "{}", sharing.left.len());
            sharing.looked_at.get() as u64 / pairs
        };
        assert!(looked_at_for(10) > 2);
        assert_eq!(looked_at_for(10), looked_at_for(100_000));
    }

    #[test]
    fn what_rounding_leaves_of_a_kernel_does_not_wait_for_others() {
        let mut sharing = Sharing::default();
        sharing.place(&[kernel(0, 0.3, 0.5)], 0);
        sharing.place(&[Wanted { duration_ns: 4000, ..kernel(1000, 0.3, 1.0) }], 0);
        // Half of the unit for 1000 ns, and then nothing of it.
        let with = |sharing: &mut Sharing, duration_ns| {
            sharing.place(&[Wanted { duration_ns, ..kernel(0, 0.3, 1.0) }], 0).end_ns
        };
        assert_eq!(with(&mut sharing, 501), 1000);
        assert!(with(&mut sharing, 510) > 5000);
    }

    #[test]
    fn a_later_kernel_of_a_stream_waits_for_the_one_before() {
        let late = Wanted { after: vec![0], delay_ns: 100, ..kernel(0, 0.1, 0.1) };
        let span = Sharing::default().place(&[kernel(0, 0.1, 0.1), kernel(0, 0.1, 0.1), late], 2);
        assert_eq!((span.start_ns, span.end_ns), (1100, 2100));
    }

    /// Two streams, waited for one after the other: each placed with all others in view.
    #[test]
    fn the_order_of_placing_changes_nothing() {
        let wanted = [kernel(0, 0.5, 0.6), kernel(10, 0.5, 0.6), kernel(20, 0.5, 0.3), kernel(30, 0.5, 0.9)];
        let in_order = place_all(&wanted);
        let mut sharing = Sharing::default();
        let last_first = sharing.place(&wanted, 3);
        assert_eq!(last_first, in_order[3]);
        let first = sharing.place(&wanted[..3], 0);
        assert!(first.end_ns.abs_diff(in_order[0].end_ns) <= 1, "{first:?} {:?}", in_order[0]);
    }
}
