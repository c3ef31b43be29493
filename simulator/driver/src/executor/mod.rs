//! Doing the work that streams hold: the data now, the time on the virtual clock.
//!
//! The thread that waits does what it waits for: it takes an operation under the state's lock, gives the lock back, runs,
//! locks again and enters the outcome. Whoever else needs the same operation meanwhile sees that it is taken, and waits for
//! news. Where a wait needs kernels of several devices, every other device's share goes to that device's worker thread.
//! One kernel runs on a device at a time; copies and fills pass it by. Host functions have threads of their own, as CUDA
//! has it; while one runs, only waits wait for it.
//!
//! Virtual time must not depend on the threads of the host. What one wait does is therefore chosen under the lock, and then
//! done in the order of submission on each device, whatever is completed beside it meanwhile.
mod again;
mod at_exit;
mod conditional;
mod copies;
mod descendants;
mod finish;
mod first_page;
mod in_order;
mod in_time;
mod job;
mod kernel;
mod launch_time;
mod panics;
mod progress;
mod sampled;
mod value;
mod wait;
mod worker;

pub use crate::listeners::Listeners;
pub use at_exit::at_exit;
pub use finish::{finish, make_room, poll};
pub use in_time::call_in_time;
pub use launch_time::Clock;
pub use progress::running;
pub use wait::{wait_for_context, wait_for_device};
