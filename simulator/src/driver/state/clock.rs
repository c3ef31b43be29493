//! The virtual clock of the host.
use crate::device::Device;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a call takes of the host, beside a launch. Hosts differ by half, in all of their calls alike: on those of three H200s a launch takes 2.95 to 4.3
/// µs, a copy or a fill 1.6 to 2.2, an event's record 0.77 to 1.14, and until a wait is seen to be over 2.0 to 3.6 pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Launch,
    /// Copies and fills.
    Copy,
    Record,
    /// What only notes something in a stream.
    Note,
    /// From the end of what the host waits for to the next thing that it does.
    Seen,
}

impl Call {
    const fn of_a_launch(self) -> f64 {
        match self {
            Call::Launch => 1.0,
            Call::Copy => 0.53,
            Call::Record => 0.265,
            Call::Note => 0.09,
            Call::Seen => 0.8,
        }
    }

    /// On a host that takes so long for a launch.
    fn ns(self) -> u64 {
        (LAUNCH_NS.load(Ordering::Relaxed) as f64 * self.of_a_launch()) as u64
    }
}

/// What a launch takes of this host, by the row of its first card.
static LAUNCH_NS: AtomicU64 = AtomicU64::new(0);

/// The host of a card has its calls.
pub fn host_of(card: &Device) {
    LAUNCH_NS.store(card.launch_host_ns, Ordering::Relaxed);
}

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
