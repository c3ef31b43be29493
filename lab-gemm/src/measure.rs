//! The lab: its plan, data, kernels and yardstick, and what follows from the rows.

use crate::baseline::Blas;
use crate::comparisons;
use crate::data::Data;
use crate::documents::DOCUMENTS;
use crate::launch::Kernel;
use crate::options::{Options, Placement};
use crate::plan::{Case, Plan, Problem, plan};
use crate::question::QUESTION;
use crate::variants::{COLUMNS, Rung, VARIANTS};
use common::benchmark::{Benchmark, Benchmarks};
use common::command_line::CommonArgs;
use common::device::Device;
use common::element::Element;
use common::experiment::{Document, Measure};
use common::lab::Lab;
use common::ladder::Variant;
use common::question::Question;
use common::report::Column;
use common::result::figures::EDGE;
use common::result::{Next, Report, Row};
use common::turns::{Ladder, Turns};
use kernels::Source;

/// Matrix products in turns, with cuBLAS beside them.
pub struct MatrixProduct {
    /// Which matrices the host memory is of.
    placement: Placement,
}

impl Lab for MatrixProduct {
    type Options = Options;
    type Rung = Rung;

    const NAME: &'static str = "gemm";
    const VARIANTS: &'static [Variant<Rung>] = VARIANTS;
    const COLUMNS: &'static [Column] = COLUMNS;
    const QUESTION: Option<Question> = Some(QUESTION);
    const DOCUMENTS: &'static [Document<Options>] = DOCUMENTS;
    const ARGS: fn(&mut Options) -> &mut CommonArgs = |options| &mut options.common;
    const REPORT: Measure<Options> = common::turns::report::<Self>;
}

impl Ladder for MatrixProduct {
    type Case = Case;
    type Data<T: Element> = Data<T>;

    fn new(options: &Options, _: &Device) -> Self {
        MatrixProduct { placement: options.placement }
    }

    fn plan(options: &Options, device: &Device) -> anyhow::Result<Plan> {
        plan(options, device)
    }

    fn skewed(case: &Case) -> Option<Case> {
        Some(Case { problem: case.problem.skewed(), ..case.clone() })
    }

    fn data<T: Element>(device: &Device, _: &Problem, cases: &[Case]) -> anyhow::Result<Data<T>> {
        Data::new(device, cases)
    }

    fn kernel<'c, T: Element>(
        device: &Device,
        source: &Source,
        case: &'c Case,
    ) -> anyhow::Result<Box<dyn Benchmark<Data<T>> + 'c>> {
        Ok(Box::new(Kernel::new(device, source, case)?))
    }

    fn yardsticks<'a, T: Element>(
        &self,
        turns: &Turns<'a>,
        _: &'a Problem,
        cases: &'a [Case],
    ) -> Benchmarks<'a, Data<T>> {
        // cuBLAS gets the first case's host memory.
        let blas = turns.blas.zip(cases.first()).map(|(blas, case)| Box::new(Blas { blas, case }) as Box<_>);
        blas.into_iter().collect()
    }

    fn add_figures<T: Element>(
        &mut self,
        turns: &Turns<'_>,
        _: &Problem,
        data: &mut Data<T>,
        benchmarks: &[Box<dyn Benchmark<Data<T>> + '_>],
        rows: &mut [Row],
    ) -> anyhow::Result<()> {
        comparisons::add_cublas_shares(rows, "gflops");
        if turns.blas.is_some()
            && let Some(series) = turns.measure_back_to_back(data, benchmarks)?
        {
            comparisons::add_series(rows, &series);
            comparisons::add_cublas_shares(rows, "series_gflops");
        }
        Ok(())
    }

    fn conclude(&mut self, report: &mut Report, _: &Device) -> anyhow::Result<()> {
        comparisons::add(report, self.placement);
        Ok(())
    }

    fn next(&self, report: &Report) -> Next {
        let edges = || report.rows.iter().filter_map(|row| row.get(&EDGE));
        let one_edge = edges().all(|edge| Some(edge) == edges().next());
        if one_edge {
            Next::new("cargo run -rp lab-gemm -- --edge 8,16,32", "how the block's shape changes the load efficiency")
        } else {
            Next::new("cargo run -rp lab-gemm -- --counters --variant naive,shared", "why one is faster")
        }
    }
}
