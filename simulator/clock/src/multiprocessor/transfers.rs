//! Bulk copies: they go past the load/store units and L1, between L2 and shared memory.
use std::collections::VecDeque;

/// The copies of one multiprocessor.
#[derive(Default)]
pub struct Transfers {
    /// Until when what brings them has work.
    busy: f64,
    /// From when until when their bytes come to shared memory or leave it, and how many of them a clock.
    moving: VecDeque<(f64, f64, f64)>,
}

impl Transfers {
    /// Takes a copy of so many bytes, so many a clock, whose first byte comes after a while; when its last one does.
    pub fn take(&mut self, at: f64, bytes: f64, rate: f64, latency: f64) -> f64 {
        let from = f64::max(self.busy, at);
        self.busy = from + bytes / rate;
        let end = self.busy + latency;
        self.moving.push_back((from + latency, end, rate));
        end
    }

    /// Bytes a clock that they take of shared memory at a time; nobody asks for an earlier one later.
    pub fn moved(&mut self, at: f64) -> f64 {
        while self.moving.front().is_some_and(|front| front.1 <= at) {
            self.moving.pop_front();
        }
        self.moving.front().filter(|front| front.0 <= at).map_or(0.0, |front| front.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_takes_its_latency_and_its_bytes_and_the_next_one_comes_behind_it() {
        let mut transfers = Transfers::default();
        assert_eq!(transfers.take(100.0, 6400.0, 64.0, 650.0), 850.0);
        assert_eq!(transfers.take(100.0, 6400.0, 64.0, 650.0), 950.0);
        assert_eq!(transfers.take(1000.0, 64.0, 64.0, 650.0), 1651.0);
    }

    #[test]
    fn what_copies_move_is_not_there_for_products() {
        let mut transfers = Transfers::default();
        transfers.take(0.0, 6400.0, 64.0, 650.0);
        assert_eq!([600.0, 700.0, 749.0, 751.0].map(|at| transfers.moved(at)), [0.0, 64.0, 64.0, 0.0]);
    }
}
