//! Benchmarks of one problem, measured in turns.
//!
//! Each round lets every benchmark run once, so that what drifts over a run (clocks, temperature, other users) meets all of them alike. A
//! benchmark allocates, copies, launches and times by itself: that is its lab's lesson. After the first and the last counted run its
//! result is checked, which nobody times.

use crate::check::Check;
use crate::device::Device;
use crate::element::Dtype;
use crate::host_memory::HostMemory;
use crate::observations::{Finding, Observations};
use crate::owned::Owned;
use crate::progress::Progress;
use crate::result::{Note, NoteKind, Row, distinct, rate};
use crate::shape::Shape;
use crate::so_far;
use crate::statistics::Statistics;
use crate::timing::{Phases, Runs, time_kernel};
use anyhow::Context;
use std::time::Instant;

/// One way to compute a result from the data `D` of a problem.
pub trait Benchmark<D> {
    /// Its name for a reader, in messages.
    fn label(&self) -> String;
    /// Uncounted: all that a launch needs is on the device, and no element of an earlier result is left.
    fn prepare(&self, device: &Device, data: &mut D) -> anyhow::Result<()>;
    /// Counted: puts on the device's stream all that computes the result. It can be called again without [`Benchmark::prepare`], then
    /// with no more than the time of a result to expect, which additions to the one before may have spoilt.
    fn launch(&self, device: &Device, data: &mut D) -> anyhow::Result<()>;
    /// One run on the device's stream, after which no element of an earlier result is left. The phases of what is timed; one of them
    /// is `kernel`.
    fn run(&self, device: &Device, data: &mut D) -> anyhow::Result<Phases> {
        self.prepare(device, data)?;
        time_kernel(&device.stream, || self.launch(device, data))
    }
    /// As [`Benchmark::run`], where the benchmark of the problem before it has the same label and so the same launch: that one's time and result stand for both,
    /// since a simulated launch takes the same time each time. `None`: it has to be launched.
    fn repeat(&self, _device: &Device, _data: &mut D) -> anyhow::Result<Option<Phases>> {
        Ok(None)
    }
    /// After launches without a run: leaves the last one's result where [`Benchmark::check`] looks for it.
    fn collect(&self, _device: &Device, _data: &mut D) -> anyhow::Result<()> {
        Ok(())
    }
    /// Compares the result of the last run with the reference.
    fn check(&self, device: &Device, data: &mut D) -> anyhow::Result<Check>;
    /// Elements of the result and their type, where a run of some of the blocks can be checked by what they wrote. Errors: why all blocks have to
    /// be run.
    fn elements(&self) -> Result<(usize, Dtype), &'static str> {
        Err("it is no kernel of this lab's")
    }
    /// As [`Benchmark::check`], of the elements that were written alone, after a run of some of the blocks.
    fn check_owned(&self, device: &Device, data: &mut D, _owned: &Owned) -> anyhow::Result<Check> {
        self.check(device, data)
    }
    /// How it did, with the figures that only it knows.
    fn row(&self, outcome: Outcome, data: &D) -> anyhow::Result<Row>;
}

/// How one benchmark did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Phases of the counted runs, at least one.
    pub phases: Vec<Phases>,
    /// The check of the first checked run that was wrong, else of the last.
    pub check: Check,
    /// Observations of the device during the last run.
    pub observations: Observations,
}

/// Properties that all benchmarks of one problem have in common, where data is copied once and the kernel alone is timed.
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
    /// Statistics of the times of one phase, or of any other time of a run, in milliseconds.
    pub fn statistics(&self, of: impl Fn(&Phases) -> f64) -> Statistics {
        let values: Vec<f64> = self.phases.iter().map(of).collect();
        Statistics::of(&values).expect("at least one counted run")
    }

    /// The row of a report: rates by the median kernel time, phases, and what the device observed of the first launch, which is the one
    /// that meets the whole input where a benchmark needs several.
    pub fn into_row(self, variant: &str, block: String, work: &Workload) -> Row {
        let kernel_ms = self.statistics(|phases| phases.get("kernel"));
        let Outcome { check, mut observations, .. } = self;
        let mut row = Row::new(variant, work.size.clone(), block, work.dtype, check, kernel_ms);
        row.host_memory = work.host_memory.name().to_owned();
        row.gflops = work.flops.and_then(|flops| rate(flops, kernel_ms.median));
        row.gbytes_per_s = rate(work.bytes, kernel_ms.median);
        let Workload { copy_in_ms, copy_out_ms, .. } = *work;
        let total = copy_in_ms + kernel_ms.mean + copy_out_ms;
        let phases = [("copy_in", copy_in_ms), ("kernel", kernel_ms.mean), ("copy_out", copy_out_ms), ("total", total)];
        row.phases_ms.extend(phases.map(|(phase, milliseconds)| (phase.to_owned(), milliseconds.into())));
        let launches = observations.launches.iter().map(|launch| launch.counters.clone()).collect();
        observations.launches.truncate(1);
        row.observe(observations);
        row.launches = launches;
        row
    }
}

/// The benchmarks of one problem, in the order of their rows.
pub type Benchmarks<'a, D> = Vec<Box<dyn Benchmark<D> + 'a>>;

/// Counted rounds that there are in any case, however long they take.
const LEAST_ROUNDS: usize = 2;

/// Runs all benchmarks `runs.total()` times in turns; one row each, in their order. Stops at the first that gives no result.
pub fn measure_in_turns<D>(
    device: &Device,
    data: &mut D,
    benchmarks: &[Box<dyn Benchmark<D> + '_>],
    runs: Runs,
    progress: &Progress,
) -> anyhow::Result<Vec<Row>> {
    let mut records: Vec<Record> = benchmarks.iter().map(|_| Record::default()).collect();
    let begun = Instant::now();
    let mut last = runs.total() - 1;
    for round in 0..runs.total() {
        if round >= runs.warmup + LEAST_ROUNDS && runs.within.is_some_and(|within| begun.elapsed() > within) {
            last = last.min(round);
        }
        let checked = round == runs.warmup || round == last;
        for (index, benchmark) in benchmarks.iter().enumerate() {
            progress.show(benchmark.label());
            // Observations from before belong to others.
            device.observe()?;
            let elements = benchmark.elements();
            let same = benchmarks[..index].iter().position(|earlier| earlier.label() == benchmark.label());
            let same = same.filter(|_| runs.total() == 1 && device.samples());
            let repeated = match same {
                Some(same) => {
                    benchmark.repeat(device, data)?.map(|phases| (phases, records[same].observations.clone()))
                }
                None => None,
            };
            let (phases, observations) = match repeated {
                Some(repeated) => repeated,
                None => {
                    let mut run = || benchmark.run(device, data).with_context(|| benchmark.label());
                    let phases = if elements.is_ok() { run()? } else { device.running_all_blocks(&mut run)? };
                    (phases, device.observe()?)
                }
            };
            let record = &mut records[index];
            record.observations = observations;
            if let Err(why) = elements {
                for launch in &mut record.observations.launches {
                    launch.not_sampled = device.samples().then(|| why.to_owned());
                }
            }
            let owned = owned(&mut record.observations, elements);
            if round >= runs.warmup {
                record.phases.push(phases);
            }
            if checked {
                let check = match &owned {
                    Some(owned) => benchmark.check_owned(device, data, owned),
                    None => benchmark.check(device, data),
                };
                let check = check.with_context(|| benchmark.label())?;
                // A copy to the host may be what tells that nobody has written a value.
                record.read_by_host.extend(device.observe()?.findings);
                if record.check.as_ref().is_none_or(|earlier| earlier.correct) {
                    record.check = Some(check);
                }
            }
            progress.step();
            if round == last && progress.counts() {
                so_far::add(|| record.clone().into_row(benchmark.as_ref(), data))?;
            }
        }
        if round == last {
            break;
        }
    }
    benchmarks.iter().zip(records).map(|(benchmark, record)| record.into_row(benchmark.as_ref(), data)).collect()
}

/// The elements that the blocks of a sampled launch own; `None` where all blocks were run. Blocks that leave elements out are a finding.
fn owned(observations: &mut Observations, elements: Result<(usize, Dtype), &'static str>) -> Option<Owned> {
    let launch = observations.launches.iter().find(|launch| launch.sampled.is_some())?;
    let (elements, dtype) = elements.ok()?;
    let owned = Owned::of(launch.sampled.as_ref()?, elements, dtype);
    observations.findings.extend(owned.missing(launch));
    Some(owned)
}

/// One benchmark without others.
pub fn measure_alone<D>(
    device: &Device,
    data: &mut D,
    benchmark: Box<dyn Benchmark<D> + '_>,
    runs: Runs,
) -> anyhow::Result<Row> {
    let rows = measure_in_turns(device, data, &[benchmark], runs, &Progress::hidden())?;
    Ok(rows.into_iter().next().expect("one row per benchmark"))
}

/// To each row, under `key`, the time of the yardstick over its own, in %; both are medians. Of several rows of the variant
/// `yardstick` the fastest counts.
pub fn add_shares(rows: &mut [Row], yardstick: &str, key: &str) {
    let is_timed = |row: &&Row| row.variant == yardstick && !row.is_host_bound();
    let medians = rows.iter().filter(is_timed).map(|row| row.time_ms.median);
    if let Some(time) = medians.min_by(f64::total_cmp) {
        add_shares_of(time, rows, key);
    }
}

/// Likewise for a ceiling, whose fastest run counts: what was possible once bounds the others. Times and not rates: a ceiling may move
/// fewer bytes than what it bounds (A alone, where a product reads x as well).
pub fn add_shares_of_ceiling(rows: &mut [Row], ceiling: &str, key: &str) {
    if let Some(time) = fastest_run(rows, ceiling) {
        add_shares_of(time, rows, key);
    }
}

/// The shortest run of all rows of a variant, in milliseconds; of those whose time is the device's.
pub fn fastest_run(rows: &[Row], variant: &str) -> Option<f64> {
    let is_timed = |row: &&Row| row.variant == variant && !row.is_host_bound();
    rows.iter().filter(is_timed).map(|row| row.time_ms.min).min_by(f64::total_cmp)
}

/// The note on rows whose time is the host's, where there are some.
pub fn host_bound_note(rows: &[Row]) -> Option<Note> {
    let place = |row: &Row| format!("{} at {}", row.variant, row.size);
    let places = distinct(rows.iter().filter(|row| row.is_host_bound()).map(place));
    (!places.is_empty()).then(|| {
        let text = format!(
            "host-bound: {}: the host took as long to issue these launches as they took, so the time is the host's: such a row gives no \
             share, and no share is of it",
            places.join(", ")
        );
        Note::new(NoteKind::Rates, text)
    })
}

fn add_shares_of(time: f64, rows: &mut [Row], key: &str) {
    for row in rows.iter_mut().filter(|row| !row.is_host_bound()) {
        row.figures.insert(key.to_owned(), (time / row.time_ms.median * 100.0).into());
    }
}

#[derive(Clone, Default)]
struct Record {
    phases: Vec<Phases>,
    check: Option<Check>,
    observations: Observations,
    read_by_host: Vec<Finding>,
}

impl Record {
    fn into_row<D>(self, benchmark: &dyn Benchmark<D>, data: &D) -> anyhow::Result<Row> {
        let Record { phases, check, mut observations, read_by_host } = self;
        observations.findings.extend(read_by_host);
        let check = check.expect("at least one counted run");
        let samples_ms = phases.iter().map(|phases| phases.get("kernel")).collect();
        let row = benchmark.row(Outcome { phases, check, observations }, data)?;
        Ok(Row { samples_ms: vec![("", samples_ms)], ..row })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::figures::HOST_BOUND;
    use crate::result::samples;

    fn row(variant: &str, milliseconds: f64, host_bound: bool) -> Row {
        let mut row = samples::row(variant, 64, "", milliseconds);
        if host_bound {
            row.set(&HOST_BOUND, true);
        }
        row
    }

    #[test]
    fn a_row_whose_time_is_the_host_s_gives_no_share_and_none_is_of_it() {
        let mut rows =
            [row("read", 1.0, true), row("read", 2.0, false), row("slow", 4.0, false), row("fast", 2.0, true)];
        add_shares_of_ceiling(&mut rows, "read", "memory_percent");
        add_shares(&mut rows, "read", "read_percent");
        for key in ["memory_percent", "read_percent"] {
            let shares: Vec<Option<f64>> = rows.iter().map(|row| row.number(key)).collect();
            assert_eq!(shares, [None, Some(100.0), Some(50.0), None], "{key}");
        }
        assert_eq!(fastest_run(&rows[..1], "read"), None);
    }

    #[test]
    fn rows_whose_time_is_the_host_s_are_told_each_place_once() {
        let rows =
            [row("naive", 1.0, true), row("naive", 1.5, true), row("tiled", 2.0, false), row("cublas", 1.0, true)];
        let note = host_bound_note(&rows).expect("some are");
        assert!(note.text.starts_with("host-bound: naive at 64, cublas at 64: the host took as long"), "{note:?}");
        assert_eq!(host_bound_note(&rows[2..3]), None);
    }
}
