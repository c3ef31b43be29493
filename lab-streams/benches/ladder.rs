//! Batch times of the ladder under criterion, by device events: what criterion sees is the device's clock, not the host's.
//!
//! `cargo bench -p lab-streams` runs on the device of `LABS_DEVICE`, by default a GPU where there is one. On the simulator every run of a
//! batch takes the same virtual time, so there the benches show the model's figure and no spread.

use common::device::{ByDevice, Device, DeviceChoice, Instrumentation};
use common::element::Dtype;
use common::shape::Shape;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use lab_streams::{Batch, DEFAULT_RING, Engine, GemmKernel, Kind, Rung, VARIANTS, Workload};
use std::time::Duration;

fn main() -> anyhow::Result<()> {
    let choice = match std::env::var("LABS_DEVICE") {
        Ok(text) => text.parse().map_err(anyhow::Error::msg)?,
        Err(_) => DeviceChoice::Auto,
    };
    let device = Device::open(&choice, &Instrumentation::default())?;
    println!("{}", device.facts);
    let mut criterion = Criterion::default().configure_from_args();
    bench_ladder(&mut criterion, &device);
    criterion.final_summary();
    Ok(())
}

fn bench_ladder(criterion: &mut Criterion, device: &Device) {
    // Interpreted runs take far longer than the virtual time that criterion plans with, so there a few of them have to do.
    let (extent, warm_up, measurement) = device.choose(ByDevice {
        simulator: (1 << 13, Duration::from_millis(1), Duration::from_millis(1)),
        gpu: (1 << 20, Duration::from_secs(1), Duration::from_secs(3)),
    });
    let workload = Workload {
        kind: Kind::Chunks,
        size: Shape::square(extent),
        extent,
        count: 16,
        dtype: Dtype::F64,
        kernel: GemmKernel::default(),
        seed: 1,
    };
    let mut group = criterion.benchmark_group(format!("streams_chunks_f64_16x{extent}"));
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(warm_up)
        .measurement_time(measurement)
        .throughput(Throughput::Bytes((workload.bytes_in() + workload.bytes_out()) as u64));
    for variant in VARIANTS {
        let Rung::Batch(batch) = variant.rung else { continue };
        group.bench_function(BenchmarkId::from_parameter(variant.name), |bencher| {
            bencher.iter_custom(|iterations| batch_time(device, &workload, batch, iterations));
        });
    }
    group.finish();
}

/// The sum of the batch's times over so many runs, of which the last is checked.
fn batch_time(device: &Device, workload: &Workload, batch: Batch, iterations: u64) -> Duration {
    let source = workload.source().expect("the kernel has its file");
    let mut engine = Engine::<f64>::new(device, &source, workload, batch, DEFAULT_RING, |schedule| schedule)
        .expect("the batch is ready");
    engine.fill_inputs().expect("inputs are drawn");
    let milliseconds: f64 = (0..iterations).map(|_| engine.run(false).expect("the batch runs").elapsed_ms).sum();
    let check = engine.check().expect("the outputs are there");
    assert!(check.correct, "wrong: {:?}", check.mismatch);
    Duration::from_secs_f64(milliseconds / 1e3)
}
