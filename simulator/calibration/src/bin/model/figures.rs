//! The figures of a card's row for calls, launches, short copies and atomics: by the times of the probe's kernels, many of them in a row.

use crate::probe::{Counted, Probe, WARMUP, stamp};
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
/// The same of copies and events.
const ROWS: [u32; 2] = [4, 12];
/// Size of a copy that is all start and end.
const SHORT_BYTES: usize = 4 << 10;
/// All to one word.
const ONE_WORD: Counted = Counted { shift: 0, mask: 0, stride: 4 };

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

    /// Time of each launch in a row of launches: the first few are subtracted, so that other costs cancel.
    fn launch_us(&mut self, covered: bool, turns: u32, [few, many]: [u32; 2]) -> anyhow::Result<f64> {
        let mut of = |count: u32| self.us(covered, |p, stream| (0..count).try_for_each(|_| p.launch(stream, turns)));
        Ok((of(many)? - of(few)?) / f64::from(many - few))
    }

    /// Time of each node of a graph, many in a row.
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
        // Times of a copy, and of a copy that waits for the other engine.
        let ([copy_us, in_turns_us], stamp_us) =
            (self.copies_us()?, self.in_a_row_us(|_, stream| stamp(stream).map(drop))?);
        let copy_us = copy_us - stamp_us - SHORT_BYTES as f64 / pinned_bytes_per_s * 1e6;
        let handover_us = (in_turns_us - empty_us) / 2.0;
        Ok(vec![
            ("launch_host_ns", host_us * 1e3),
            ("launch_device_ns", (empty_us - own_us) * 1e3),
            ("graph_node_ns", gap_us * 1e3),
            ("graph_node_least_ns", least_us * 1e3),
            ("copy_latency_ns", copy_us * 1e3),
            ("engine_handover_ns", handover_us * 1e3),
        ])
    }

    /// Time of the same work, repeated: the first few are subtracted, so that other costs cancel.
    fn in_a_row_us(
        &mut self,
        mut work: impl FnMut(&mut Probe, &Arc<CudaStream>) -> anyhow::Result<()>,
    ) -> anyhow::Result<f64> {
        let [few, many] = ROWS;
        let mut of = |count: u32| self.us(true, |probe, stream| (0..count).try_for_each(|_| work(probe, stream)));
        Ok((of(many)? - of(few)?) / f64::from(many - few))
    }

    /// A short copy with an event after it, on average of one in and one out; and what a copy in, a launch and a copy out take more than the two
    /// copies in turns.
    #[allow(unsafe_code)]
    fn copies_us(&mut self) -> anyhow::Result<[f64; 2]> {
        let mut host = HostBuffer::<f32>::new(&self.probe.device.context, SHORT_BYTES / 4, HostMemory::Pinned)?;
        let address = self.probe.words_address;
        let words = host.as_mut_slice()?.as_mut_ptr();
        // By the driver's own calls: cudarc's leave events of their own.
        let into = |stream: &Arc<CudaStream>| -> anyhow::Result<()> {
            // SAFETY: both sides have as many words, and live until the time was taken.
            unsafe {
                memcpy_htod_async(address, std::slice::from_raw_parts(words, SHORT_BYTES / 4), stream.cu_stream())
            }?;
            stamp(stream).map(drop)
        };
        let out = |stream: &Arc<CudaStream>| -> anyhow::Result<()> {
            // SAFETY: as before.
            let words = unsafe { std::slice::from_raw_parts_mut(words, SHORT_BYTES / 4) };
            // SAFETY: as before.
            unsafe { memcpy_dtoh_async(words, address, stream.cu_stream()) }?;
            stamp(stream).map(drop)
        };
        let both_us = self.in_a_row_us(|_, stream| into(stream))? + self.in_a_row_us(|_, stream| out(stream))?;
        let with_launch_us = self.in_a_row_us(|probe, stream| {
            into(stream)?;
            probe.launch(stream, 0)?;
            out(stream)
        })?;
        Ok([both_us / 2.0, with_launch_us - both_us])
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
        // To one word, of whole numbers and of floats.
        let many = f64::from(1 << 20);
        let rate = many / cycles(1 << 12, ONE_WORD)?;
        let floats_us = self.us(true, |probe, stream| probe.add(stream, 1 << 12, 20))?;
        let float_turns = (floats_us - empty_us) * 1e-6 * clock_hz * rate / many - 1.0;
        let mut found = vec![("atomic_steps_per_clock", rate), ("atomic_float_turns", float_turns.max(0.0))];
        if !slices {
            let sectors = (resident / 8.0).max(2.0);
            let us = self.us(true, |probe, stream| {
                probe.count(stream, 1 << 12, Counted { shift: 8, mask: u32::MAX, ..ONE_WORD })
            })?;
            let of_blocks = (us - empty_us) * 1e-6 * clock_hz;
            let overlap = (many / (rate * of_blocks)).ln() / sectors.ln();
            found.push(("atomic_overlap", overlap.clamp(0.05, 1.0)));
        }
        Ok(found)
    }
}
