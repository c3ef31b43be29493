//! A lab whose rungs are one launch each: from inputs to one output, compared with a reference in f64.
//!
//! Such a lab says what it computes, for which sizes, and how its rungs are launched. Problems, data, checks, rows, comparisons, tests and the
//! verdict on its exercises follow from that. `course/template/` holds one, which `just new-lab NAME` copies.
//!
//! Its kernels are `NAME_f32` and `NAME_f64`, with the parameters (T *output, const T *inputs…, T scalars…, int extents…). An input that the
//! output starts as is no parameter: the kernel finds it in the output.

mod exercises;
mod kernel;
mod tests;

pub use tests::test;

use crate::LabError;
use crate::benchmark::Benchmark;
use crate::device::{ByDevice, Device};
use crate::element::{Dtype, Element};
use crate::host_memory::HostMemory;
use crate::lab::Lab;
use crate::ladder::{self, Variant};
use crate::matrix::distinct_seed;
use crate::operands::{Layout, Operands};
use crate::plan::{self, Extents, Plan, Problem};
use crate::result::{Comparison, Report, Row};
use crate::turns::Ladder;
use cudarc::driver::LaunchConfig;
use kernel::Kernel;
use kernels::Source;

/// A lab whose rungs are one launch each.
pub trait Lesson: Lab + Default + 'static {
    /// Of a problem: `[usize; N]`.
    type Extents: Extents;

    /// Names of the dimensions, as `--size` takes them: "n", "mxn".
    const DIMENSIONS: &'static str;
    /// Extents of the default sizes, which are as large along each dimension.
    const SIZES: ByDevice<&'static [usize]>;
    /// What tests and verdicts run: one element, primes, multiples and non-multiples of what a block takes.
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

    fn config(&self) -> LaunchConfig {
        L::launch(&self.variant.rung, self.problem.extents, self.problem.dtype)
    }

    /// Threads of a block as reports have them.
    fn block_text(&self) -> String {
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

impl<L: Lesson> Ladder for L {
    type Case = Case<L>;
    type Data<T: Element> = Operands<T>;

    fn new(_: &L::Options, _: &Device) -> Self {
        L::default()
    }

    fn plan(options: &L::Options, device: &Device) -> anyhow::Result<Plan<Case<L>>> {
        let args = &L::args(&mut options.clone()).clone();
        if !args.edge.is_empty() {
            return Err(LabError::host("--edge: the rungs of this lab have blocks of their own", "leave it out").into());
        }
        let mut variants = ladder::select(L::VARIANTS, &args.variant)?;
        let mut plan = Plan::empty(args, device, false);
        plan.keep_runnable(&mut variants, L::NAME, device)?;
        let operands = |extents: L::Extents| {
            let Operation { inputs, output, .. } = L::operation(extents);
            let elements = inputs.iter().chain([&output]).map(|&elements| elements as u128).sum();
            (elements, format!("the operands of {:?}", extents.as_ref()))
        };
        for problem in plan::problems(args, device, L::SIZES, L::DIMENSIONS, operands)? {
            let case = |&variant: &&'static Variant<L::Rung>| Case { variant, problem: problem.clone() };
            let cases = variants.iter().map(case).collect();
            plan.problems.push((problem, cases));
        }
        Ok(plan)
    }

    fn data<T: Element>(device: &Device, problem: &Problem<L::Extents>, _: &[Case<L>]) -> anyhow::Result<Operands<T>> {
        let Operation { inputs, output, flops, moved, .. } = L::operation(problem.extents);
        let input = |(number, &len): (usize, &usize)| ([len, 1], distinct_seed(problem.seed, number as u64));
        let layout = Layout {
            inputs: &inputs.iter().enumerate().map(input).collect::<Vec<_>>(),
            output: [output, 1],
            scratch: &[],
            flops: (flops > 0.0).then_some(flops),
            bytes: moved as f64 * T::DTYPE.bytes() as f64,
        };
        Operands::new(device, problem, &layout)
    }

    fn kernel<'c, T: Element>(
        device: &Device,
        source: &Source,
        case: &'c Case<L>,
    ) -> anyhow::Result<Box<dyn Benchmark<Operands<T>> + 'c>> {
        Ok(Box::new(Kernel::new(device, source, case)?))
    }

    /// Each rung over the first.
    fn conclude(&mut self, report: &mut Report, _: &Device) -> anyhow::Result<()> {
        let first = L::VARIANTS[0].name;
        let alike = |row: &Row, first: &Row| {
            (&row.size, row.dtype, &row.host_memory) == (&first.size, first.dtype, &first.host_memory)
        };
        report.comparisons.extend(Comparison::of_times(
            &format!("over {first}"),
            &["variant", "dtype"],
            &report.rows,
            |row| report.rows.iter().find(|other| other.variant == first && row.variant != first && alike(row, other)),
            |row| vec![row.variant.clone(), row.dtype.to_string()],
        ));
        Ok(())
    }

    fn next(&self, _: &Report) -> &'static str {
        L::NEXT
    }
}
