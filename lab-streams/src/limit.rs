//! The limit that no order of copies and kernels can beat: the busiest part of the machine, by rates measured at the start of the same run.

use crate::engine::Engine;
use crate::planned;
use crate::variants::Batch;
use crate::workload::Workload;
use common::ceiling::ArithmeticPeak;
use common::device::{ByDevice, Device};
use common::element::Element;
use common::host_memory::{HostBuffer, HostMemory};
use common::matrix::allocate_device;
use common::timing::Runs;
use cudarc::driver::{CudaEvent, CudaStream};
use kernels::Source;
use std::sync::Arc;

/// The term that no copy takes part in.
pub const KERNELS: &str = "kernels";

/// Rates of the bus with pinned memory, in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusRates {
    /// Host to device.
    pub copy_in: f64,
    /// Device to host.
    pub copy_out: f64,
    /// Both at once, added up.
    pub both_ways: f64,
    /// Seconds of the host to ask for a copy, without a wait for it.
    pub copy_call_s: f64,
}

/// Bytes of one probe: long enough that starting it does not count.
const PROBE_BYTES: ByDevice<usize> = ByDevice { simulator: 16 << 20, gpu: 256 << 20 };
/// Calls that one is measured from: so few that the device takes all of them without a wait.
const CALLS: usize = 64;
/// The best of so many counts: whatever else happens on a machine only takes time. A simulated time is the same in every run.
const PROBES: ByDevice<usize> = ByDevice { simulator: 1, gpu: 3 };

impl BusRates {
    /// Measures the open device's bus.
    pub fn measure(device: &Device) -> anyhow::Result<Self> {
        let bytes = device.choose(PROBE_BYTES);
        let len = bytes / size_of::<f32>();
        let context = &device.context;
        let input = HostBuffer::<f32>::new(context, len, HostMemory::Pinned)?;
        let mut output = HostBuffer::<f32>::new(context, len, HostMemory::Pinned)?;
        let mut loaded = allocate_device::<f32>(&device.stream, len)?;
        let mut source = allocate_device::<f32>(&device.stream, len)?;
        device.stream.memcpy_htod(&input, &mut source)?;
        let (lane_in, lane_out, idle) = (context.new_stream()?, context.new_stream()?, context.new_stream()?);
        let mut best = BusRates { copy_in: 0.0, copy_out: 0.0, both_ways: 0.0, copy_call_s: f64::INFINITY };
        for _ in 0..device.choose(PROBES) {
            context.synchronize()?;
            let start = mark(&lane_in)?;
            lane_in.memcpy_htod(&input, &mut loaded)?;
            let seconds = elapsed_s(&start, &[mark(&lane_in)?])?;
            best.copy_in = best.copy_in.max(bytes as f64 / seconds);

            context.synchronize()?;
            let start = mark(&lane_out)?;
            lane_out.memcpy_dtoh(&source, &mut output)?;
            let seconds = elapsed_s(&start, &[mark(&lane_out)?])?;
            best.copy_out = best.copy_out.max(bytes as f64 / seconds);

            context.synchronize()?;
            let start = mark(&lane_in)?;
            lane_in.memcpy_htod(&input, &mut loaded)?;
            lane_out.memcpy_dtoh(&source, &mut output)?;
            let seconds = elapsed_s(&start, &[mark(&lane_in)?, mark(&lane_out)?])?;
            best.both_ways = best.both_ways.max(2.0 * bytes as f64 / seconds);

            context.synchronize()?;
            // Where nothing runs, an event is passed when it is recorded.
            let start = mark(&idle)?;
            for _ in 0..CALLS {
                lane_in.memcpy_htod(&input.as_slice()?[..1], &mut loaded)?;
            }
            best.copy_call_s = best.copy_call_s.min(elapsed_s(&start, &[mark(&idle)?])? / CALLS as f64);
        }
        Ok(best)
    }
}

/// The parts that bound a batch on one device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Milliseconds that each part of the machine needs at least, with its name.
    pub terms: [(&'static str, f64); 4],
}

impl Limit {
    /// From the rates and the kernels alone: one after the other, or side by side where that is faster, but never faster than the
    /// card's arithmetic peak.
    pub fn measure<T: Element>(
        device: &Device,
        source: &Source,
        workload: &Workload,
        rates: BusRates,
    ) -> anyhow::Result<Self> {
        let mut kernel_ms = f64::INFINITY;
        for schedule in [planned::resident, planned::resident_concurrent] {
            let batch = Batch {
                inputs: HostMemory::Pinned,
                outputs: HostMemory::Pinned,
                schedule,
                captured: false,
                all_devices: false,
            };
            let mut engine = Engine::<T>::new(device, source, workload, batch, 1, |schedule| schedule)?;
            engine.fill_inputs()?;
            let runs = Runs { warmup: 0, repeat: device.choose(PROBES), within: None };
            kernel_ms = engine.run_series(runs)?.into_iter().fold(kernel_ms, f64::min);
        }
        let peak = ArithmeticPeak::of(device)?.and_then(|peak| peak.flops_per_s(workload.dtype));
        let at_peak_ms = peak.map_or(0.0, |flops_per_s| workload.flops() / flops_per_s * 1e3);
        Ok(Self::of(workload.bytes_in(), workload.bytes_out(), kernel_ms.max(at_peak_ms), rates))
    }

    fn of(bytes_in: f64, bytes_out: f64, kernel_ms: f64, rates: BusRates) -> Self {
        Limit {
            terms: [
                ("copies in", bytes_in / rates.copy_in * 1e3),
                ("copies out", bytes_out / rates.copy_out * 1e3),
                ("copies both ways", (bytes_in + bytes_out) / rates.both_ways * 1e3),
                (KERNELS, kernel_ms),
            ],
        }
    }

    /// The longest of the terms; of the kernels alone where nothing is copied.
    pub fn bound(&self, with_copies: bool) -> (&'static str, f64) {
        let kernels = self.terms[3];
        if !with_copies {
            return kernels;
        }
        self.terms.into_iter().fold(kernels, |longest, term| if term.1 > longest.1 { term } else { longest })
    }
}

fn mark(stream: &Arc<CudaStream>) -> anyhow::Result<CudaEvent> {
    Ok(crate::card::stamp(stream)?)
}

fn elapsed_s(start: &CudaEvent, ends: &[CudaEvent]) -> anyhow::Result<f64> {
    let mut longest: f64 = 0.0;
    for end in ends {
        longest = longest.max(f64::from(start.elapsed_ms(end)?) / 1e3);
    }
    Ok(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: BusRates = BusRates { copy_in: 50e9, copy_out: 25e9, both_ways: 60e9, copy_call_s: 1e-6 };

    #[test]
    fn the_busiest_part_is_the_limit() {
        // 1 GB in takes 20 ms, 0.1 GB out 4 ms, both together 18.3 ms.
        assert_eq!(Limit::of(1e9, 0.1e9, 5.0, RATES).bound(true), ("copies in", 20.0));
        assert_eq!(Limit::of(0.1e9, 1e9, 5.0, RATES).bound(true).0, "copies out");
        let (name, ms) = Limit::of(0.9e9, 0.5e9, 5.0, RATES).bound(true);
        assert_eq!((name, ms.round()), ("copies both ways", 23.0));
        assert_eq!(Limit::of(1e9, 0.1e9, 30.0, RATES).bound(true), ("kernels", 30.0));
    }

    #[test]
    fn without_copies_only_the_kernels_count() {
        assert_eq!(Limit::of(1e9, 1e9, 5.0, RATES).bound(false), ("kernels", 5.0));
    }
}
