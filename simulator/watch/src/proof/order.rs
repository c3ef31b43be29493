//! The order of a block's accesses, by warp: up to which of its steps the accesses of each other warp lie before what a warp does now. A step ends
//! at a barrier of the block, where a warp meets, and where all of it arrives at an `mbarrier`.
//!
//! A phase of an `mbarrier` orders what lies before its arrivals before what follows a wait for it. That holds in every order of warps if the
//! arrivals of a phase are the same in all of them, and each wait is for the same phase: if whoever arrives in phase k, or waits for it, comes
//! after the end of phase k − 1 already, by what orders it in every run. Then the first of any run that counts otherwise would have to
//! come before an arrival that is ordered before it.
use super::word::{Cell, Now, WARP_BITS};
use machine::probe::Arrival;
use rustc_hash::FxHashMap;

/// For each warp the step before which its accesses are known, then for each `mbarrier` the phases that are known to be over.
type Clock = Vec<u32>;

fn join(clock: &mut Clock, other: &[u32]) {
    clock.resize(clock.len().max(other.len()), 0);
    clock.iter_mut().zip(other).for_each(|(own, other)| *own = (*own).max(*other));
}

/// An `mbarrier`: its place in clocks, phases that are over, and what lies before the arrivals of the phase at hand and of the one before.
struct Phases {
    index: usize,
    over: u32,
    arrived: Clock,
    last: Clock,
}

/// The order in one block.
pub struct Order {
    block: u32,
    steps: Vec<u32>,
    /// By warp, of all its lanes; then of some lanes, until the warp meets.
    known: Vec<Clock>,
    by_lanes: Vec<(u32, u32, Clock)>,
    /// Threads that wait at each barrier.
    waiting: FxHashMap<u32, u32>,
    phases: FxHashMap<u64, Phases>,
    /// Objects so far.
    objects: usize,
}

impl Order {
    /// `None`: there are more blocks than are numbered.
    pub fn new(block: u64, warps: usize) -> Option<Order> {
        let block = u32::try_from(block).ok().filter(|block| *block < (1 << (31 - WARP_BITS)) - 1)?;
        let fits = warps <= 1 << WARP_BITS;
        fits.then(|| Order {
            block,
            steps: vec![1; warps],
            known: vec![vec![1; warps]; warps],
            by_lanes: Vec::new(),
            waiting: FxHashMap::default(),
            phases: FxHashMap::default(),
            objects: 0,
        })
    }

    /// The accesses that are ordered before one of a warp now; `None`: there were more steps than are counted.
    #[inline(always)]
    pub fn now(&self, warp: u32) -> Option<Now<'_>> {
        let cell = Cell::new((self.block + 1) << WARP_BITS | warp, self.steps[warp as usize])?;
        Some(Now { cell, known: &self.known[warp as usize][..self.steps.len()] })
    }

    /// Lanes arrive at a barrier.
    pub fn arrive(&mut self, arrival: &Arrival) {
        *self.waiting.entry(arrival.id).or_default() += arrival.mask.count_ones();
    }

    /// A barrier lets go. `false`: not all `threads` of the block had come.
    pub fn release(&mut self, id: u32, threads: u32) -> bool {
        let step = self.steps.iter().max().map_or(1, |step| step + 1);
        self.steps.fill(step);
        let mut all = Clock::new();
        self.known.iter().for_each(|known| join(&mut all, known));
        self.by_lanes.drain(..).for_each(|(.., known)| join(&mut all, &known));
        all[..self.steps.len()].fill(step);
        self.known.fill(all);
        self.waiting.remove(&id) == Some(threads)
    }

    /// All lanes of a warp have met.
    pub fn meet(&mut self, warp: u32) {
        let index = warp as usize;
        self.steps[index] += 1;
        let known = &mut self.known[index];
        known[index] = self.steps[index];
        self.by_lanes.retain(|(of, _, clock)| {
            if *of == warp {
                join(known, clock);
            }
            *of != warp
        });
    }

    /// The clock of what some lanes of a warp know.
    fn known_by(&self, warp: u32, mask: u32) -> Clock {
        let mut clock = self.known[warp as usize].clone();
        let theirs = self.by_lanes.iter().filter(|(of, lanes, _)| *of == warp && lanes & mask == mask);
        theirs.for_each(|(.., known)| join(&mut clock, known));
        clock
    }

    /// An object begins or ends.
    pub fn begin(&mut self, address: u64) {
        let index = self.steps.len() + self.objects;
        self.objects += 1;
        self.phases.insert(address, Phases { index, over: 0, arrived: Clock::new(), last: Clock::new() });
    }

    /// Lanes of a warp arrive at an object; `ended`: those that end a phase. `all`: it is the whole warp. `false`: in another order of warps
    /// they might arrive in another phase.
    pub fn arrive_in_phase(&mut self, address: u64, warp: u32, mask: u32, ended: u32, all: bool) -> bool {
        let mut clock = self.known_by(warp, mask);
        let last = mask & !(u32::MAX >> mask.leading_zeros() >> 1);
        if all && ended & !last == 0 {
            self.steps[warp as usize] += 1;
            clock[warp as usize] = self.steps[warp as usize];
        }
        let Some(phases) = self.phases.get_mut(&address) else { return false };
        let mut rest = mask;
        while rest != 0 {
            if clock.get(phases.index).copied().unwrap_or(0) < phases.over {
                return false;
            }
            join(&mut phases.arrived, &clock);
            let ends = rest & ended;
            if ends == 0 {
                break;
            }
            rest &= !(ends ^ (ends - 1));
            phases.over += 1;
            phases.last = std::mem::take(&mut phases.arrived);
            phases.last.resize(phases.last.len().max(phases.index + 1), 0);
            phases.last[phases.index] = phases.over;
        }
        true
    }

    /// Lanes of a warp have found a phase over. `false`: in another order of warps it might be another phase.
    pub fn wait_for_phase(&mut self, address: u64, warp: u32, mask: u32, all: bool) -> bool {
        let clock = self.known_by(warp, mask);
        let Some(phases) = self.phases.get(&address) else { return false };
        // Before the first phase nobody waits.
        if phases.over == 0 {
            return true;
        }
        let known = clock.get(phases.index).copied().unwrap_or(0);
        match all {
            true => join(&mut self.known[warp as usize], &phases.last),
            false => self.by_lanes.push((warp, mask, phases.last.clone())),
        }
        known + 1 >= phases.over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: u64 = 64;

    /// Two warps whose order is asked for by their first steps.
    fn order() -> Order {
        let mut order = Order::new(0, 2).unwrap();
        order.begin(OBJECT);
        order
    }

    /// Warp 0 arrives and ends a phase; warp 1 waits for it.
    fn arrive(order: &mut Order) -> bool {
        order.arrive_in_phase(OBJECT, 0, !0, 1 << 31, true)
    }

    fn wait(order: &mut Order) -> bool {
        order.wait_for_phase(OBJECT, 1, !0, true)
    }

    #[test]
    fn a_phase_stands_between_who_arrives_and_who_waits() {
        let mut order = order();
        let before = order.now(0).unwrap().cell;
        assert!(arrive(&mut order));
        let after = order.now(0).unwrap().cell;
        assert!(!order.now(1).unwrap().is_after(before));
        assert!(wait(&mut order));
        assert!(order.now(1).unwrap().is_after(before) && !order.now(1).unwrap().is_after(after));
    }

    /// Warp 1 could have taken the end of the phase before for it.
    #[test]
    fn a_wait_that_leaves_a_phase_out_orders_nothing() {
        let mut order = order();
        assert!(arrive(&mut order));
        // Warp 0 knows of the end of the phase only when it has waited for it.
        assert!(!arrive(&mut order));
        let mut order = self::order();
        assert!(arrive(&mut order) && order.wait_for_phase(OBJECT, 0, !0, true) && arrive(&mut order));
        assert!(!wait(&mut order));
    }

    #[test]
    fn what_one_lane_knows_its_warp_knows_when_it_meets() {
        let mut order = order();
        let before = order.now(0).unwrap().cell;
        assert!(arrive(&mut order) && order.wait_for_phase(OBJECT, 1, 1, false));
        assert!(!order.now(1).unwrap().is_after(before));
        order.meet(1);
        assert!(order.now(1).unwrap().is_after(before));
    }

    /// The other lanes' accesses since they met are not ordered by the arrival of one.
    #[test]
    fn an_arrival_of_one_lane_stands_for_its_warp_as_far_as_it_had_met() {
        let mut order = order();
        let before = order.now(0).unwrap().cell;
        order.meet(0);
        let since = order.now(0).unwrap().cell;
        assert!(order.arrive_in_phase(OBJECT, 0, 1, 1, false) && wait(&mut order));
        assert!(order.now(1).unwrap().is_after(before) && !order.now(1).unwrap().is_after(since));
    }
}
