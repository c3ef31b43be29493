//! Runs the plan: the limits first, then each case from first use to steady state, checked, and once more with events around everything.
//! Returns data; prints nothing.

use crate::document::DOCUMENTS;
use crate::engine::{Engine, Run};
use crate::limit::{BusRates, KERNELS, Limit};
use crate::options::Options;
use crate::plan::{Case, Plan, Problem};
use crate::question::QUESTION;
use crate::schedule::{Action, Step};
use crate::timeline::{Overlap, Timeline, Track, process, render_svg};
use crate::topics::{self, run_topic};
use crate::variants::{COLUMNS, Rung, VARIANTS};
use crate::workload::Kind;
use anyhow::Context;
use common::check::Check;
use common::command_line::CommonArgs;
use common::device::Device;
use common::element::{Dtype, Element};
use common::experiment::{Document, Measure};
use common::lab::Lab;
use common::ladder::Variant;
use common::owned::Owned;
use common::progress::Progress;
use common::question::Question;
use common::report::Column;
use common::result::figures::{BOUND_BY, Figure, IN_TURN, LEAST_GAIN, LIMIT_MS, LIMITED_BY, WORKLOAD};
use common::result::{Next, Report, Row, Table, distinct, rate};
use common::schedules::Schedules;
use common::so_far;
use common::statistics::Statistics;
use common::subject::{Subject, smallest};
use common::timing::{Phases, Runs, Stopwatch};
use kernels::Source;
use serde_json::Value;
use std::path::Path;

/// A report, and what ran when in each of its batches.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The rows.
    pub report: Report,
    /// One per batch, in the rows' order.
    pub timelines: Vec<Timeline>,
}

/// Batches of copies and kernels, in one order after the other.
pub struct Streams;

impl Lab for Streams {
    type Options = Options;
    type Rung = Rung;

    const NAME: &'static str = "streams";
    const VARIANTS: &'static [Variant<Rung>] = VARIANTS;
    const COLUMNS: &'static [Column] = COLUMNS;
    const QUESTION: Option<Question> = Some(QUESTION);
    const DOCUMENTS: &'static [Document<Options>] = DOCUMENTS;
    // A batch is a series already.
    const IN_SERIES: bool = false;
    const ARGS: fn(&mut Options) -> &mut CommonArgs = |options| &mut options.common;
    const REPORT: Measure<Options> = report;
}

/// Writes the timelines as well, where they are asked for.
fn report(options: &Options, device: &Device) -> anyhow::Result<Report> {
    let plan = Plan::new(options, device)?;
    let mut measured = measure(&plan, device)?;
    if let Some(path) = &plan.timeline {
        write(path, &render_svg(&device.facts.to_string(), &measured.timelines))?;
        measured.report.written.push((path.clone(), "what ran when, as a picture"));
    }
    if options.common.html.is_some() {
        measured.report.timelines = measured.timelines.iter().map(Timeline::json).collect();
    }
    if options.common.trace.is_some() {
        // By item, which the driver's own record does not know.
        measured.report.traces = measured.timelines.iter().map(process).collect();
    }
    Ok(measured.report)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    Ok(common::whole_file::write(path, text)?)
}

/// Measures every case of the plan. Stops at the first that gives no result.
pub fn measure(plan: &Plan, device: &Device) -> anyhow::Result<Measured> {
    device.require_host_memory()?;
    let mut report = Report::new(device.facts.clone(), Streams::NAME, plan.args.seed);
    report.timed = "batch";
    report.notes.clone_from(&plan.notes);
    let mut timelines = Vec::new();
    let schedules = try_schedules(plan, device)?;
    let rates = BusRates::measure(device).context("measuring the bus")?;
    report.notes.push(rates_note(rates).into());
    let progress =
        Progress::new(plan.problems.iter().map(|problem| problem.cases.len() + problem.subjects.len()).sum());
    so_far::begin(&report);
    for problem in &plan.problems {
        let first = report.rows.len();
        if !problem.cases.is_empty() {
            // A document's tables have none, and here it would take as long as two of its strategies.
            let is_simulated_document = device.facts.simulated && plan.args.assignment.is_some();
            let limit = (!is_simulated_document).then(|| measure_limit(device, problem, rates)).transpose()?;
            report.notes.extend(limit.map(|limit| limit_note(problem, limit).into()));
            for case in &problem.cases {
                progress.show(case.label());
                let (mut row, timeline) = run_case(device, &case.workload.source()?, case, plan.runs)?;
                if let Some(limit) = limit {
                    add_limit(&mut row, case, limit, rates.copy_call_s);
                }
                report.rows.push(row);
                add_speedups(&mut report.rows[first..]);
                so_far::tell(&report.rows[first..]);
                timelines.push(timeline);
                progress.step();
            }
        }
        for subject in &problem.subjects {
            progress.show(subject.name.to_owned());
            let row = run_topic(device, &subject.source()?, subject, plan.runs).context(subject.name)?;
            report.rows.push(row);
            so_far::tell(&report.rows[first..]);
            progress.step();
        }
        so_far::end_problem(&report.rows[first..]);
    }
    schedules.add_to(&mut report);
    report.tables.extend(three_clocks(&report.rows));
    add_details(&mut report, plan, device)?;
    report.next = Some(common::report::next(&report, |_| plan.args.sanitize, || next(plan, &report)));
    Ok(Measured { report, timelines })
}

/// The maker of one row.
enum Part<'p> {
    Batch(&'p Case),
    Kernel(&'p topics::Subject),
}

/// Each row once more in other orders of blocks and warps, where `--schedules` asks for them.
fn try_schedules(plan: &Plan, device: &Device) -> anyhow::Result<Schedules> {
    let mut parts: Vec<(&'static str, Vec<usize>, Part)> = Vec::new();
    for problem in &plan.problems {
        for case in &problem.cases {
            let dimensions = if case.workload.kind == Kind::Gemm { 3 } else { 1 };
            parts.push((case.variant.name, vec![case.workload.extent; dimensions], Part::Batch(case)));
        }
        parts.extend(problem.subjects.iter().map(|s| (s.name, vec![s.len], Part::Kernel(s))));
    }
    let subjects = parts.iter().map(|(rung, extents, case)| Subject { rung, extents, case });
    Schedules::of(device, &plan.args, &smallest(subjects), |part| match part {
        Part::Batch(case) => Ok(run_case(device, &case.workload.source()?, case, Runs::ONCE)?.0),
        Part::Kernel(subject) => run_topic(device, &subject.source()?, subject, Runs::ONCE),
    })
}

/// Measures one case with a kernel from `source`: its own, or a test's changed one.
pub fn run_case(device: &Device, source: &Source, case: &Case, runs: Runs) -> anyhow::Result<(Row, Timeline)> {
    match case.workload.dtype {
        Dtype::F32 => run_typed::<f32>(device, source, case, runs),
        Dtype::F64 => run_typed::<f64>(device, source, case, runs),
    }
    .with_context(|| case.label())
}

fn run_typed<T: Element>(device: &Device, source: &Source, case: &Case, runs: Runs) -> anyhow::Result<(Row, Timeline)> {
    let Case { workload, batch, .. } = case;
    device.observe()?;
    let mut watch = Stopwatch::start(&device.stream)?;
    let mut engine = Engine::<T>::new(device, source, workload, *batch, case.ring, |schedule| schedule)?;
    watch.lap("allocation")?;
    engine.fill_inputs()?;
    watch.skip()?;
    engine.run(false)?;
    watch.lap("first_run")?;
    let first_use = watch.finish()?;
    let mut observations = device.observe()?;
    // Each item's launch is alike, and so are the blocks of each that were run.
    let sampled = observations.launches.iter().find_map(|launch| Some((launch, launch.sampled.as_ref()?)));
    if let Some((launch, sampled)) = sampled {
        let owned = Owned::of(sampled, workload.output_len(), T::DTYPE);
        observations.findings.extend(owned.missing(launch));
        engine.owned = Some(owned);
    }
    let mut checks = vec![engine.check()?];
    let milliseconds = engine.run_series(runs)?;
    checks.push(engine.check()?);
    let traced = engine.run(true)?;
    checks.push(engine.check()?);
    // The first wrong run speaks for the case, else the last.
    let worst = checks.iter().position(|check| !check.correct).unwrap_or(checks.len() - 1);
    let batch_ms = Statistics::of(&milliseconds).expect("at least one counted run");
    let mut row = row(case, checks.swap_remove(worst), batch_ms, &first_use, &traced, engine.devices());
    row.samples_ms = vec![(workload.name(), milliseconds)];
    let rest = device.observe()?;
    observations.launches.extend(rest.launches);
    observations.findings.extend(rest.findings);
    row.observe(observations);
    let timeline = Timeline {
        title: case.label(),
        elapsed_ms: traced.elapsed_ms,
        median_ms: row.time_ms.median,
        spans: traced.spans,
    };
    Ok((row, timeline))
}

fn row(case: &Case, check: Check, batch_ms: Statistics, first_use: &Phases, traced: &Run, devices: usize) -> Row {
    let Case { variant, workload, batch, .. } = case;
    let mut row = Row::new(variant.name, workload.size.clone(), workload.block_text(), workload.dtype, check, batch_ms);
    row.host_memory = batch.inputs.name().to_owned();
    row.gflops = rate(workload.flops(), batch_ms.median);
    let copied = traced.spans.iter().any(|span| span.track == Track::CopyIn);
    let mapped = batch.inputs == common::host_memory::HostMemory::Mapped;
    // The rate of the bus, in both directions; where nothing crosses it, there is no such rate.
    row.gbytes_per_s =
        (copied || mapped).then(|| rate(workload.bytes_in() + workload.bytes_out(), batch_ms.median)).flatten();
    let busy = |track: Track| {
        let of_track = traced.spans.iter().filter(|span| span.track == track);
        of_track.map(|span| span.end_ms - span.start_ms).sum::<f64>()
    };
    let phases = [("copy_in", Track::CopyIn), ("kernel", Track::Kernel), ("copy_out", Track::CopyOut)];
    row.phases_ms.extend(phases.map(|(phase, track)| (phase.to_owned(), Value::from(busy(track)))));
    row.phases_ms.insert("total".into(), batch_ms.mean.into());
    let overlap = Overlap::of(&traced.spans);
    let figures: [(&str, Value); 10] = [
        ("workload", workload.name().into()),
        ("count", workload.count.into()),
        ("output_memory", batch.outputs.name().into()),
        ("first_use_ms", first_use.total().into()),
        ("allocation_ms", first_use.get("allocation").into()),
        ("first_run_ms", first_use.get("first_run").into()),
        ("traced_ms", traced.elapsed_ms.into()),
        ("hidden_percent", overlap.hidden_percent().into()),
        ("both_ways_percent", overlap.both_ways_percent().into()),
        ("devices", devices.into()),
    ];
    row.figures.extend(figures.map(|(key, value)| (key.to_owned(), value)));
    row
}

fn measure_limit(device: &Device, problem: &Problem, rates: BusRates) -> anyhow::Result<Limit> {
    let workload = &problem.workload;
    let source = workload.source()?;
    match workload.dtype {
        Dtype::F32 => Limit::measure::<f32>(device, &source, workload, rates),
        Dtype::F64 => Limit::measure::<f64>(device, &source, workload, rates),
    }
    .context("measuring the kernels alone")
}

/// Devices that a batch was dealt out to.
const DEVICES: Figure<f64> = Figure::new("devices");
/// The part that binds a batch whose host makes its calls for three quarters of the time.
const HOST: &str = "the host's calls";
/// The share of the least time that a row reaches.
const LIMIT_PERCENT: Figure<f64> = Figure::new("limit_percent");
/// How many times as fast as the synchronous row.
const SPEEDUP: Figure<f64> = Figure::new("speedup");

/// The limit of a row's devices, and the share of it that the row reaches. `copy_call_s`: seconds of the host to ask for a copy.
fn add_limit(row: &mut Row, case: &Case, limit: Limit, copy_call_s: f64) {
    let schedule = (case.batch.schedule)(case.workload.count, case.ring);
    let (term, one_device_ms) = limit.bound(!schedule.resident);
    // A launch takes a host as long as two copies, an event next to nothing, and a graph all of it in one.
    let calls = |step: &Step| match step.action {
        Action::Kernel => 2.0,
        Action::CopyIn | Action::CopyOut => 1.0,
        Action::Mark(_) | Action::Await(_) => 0.0,
    };
    let calls: f64 = schedule.steps.iter().filter(|_| !case.batch.captured).map(calls).sum();
    let devices = row.get(&DEVICES).unwrap_or(1.0);
    let limit_ms = one_device_ms / devices;
    row.set(&LIMIT_MS, limit_ms);
    row.set(&LIMITED_BY, term);
    row.set(&LIMIT_PERCENT, limit_ms / row.time_ms.median * 100.0);
    // The clock's term is one of the kernel, which is but a part of a batch.
    if let Some(of_kernel) = row.get(&BOUND_BY) {
        let bound_by = match term {
            _ if 1e3 * copy_call_s * calls > 0.75 * row.time_ms.median => HOST.to_owned(),
            _ if row.time_ms.median > LEAST_GAIN * limit_ms => IN_TURN.to_owned(),
            KERNELS => format!("kernels: {of_kernel}"),
            part => part.to_owned(),
        };
        row.set(&BOUND_BY, bound_by);
    }
}

/// How many times as fast as the synchronous row of the same batch.
fn add_speedups(rows: &mut [Row]) {
    let Some(synchronous) = rows.iter().find(|row| row.variant == "synchronous").map(|row| row.time_ms.median) else {
        return;
    };
    for row in rows {
        row.set(&SPEEDUP, synchronous / row.time_ms.median);
    }
}

fn rates_note(rates: BusRates) -> String {
    let gigabytes = [rates.copy_in, rates.copy_out, rates.both_ways].map(|rate| rate / 1e9);
    format!(
        "the bus, measured before the rows with pinned memory: {:.1} GB/s in, {:.1} GB/s out, {:.1} GB/s both ways at once",
        gigabytes[0], gigabytes[1], gigabytes[2]
    )
}

fn limit_note(problem: &Problem, limit: Limit) -> String {
    let terms: Vec<String> = limit.terms.iter().map(|(name, ms)| format!("{name} {ms:.3} ms")).collect();
    let (name, _) = limit.bound(true);
    let Problem { workload, .. } = problem;
    format!(
        "limit of {} {} of {} in {}: {}; {name} bound it",
        workload.count,
        workload.name(),
        workload.size,
        workload.dtype,
        terms.join(", ")
    )
}

/// One kernel by the device's timer, by events and by the host's clock, which sees the launch and the wait as well.
fn three_clocks(rows: &[Row]) -> Option<Table> {
    let line = |row: &Row| {
        let clocks = [row.value("device_ms")?, row.time_ms.median.into(), row.value("host_ms")?];
        let names = [Value::from(row.variant.as_str()), row.size.to_string().into(), row.dtype.name().into()];
        Some(names.into_iter().chain(clocks).collect())
    };
    let rows: Vec<Vec<Value>> = rows.iter().filter_map(line).collect();
    (!rows.is_empty()).then(|| Table {
        title: "one kernel by three clocks: the device's own timer, events around it, the host around launch and wait"
            .to_owned(),
        columns: ["variant", "size", "dtype", "device ms", "events ms", "host ms"].map(str::to_owned).to_vec(),
        rows,
    })
}

/// The tables that flags ask for.
fn add_details(report: &mut Report, plan: &Plan, device: &Device) -> anyhow::Result<()> {
    let of_problem = |problem: &Problem| {
        let batch = (!problem.cases.is_empty()).then(|| problem.workload.source());
        batch.into_iter().chain(problem.subjects.iter().map(|subject| subject.source())).collect::<Vec<_>>()
    };
    let sources: Vec<Source> = plan.problems.iter().flat_map(of_problem).collect::<Result<_, _>>()?;
    common::report::add_resources(report, device, &plan.args, &distinct(sources))?;
    common::report::add_activities(report, device, &plan.args, None)
}

/// The next thing to try: the first of the lab's questions that this run has not asked.
fn next(plan: &Plan, report: &Report) -> Next {
    let chunks = report.rows.iter().any(|row| row.get(&WORKLOAD).is_some_and(|name| name == "chunks"));
    if plan.timeline.is_none() {
        Next::new("cargo run -rp lab-streams -- --timeline timeline.svg", "what ran when")
    } else if !chunks {
        Next::new("cargo run -rp lab-streams -- --workload chunks", "where zero-copy pays")
    } else {
        Next::new(
            "cargo run -rp lab-streams -- --variant pipelined,multi_gpu --device sim:h200:2",
            "the same on two devices",
        )
    }
}
