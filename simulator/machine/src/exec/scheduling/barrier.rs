//! The 16 barriers of a block: by id and number of threads, wherever in the code the threads arrive.
//!
//! Threads that have exited, and places of the last warp that have no thread, count as arrived: with their warp where a
//! number is given, since hardware counts warps.
use crate::program::BarrierKind;

/// How many barriers a block has.
pub(crate) const COUNT: u32 = 16;

/// The barriers of one block.
#[derive(Debug, Default, Hash)]
pub(crate) struct Barriers {
    barriers: Vec<Barrier>,
    /// Lanes of each warp that are not, or no longer, there.
    gone: Vec<u32>,
    /// Threads that are there.
    present: u32,
    /// Barriers whose waiting threads may go on.
    pub released: Vec<(u32, Outcome)>,
}

/// The predicates of the arrived threads, for a reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Outcome {
    count: u32,
    all: bool,
}

impl Outcome {
    pub fn of(self, kind: BarrierKind) -> u32 {
        match kind {
            BarrierKind::RedAnd => self.all.into(),
            BarrierKind::RedOr => (self.count != 0).into(),
            _ => self.count,
        }
    }
}

#[derive(Clone, Debug, Default, Hash)]
struct Barrier {
    /// Lanes of each warp that have arrived in this phase; empty while nobody has.
    arrived: Vec<u32>,
    /// Threads that have arrived and are still there: counted as they come, since a block asks at each arrival.
    count: u32,
    /// Arrivals beyond one per thread.
    again: u32,
    /// Threads expected, where the instruction said so.
    expected: Option<u32>,
    ones: u32,
    zeros: u32,
}

/// Arrivals that a barrier has and expects, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrivals {
    pub arrived: u32,
    pub expected: u32,
}

impl Barriers {
    /// The barriers of a block of so many threads.
    pub fn start(&mut self, threads: u32) {
        let warps = threads.div_ceil(32);
        self.barriers.clear();
        self.barriers.resize(COUNT as usize, Barrier::default());
        self.gone.clear();
        self.gone.resize(warps as usize, 0);
        if let (Some(last), 1..) = (self.gone.last_mut(), threads % 32) {
            *last = !0 << (threads % 32);
        }
        self.present = threads;
        self.released.clear();
    }

    /// Lanes of a warp arrive, with the predicate of a reduction. Look at `released` afterwards.
    pub fn arrive(&mut self, id: u32, warp: u32, mask: u32, expected: Option<u32>, predicate: u32) {
        let warps = self.gone.len();
        let barrier = &mut self.barriers[id as usize];
        barrier.arrived.resize(warps, 0);
        let arrived = &mut barrier.arrived[warp as usize];
        barrier.count += (mask & !*arrived & !self.gone[warp as usize]).count_ones();
        barrier.again += (*arrived & mask).count_ones();
        *arrived |= mask;
        barrier.expected = expected.or(barrier.expected);
        barrier.ones += (mask & predicate).count_ones();
        barrier.zeros += (mask & !predicate).count_ones();
        self.complete(id);
    }

    /// Lanes of a warp are gone for good. Look at `released` afterwards.
    pub fn leave(&mut self, warp: u32, mask: u32) {
        let gone = &mut self.gone[warp as usize];
        let leaving = mask & !*gone;
        *gone |= mask;
        self.present -= leaving.count_ones();
        for id in 0..COUNT {
            let barrier = &mut self.barriers[id as usize];
            if let Some(arrived) = barrier.arrived.get(warp as usize) {
                barrier.count -= (arrived & leaving).count_ones();
                self.complete(id);
            }
        }
    }

    /// How many have arrived, and how many are expected.
    pub fn arrivals(&self, id: u32) -> Arrivals {
        let barrier = &self.barriers[id as usize];
        match barrier.expected {
            Some(expected) => {
                let counted = |(&arrived, &gone): (&u32, &u32)| match arrived {
                    0 => 0,
                    _ if arrived | gone == !0 => 32,
                    _ => arrived.count_ones(),
                };
                let arrived = barrier.arrived.iter().zip(&self.gone).map(counted).sum::<u32>() + barrier.again;
                Arrivals { arrived, expected }
            }
            None => Arrivals { arrived: barrier.count, expected: self.present },
        }
    }

    fn complete(&mut self, id: u32) {
        let arrivals = self.arrivals(id);
        let barrier = &mut self.barriers[id as usize];
        let all_arrived = arrivals.arrived >= arrivals.expected;
        if all_arrived && barrier.arrived.iter().any(|&arrived| arrived != 0) {
            let outcome = Outcome { count: barrier.ones, all: barrier.zeros == 0 };
            let mut arrived = std::mem::take(&mut barrier.arrived);
            arrived.clear();
            *barrier = Barrier { arrived, ..Barrier::default() };
            self.released.push((id, outcome));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn barriers(threads: u32) -> Barriers {
        let mut barriers = Barriers::default();
        barriers.start(threads);
        barriers
    }

    #[test]
    fn all_threads_of_the_block_must_come() {
        let mut b = barriers(48);
        b.arrive(0, 0, !0, None, 0);
        assert!(b.released.is_empty());
        b.arrive(0, 1, 0xff, None, 0);
        assert_eq!(b.arrivals(0), Arrivals { arrived: 40, expected: 48 });
        b.arrive(0, 1, 0xff00, None, 0);
        assert_eq!(b.released.len(), 1);
    }

    #[test]
    fn the_exited_count_as_arrived() {
        let mut b = barriers(64);
        b.arrive(0, 0, !0, None, 0);
        b.leave(1, 0xffff);
        assert!(b.released.is_empty());
        b.leave(1, 0xffff_0000);
        assert_eq!(b.released.len(), 1);
    }

    #[test]
    fn a_number_counts_whole_warps() {
        let mut b = barriers(80);
        b.arrive(3, 2, 0xffff, Some(64), 0);
        assert_eq!(b.arrivals(3), Arrivals { arrived: 32, expected: 64 });
        b.arrive(3, 0, !0, Some(64), 0);
        assert_eq!(b.released.len(), 1);
        b.released.clear();
        b.arrive(3, 1, !0, Some(96), 0);
        b.arrive(3, 1, !0, Some(96), 0);
        b.arrive(3, 1, !0, Some(96), 0);
        assert_eq!(b.released.len(), 1, "arrivals without waiting may repeat");
    }

    #[test]
    fn reductions_see_all_arrived() {
        let mut b = barriers(64);
        b.arrive(0, 0, !0, None, 0xf);
        b.arrive(0, 1, !0, None, !0);
        let (id, outcome) = b.released[0];
        assert_eq!(id, 0);
        assert_eq!(outcome.of(BarrierKind::RedPopc), 36);
        assert_eq!(outcome.of(BarrierKind::RedAnd), 0);
        assert_eq!(outcome.of(BarrierKind::RedOr), 1);
    }
}
