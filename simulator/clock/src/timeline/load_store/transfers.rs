//! Bulk copies: they go past the load/store units and L1, between L2 and shared memory.
use super::{LINE_BYTES, LoadStore, MEMORY_BYTES_PER_CLOCK};
use machine::probe::AccessKind;
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
    fn take(&mut self, at: f64, bytes: f64, rate: f64, latency: f64) -> f64 {
        let from = f64::max(self.busy, at);
        self.busy = from + bytes / rate;
        let end = self.busy + latency;
        self.moving.push_back((from + latency, end, rate));
        end
    }

    /// Bytes a clock that they take of shared memory at a time; nobody asks for an earlier one later.
    fn moved(&mut self, at: f64) -> f64 {
        while self.moving.front().is_some_and(|front| front.1 <= at) {
            self.moving.pop_front();
        }
        self.moving.front().filter(|front| front.0 <= at).map_or(0.0, |front| front.2)
    }
}

impl LoadStore<'_> {
    /// When the last byte of a bulk copy is there, of a block that is a copy of one that was followed.
    pub fn transfer(&mut self, copy: u64, lines: &[(u64, u8)], kind: AccessKind, at: f64) -> f64 {
        let a = self.card.architecture;
        let active = self.setting.active.max(1.0);
        let loads = kind == AccessKind::Load;
        let rate = (f64::from(self.card.l2_bytes_per_clock) / active).min(TRANSFER_BYTES_PER_CLOCK);
        let (rate, away) = if loads { (rate, TRANSFER_LATENCY) } else { (rate * STORED, STORED_LATENCY) };
        // What all ask for L2 hands out once for several of them.
        let (mut alone, mut together, mut own) = (0.0, 0.0, 0);
        for (line, sectors) in lines {
            let shared = self.shared_lines.get(line) == Some(&true);
            *if shared && loads { &mut together } else { &mut alone } += f64::from(sectors.count_ones()) * 32.0;
            own += u32::from(copy > 0 || !shared);
        }
        let cycles = alone / rate + together / TOGETHER_BYTES_PER_CLOCK;
        let mut latency = (f64::from(a.l2_latency_cycles) - away).max(0.0);
        let mut to_memory = 0.0;
        for _ in 0..own {
            to_memory += if self.draw.next(self.beyond) { LINE_BYTES } else { 0.0 };
        }
        let mut last = 0.0;
        if to_memory > 0.0 {
            let per_clock = self.card.memory_bytes_per_s / self.card.clock_hz / active;
            let cycles = to_memory / per_clock.min(MEMORY_BYTES_PER_CLOCK);
            last = self.memory.take(at, cycles, to_memory / MEMORY_BYTES_PER_CLOCK);
            if loads {
                latency += f64::from(a.memory_latency_cycles.saturating_sub(a.l2_latency_cycles));
            }
        }
        let bytes = alone + together;
        f64::max(self.transfers.take(at, bytes, bytes / cycles.max(1.0), latency), last + latency)
    }

    /// When shared memory has handed out so many bytes for a product: what bulk copies take is not there for others.
    pub fn operands(&mut self, bytes: f64, at: f64) -> f64 {
        let rate = SHARED_BYTES_PER_CLOCK - self.transfers.moved(at);
        self.busy = f64::max(self.busy, at) + bytes / rate;
        self.busy
    }
}

/// Bytes that L2 brings a multiprocessor a clock, at the most; and each of them where all ask for the same lines. Measured on an H200: 32 KiB by one
/// block, and by one on each multiprocessor.
const TRANSFER_BYTES_PER_CLOCK: f64 = 111.0;
const TOGETHER_BYTES_PER_CLOCK: f64 = 95.0;
/// What the first bytes of a bulk copy take less than a load: they do not come through L1. Measured on an H200: 16 bytes that are waited for take 331
/// cycles from one copy to the next, with all that their thread does between.
const TRANSFER_LATENCY: f64 = 27.0;
/// The part of L2's rate that copies to it have, and what their thread waits less for them than for a load. Measured on an H200: a KiB and eight of
/// them by one thread of each multiprocessor, which waits until they are written.
const STORED: f64 = 0.4;
const STORED_LATENCY: f64 = 220.0;
/// A word of each of 32 banks.
const SHARED_BYTES_PER_CLOCK: f64 = 128.0;

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
