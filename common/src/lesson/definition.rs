//! What a lesson says of itself, and its rungs on problems.

use crate::device::ByDevice;
use crate::element::Dtype;
use crate::host_memory::HostMemory;
use crate::lab::Lab;
use crate::ladder::Variant;
use crate::plan::{self, Extents, Problem};
use cudarc::driver::LaunchConfig;

/// A lab whose rungs are one launch each.
pub trait Lesson: Lab + Default + 'static {
    /// Of a problem: `[usize; N]`.
    type Extents: Extents;

    /// Names of the dimensions, as `--size` takes them: "n", "mxn".
    const DIMENSIONS: &'static str;
    /// Extents of the default sizes, which are as large along each dimension.
    const SIZES: ByDevice<&'static [usize]>;
    /// Shapes of tests and verdicts: one element, primes, multiples and non-multiples of what a block takes. At the first, every part of a kernel has
    /// work: one that touches no memory there counts as not started.
    const SHAPES: &'static [Self::Extents];
    /// Of the run whose figures an exercise's contracts look at.
    const MEASURED: Self::Extents;
    /// Numbers that the kernels take by value.
    const SCALARS: &'static [f64] = &[];
    /// The first of the lab's questions, as a command.
    const NEXT: &'static str;

    /// What a problem's operands and its work are.
    fn operation(extents: Self::Extents) -> Operation;

    /// The output as it should be.
    fn reference(extents: Self::Extents, inputs: &[Vec<f64>]) -> Vec<f64>;

    /// The launch of a rung.
    fn launch(rung: &Self::Rung, extents: Self::Extents, dtype: Dtype) -> LaunchConfig;
}

/// What a problem is as numbers.
pub struct Operation {
    /// Elements of each input.
    pub inputs: Vec<usize>,
    /// Elements of the output.
    pub output: usize,
    /// The input that the output starts as, if it is computed in place.
    pub starts_as: Option<usize>,
    /// Floating-point operations.
    pub flops: f64,
    /// Elements that have to move at least once.
    pub moved: usize,
    /// Products that are added up for one element, for the tolerance; 0 for copies.
    pub terms: usize,
}

/// One row to be: a rung on a problem.
pub struct Case<L: Lesson> {
    /// The rung.
    pub variant: &'static Variant<L::Rung>,
    /// What it computes.
    pub problem: Problem<L::Extents>,
}

impl<L: Lesson> Case<L> {
    /// A rung on a problem of its own.
    pub fn new(variant: &'static Variant<L::Rung>, extents: L::Extents, dtype: Dtype, seed: u64) -> Self {
        Case { variant, problem: Problem::new(extents, dtype, HostMemory::Pageable, seed) }
    }

    pub(super) fn config(&self) -> LaunchConfig {
        L::launch(&self.variant.rung, self.problem.extents, self.problem.dtype)
    }

    /// Threads of a block as reports have them.
    pub(super) fn block_text(&self) -> String {
        let (x, y, _) = self.config().block_dim;
        format!("{x}x{y}")
    }
}

impl<L: Lesson> plan::Case for Case<L> {
    type Rung = L::Rung;
    type Extents = L::Extents;

    fn variant(&self) -> &'static Variant<L::Rung> {
        self.variant
    }

    fn problem(&self) -> &Problem<L::Extents> {
        &self.problem
    }

    fn label(&self) -> String {
        let Problem { size, dtype, .. } = &self.problem;
        format!("{} {size}, block {}, {dtype}", self.variant.name, self.block_text())
    }
}
