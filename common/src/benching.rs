//! The labs' benches: kernel times of a ladder under criterion, by device events. What criterion sees is the device's clock, not the host's.
//!
//! They run on the device of `LABS_DEVICE`, by default a GPU where there is one. On the simulator every run of a kernel takes the same
//! virtual time, so there the benches show the model's figure and no spread.

use crate::device::{ByDevice, Device, DeviceChoice, Instrumentation};
use crate::ladder::Variant;
use crate::result::Row;
use crate::timing::Runs;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use std::time::Duration;

/// A ladder to be measured at one size.
pub struct Ladder<P: 'static> {
    /// The lab: "gemm".
    pub lab: &'static str,
    /// Its rungs.
    pub variants: &'static [Variant<P>],
    /// n of a square problem.
    pub size: ByDevice<usize>,
    /// What one run does, for the rate.
    pub throughput: fn(n: usize) -> Throughput,
    /// Measures and checks one rung at size n.
    pub run: fn(&Device, &'static Variant<P>, n: usize, Runs) -> anyhow::Result<Row>,
}

/// The `main` of a bench: every rung of the ladder, under its name. Panics where a rung is wrong: its time would say nothing.
pub fn run<P>(ladder: &Ladder<P>) -> anyhow::Result<()> {
    let choice = match std::env::var("LABS_DEVICE") {
        Ok(text) => text.parse().map_err(anyhow::Error::msg)?,
        Err(_) => DeviceChoice::Auto,
    };
    let device = Device::open(&choice, &Instrumentation::default())?;
    println!("{}", device.facts);
    let mut criterion = Criterion::default().configure_from_args();
    let n = device.choose(ladder.size);
    // Interpreted runs take far longer than the virtual time that criterion plans with, so there a few of them have to do.
    let (warm_up, measurement) = device.choose(ByDevice {
        simulator: (Duration::from_millis(1), Duration::from_millis(1)),
        gpu: (Duration::from_secs(1), Duration::from_secs(3)),
    });
    let mut group = criterion.benchmark_group(format!("{}_f32_{n}", ladder.lab));
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(warm_up)
        .measurement_time(measurement)
        .throughput((ladder.throughput)(n));
    for variant in ladder.variants {
        group.bench_function(BenchmarkId::from_parameter(variant.name), |bencher| {
            bencher.iter_custom(|iterations| kernel_time(&device, ladder, variant, n, iterations));
        });
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}

/// The sum of the kernel's times over so many runs.
fn kernel_time<P>(
    device: &Device,
    ladder: &Ladder<P>,
    variant: &'static Variant<P>,
    n: usize,
    iterations: u64,
) -> Duration {
    let runs = Runs { warmup: 1, repeat: iterations as usize };
    let row = (ladder.run)(device, variant, n, runs).expect("the rung runs");
    assert!(row.correct, "{} is wrong: {:?}", variant.name, row.mismatch);
    Duration::from_secs_f64(row.time_ms.mean * row.time_ms.runs as f64 / 1e3)
}
