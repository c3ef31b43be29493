//! What the driver's calls, short copies, launches and atomics cost on the device of `LABS_DEVICE`: the figures of a row of
//! `simulator/src/device.rs` that no kernel of a lab shows alone.

use anyhow::Context;
use common::device::Device;
use common::host_memory::{HostBuffer, HostMemory};
use common::statistics::Statistics;
use cudarc::driver::sys::{CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaEvent, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;
use std::time::Instant;

/// A kernel of nothing, and one that adds 1 to word `thread >> shift` of `to`.
const PTX: &str = r"
.version 6.0
.target sm_50
.address_size 64
.visible .entry empty() { ret; }
.visible .entry add(.param .u64 to, .param .u32 shift) {
    .reg .b32 %r<7>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [shift];
    shr.u32 %r6, %r4, %r5;
    ld.param.u64 %rd1, [to];
    cvta.to.global.u64 %rd2, %rd1;
    mad.wide.u32 %rd3, %r6, 4, %rd2;
    red.global.add.f32 [%rd3], 0f3F800000;
    ret;
}
";

const ROUNDS: usize = 30;
const WARMUP: usize = 3;
/// Calls in a row, where one alone would be lost in the noise.
const MANY: usize = 100;
/// Bytes that keep the device busy while the host runs ahead.
const COVER_BYTES: usize = 256 << 20;
const COPY_BYTES: [usize; 6] = [4 << 10, 64 << 10, 128 << 10, 256 << 10, 1 << 20, 16 << 20];

struct Probe {
    device: Device,
    empty: CudaFunction,
    add: CudaFunction,
    cover: CudaSlice<u8>,
    words: CudaSlice<f32>,
}

/// Prints one figure per line, in microseconds.
pub fn print(device: Device) -> anyhow::Result<()> {
    println!("{}", device.facts);
    let module = device.context.load_module(Ptx::from_src(PTX)).context("loading the probe's kernels")?;
    let stream = device.stream.context().new_stream()?;
    let mut probe = Probe {
        empty: module.load_function("empty")?,
        add: module.load_function("add")?,
        cover: stream.alloc_zeros(COVER_BYTES)?,
        words: stream.alloc_zeros(1 << 20)?,
        device,
    };
    probe.calls(&stream)?;
    probe.launches(&stream)?;
    probe.atomics(&stream)?;
    probe.copies(&stream)
}

fn stamp(stream: &CudaStream) -> anyhow::Result<CudaEvent> {
    Ok(stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?)
}

fn grid(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

fn report(what: &str, microseconds: &[f64]) {
    let figure = Statistics::of(&microseconds[WARMUP..]).expect("some rounds");
    println!("{what:<60} {:>10.3}  (min {:.3}, max {:.3})", figure.median, figure.min, figure.max);
}

impl Probe {
    /// Device time of `work` between two events, in microseconds per `per`: of an idle device, or after other work.
    fn timed(
        &mut self,
        what: &str,
        stream: &Arc<CudaStream>,
        covered: bool,
        per: usize,
        mut work: impl FnMut(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut times = Vec::new();
        for _ in 0..WARMUP + ROUNDS {
            stream.synchronize()?;
            if covered {
                stream.memset_zeros(&mut self.cover)?;
            }
            let start = stamp(stream)?;
            work(self)?;
            let end = stamp(stream)?;
            end.synchronize()?;
            times.push(f64::from(start.elapsed_ms(&end)?) * 1e3 / per as f64);
        }
        report(&format!("{what}, {}", if covered { "queued" } else { "idle" }), &times);
        Ok(())
    }

    /// Host time of calls that do not wait. On the simulator it is the simulator's own and means nothing.
    fn calls(&mut self, stream: &Arc<CudaStream>) -> anyhow::Result<()> {
        let mut host = HostBuffer::<f32>::new(&self.device.context, 1024, HostMemory::Pinned)?;
        let mut device = stream.alloc_zeros::<f32>(1024)?;
        let event = stamp(stream)?;
        let other = self.device.context.new_stream()?;
        type Call<'a> = (&'a str, Box<dyn FnMut(&Probe) -> anyhow::Result<()> + 'a>);
        let calls: [Call<'_>; 5] = [
            ("host: record of an event", Box::new(|_| Ok(event.record(stream)?))),
            ("host: wait of a stream for an event", Box::new(|_| Ok(other.wait(&event)?))),
            ("host: launch", Box::new(|probe| probe.launch_empty(stream, grid(1, 32)))),
            ("host: copy in, 4 KiB pinned", Box::new(|_| Ok(stream.memcpy_htod(&host, &mut device)?))),
            ("host: synchronize an idle stream", Box::new(|_| Ok(other.synchronize()?))),
        ];
        for (what, mut call) in calls {
            let mut times = Vec::new();
            for _ in 0..WARMUP + ROUNDS {
                self.device.context.synchronize()?;
                let start = Instant::now();
                for _ in 0..MANY {
                    call(self)?;
                }
                times.push(start.elapsed().as_secs_f64() * 1e6 / MANY as f64);
            }
            report(what, &times);
        }
        stream.synchronize()?;
        host.as_mut_slice()?.fill(0.0);
        Ok(())
    }

    #[allow(unsafe_code)]
    fn launch_empty(&self, stream: &Arc<CudaStream>, config: LaunchConfig) -> anyhow::Result<()> {
        // SAFETY: the kernel has no parameters.
        unsafe { stream.launch_builder(&self.empty).launch(config) }?;
        Ok(())
    }

    #[allow(unsafe_code)]
    fn launch_cooperative(&self, stream: &Arc<CudaStream>, config: LaunchConfig) -> anyhow::Result<()> {
        // SAFETY: the kernel has no parameters.
        unsafe { stream.launch_builder(&self.empty).launch_cooperative(config) }?;
        Ok(())
    }

    fn launches(&mut self, stream: &Arc<CudaStream>) -> anyhow::Result<()> {
        for covered in [false, true] {
            self.timed("nothing between two events", stream, covered, 1, |_| Ok(()))?;
            self.timed("1 empty launch", stream, covered, 1, |p| p.launch_empty(stream, grid(1, 32)))?;
            self.timed("10 empty launches, per launch", stream, covered, 10, |p| {
                (0..10).try_for_each(|_| p.launch_empty(stream, grid(1, 32)))
            })?;
            self.timed("1 empty cooperative launch", stream, covered, 1, |p| {
                p.launch_cooperative(stream, grid(132, 256))
            })?;
        }
        for threads in [32, 256, 1024] {
            for blocks in [132, 1024, 8192, 65536] {
                let what = format!("empty grid of {blocks} blocks of {threads}");
                self.timed(&what, stream, true, 1, |p| p.launch_empty(stream, grid(blocks, threads)))?;
            }
        }
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
        for _ in 0..MANY {
            self.launch_empty(stream, grid(1, 32))?;
        }
        let graph = stream.end_capture(CUgraphInstantiate_flags(0))?.context("the capture holds nothing")?;
        self.timed("graph of 100 empty nodes, per node", stream, true, MANY, |_| Ok(graph.launch()?))
    }

    /// Atomic additions of a million threads: to a word each, to one per warp, per block, and all to one.
    #[allow(unsafe_code)]
    fn atomics(&mut self, stream: &Arc<CudaStream>) -> anyhow::Result<()> {
        for shift in [0u32, 2, 4, 5, 8, 10, 15, 20] {
            let what = format!("2^20 additions, 2^{shift} neighbours to one word");
            self.timed(&what, stream, true, 1, |p| {
                let mut builder = stream.launch_builder(&p.add);
                builder.arg(&mut p.words).arg(&shift);
                // SAFETY: the signature is (float *to, unsigned shift); `words` has one per thread.
                unsafe { builder.launch(grid(1 << 12, 256)) }?;
                Ok(())
            })?;
        }
        Ok(())
    }

    fn copies(&mut self, stream: &Arc<CudaStream>) -> anyhow::Result<()> {
        for bytes in COPY_BYTES {
            let mut device = stream.alloc_zeros::<f32>(bytes / 4)?;
            for memory in [HostMemory::Pinned, HostMemory::Pageable] {
                let mut host = HostBuffer::<f32>::new(&self.device.context, bytes / 4, memory)?;
                let kib = bytes >> 10;
                self.timed(&format!("{memory} copy in, {kib} KiB"), stream, false, 1, |_| {
                    Ok(stream.memcpy_htod(&host, &mut device)?)
                })?;
                self.timed(&format!("{memory} copy out, {kib} KiB"), stream, false, 1, |_| {
                    Ok(stream.memcpy_dtoh(&device, &mut host)?)
                })?;
                if memory == HostMemory::Pageable {
                    continue;
                }
                self.timed(&format!("10 copies in, {kib} KiB, each"), stream, true, 10, |_| {
                    Ok((0..10).try_for_each(|_| stream.memcpy_htod(&host, &mut device))?)
                })?;
                self.timed(&format!("10 copies out, {kib} KiB, each"), stream, true, 10, |_| {
                    Ok((0..10).try_for_each(|_| stream.memcpy_dtoh(&device, &mut host))?)
                })?;
                self.timed(&format!("10 × (in, launch, out), {kib} KiB, each"), stream, true, 10, |p| {
                    for _ in 0..10 {
                        stream.memcpy_htod(&host, &mut device)?;
                        p.launch_empty(stream, grid(1, 32))?;
                        stream.memcpy_dtoh(&device, &mut host)?;
                    }
                    Ok(())
                })?;
                self.timed(&format!("10 × (in, wait, launch, out, wait), {kib} KiB, each"), stream, false, 10, |p| {
                    for _ in 0..10 {
                        stream.memcpy_htod(&host, &mut device)?;
                        stream.synchronize()?;
                        p.launch_empty(stream, grid(1, 32))?;
                        stream.memcpy_dtoh(&device, &mut host)?;
                        stream.synchronize()?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}
