//! The terms of a kernel's time, and how much of each unit of the card a kernel takes.

/// A term of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    Issue,
    Fp32,
    Fp64,
    Fp16,
    Integer,
    Special,
    Tensor,
    L1,
    Shared,
    L2,
    Memory,
    Bus,
    Atomics,
    Starts,
    Latency,
}

impl Term {
    /// As reports call it.
    pub const fn name(self) -> &'static str {
        match self {
            Term::Issue => "instruction issue",
            Term::Fp32 => "fp32 throughput",
            Term::Fp64 => "fp64 throughput",
            Term::Fp16 => "fp16 throughput",
            Term::Integer => "integer throughput",
            Term::Special => "special functions",
            Term::Tensor => "tensor throughput",
            Term::L1 => "L1 traffic",
            Term::Shared => "shared-memory wavefronts",
            Term::L2 => "L2 traffic",
            Term::Memory => "device memory",
            Term::Bus => "the bus to the host",
            Term::Atomics => "atomics",
            Term::Starts => "starting blocks",
            Term::Latency => "latency",
        }
    }
}

/// Units that kernels share: all terms but the latency.
pub const UNITS: usize = Term::Latency as usize;

/// Shares of the card, 0 to 1, that a kernel takes while it has the card for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// Of the room for blocks.
    pub room: f64,
    /// Of each unit, on average over its duration.
    pub units: [f64; UNITS],
}
