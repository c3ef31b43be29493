//! The terms of a kernel's time, and how much of each unit of the card a kernel takes.

super::named! {
    /// A term of the model.
    pub enum Term;
    Issue = "instruction issue",
    Fp32 = "fp32 throughput",
    Fp64 = "fp64 throughput",
    Fp16 = "fp16 throughput",
    Integer = "integer throughput",
    Special = "special functions",
    Tensor = "tensor throughput",
    L1 = "L1 traffic",
    Shared = "shared-memory wavefronts",
    L2 = "L2 traffic",
    Memory = "device memory",
    Bus = "the bus to the host",
    Atomics = "atomics",
    Starts = "starting blocks",
    Latency = "latency",
}

/// Units that kernels share: all terms but the latency.
pub const UNITS: usize = Term::Latency as usize;

/// Shares of the card, 0 to 1, that a kernel takes while it has the card for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// The share of the room for blocks.
    pub room: f64,
    /// The share of each unit, on average over the kernel's duration.
    pub units: [f64; UNITS],
}
