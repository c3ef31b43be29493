//! Several ways to compute the same thing, measured in turns.
//!
//! Each round lets every contestant run once, so that what drifts over a run (clocks, temperature, other users) meets all of them alike.
//! Before each run the output is poisoned, after the first and the last counted run it is checked; neither is timed.

use crate::check::Check;
use crate::device::Device;
use crate::element::Dtype;
use crate::host_memory::HostMemory;
use crate::observations::Observations;
use crate::result::{Row, rate};
use crate::shape::Shape;
use crate::statistics::Statistics;
use crate::timing::{Runs, Stopwatch};
use anyhow::Context;

/// One way to compute it, from inputs to an output that lie in `D` on the device.
pub trait Contestant<D> {
    /// What a reader calls it, for messages.
    fn label(&self) -> String;
    /// Uncounted: makes sure that no earlier result can pass for this one's.
    fn prepare(&self, device: &Device, data: &mut D) -> anyhow::Result<()>;
    /// Counted: all that computes the result, on the device's default stream.
    fn launch(&self, device: &Device, data: &mut D) -> anyhow::Result<()>;
    /// Uncounted: compares the result with the reference.
    fn check(&self, device: &Device, data: &mut D) -> anyhow::Result<Check>;
    /// How it did, with the figures that only it knows.
    fn row(&self, outcome: Outcome, data: &D) -> anyhow::Result<Row>;
}

/// How one contestant did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Time on the device of the counted runs, in milliseconds.
    pub kernel_ms: Statistics,
    /// Of the first checked run that was wrong, else of the last.
    pub check: Check,
    /// What the device observed during the last run.
    pub observations: Observations,
}

/// What all contestants on one problem have in common.
#[derive(Clone, Debug)]
pub struct Workload {
    /// As `--size` has it.
    pub size: Shape,
    /// Element type.
    pub dtype: Dtype,
    /// Kind of host memory.
    pub host_memory: HostMemory,
    /// Floating-point operations; `None` where there is no arithmetic.
    pub flops: Option<f64>,
    /// Bytes that have to move at least once.
    pub bytes: f64,
    /// Time of the copies to the device, in milliseconds; they are made once.
    pub copy_in_ms: f64,
    /// Time of the last copy of a result to the host, in milliseconds.
    pub copy_out_ms: f64,
}

impl Outcome {
    /// The row of a report: rates by the median kernel time, phases, and what the device observed of the first launch, which is the one
    /// that meets the whole input where a contestant needs several.
    pub fn into_row(self, variant: &str, block: String, work: &Workload) -> Row {
        let Outcome { kernel_ms, check, mut observations } = self;
        let mut row = Row::new(variant, work.size.clone(), block, work.dtype, check, kernel_ms);
        row.host_memory = work.host_memory.name().to_owned();
        row.gflops = work.flops.and_then(|flops| rate(flops, kernel_ms.median));
        row.gbytes_per_s = rate(work.bytes, kernel_ms.median);
        let Workload { copy_in_ms, copy_out_ms, .. } = *work;
        let total = copy_in_ms + kernel_ms.mean + copy_out_ms;
        let phases = [("copy_in", copy_in_ms), ("kernel", kernel_ms.mean), ("copy_out", copy_out_ms), ("total", total)];
        row.phases_ms.extend(phases.map(|(phase, milliseconds)| (phase.to_owned(), milliseconds.into())));
        observations.launches.truncate(1);
        row.observe(observations);
        row
    }
}

/// Runs all contestants `runs.warmup + runs.repeat` times in turns; one row each, in their order. Stops at the first that gives no result.
pub fn measure_in_turns<D>(
    device: &Device,
    data: &mut D,
    contestants: &[Box<dyn Contestant<D> + '_>],
    runs: Runs,
) -> anyhow::Result<Vec<Row>> {
    let mut records: Vec<Record> = contestants.iter().map(|_| Record::default()).collect();
    for round in 0..runs.warmup + runs.repeat {
        let counted = round >= runs.warmup;
        let checked = round == runs.warmup || round + 1 == runs.warmup + runs.repeat;
        for (contestant, record) in contestants.iter().zip(&mut records) {
            let turn = run_once(device, data, contestant.as_ref()).with_context(|| contestant.label())?;
            if counted {
                record.milliseconds.push(turn.milliseconds);
            }
            if checked {
                let check = contestant.check(device, data).with_context(|| contestant.label())?;
                if record.check.as_ref().is_none_or(|earlier| earlier.correct) {
                    record.check = Some(check);
                }
            }
            record.observations = turn.observations;
        }
    }
    let mut rows = Vec::new();
    for (contestant, record) in contestants.iter().zip(records) {
        let outcome = Outcome {
            kernel_ms: Statistics::of(&record.milliseconds).expect("at least one counted run"),
            check: record.check.expect("at least one counted run"),
            observations: record.observations,
        };
        rows.push(contestant.row(outcome, data)?);
    }
    Ok(rows)
}

/// One contestant without others.
pub fn measure_alone<D>(
    device: &Device,
    data: &mut D,
    contestant: impl Contestant<D>,
    runs: Runs,
) -> anyhow::Result<Row> {
    let rows = measure_in_turns(device, data, &[Box::new(contestant)], runs)?;
    Ok(rows.into_iter().next().expect("one row per contestant"))
}

/// To each row its rate in bytes per second as a share, in per cent, of that of the variant `limit`, under `key`.
pub fn add_shares(rows: &mut [Row], limit: &str, key: &str) {
    let Some(limit) = rows.iter().find(|row| row.variant == limit).and_then(|row| row.gbytes_per_s) else {
        return;
    };
    for row in rows {
        if let Some(rate) = row.gbytes_per_s {
            row.figures.insert(key.to_owned(), (rate / limit * 100.0).into());
        }
    }
}

#[derive(Default)]
struct Record {
    milliseconds: Vec<f64>,
    check: Option<Check>,
    observations: Observations,
}

struct Turn {
    milliseconds: f64,
    observations: Observations,
}

fn run_once<D>(device: &Device, data: &mut D, contestant: &dyn Contestant<D>) -> anyhow::Result<Turn> {
    contestant.prepare(device, data)?;
    // What was observed before belongs to others.
    device.observe()?;
    let mut watch = Stopwatch::start(&device.stream)?;
    contestant.launch(device, data)?;
    watch.lap("kernel")?;
    let milliseconds = watch.finish()?.get("kernel");
    Ok(Turn { milliseconds, observations: device.observe()? })
}
