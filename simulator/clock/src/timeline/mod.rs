//! The virtual clock of a device: when a card would have done what the simulator does.
//!
//! Work comes with the time from which on it may run. The engines for copies have calendars, and a copy takes the first gap that
//! fits; kernels share the multiprocessors and what lies behind them. Nothing here depends on the host's time.
mod acts;
mod atomics;
mod calendar;
mod code;
pub mod codes;
pub mod copy_engine;
mod draft;
mod draw;
pub mod hand_over;
mod hoist;
mod invariant;
mod issue_order;
#[cfg(test)]
mod issued;
mod joined;
pub mod kernel_time;
mod l1;
mod load;
mod load_store;
mod local;
mod multiprocessor;
mod phases;
pub mod play;
mod pressure;
pub mod ready;
mod regions;
mod resident_warp;
mod setting;
mod shared_lines;
pub mod sharing;
pub mod stalls;
pub mod trace;
pub mod traffic;
mod under_way;
mod uniform;
pub mod utilisation;

use crate::device::Device;
use calendar::Calendar;
use copy_engine::{CopyEngine, Source};
use kernel_time::{Term, beyond_l2};
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

/// Of the driver's own copies within a device, measured on an H200 in series, 256 KiB to 16 MiB (1.00, 1.2, 2.1 and 5.3 µs): from the first
/// instruction to the last without any bytes, the part of L2's rate that they reach, and what a launch takes beside a kernel's where no graph has
/// prepared it.
const COPY_START_CYCLES: f64 = 1_100.0;
const COPY_SHARE_OF_L2: f64 = 0.88;
const COPY_LAUNCH_NS: u64 = 400;

/// Of a copy over the bus.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

impl Way {
    /// What a copy takes beside its bytes, of the mean: on an H200 2.7 µs in and 1.8 out, on an H100 3.6 and 2.9.
    fn share_of_latency(self) -> f64 {
        match self {
            Way::In => 1.2,
            Way::Out => 0.8,
        }
    }
}

/// A device's engines.
pub struct Timeline {
    card: &'static Device,
    to_device: CopyEngine,
    from_device: CopyEngine,
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
            to_device: CopyEngine::default(),
            from_device: CopyEngine::default(),
            multiprocessors: Sharing::default(),
            computing: Utilisation::default(),
            in_memory: Utilisation::default(),
        }
    }

    /// A copy that may start at `ready_ns`; one within the device is launched as a kernel is, of a graph or of a stream.
    pub fn copy(&mut self, route: Route, bytes: u64, ready_ns: u64, from: Source) -> Span {
        let span = self.place_copy(route, bytes, ready_ns, from);
        if route != Route::Host {
            self.in_memory.add(span);
        }
        span
    }

    fn place_copy(&mut self, route: Route, bytes: u64, ready_ns: u64, from: Source) -> Span {
        let card = self.card;
        let in_graph = from == Source::Graph;
        let at_rate = |bytes_per_s: f64| (bytes as f64 / bytes_per_s * 1e9) as u64;
        match route {
            Route::Within => {
                // The driver's own kernel does it, and finds in L2 what a kernel would.
                let in_l2 = COPY_SHARE_OF_L2 * f64::from(card.l2_bytes_per_clock) * card.clock_hz;
                let (l2_ns, beyond) = (at_rate(in_l2 / 2.0), beyond_l2(card, 2 * bytes, bytes));
                let memory_ns = (at_rate(card.memory_bytes_per_s / 2.0) as f64 * beyond * beyond) as u64;
                let work_ns = (COPY_START_CYCLES / card.clock_hz * 1e9) as u64 + l2_ns.max(memory_ns);
                let gap_ns = card.launch_gap_ns(in_graph, work_ns);
                let own_ns = if in_graph { 0 } else { COPY_LAUNCH_NS };
                let mut demand = Demand { room: 0.5, ..Demand::default() };
                demand.units[if l2_ns > memory_ns { Term::L2 } else { Term::Memory } as usize] = 1.0;
                let duration_ns = gap_ns + own_ns + work_ns;
                self.multiprocessors.place(&[Wanted { ready_ns, duration_ns, demand, ..Wanted::default() }], 0)
            }
            Route::Host => Span { start_ns: ready_ns, end_ns: ready_ns + at_rate(10e9) },
            Route::Peer => {
                let alone_ns = card.copy_latency_ns + at_rate(card.pinned_bytes_per_s);
                self.to_device.reserve(from, ready_ns, alone_ns, |_, duration_ns| duration_ns)
            }
            Route::ToDevice { pinned } => {
                let rate = if pinned { card.pinned_bytes_per_s } else { card.pageable_to_device_bytes_per_s };
                self.over_the_bus(Way::In, bytes, rate, ready_ns, from)
            }
            Route::FromDevice { pinned } => {
                let rate = if pinned { card.pinned_bytes_per_s } else { card.pageable_from_device_bytes_per_s };
                self.over_the_bus(Way::Out, bytes, rate, ready_ns, from)
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
    fn over_the_bus(&mut self, way: Way, bytes: u64, rate: f64, ready_ns: u64, from: Source) -> Span {
        let card = self.card;
        let (own, opposite) = if way == Way::In || card.copy_engines < 2 {
            (&mut self.to_device, &self.from_device)
        } else {
            (&mut self.from_device, &self.to_device)
        };
        let latency_ns = card.copy_latency_ns as f64 * way.share_of_latency();
        let alone_ns = latency_ns as u64 + (bytes as f64 / rate * 1e9) as u64;
        let beside = (card.pinned_both_ways_bytes_per_s - card.pinned_bytes_per_s).max(card.pinned_bytes_per_s * 0.1);
        let slowdown = (rate / beside).max(1.0);
        own.reserve(from, ready_ns, alone_ns, |start, duration_ns| opposite.stretch(start, duration_ns, slowdown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_within_the_device_takes_what_was_measured() {
        // On an H200, in a graph, each of many: `lab-transpose --series`. The last one does not fit into L2.
        for (bytes, measured_ns) in
            [(256u64 << 10, 1_000.0), (1 << 20, 1_190.0), (4 << 20, 2_130.0), (16 << 20, 5_270.0), (64 << 20, 32_900.0)]
        {
            let mut timeline = Timeline::new(crate::device::find("h200").unwrap());
            let own = timeline.copy(Route::Within, bytes, 0, Source::Graph);
            let ns = (own.end_ns - own.start_ns) as f64;
            assert!((ns / measured_ns - 1.0).abs() < 0.1, "{bytes}: {ns}");
            let launched = timeline.copy(Route::Within, bytes, own.end_ns, Source::Stream(0));
            assert!(launched.end_ns - launched.start_ns > own.end_ns - own.start_ns, "a launch costs more than a node");
        }
    }
}
