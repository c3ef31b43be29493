//! Times of launches on the clock, by kernel, shape and arguments.
//!
//! Counting a launch for the clock costs more than running it. Where nobody asked for counters, a launch that runs as many
//! instructions as an earlier one of its kernel, shape and arguments takes its time from that one. The first launch of a shape is
//! counted, and so is the next one after a launch that ran another number of instructions than all that were counted, up to a limit.
//! An argument that is an address counts by the kind of memory there and by how it lies to lines: another stride or extent is another shape, the next batch's array is not.
use clock::analytic::kernel_time::Estimate;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// Launches of one shape that are counted.
const MOST_COUNTED: usize = 8;
/// Numbers of instructions are alike within this share.
const ALIKE: f64 = 0.02;
/// Shapes of a module's kernels that are remembered.
const MOST_SHAPES: usize = 1 << 14;

/// All that the time of a launch depends on, but for its data.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    pub kernel: usize,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub cooperative: bool,
    /// A hash of the arguments.
    pub arguments: u64,
}

/// The launches of one shape.
#[derive(Default)]
struct Known {
    /// Warp instructions, and what they took.
    counted: Vec<(u64, Estimate)>,
    counts_next: bool,
}

/// The launches of a module's kernels.
#[derive(Default)]
pub struct KnownTimes(Mutex<FxHashMap<Shape, Known>>);

impl KnownTimes {
    /// True if the time of a launch can be told once it has run, without counting.
    pub fn covers(&self, shape: &Shape) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(shape).is_some_and(|known| !known.counts_next)
    }

    /// Remembers a launch that was counted.
    pub fn learn(&self, shape: Shape, instructions: u64, estimate: &Estimate) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_SHAPES {
            return;
        }
        let known = all.entry(shape).or_default();
        known.counts_next = false;
        known.counted.push((instructions, estimate.of_a_repetition(1.0)));
    }

    /// The time of a launch that ran so many instructions: that of the counted one that is nearest, in proportion.
    pub fn time(&self, shape: &Shape, instructions: u64) -> Option<Estimate> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get_mut(shape)?;
        let share = |of: u64| instructions.max(1) as f64 / of.max(1) as f64;
        let distance = |of: u64| share(of).ln().abs();
        let nearest = known.counted.iter().min_by(|(a, _), (b, _)| distance(*a).total_cmp(&distance(*b)))?;
        known.counts_next = distance(nearest.0) > ALIKE && known.counted.len() < MOST_COUNTED;
        Some(nearest.1.of_a_repetition(share(nearest.0)))
    }
}
