//! The virtual clock of the host.
use clock::cards::Device;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The host's time for a call, beside a launch. Hosts differ by half, in all of their calls alike: on those of five H200s a launch takes 2.95 to 4.3
/// µs, a copy or a fill 1.2 to 2.2, a time stamp 0.77 to 1.14 in a stream that had the last one too and 1.75 in another, a wait for an event or an
/// event without a time 0.11 to 0.19, and until a wait is seen to be over 2.0 to 4.1 pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Launch,
    /// Copies and fills.
    Copy,
    /// An event with a time, in the stream of the last such one and in another one.
    Stamp,
    StampElsewhere,
    /// A call that only notes something in a stream: a wait, an event without a time.
    Note,
    /// From the end of what the host waits for to the next thing that it does.
    Seen,
}

impl Call {
    const fn of_a_launch(self) -> f64 {
        match self {
            Call::Launch => 1.0,
            Call::Copy => 0.53,
            Call::Stamp => 0.265,
            Call::StampElsewhere => 0.5,
            Call::Note => 0.05,
            Call::Seen => 1.0,
        }
    }

    /// On a host that takes so long for a launch.
    fn ns(self) -> u64 {
        (LAUNCH_NS.load(Ordering::Relaxed) as f64 * self.of_a_launch()) as u64
    }
}

/// The time of a launch on this host, by the row of its first card.
static LAUNCH_NS: AtomicU64 = AtomicU64::new(0);

pub fn host_of(card: &Device) {
    LAUNCH_NS.store(card.launch_host_ns, Ordering::Relaxed);
}

/// The stream of the last time stamp.
static LAST_STAMPED: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The virtual clock of the host: advances with calls and waits, never with the host's own work.
static HOST_NS: AtomicU64 = AtomicU64::new(0);

/// The host's virtual time.
pub fn host_ns() -> u64 {
    HOST_NS.load(Ordering::Relaxed)
}

/// The host made a call.
pub fn spend(call: Call) {
    spend_ns(call.ns());
}

/// The host put a time stamp into a stream.
pub fn stamp(stream: usize) {
    let last = LAST_STAMPED.swap(stream, Ordering::Relaxed);
    spend(if last == stream { Call::Stamp } else { Call::StampElsewhere });
}

/// A call took this long.
pub fn spend_ns(cost_ns: u64) {
    HOST_NS.fetch_add(cost_ns, Ordering::Relaxed);
}

/// The host waited until this time, if it has not come yet, and goes on when it has seen that.
pub fn wait_until_ns(at_ns: u64) {
    if at_ns > host_ns() {
        HOST_NS.fetch_max(at_ns + Call::Seen.ns(), Ordering::Relaxed);
    }
}
