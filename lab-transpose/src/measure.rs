//! Runs the plan: all cases of a problem in turns on the same data, each checked. Returns data; prints nothing.

use crate::baselines::{Blas, DriverCopy, Geam};
use crate::cold;
use crate::comparisons;
use crate::data::Data;
use crate::launch::Kernel;
use crate::options::Options;
use crate::plan::{Case, Plan, Problem};
use anyhow::Context;
use common::benchmark::{Benchmarks, add_shares, measure_alone};
use common::device::{ByDevice, Device};
use common::element::{Dtype, Element};
use common::lab::{Lab, Turns};
use common::result::{Report, Row};
use common::subject::Subject;
use common::timing::Runs;
use kernels::Source;

/// Measures every case of the plan. Stops at the first that gives no result.
pub fn measure(options: &Options, plan: &Plan, device: &Device) -> anyhow::Result<Report> {
    // A single launch is timed in no state in particular: its output has just been overwritten.
    let cold = options.common.series && device.choose(ByDevice { simulator: false, gpu: true });
    common::lab::measure(&mut Transpose { driver_copy: !options.no_yardsticks, cold }, plan, device)
}

/// Measures one case with a kernel from `source`: the rung's own, or a test's changed one.
pub fn run_case(device: &Device, source: &Source, case: &Case, runs: Runs) -> anyhow::Result<Row> {
    match case.problem.dtype {
        Dtype::F32 => run_typed::<f32>(device, source, case, runs),
        Dtype::F64 => run_typed::<f64>(device, source, case, runs),
    }
}

fn run_typed<T: Element>(device: &Device, source: &Source, case: &Case, runs: Runs) -> anyhow::Result<Row> {
    let mut data = Data::<T>::new(device, &case.problem)?;
    measure_alone(device, &mut data, Kernel::new(device, source, case)?, runs)
}

/// What this lab adds to the loop over a plan.
struct Transpose {
    /// Whether the driver's own copy is measured as well.
    driver_copy: bool,
    /// Whether each row is measured once more with its matrices in no cache.
    cold: bool,
}

impl Lab for Transpose {
    type Problem = Problem;
    type Case = Case;

    const NAME: &'static str = "transpose";

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
            Dtype::F32 => self.measure_problem::<f32>(turns, problem, cases),
            Dtype::F64 => self.measure_problem::<f64>(turns, problem, cases),
        }
    }

    fn conclude(&mut self, report: &mut Report, _: &Device) -> anyhow::Result<()> {
        comparisons::add(report);
        Ok(())
    }

    fn next(&self, report: &Report) -> &'static str {
        let in_place = report.rows.iter().any(|row| row.figures.get("place").is_some_and(|place| place == "in"));
        let kepler = report.device.compute_capability.starts_with('3');
        if !kepler {
            "cargo run -rp lab-transpose -- --device sim:gt740m --size 64   (the assignment's card, whose banks are 8 bytes wide)"
        } else if !in_place {
            "cargo run -rp lab-transpose -- --place out,in   (over the matrix itself)"
        } else {
            "cargo run -rp lab-transpose -- --lines --variant padded --size 64   (which line waits for the banks)"
        }
    }
}

impl Transpose {
    /// The cases of one problem, with the driver's copy and cuBLAS where they are wanted and there.
    fn measure_problem<T: Geam>(
        &self,
        turns: &Turns<'_>,
        problem: &Problem,
        cases: &[Case],
    ) -> anyhow::Result<Vec<Row>> {
        let mut data = Data::<T>::new(turns.device, problem)?;
        let mut benchmarks: Benchmarks<Data<T>> = Vec::new();
        for case in cases {
            let source = kernels::source(Self::NAME, case.variant.name)?;
            benchmarks.push(Box::new(Kernel::new(turns.device, &source, case)?));
        }
        if self.driver_copy {
            benchmarks.push(Box::new(DriverCopy(problem)));
        }
        if let Some(blas) = turns.blas {
            benchmarks.push(Box::new(Blas { blas, problem }));
        }
        let mut rows = turns.measure(&mut data, &benchmarks)?;
        add_shares(&mut rows, "copy", "copy_percent");
        add_shares(&mut rows, "memcpy", "driver_copy_percent");
        add_shares(&mut rows, "cublas", "cublas_percent");
        if self.cold {
            cold::add(&mut rows, turns, &mut data, &benchmarks).context("measuring with the matrices in no cache")?;
        }
        Ok(rows)
    }
}
