//! Listeners: probes that hear what a launch does and keep what its time depends on.
pub mod acts;
pub mod atomic_queue;
pub mod atomics;
mod barriers;
pub mod hand_over;
mod places;
mod shapes;
pub mod trace;
pub mod traffic;
pub mod warp_trace;
