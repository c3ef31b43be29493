//! A device's engines: when a card would have done what the simulator does.
//!
//! Work comes with the time from which on it may run. The engines for copies have calendars, and a copy takes the first gap that
//! fits; kernels share the multiprocessors, their caches and memory. Nothing here depends on the host's time.
use super::copy_engine::{CopyEngine, Source};
use super::sharing::{Sharing, Wanted};
use super::span::Span;
use super::utilisation::Utilisation;
use crate::analytic::demand::{Demand, Term};
use crate::analytic::work::beyond_l2;
use crate::cards::Device;
use crate::constants::{
    COPY_LAUNCH_NS, COPY_SHARE_OF_L2, COPY_SHARE_OF_ROOM, COPY_START_CYCLES, HOST_BYTES_PER_S,
    LEAST_SHARE_OF_SECOND_WAY, SHARE_OF_LATENCY_IN, SHARE_OF_LATENCY_OUT,
};

/// From where to where a copy goes: that decides its engine and its rate.
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

/// The direction of a copy over the bus, as the device sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

impl Direction {
    /// The part of the card's latency that a copy takes beside its bytes.
    fn share_of_latency(self) -> f64 {
        match self {
            Direction::In => SHARE_OF_LATENCY_IN,
            Direction::Out => SHARE_OF_LATENCY_OUT,
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
                let mut demand = Demand { room: COPY_SHARE_OF_ROOM, ..Demand::default() };
                demand.units[if l2_ns > memory_ns { Term::L2 } else { Term::Memory } as usize] = 1.0;
                let duration_ns = gap_ns + own_ns + work_ns;
                self.multiprocessors.place(&[Wanted { ready_ns, duration_ns, demand, ..Wanted::default() }], 0)
            }
            Route::Host => Span { start_ns: ready_ns, end_ns: ready_ns + at_rate(HOST_BYTES_PER_S) },
            Route::Peer => {
                let alone_ns = card.copy_latency_ns + at_rate(card.pinned_bytes_per_s);
                self.to_device.reserve(from, ready_ns, alone_ns, |_, duration_ns| duration_ns)
            }
            Route::ToDevice { pinned } => {
                let rate = if pinned { card.pinned_bytes_per_s } else { card.pageable_to_device_bytes_per_s };
                self.over_the_bus(Direction::In, bytes, rate, ready_ns, from)
            }
            Route::FromDevice { pinned } => {
                let rate = if pinned { card.pinned_bytes_per_s } else { card.pageable_from_device_bytes_per_s };
                self.over_the_bus(Direction::Out, bytes, rate, ready_ns, from)
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
    fn over_the_bus(&mut self, direction: Direction, bytes: u64, rate: f64, ready_ns: u64, from: Source) -> Span {
        let card = self.card;
        let (own, opposite) = if direction == Direction::In || card.copy_engines < 2 {
            (&mut self.to_device, &self.from_device)
        } else {
            (&mut self.from_device, &self.to_device)
        };
        let latency_ns = card.copy_latency_ns as f64 * direction.share_of_latency();
        let alone_ns = latency_ns as u64 + (bytes as f64 / rate * 1e9) as u64;
        let beside = (card.pinned_both_ways_bytes_per_s - card.pinned_bytes_per_s)
            .max(card.pinned_bytes_per_s * LEAST_SHARE_OF_SECOND_WAY);
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
            let mut timeline = Timeline::new(crate::cards::find("h200").unwrap());
            let own = timeline.copy(Route::Within, bytes, 0, Source::Graph);
            let ns = (own.end_ns - own.start_ns) as f64;
            assert!((ns / measured_ns - 1.0).abs() < 0.1, "{bytes}: {ns}");
            let launched = timeline.copy(Route::Within, bytes, own.end_ns, Source::Stream(0));
            assert!(launched.end_ns - launched.start_ns > own.end_ns - own.start_ns, "a launch costs more than a node");
        }
    }
}
