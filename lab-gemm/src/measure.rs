//! Runs the plan: the cases of a problem in turns, each run timed by phase, the result checked. Returns data; prints nothing.

use crate::baselines::Blas;
use crate::comparisons;
use crate::data::Data;
use crate::launch::Kernel;
use crate::options::{Options, Placement};
use crate::plan::{Case, Plan, Problem};
use common::benchmark::{Benchmarks, measure_alone};
use common::device::Device;
use common::element::{Dtype, Element};
use common::lab::{Lab, Turns};
use common::result::{Report, Row};
use common::subject::Subject;
use common::timing::Runs;
use cudarc::cublas::{CudaBlas, Gemm};
use kernels::Source;

/// Measures every case of the plan. Stops at the first that gives no result.
pub fn measure(options: &Options, plan: &Plan, device: &Device) -> anyhow::Result<Report> {
    common::lab::measure(&mut MatrixProduct { placement: options.placement }, plan, device)
}

/// Measures one case with a kernel from `source`: the rung's own, or a test's changed one.
pub fn run_case(device: &Device, source: &Source, case: &Case, runs: Runs) -> anyhow::Result<Row> {
    match case.problem.dtype {
        Dtype::F32 => run_typed::<f32>(device, source, case, runs),
        Dtype::F64 => run_typed::<f64>(device, source, case, runs),
    }
}

fn run_typed<T: Element>(device: &Device, source: &Source, case: &Case, runs: Runs) -> anyhow::Result<Row> {
    let kernel = Kernel::new(device, source, case)?;
    let mut data = Data::<T>::new(device, std::iter::once(&case.problem))?;
    measure_alone(device, &mut data, kernel, runs)
}

/// What this lab adds to the loop over a plan.
struct MatrixProduct {
    /// Which matrices the host memory is of.
    placement: Placement,
}

impl Lab for MatrixProduct {
    type Problem = Problem;
    type Case = Case;

    const NAME: &'static str = "gemm";

    fn subject<'c>(&self, case: &'c Case) -> Subject<'c, Case> {
        Subject { rung: case.variant.name, extents: &case.problem.extents, case }
    }

    fn label(&self, case: &Case) -> String {
        case.label()
    }

    fn alone(&self, device: &Device, case: &Case, runs: Runs) -> anyhow::Result<Row> {
        run_case(device, &kernels::source(Self::NAME, case.variant.name)?, case, runs)
    }

    fn together(&mut self, turns: &Turns<'_>, problem: &Problem, cases: &[Case]) -> anyhow::Result<Vec<Row>> {
        match problem.dtype {
            Dtype::F32 => measure_problem::<f32>(turns, cases),
            Dtype::F64 => measure_problem::<f64>(turns, cases),
        }
    }

    fn conclude(&mut self, report: &mut Report, _: &Device) -> anyhow::Result<()> {
        comparisons::add(report, self.placement);
        Ok(())
    }

    fn next(&self, report: &Report) -> &'static str {
        let edges = || report.rows.iter().filter_map(|row| row.number("edge"));
        let one_edge = edges().all(|edge| Some(edge) == edges().next());
        if one_edge {
            "cargo run -rp lab-gemm -- --edge 8,16,32   (how the block's shape changes the load efficiency)"
        } else {
            "cargo run -rp lab-gemm -- --counters --variant naive,shared   (why one is faster)"
        }
    }
}

/// The cases of one problem, with cuBLAS where it is there.
fn measure_problem<T: Element>(turns: &Turns<'_>, cases: &[Case]) -> anyhow::Result<Vec<Row>>
where
    CudaBlas: Gemm<T>,
{
    let mut benchmarks: Benchmarks<Data<T>> = Vec::new();
    for case in cases {
        let source = kernels::source(MatrixProduct::NAME, case.variant.name)?;
        benchmarks.push(Box::new(Kernel::new(turns.device, &source, case)?));
    }
    // cuBLAS gets the first case's host memory.
    let first = &cases[0].problem;
    if let Some(blas) = turns.blas {
        benchmarks.push(Box::new(Blas { blas, problem: first }));
    }
    let mut data = Data::new(turns.device, cases.iter().map(|case| &case.problem))?;
    let mut rows = turns.measure(&mut data, &benchmarks)?;
    comparisons::add_cublas_shares(&mut rows, "gflops");
    if turns.blas.is_some()
        && let Some(series) = turns.measure_back_to_back(&mut data, &benchmarks)?
    {
        comparisons::add_series(&mut rows, &series);
        comparisons::add_cublas_shares(&mut rows, "series_gflops");
    }
    Ok(rows)
}
