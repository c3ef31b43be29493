//! The description that a lesson gives of itself, and its rungs on problems.

use crate::device::ByDevice;
use crate::element::{Dtype, Element};
use crate::exercise::Strategy;
use crate::host_memory::HostMemory;
use crate::lab::Lab;
use crate::ladder::Variant;
use crate::plan::{self, Extents, Problem};
use crate::result::Next;
use cudarc::driver::LaunchConfig;

/// A lab whose rungs are one launch each. Most lessons have rungs that compute the same, and ignore the rung in [`operation`](Lesson::operation)
/// and [`reference`](Lesson::reference).
pub trait Lesson: Lab + Default + 'static {
    /// Extents of a problem: `[usize; N]`.
    type Extents: Extents;

    /// Names of the dimensions, as `--size` takes them: "n", "mxn".
    const DIMENSIONS: &'static str;
    /// Extents of the default sizes, which are as large along each dimension.
    const SIZES: ByDevice<&'static [usize]>;
    /// Shapes of tests and verdicts: one element, primes, multiples and non-multiples of what a block takes. At the first, every part of a kernel has
    /// work: one that touches no memory there is told to do nothing.
    const SHAPES: &'static [Self::Extents];
    /// Extents of the run whose figures an exercise's contracts look at.
    const MEASURED: Self::Extents;
    /// Numbers that the kernels take by value.
    const SCALARS: &'static [f64] = &[];
    /// Element types of the kernels; a verdict takes them in turns.
    const DTYPES: &'static [Dtype] = &[Dtype::F32, Dtype::F64];
    /// `true` where all rungs compute the same: then they share their data, and a report has each of them over the first.
    const ONE_RESULT: bool = true;
    /// The first of the lab's questions, as a command.
    const NEXT: Next;

    /// The operands of a problem, and its work.
    fn operation(rung: &Self::Rung, extents: Self::Extents) -> Operation;

    /// The output as it should be.
    fn reference(rung: &Self::Rung, extents: Self::Extents, inputs: &[Vec<f64>]) -> Vec<f64>;

    /// The launch of a rung.
    fn launch(rung: &Self::Rung, extents: Self::Extents, dtype: Dtype) -> LaunchConfig;

    /// `true` where the blocks share all elements, however many blocks there are.
    fn shares(_rung: &Self::Rung) -> bool {
        false
    }

    /// Shapes of verdicts alone, where a rung has rows, columns or threads that it may number in 16 bits by mistake.
    fn large(_rung: &Self::Rung) -> &'static [Self::Extents] {
        &[]
    }

    /// The whole numbers that a rung's kernel takes.
    fn numbers(_rung: &Self::Rung, extents: Self::Extents) -> Vec<usize> {
        extents.as_ref().to_vec()
    }

    /// Words that a rung's kernel finds in its scratch memory at the beginning of every launch: counters, states of blocks, sums made before. `None`:
    /// the kernel has no such parameter.
    fn scratch(_rung: &Self::Rung) -> Option<Scratch<Self::Extents>> {
        None
    }

    /// `true` where the output is zero at the beginning of every launch, because blocks add to it or leave parts of it out.
    fn starts_as_zeros(_rung: &Self::Rung) -> bool {
        false
    }

    /// Brings an output of a rung into the form in which it is compared, where several outputs are right. The reference has that form already.
    fn normalise<T: Element>(_rung: &Self::Rung, _output: &mut [T]) {}

    /// How the exercise of this name is judged whose file is Rust; `None` where the lab has none.
    fn strategy(_exercise: &str) -> Option<Strategy> {
        None
    }
}

/// The words of a rung's scratch memory, at least one, by the extents of a problem and its inputs.
pub type Scratch<E> = fn(E, &[Vec<f64>]) -> Vec<u32>;

/// A problem as numbers.
pub struct Operation {
    /// Elements of each input.
    pub inputs: Vec<usize>,
    /// Elements of the output.
    pub output: usize,
    /// Its columns; 1 for a vector.
    pub columns: usize,
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
    /// The problem that it computes.
    pub problem: Problem<L::Extents>,
    /// Blocks along x at most, where they are fewer than those of the launch.
    pub most_blocks: u32,
}

impl<L: Lesson> Case<L> {
    /// A rung on a problem of its own.
    pub fn new(variant: &'static Variant<L::Rung>, extents: L::Extents, dtype: Dtype, seed: u64) -> Self {
        Case { variant, problem: Problem::new(extents, dtype, HostMemory::Pageable, seed), most_blocks: u32::MAX }
    }

    pub(super) fn operation(&self) -> Operation {
        L::operation(&self.variant.rung, self.problem.extents)
    }

    pub(super) fn config(&self) -> LaunchConfig {
        let mut config = L::launch(&self.variant.rung, self.problem.extents, self.problem.dtype);
        config.grid_dim.0 = config.grid_dim.0.min(self.most_blocks);
        config
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

    fn parts(&self) -> (&'static Variant<L::Rung>, &Problem<L::Extents>) {
        (self.variant, &self.problem)
    }

    fn label(&self) -> String {
        let Problem { size, dtype, .. } = &self.problem;
        format!("{} {size}, block {}, {dtype}", self.variant.name, self.block_text())
    }
}
