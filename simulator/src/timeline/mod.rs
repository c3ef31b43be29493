//! The virtual clock of a device: when a card would have done what the simulator does.
//!
//! Work comes with the time from which on it may run. The engines for copies have calendars, and a copy takes the first gap that
//! fits; kernels share the multiprocessors and what lies behind them. Nothing here depends on the host's time.
mod atomics;
mod calendar;
mod code;
pub mod codes;
mod draft;
pub mod hand_over;
mod issue_order;
pub mod kernel_time;
mod l1;
mod load;
mod load_store;
mod local;
mod multiprocessor;
pub mod play;
mod regions;
mod resident_warp;
mod setting;
pub mod sharing;
pub mod stalls;
pub mod trace;
pub mod traffic;
mod uniform;
pub mod utilisation;

use crate::device::Device;
use calendar::Calendar;
use kernel_time::Term;
use serde::Serialize;
use sharing::{Demand, Sharing, Wanted};
use utilisation::Utilisation;

/// A stretch of virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Span {
    pub start_ns: u64,
    pub end_ns: u64,
}

/// Which way a copy goes, and what that costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    ToDevice {
        pinned: bool,
    },
    FromDevice {
        pinned: bool,
    },
    /// Within the device's memory.
    Within,
    /// From or to another device, over the bus.
    Peer,
    /// Between two places of the host.
    Host,
}

/// A device's engines.
pub struct Timeline {
    card: &'static Device,
    to_device: Calendar,
    from_device: Calendar,
    multiprocessors: Sharing,
    /// Kernels.
    pub computing: Utilisation,
    /// Kernels, and copies that touch the device's memory.
    pub in_memory: Utilisation,
}

impl Timeline {
    /// An idle card.
    pub fn new(card: &'static Device) -> Self {
        Timeline {
            card,
            to_device: Calendar::default(),
            from_device: Calendar::default(),
            multiprocessors: Sharing::default(),
            computing: Utilisation::default(),
            in_memory: Utilisation::default(),
        }
    }

    /// A copy that may start at `ready_ns`.
    pub fn copy(&mut self, route: Route, bytes: u64, ready_ns: u64) -> Span {
        let span = self.place_copy(route, bytes, ready_ns);
        if route != Route::Host {
            self.in_memory.add(span);
        }
        span
    }

    fn place_copy(&mut self, route: Route, bytes: u64, ready_ns: u64) -> Span {
        let card = self.card;
        let at_rate = |bytes_per_s: f64| (bytes as f64 / bytes_per_s * 1e9) as u64;
        match route {
            Route::Within => {
                // Both sides in half of L2: as with kernels, they are there already.
                let in_l2 = 4 * bytes <= card.l2_bytes;
                let rate =
                    if in_l2 { f64::from(card.l2_bytes_per_clock) * card.clock_hz } else { card.memory_bytes_per_s };
                // The driver's own kernel does it.
                let duration_ns = card.launch_device_ns + at_rate(rate / 2.0);
                let mut demand = Demand { room: 0.5, ..Demand::default() };
                demand.units[if in_l2 { Term::L2 } else { Term::Memory } as usize] = 1.0;
                self.multiprocessors.place(&[Wanted { ready_ns, duration_ns, demand, ..Wanted::default() }], 0)
            }
            Route::Host => Span { start_ns: ready_ns, end_ns: ready_ns + at_rate(10e9) },
            Route::Peer => {
                let duration = card.copy_latency_ns + at_rate(card.pinned_bytes_per_s);
                self.to_device.reserve(ready_ns, duration)
            }
            Route::ToDevice { pinned } => {
                let rate = if pinned { card.pinned_bytes_per_s } else { card.pageable_to_device_bytes_per_s };
                self.over_the_bus(true, bytes, rate, ready_ns)
            }
            Route::FromDevice { pinned } => {
                let rate = if pinned { card.pinned_bytes_per_s } else { card.pageable_from_device_bytes_per_s };
                self.over_the_bus(card.copy_engines < 2, bytes, rate, ready_ns)
            }
        }
    }

    /// A kernel of a list of kernels in the order of their launch, of which the others are to come.
    pub fn kernel(&mut self, wanted: &[Wanted], index: usize) -> Span {
        let span = self.multiprocessors.place(wanted, index);
        self.computing.add(span);
        self.in_memory.add(span);
        span
    }

    /// Forgets what ended before `before_ns`: nothing is submitted into that past any more.
    pub fn forget(&mut self, before_ns: u64) {
        self.to_device.forget(before_ns);
        self.from_device.forget(before_ns);
        self.multiprocessors.forget(before_ns);
        self.computing.forget(before_ns);
        self.in_memory.forget(before_ns);
    }

    /// While copies run both ways the bus gives the second one only what the first leaves of the rate for both.
    fn over_the_bus(&mut self, first_engine: bool, bytes: u64, rate: f64, ready_ns: u64) -> Span {
        let card = self.card;
        let (own, opposite) = if first_engine {
            (&mut self.to_device, &self.from_device)
        } else {
            (&mut self.from_device, &self.to_device)
        };
        let alone = card.copy_latency_ns + (bytes as f64 / rate * 1e9) as u64;
        let beside = (card.pinned_both_ways_bytes_per_s - card.pinned_bytes_per_s).max(card.pinned_bytes_per_s * 0.1);
        let slowdown = (rate / beside).max(1.0);
        let start = own.first_gap(ready_ns, alone);
        let duration = opposite.stretch(start, alone, slowdown);
        own.reserve(ready_ns, duration)
    }
}
