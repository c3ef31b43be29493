//! Runs the plan: all cases of a problem in turns on the same data, each checked. Returns data; prints nothing.

use crate::cold;
use crate::comparisons;
use crate::data::Data;
use crate::host::{self, HostElement};
use crate::launch::Kernel;
use crate::plan::{Case, Plan, Problem};
use crate::yardstick::Blas;
use anyhow::Context;
use common::ceiling::ArithmeticPeak;
use common::contest::{Contestant, add_shares, measure_alone, measure_in_turns};
use common::cublas;
use common::device::Device;
use common::element::{Dtype, Element};
use common::examination::Examination;
use common::progress::Progress;
use common::report;
use common::result::{Report, Row, Table};
use common::subject::Subject;
use common::timing::Runs;
use cudarc::cublas::{CudaBlas, Gemv};
use kernels::Source;

/// Measures every case of the plan. Stops at the first that gives no result.
pub fn measure(plan: &Plan, device: &Device) -> anyhow::Result<Report> {
    let mut report = Report::new(device.facts.clone(), "gemv", plan.args.seed);
    report.notes.clone_from(&plan.notes);
    let blas = cublas::open_or_note(device, plan.cublas, &mut report.notes);
    let mut host = host::table();
    let examination = examine(plan, device)?;
    let progress = Progress::new(plan.problems.len());
    for (problem, cases) in &plan.problems {
        progress.show(format!("{} {}", problem.size, problem.dtype));
        let rows = match problem.dtype {
            Dtype::F32 => measure_problem::<f32>(plan, device, problem, cases, blas.as_ref(), &mut host)?,
            Dtype::F64 => measure_problem::<f64>(plan, device, problem, cases, blas.as_ref(), &mut host)?,
        };
        report.rows.extend(rows);
        progress.step();
    }
    if let Some(peak) = ArithmeticPeak::of(device)? {
        add_peak_shares(&mut report, &peak);
    }
    examination.add_to(&mut report);
    comparisons::add(&mut report);
    if plan.cpu {
        report.tables.push(host);
    }
    report::add_details(&mut report, device, &plan.args, plan.cases().map(|case| case.variant.name))?;
    report.next = report::next(&report, &plan.args, || next(&report));
    Ok(report)
}

/// One run of each rung under the sanitizer, where the device has one.
fn examine(plan: &Plan, device: &Device) -> anyhow::Result<Examination> {
    let subjects = plan.cases().map(|case| Subject { rung: case.variant.name, extents: &case.problem.extents, case });
    Examination::of(device, &plan.args, subjects, |case| {
        run_case(device, &kernels::source("gemv", case.variant.name)?, case, Runs::ONCE)
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
    let mut data = Data::<T>::new(device, &case.problem, std::slice::from_ref(case))?;
    measure_alone(device, &mut data, Kernel::new(device, source, case)?, runs)
}

fn measure_problem<T: HostElement>(
    plan: &Plan,
    device: &Device,
    problem: &Problem,
    cases: &[Case],
    blas: Option<&CudaBlas>,
    host: &mut Table,
) -> anyhow::Result<Vec<Row>>
where
    CudaBlas: Gemv<T>,
{
    let mut data = Data::<T>::new(device, problem, cases)?;
    let mut contestants: Vec<Box<dyn Contestant<Data<T>> + '_>> = Vec::new();
    for case in cases {
        let source = kernels::source("gemv", case.variant.name)?;
        contestants.push(Box::new(Kernel::new(device, &source, case)?));
    }
    if let Some(blas) = blas {
        contestants.push(Box::new(Blas { blas, problem }));
    }
    let mut rows = measure_in_turns(device, &mut data, &contestants, plan.runs)?;
    add_shares(&mut rows, "read", "memory_percent");
    add_shares(&mut rows, "cublas", "cublas_percent");
    if plan.cold {
        cold::add(&mut rows, device, &mut data, &contestants, plan.runs).context("measuring with A in no cache")?;
    }
    if plan.cpu {
        host::measure(host, problem, &data)?;
    }
    Ok(rows)
}

fn add_peak_shares(report: &mut Report, peak: &ArithmeticPeak) {
    for row in &mut report.rows {
        if let (Some(gflops), Some(most)) = (row.gflops, peak.flops_per_s(row.dtype)) {
            row.figures.insert("peak_percent".into(), (gflops * 1e9 / most * 100.0).into());
        }
    }
    let ArithmeticPeak { multiprocessors, cores_per_multiprocessor, clock_hz, .. } = *peak;
    if let Some(most) = peak.flops_per_s(Dtype::F32) {
        report.notes.push(format!(
            "arithmetic peak: 2 · {multiprocessors}·{cores_per_multiprocessor} cores · {:.3} GHz = {:.0} GFLOP/s in f32; \
             memory limit: the rate of `read` at the same size, which is the ceiling that counts: a product reads 4 bytes for 2 flop",
            clock_hz / 1e9,
            most / 1e9
        ));
    }
}

/// What to try next: the first of the lab's questions that this run has not asked.
fn next(report: &Report) -> &'static str {
    let caches = |name: &str| report.rows.iter().any(|row| row.figures.get("cache").is_some_and(|cache| cache == name));
    if !caches("prefer-l1") {
        "cargo run -rp lab-gemv -- --cache prefer-none,prefer-l1,prefer-shared --sx 16   (whether the cache preference matters)"
    } else {
        "cargo run -rp lab-gemv -- --counters --variant atomic,shuffle --sx 32   (why one is faster)"
    }
}
