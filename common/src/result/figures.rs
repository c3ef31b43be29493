//! The figures that rows carry under keys of their own, each with the type of its value.

use std::marker::PhantomData;

/// A figure of a row: its key in documents, and the type of its value.
#[derive(Debug)]
pub struct Figure<T> {
    pub(super) key: &'static str,
    value: PhantomData<fn() -> T>,
}

impl<T> Figure<T> {
    /// A figure with this key.
    pub const fn new(key: &'static str) -> Self {
        Figure { key, value: PhantomData }
    }
}

/// The part of a launch that sets its time.
pub const BOUND_BY: Figure<String> = Figure::new("bound_by");
/// The least time of a batch, whose copies and kernels overlap perfectly.
pub const LIMIT_MS: Figure<f64> = Figure::new("limit_ms");
/// The part of a batch that takes as long.
pub const LIMITED_BY: Figure<String> = Figure::new("limited_by");
/// Stands for that part where a batch takes longer than the longest of its parts because they do not overlap.
pub const IN_TURN: &str = "parts in turn";
/// The gain by perfect overlap from which on a batch is bound by no part alone.
pub const LEAST_GAIN: f64 = 1.1;
/// Edge of square blocks.
pub const EDGE: Figure<u64> = Figure::new("edge");
/// Present where a time is the host's, which issues launches more slowly than the device runs them.
pub const HOST_BOUND: Figure<bool> = Figure::new("host_bound");
/// The rate as a share of the card's arithmetic peak.
pub const PEAK_PERCENT: Figure<f64> = Figure::new("peak_percent");
/// The work of a batch, "gemm" or "chunks".
pub const WORKLOAD: Figure<String> = Figure::new("workload");
