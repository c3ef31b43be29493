//! The virtual clock of the host.
use std::sync::atomic::{AtomicU64, Ordering};

/// The virtual clock of the host: advances with calls and waits, never with the host's own work.
static HOST_NS: AtomicU64 = AtomicU64::new(0);

/// The host's virtual time.
pub fn host_ns() -> u64 {
    HOST_NS.load(Ordering::Relaxed)
}

/// A call took this long.
pub fn spend_ns(cost_ns: u64) {
    HOST_NS.fetch_add(cost_ns, Ordering::Relaxed);
}

/// The host waited until this time.
pub fn wait_until_ns(at_ns: u64) {
    HOST_NS.fetch_max(at_ns, Ordering::Relaxed);
}
