//! What a card's row says of calls, launches, short copies and atomics: by what the probe's kernels take, many of them in a row.

use crate::probe::{Counted, Probe, WARMUP};
use anyhow::Context;
use common::device::Device;
use common::host_memory::{HostBuffer, HostMemory};
use common::statistics::Statistics;
use cudarc::driver::CudaStream;
use cudarc::driver::result::{memcpy_dtoh_async, memcpy_htod_async};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use std::sync::Arc;

/// The measurements, and what they need.
pub struct Figures<'d> {
    probe: Probe<'d>,
    stream: Arc<CudaStream>,
    clock_hz: f64,
}

/// From a block's start to its first instruction, which an empty kernel takes too: in the model, and about so on cards.
const BLOCK_START_CYCLES: f64 = 150.0;
/// Turns of a kernel that is longer than what passes between two of a graph.
const LONG: u32 = 1500;
/// Launches in a row that are told to the device before it comes to them.
const QUEUED: [u32; 2] = [10, 40];
/// Of a copy that is all start and end.
const SHORT_BYTES: usize = 4 << 10;
/// All to one word.
const ONE_WORD: Counted = Counted { shift: 0, mask: 0, stride: 4 };
/// Turns of an atomic of 32 lanes that name one word, for each: one, and its part of the sector's coming, as the model has them.
const TURNS_OF_MANY: f64 = 1.0 + 0.3 / 32.0;

impl<'d> Figures<'d> {
    /// Measures on a device with such a clock.
    pub fn new(device: &'d Device, clock_hz: f64) -> anyhow::Result<Self> {
        let probe = Probe::new(device)?;
        Ok(Figures { stream: device.context.new_stream()?, probe, clock_hz })
    }

    /// Microseconds of work between two events, queued or not.
    fn us(
        &mut self,
        covered: bool,
        work: impl FnMut(&mut Probe, &Arc<CudaStream>) -> anyhow::Result<()>,
    ) -> anyhow::Result<f64> {
        let (stream, mut work) = (self.stream.clone(), work);
        let times = self.probe.times(&stream, covered, |probe| work(probe, &stream))?;
        Ok(Statistics::of(&times[WARMUP..]).map_or(0.0, |times| times.median))
    }

    /// Of launches in a row, each: the first few apart, so that what is not theirs cancels.
    fn launch_us(&mut self, covered: bool, turns: u32, [few, many]: [u32; 2]) -> anyhow::Result<f64> {
        let mut of = |count: u32| self.us(covered, |p, stream| (0..count).try_for_each(|_| p.launch(stream, turns)));
        Ok((of(many)? - of(few)?) / f64::from(many - few))
    }

    /// Of nodes of a graph in a row, each.
    fn node_us(&mut self, turns: u32) -> anyhow::Result<f64> {
        let mut of = |nodes: u32| -> anyhow::Result<f64> {
            self.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
            for _ in 0..nodes {
                self.probe.launch(&self.stream.clone(), turns)?;
            }
            let graph = self.stream.end_capture(CUgraphInstantiate_flags(0))?.context("the capture holds nothing")?;
            self.us(true, |_, _| Ok(graph.launch()?))
        };
        Ok((of(110)? - of(10)?) / 100.0)
    }

    /// Launches, nodes of graphs and short copies, over a bus of that rate.
    pub fn launches(&mut self, pinned_bytes_per_s: f64) -> anyhow::Result<Vec<(&'static str, f64)>> {
        let own_us = BLOCK_START_CYCLES / self.clock_hz * 1e6;
        // The host's: many, since the device has some of the first ones before it.
        let host_us = self.launch_us(false, 0, [10, 110])?;
        let (empty_us, long_us) = (self.launch_us(true, 0, QUEUED)?, self.launch_us(true, LONG, QUEUED)?);
        let (node_us, long_node_us) = (self.node_us(0)?, self.node_us(LONG)?);
        // A long kernel takes as long in a graph.
        let gap_us = long_node_us - (long_us - (empty_us - own_us));
        let least_us = if node_us > 1.15 * (gap_us + own_us) { node_us } else { 0.0 };
        let bytes_us = SHORT_BYTES as f64 / pinned_bytes_per_s * 1e6;
        let copy_us = (self.copies_us(20)? - self.copies_us(5)?) / 30.0 - bytes_us;
        Ok(vec![
            ("launch_host_ns", host_us * 1e3),
            ("launch_device_ns", (empty_us - own_us) * 1e3),
            ("graph_node_ns", gap_us * 1e3),
            ("graph_node_least_ns", least_us * 1e3),
            ("copy_latency_ns", copy_us * 1e3),
        ])
    }

    /// So many short copies in, and as many out.
    #[allow(unsafe_code)]
    fn copies_us(&mut self, count: u32) -> anyhow::Result<f64> {
        let mut host = HostBuffer::<f32>::new(&self.probe.device.context, SHORT_BYTES / 4, HostMemory::Pinned)?;
        let address = self.probe.words_address;
        let words = host.as_mut_slice()?;
        // By the driver's own calls: cudarc's leave an event behind each copy.
        let into = self.us(true, |_, stream| {
            // SAFETY: both sides have as many words, and live until the time was taken.
            Ok((0..count).try_for_each(|_| unsafe { memcpy_htod_async(address, words, stream.cu_stream()) })?)
        })?;
        let out = self.us(true, |_, stream| {
            // SAFETY: as before.
            Ok((0..count).try_for_each(|_| unsafe { memcpy_dtoh_async(words, address, stream.cu_stream()) })?)
        })?;
        Ok(into + out)
    }

    /// Atomics. `slices`: whether the model knows of L2's slices on such a card; else it has a power of the sectors that atomics wait for. How
    /// many slices there are is not measured: words that lie apart share some of them on a card, and are dealt out evenly in the model.
    pub fn atomics(&mut self, slices: bool) -> anyhow::Result<Vec<(&'static str, f64)>> {
        let empty_us = self.launch_us(true, 0, QUEUED)?;
        let clock_hz = self.clock_hz;
        let resident = f64::from(self.probe.resident_blocks()?.min(1 << 12));
        let mut cycles = |blocks: u32, counted: Counted| -> anyhow::Result<f64> {
            let us = self.us(true, |probe, stream| probe.count(stream, blocks, counted))?;
            Ok((us - empty_us) * 1e-6 * clock_hz)
        };
        // To one word, an eighth of a million and a million: each takes (1 + turns / crowd) / rate cycles.
        let (few, many) = (f64::from(1 << 17) * TURNS_OF_MANY, f64::from(1 << 20) * TURNS_OF_MANY);
        let (of_few, of_many) = (cycles(1 << 9, ONE_WORD)?, cycles(1 << 12, ONE_WORD)?);
        let ratio = of_many / of_few * few / many;
        let crowd = if ratio > 1.02 { (many - ratio * few) / (ratio - 1.0) } else { f64::INFINITY };
        let rate = (1.0 + few / crowd) * few / of_few;
        let mut found = vec![("atomic_steps_per_clock", rate), ("atomic_crowd_turns", crowd)];
        if !slices {
            let sectors = (resident / 8.0).max(2.0);
            let of_blocks = cycles(1 << 12, Counted { shift: 8, mask: u32::MAX, ..ONE_WORD })?;
            let overlap = (many * (1.0 + many / sectors / crowd) / (rate * of_blocks)).ln() / sectors.ln();
            found.push(("atomic_overlap", overlap.clamp(0.05, 1.0)));
        }
        Ok(found)
    }
}
