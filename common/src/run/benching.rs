//! The labs' benches: a ladder beside its yardsticks in one run, with criterion for the statistics.
//!
//! All rungs and yardsticks take turns, round by round, each turn a series of launches timed by events of the device (see [`crate::series`]).
//! Criterion gets these times and makes of them what it makes of any: intervals, outliers, and the change since the bench before. So what
//! is compared was measured side by side, and what criterion sees is the device's clock, not the host's.
//!
//! They take the lab's own flags and run on the device of `LABS_DEVICE`, by default a GPU where there is one. On the simulator every series
//! takes the same virtual time, so there the benches show the model's figure and no spread.

use crate::command_line::Destination;
use crate::error::{Verdict, conclude};
use crate::lab::Lab;
use crate::report::write_figures;
use crate::result::{Note, Report, Row};
use anyhow::Context;
use clap::Parser;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use cudarc::driver::result::DriverError;
use std::fs::File;
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// The `main` of a lab's bench: measures with the lab's options, hands the times to criterion, and delivers the report, by default also as
/// JSON and figures under `target/bench/`.
pub fn main<L: Lab>() -> ExitCode {
    let lab = L::NAME;
    // Cargo adds `--bench`, which is no flag of the lab's.
    let mut options = L::Options::parse_from(std::env::args().filter(|argument| argument != "--bench"));
    let args = {
        let args = (L::ARGS)(&mut options);
        args.series |= L::IN_SERIES;
        args.tells_rows = true;
        args.clone()
    };
    conclude(|| {
        let folder = folder()?;
        let mut delivered = args.clone();
        if delivered.json.is_none() {
            std::fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
            delivered.json = Some(Destination::File(folder.join(format!("{lab}.json"))));
        }
        let plots = delivered.plot.get_or_insert(folder.join(lab)).clone();
        let mut measured = None;
        let verdict = crate::lab::run::<L>(&delivered, |device| {
            let mut report = (L::REPORT)(&options, device)?;
            report.notes.extend(versions().map(Note::from));
            measured = Some(report.clone());
            Ok(report)
        })?;
        if let Some(report) = measured {
            if args.json != Some(Destination::StandardOutput) {
                without_announcements(|| statistics(&report))?;
            }
            if args.plot.is_none() {
                write_bars(&report, &plots)?;
            }
            if args.json.is_none() {
                eprintln!("figures and JSON: {}", folder.display());
            }
        }
        Ok::<Verdict, anyhow::Error>(verdict)
    })
}

/// `target/bench` of this checkout, or of the folder that Cargo was told to build in.
fn folder() -> anyhow::Result<PathBuf> {
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(target) => PathBuf::from(target),
        None => kernels::checkout().map(PathBuf::from).map_or_else(std::env::current_dir, Ok)?.join("target"),
    };
    Ok(target.join("bench"))
}

/// The driver and the kernels' compiler, where they say.
fn versions() -> Option<String> {
    let mut driver = 0;
    // SAFETY: the driver writes one int.
    #[allow(unsafe_code)]
    let asked = unsafe { cudarc::driver::sys::cuDriverGetVersion(&raw mut driver) };
    asked.result().map_err(|error: DriverError| error).ok()?;
    let compiler = kernels::compiler().unwrap_or_else(|_| "none here, the embedded kernels were used".to_owned());
    Some(format!("the driver's interface is CUDA {}.{}; compiler: {compiler}", driver / 1000, driver % 1000 / 10))
}

/// Runs criterion, whose lines on what it is about to do are for a terminal: in a log they would be several for each row. Its results stand on
/// standard output.
fn without_announcements(run: impl FnOnce()) -> std::io::Result<()> {
    let stderr = std::io::stderr();
    if stderr.is_terminal() {
        run();
        return Ok(());
    }
    let kept = stderr.as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stderr(File::options().write(true).open("/dev/null")?)?;
    run();
    Ok(rustix::stdio::dup2_stderr(kept)?)
}

/// Criterion's statistics of every row, under its lab, size and condition.
fn statistics(report: &Report) {
    let mut criterion = Criterion::default();
    for row in &report.rows {
        for (condition, samples) in row.samples_ms.iter().filter(|(_, samples)| !samples.is_empty()) {
            let size = [report.lab, row.dtype.name(), &row.size.to_string(), condition].join("_");
            let mut group = criterion.benchmark_group(size.trim_end_matches('_'));
            group
                .sample_size(samples.len().max(FEWEST_SAMPLES))
                .sampling_mode(SamplingMode::Flat)
                .warm_up_time(Duration::from_nanos(1))
                // A time of the device's clock, as it is replayed: long beside a nanosecond, the unit of what criterion gets.
                .measurement_time(Duration::from_secs(100))
                .throughput(throughput(row));
            let name = BenchmarkId::new(&row.variant, if row.block.is_empty() { "its own" } else { &row.block });
            // The warm-up takes what it takes; the samples begin with the first call after it.
            let mut next = samples.iter().cycle();
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|iterations| {
                    let milliseconds = next.next().expect("a cycle has no end");
                    Duration::from_secs_f64(milliseconds / 1e3 * iterations as f64)
                });
            });
            group.finish();
        }
    }
}

/// Criterion makes no statistics of fewer.
const FEWEST_SAMPLES: usize = 10;

/// The work of one launch, from its rates: operations, or bytes where there is no arithmetic.
fn throughput(row: &Row) -> Throughput {
    let amount = |rate: f64| (rate * row.time_ms.median * 1e6).round() as u64;
    match (row.gflops, row.gbytes_per_s) {
        (Some(rate), _) => Throughput::Elements(amount(rate)),
        (None, rate) => Throughput::Bytes(amount(rate.unwrap_or(0.0))),
    }
}

/// Beside the figures over n, the rungs of each size as bars against the limit, in a folder of their own.
fn write_bars(report: &Report, plots: &std::path::Path) -> anyhow::Result<()> {
    let mut sizes: Vec<String> = report.rows.iter().map(|row| row.size.to_string()).collect();
    sizes.dedup();
    if sizes.len() > 1 {
        for size in sizes {
            let rows = report.rows.iter().filter(|row| row.size.to_string() == size).cloned().collect();
            write_figures(&Report { rows, comparisons: Vec::new(), ..report.clone() }, &plots.join(&size))?;
        }
    }
    Ok(())
}
