//! Runs the plan: all cases of a problem in turns on the same data, each checked. Returns data; prints nothing.

use crate::comparisons;
use crate::data::Data;
use crate::launch::Kernel;
use crate::plan::{Case, Plan, Problem};
use crate::yardstick::{Blas, DriverCopy, Geam};
use common::contest::{Contestant, add_shares, measure_alone, measure_in_turns};
use common::cublas;
use common::device::Device;
use common::element::{Dtype, Element};
use common::examination::Examination;
use common::progress::Progress;
use common::report;
use common::result::{Report, Row};
use common::subject::Subject;
use common::timing::Runs;
use cudarc::cublas::CudaBlas;
use kernels::Source;

/// Measures every case of the plan. Stops at the first that gives no result.
pub fn measure(plan: &Plan, device: &Device) -> anyhow::Result<Report> {
    let mut report = Report::new(device.facts.clone(), "transpose", plan.args.seed);
    report.notes.clone_from(&plan.notes);
    let blas = cublas::open_or_note(device, plan.yardsticks, &mut report.notes);
    let examination = examine(plan, device)?;
    let progress = Progress::new(plan.problems.len());
    for (problem, cases) in &plan.problems {
        progress.show(format!("{} {}", problem.size, problem.dtype));
        let rows = match problem.dtype {
            Dtype::F32 => measure_problem::<f32>(plan, device, problem, cases, blas.as_ref())?,
            Dtype::F64 => measure_problem::<f64>(plan, device, problem, cases, blas.as_ref())?,
        };
        report.rows.extend(rows);
        progress.step();
    }
    examination.add_to(&mut report);
    comparisons::add(&mut report);
    report::add_details(&mut report, device, &plan.args, plan.cases().map(|case| case.variant.name))?;
    report.next = report::next(&report, &plan.args, || next(&report));
    Ok(report)
}

/// One run of each rung under the sanitizer, where the device has one.
fn examine(plan: &Plan, device: &Device) -> anyhow::Result<Examination> {
    let subjects = plan.cases().map(|case| Subject { rung: case.variant.name, extents: &case.problem.extents, case });
    Examination::of(device, &plan.args, subjects, |case| {
        run_case(device, &kernels::source("transpose", case.variant.name)?, case, Runs::ONCE)
    })
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

fn measure_problem<T: Geam>(
    plan: &Plan,
    device: &Device,
    problem: &Problem,
    cases: &[Case],
    blas: Option<&CudaBlas>,
) -> anyhow::Result<Vec<Row>> {
    let mut data = Data::<T>::new(device, problem)?;
    let mut contestants: Vec<Box<dyn Contestant<Data<T>> + '_>> = Vec::new();
    for case in cases {
        let source = kernels::source("transpose", case.variant.name)?;
        contestants.push(Box::new(Kernel::new(device, &source, case)?));
    }
    if plan.yardsticks {
        contestants.push(Box::new(DriverCopy(problem)));
    }
    if let Some(blas) = blas {
        contestants.push(Box::new(Blas { blas, problem }));
    }
    let mut rows = measure_in_turns(device, &mut data, &contestants, plan.runs)?;
    add_shares(&mut rows, "copy", "copy_percent");
    Ok(rows)
}

/// What to try next: the first of the lab's questions that this run has not asked.
fn next(report: &Report) -> &'static str {
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
