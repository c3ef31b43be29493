//! A lab whose rungs are one launch each: from inputs to one output, compared with a reference in f64.
//!
//! Such a lab says what it computes, for which sizes, and how its rungs are launched. Problems, data, checks, rows, comparisons, tests and the
//! verdict on its exercises follow from that. `course/template/` holds one, which `just new-lab NAME` copies.
//!
//! Its kernels are `NAME_f32` and `NAME_f64`, with the parameters (T *output, const T *inputs…, unsigned *scratch, T scalars…, int numbers…), the
//! numbers being the extents unless the lesson says otherwise. An input that the output starts as is no parameter: the kernel finds it in the
//! output. Scratch is one only where the lesson has some for the rung.

mod definition;
mod exercises;
mod kernel;
mod tests;

pub use definition::{Case, Lesson, Operation, Scratch};
pub use tests::test;

use crate::LabError;
use crate::benchmark::Benchmark;
use crate::device::Device;
use crate::element::{Dtype, Element};
use crate::ladder::{self, Variant};
use crate::matrix::distinct_seed;
use crate::operands::{Layout, Operands};
use crate::plan::{self, Plan, Problem};
use crate::result::{Comparison, Next, Report, Row};
use crate::turns::Ladder;
use kernel::Kernel;
use kernels::Source;

impl<L: Lesson> Ladder for L {
    type Case = Case<L>;
    type Data<T: Element> = Operands<T>;

    fn new(_: &L::Options, _: &Device) -> Self {
        L::default()
    }

    fn plan(options: &L::Options, device: &Device) -> anyhow::Result<Plan<Case<L>>> {
        let args = &(L::ARGS)(&mut options.clone()).clone();
        if !args.edge.is_empty() {
            return Err(
                LabError::usage("--edge: the rungs of this lab have blocks of their own", "leave it out").into()
            );
        }
        if let Some(dtype) = args.dtype.iter().find(|&dtype| !L::DTYPES.contains(dtype)) {
            let known: Vec<String> = L::DTYPES.iter().map(Dtype::to_string).collect();
            let what = format!("--dtype {dtype}: the kernels of this lab are there in {}", known.join(" and "));
            return Err(LabError::usage(what, "leave it out").into());
        }
        let mut variants = ladder::select(L::VARIANTS, &args.variant)?;
        let mut plan = Plan::empty(args, device, false);
        plan.keep_runnable(&mut variants, L::NAME, device)?;
        let operands = |extents: L::Extents| {
            let elements = |variant: &&'static Variant<L::Rung>| {
                let Operation { inputs, output, .. } = L::operation(&variant.rung, extents);
                inputs.iter().chain([&output]).map(|&elements| elements as u128).sum()
            };
            let most = variants.iter().map(elements).max().unwrap_or_default();
            (most, format!("the operands of {:?}", extents.as_ref()))
        };
        for problem in plan::problems(args, device, L::SIZES, L::DIMENSIONS, operands)? {
            let case = |&variant: &&'static Variant<L::Rung>| Case {
                variant,
                problem: problem.clone(),
                most_blocks: u32::MAX,
            };
            let cases: Vec<Case<L>> = variants.iter().map(case).collect();
            match L::ONE_RESULT {
                true => plan.problems.push((problem, cases)),
                false => plan.problems.extend(cases.into_iter().map(|case| (problem.clone(), vec![case]))),
            }
        }
        Ok(plan)
    }

    fn data<T: Element>(
        device: &Device,
        problem: &Problem<L::Extents>,
        cases: &[Case<L>],
    ) -> anyhow::Result<Operands<T>> {
        let Operation { inputs, output, flops, moved, .. } = cases[0].operation();
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

    /// Each rung over the first, where they compute the same.
    fn conclude(&mut self, report: &mut Report, _: &Device) -> anyhow::Result<()> {
        if !L::ONE_RESULT {
            return Ok(());
        }
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

    fn next(&self, _: &Report) -> Next {
        L::NEXT
    }
}
