//! The card that kernels run on: chosen, opened, called, observed. The simulated driver is known in [`mod@simulator`] alone.
//!
//! No file here names a matrix, a run or a report.

pub mod call;
pub mod ceiling;
pub mod choice;
mod instrumentation;
pub mod kernel_text;
pub mod memory;
pub mod observations;
mod opened;
pub mod recorder;
pub mod simulator;

pub use choice::DeviceChoice;
pub use instrumentation::Instrumentation;
pub(crate) use opened::simulator;
pub use opened::{
    ByDevice, Device, Limits, give_source, is_simulated, keep_printed, limit_instructions, profiles, standing,
    take_printed,
};
