//! The costs of the driver's calls, short copies, launches and atomics on the device of `LABS_DEVICE`: the figures of a row of
//! `simulator/clock/src/cards/cards.md` that no kernel of a lab shows alone.

use anyhow::Context;
use common::device::Device;
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaFunction, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;

/// A kernel of nothing; one that adds 1.0 to word `thread >> shift` of `to`; one that counts in words that lie `stride` bytes apart, as
/// the bits of `mask` of `thread >> shift` say; and one that calculates for so many turns.
const PTX: &str = include_str!("probe.ptx");

const ROUNDS: usize = 30;
pub const WARMUP: usize = 3;
/// Bytes that keep the device busy while the host runs ahead, so often set to zero: calls take the host longer than the device.
const COVER_BYTES: usize = 256 << 20;
const COVERS: usize = 4;

/// The kernels and buffers.
pub struct Probe<'d> {
    pub device: &'d Device,
    empty: CudaFunction,
    add: CudaFunction,
    count: CudaFunction,
    spin: CudaFunction,
    cover: CudaSlice<u8>,
    words: CudaSlice<f32>,
    /// The address of `words`: captured work may not wait for what others did with them.
    pub words_address: u64,
}

/// Where a kernel counts: `count` above.
#[derive(Clone, Copy)]
pub struct Counted {
    pub shift: u32,
    pub mask: u32,
    pub stride: u32,
}

/// An event that takes the time, recorded now.
pub fn stamp(stream: &CudaStream) -> anyhow::Result<CudaEvent> {
    Ok(stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?)
}

fn grid(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

impl<'d> Probe<'d> {
    pub fn new(device: &'d Device) -> anyhow::Result<Self> {
        let module = device.context.load_module(Ptx::from_src(PTX)).context("loading the probe's kernels")?;
        let stream = device.stream.context().new_stream()?;
        let words = stream.alloc_zeros(1 << 20)?;
        let words_address = words.device_ptr(&stream).0;
        stream.synchronize()?;
        Ok(Probe {
            empty: module.load_function("empty")?,
            add: module.load_function("add")?,
            count: module.load_function("count")?,
            spin: module.load_function("spin")?,
            cover: stream.alloc_zeros(COVER_BYTES)?,
            words,
            words_address,
            device,
        })
    }

    /// Blocks of 256 threads that the device holds at a time.
    pub fn resident_blocks(&self) -> anyhow::Result<u32> {
        let blocks = self.add.occupancy_max_active_blocks_per_multiprocessor(256, 0, None)?;
        Ok(blocks * u32::try_from(self.device.limits()?.multiprocessors)?)
    }

    /// Device times of `work` between two events, in microseconds: of an idle device, or after other work.
    pub fn times(
        &mut self,
        stream: &Arc<CudaStream>,
        covered: bool,
        mut work: impl FnMut(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<Vec<f64>> {
        // The simulator's clock says the same each time.
        let rounds = if self.device.facts.simulated { 2 } else { ROUNDS };
        let mut times = Vec::new();
        for _ in 0..WARMUP + rounds {
            stream.synchronize()?;
            for _ in 0..if covered { COVERS } else { 0 } {
                stream.memset_zeros(&mut self.cover)?;
            }
            let start = stamp(stream)?;
            work(self)?;
            let end = stamp(stream)?;
            end.synchronize()?;
            times.push(f64::from(start.elapsed_ms(&end)?) * 1e3);
        }
        Ok(times)
    }

    /// A kernel of so many turns; 0: the empty one.
    #[allow(unsafe_code)]
    pub fn launch(&mut self, stream: &Arc<CudaStream>, turns: u32) -> anyhow::Result<()> {
        if turns == 0 {
            // SAFETY: the kernel has no parameters.
            unsafe { stream.launch_builder(&self.empty).launch(grid(1, 32)) }?;
            return Ok(());
        }
        let mut builder = stream.launch_builder(&self.spin);
        builder.arg(&self.words_address).arg(&turns);
        // SAFETY: the signature is (float *to, unsigned turns); it writes one word.
        unsafe { builder.launch(grid(1, 32)) }?;
        Ok(())
    }

    /// Blocks of 256 threads count.
    #[allow(unsafe_code)]
    pub fn count(&mut self, stream: &Arc<CudaStream>, blocks: u32, counted: Counted) -> anyhow::Result<()> {
        let Counted { shift, mask, stride } = counted;
        let mut builder = stream.launch_builder(&self.count);
        builder.arg(&self.words_address).arg(&shift).arg(&mask).arg(&stride);
        // SAFETY: the signature is (unsigned *to, unsigned shift, unsigned mask, unsigned stride); callers stay in `words`, a
        // word for each of a million threads.
        unsafe { builder.launch(grid(blocks, 256)) }?;
        Ok(())
    }

    /// Blocks of 256 threads add, `1 << shift` neighbours to one word.
    #[allow(unsafe_code)]
    pub fn add(&mut self, stream: &Arc<CudaStream>, blocks: u32, shift: u32) -> anyhow::Result<()> {
        let mut builder = stream.launch_builder(&self.add);
        builder.arg(&mut self.words).arg(&shift);
        // SAFETY: the signature is (float *to, unsigned shift); `words` has one for each of a million threads.
        unsafe { builder.launch(grid(blocks, 256)) }?;
        Ok(())
    }
}
