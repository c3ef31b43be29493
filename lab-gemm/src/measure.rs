//! Runs the plan: the cases of a problem in turns, each run timed by phase, the result checked. Returns data; prints nothing.
//!
//! In turns, so that what drifts over a run (clocks, temperature, other users) meets all cases of a problem alike.

use crate::comparisons;
use crate::data::{Contender, Data, PHASES};
use crate::launch;
use crate::plan::{Case, Plan};
use crate::yardstick;
use anyhow::Context;
use common::ceiling::ArithmeticPeak;
use common::check::Check;
use common::cublas;
use common::device::Device;
use common::element::{Dtype, Element};
use common::examination::Examination;
use common::observations::Observations;
use common::progress::Progress;
use common::report;
use common::result::{Report, Row, rate};
use common::statistics::Statistics;
use common::subject::Subject;
use common::timing::{Phases, Runs};
use cudarc::cublas::{CudaBlas, Gemm};
use kernels::Source;
use serde_json::{Map, Value, json};

/// Measures every case of the plan. Stops at the first that gives no result.
pub fn measure(plan: &Plan, device: &Device) -> anyhow::Result<Report> {
    let mut report = Report::new(device.facts.clone(), "gemm", plan.args.seed);
    report.notes.clone_from(&plan.notes);
    let blas = cublas::open_or_note(device, plan.cublas, &mut report.notes);
    let examination = examine(plan, device)?;
    let progress = Progress::new(plan.cases.len() * plan.runs.total());
    let same_problem = |a: &Case, b: &Case| (&a.problem.size, a.problem.dtype) == (&b.problem.size, b.problem.dtype);
    for cases in plan.cases.chunk_by(same_problem) {
        let rows = match cases[0].problem.dtype {
            Dtype::F32 => measure_cases::<f32>(device, cases, plan.runs, blas.as_ref(), &progress)?,
            Dtype::F64 => measure_cases::<f64>(device, cases, plan.runs, blas.as_ref(), &progress)?,
        };
        report.rows.extend(rows);
    }
    examination.add_to(&mut report);
    comparisons::add(&mut report);
    report::add_details(&mut report, device, &plan.args, plan.cases.iter().map(|case| case.variant.name))?;
    report.next = report::next(&report, &plan.args, || next(&report));
    Ok(report)
}

/// One run of each rung under the sanitizer, where the device has one.
fn examine(plan: &Plan, device: &Device) -> anyhow::Result<Examination> {
    let cases = plan.cases.iter();
    let subjects = cases.map(|case| Subject { rung: case.variant.name, extents: &case.problem.extents, case });
    Examination::of(device, &plan.args, subjects, |case| {
        run_case(device, &kernels::source("gemm", case.variant.name)?, case, Runs::ONCE)
    })
}

/// Measures one case with a kernel from `source`: the rung's own, or a test's changed one.
pub fn run_case(device: &Device, source: &Source, case: &Case, runs: Runs) -> anyhow::Result<Row> {
    let rows = match case.problem.dtype {
        Dtype::F32 => launch::contender::<f32>(device, source, case)
            .and_then(|contender| in_turns(device, &[contender], runs, &Progress::hidden())),
        Dtype::F64 => launch::contender::<f64>(device, source, case)
            .and_then(|contender| in_turns(device, &[contender], runs, &Progress::hidden())),
    };
    Ok(rows.with_context(|| case.label())?.remove(0))
}

/// The cases of one problem, with cuBLAS where it is there.
fn measure_cases<T: Element>(
    device: &Device,
    cases: &[Case],
    runs: Runs,
    blas: Option<&CudaBlas>,
    progress: &Progress,
) -> anyhow::Result<Vec<Row>>
where
    CudaBlas: Gemm<T>,
{
    let mut contenders = Vec::new();
    for case in cases {
        let source = kernels::source("gemm", case.variant.name)?;
        contenders.push(launch::contender::<T>(device, &source, case).with_context(|| case.label())?);
    }
    contenders.extend(blas.map(|blas| yardstick::contender(blas, &cases[0].problem)));
    let mut rows = in_turns(device, &contenders, runs, progress)?;
    comparisons::add_cublas_shares(&mut rows);
    Ok(rows)
}

/// Lets each contender run once per round, and makes a row of each. Results are checked after the first and the last counted run.
fn in_turns<T: Element>(
    device: &Device,
    contenders: &[Contender<'_, T>],
    runs: Runs,
    progress: &Progress,
) -> anyhow::Result<Vec<Row>> {
    let mut data = Data::new(device, contenders.iter().map(|contender| contender.problem))?;
    let mut records: Vec<Record> = contenders.iter().map(|_| Record::default()).collect();
    for round in 0..runs.total() {
        let checked = round == runs.warmup || round + 1 == runs.total();
        for (contender, record) in contenders.iter().zip(&mut records) {
            progress.show(contender.label.clone());
            let Contender { label, problem, launch, .. } = contender;
            // What was observed before belongs to others.
            device.observe()?;
            let phases = data.run(device, problem, launch).with_context(|| label.clone())?;
            record.observations = device.observe()?;
            if round >= runs.warmup {
                record.phases.push(phases);
            }
            if checked && record.check.as_ref().is_none_or(|earlier| earlier.correct) {
                record.check = Some(data.check(problem)?);
            }
            progress.step();
        }
    }
    let peak = ArithmeticPeak::of(device).ok().flatten();
    let rows = contenders.iter().zip(records).map(|(contender, record)| row(contender, record, peak));
    Ok(rows.collect())
}

/// What the runs of one contender left.
#[derive(Default)]
struct Record {
    /// Of the counted runs.
    phases: Vec<Phases>,
    /// Of the first checked run that was wrong, else of the last.
    check: Option<Check>,
    /// Of the last run.
    observations: Observations,
}

fn row<T: Element>(contender: &Contender<'_, T>, record: Record, peak: Option<ArithmeticPeak>) -> Row {
    let Contender { variant, block, problem, figures, .. } = contender;
    let Record { phases, check, observations } = record;
    let check = check.expect("at least one counted run");
    let kernel = statistics(&phases, |phases| phases.get("kernel"));
    let total = statistics(&phases, Phases::total);
    let mut row = Row::new(variant, problem.size.clone(), block.clone(), problem.dtype, check, kernel);
    row.host_memory = problem.result_memory.name().to_owned();
    row.gflops = rate(problem.flops(), kernel.median);
    row.gbytes_per_s = rate(problem.bytes(), kernel.median);
    row.phases_ms = phase_means(&phases);
    row.figures = Map::from_iter([
        ("shape".to_owned(), json!(problem.extents)),
        ("input_memory".to_owned(), problem.input_memory.name().into()),
        ("total_ms".to_owned(), total.median.into()),
        ("total_gflops".to_owned(), rate(problem.flops(), total.median).into()),
        ("phase_statistics_ms".to_owned(), phase_statistics(&phases, total)),
    ]);
    row.figures.extend(figures.clone());
    let most = peak.and_then(|peak| peak.flops_per_s(problem.dtype));
    if let (Some(gflops), Some(most)) = (row.gflops, most) {
        row.figures.insert("peak_percent".into(), (gflops * 1e11 / most).into());
    }
    row.observe(observations);
    row
}

fn statistics(phases: &[Phases], of: impl Fn(&Phases) -> f64) -> Statistics {
    let values: Vec<f64> = phases.iter().map(of).collect();
    Statistics::of(&values).expect("at least one counted run")
}

fn phase_means(phases: &[Phases]) -> Map<String, Value> {
    let mean = |name: &str| statistics(phases, |phases| phases.get(name)).mean;
    let mut means: Map<String, Value> = PHASES.iter().map(|&name| (name.to_owned(), mean(name).into())).collect();
    means.insert("total".to_owned(), statistics(phases, Phases::total).mean.into());
    means
}

fn phase_statistics(phases: &[Phases], total: Statistics) -> Value {
    let of = |name: &str| json!(statistics(phases, |phases| phases.get(name)));
    let mut all: Map<String, Value> = PHASES.iter().map(|&name| (name.to_owned(), of(name))).collect();
    all.insert("total".to_owned(), json!(total));
    Value::Object(all)
}

/// What to try next: the first of the lab's questions that this run has not asked.
fn next(report: &Report) -> &'static str {
    let edges = || report.rows.iter().filter_map(|row| row.number("edge"));
    let one_edge = edges().all(|edge| Some(edge) == edges().next());
    if one_edge {
        "cargo run -rp lab-gemm -- --edge 8,16,32   (how the block's shape changes the load efficiency)"
    } else {
        "cargo run -rp lab-gemm -- --counters --variant naive,shared   (why one is faster)"
    }
}
