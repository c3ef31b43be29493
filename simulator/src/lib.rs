//! A CUDA driver with no GPU behind it: all rooms of the simulated card under one name.
//!
//! Built as `libcuda.so`'s stand-in: a program that loads it finds the driver API, and its kernels' PTX is run on the
//! host. Arrows go one way: [`ptx`] (text to tree) → `machine` (tree to flat code, and flat code on lanes) → `watch` and `clock`, which
//! listen to it → [`driver`], the C surface.

pub use clock::{device, occupancy, timeline};
pub use driver;
pub use machine::{exec, fault, host, link, lower, memory, probe, program, tensor};
pub use ptx::{self, isa};
pub use watch::{counters, diagnostics, sampling, sanitizer};
