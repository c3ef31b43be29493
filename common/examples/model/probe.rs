//! What the driver's calls, short copies, launches and atomics cost on the device of `LABS_DEVICE`: the figures of a row of
//! `simulator/src/device.rs` that no kernel of a lab shows alone.

use anyhow::Context;
use common::device::Device;
use common::host_memory::{HostBuffer, HostMemory};
use common::statistics::Statistics;
use cudarc::driver::result::{memcpy_dtoh_async, memcpy_htod_async};
use cudarc::driver::sys::{CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaEvent, CudaFunction, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;
use std::time::Instant;

/// A kernel of nothing; one that adds 1.0 to word `thread >> shift` of `to`; one whose first `lanes` of each warp count in words that lie `stride`
/// bytes apart, as the bits of `mask` of `thread >> shift` say; and one that calculates for so many turns.
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
.visible .entry count(.param .u64 to, .param .u32 lanes, .param .u32 shift, .param .u32 mask, .param .u32 stride) {
    .reg .pred %p<2>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    and.b32 %r9, %r3, 31;
    ld.param.u32 %r10, [lanes];
    setp.ge.u32 %p0, %r9, %r10;
    @%p0 bra END;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [shift];
    shr.u32 %r6, %r4, %r5;
    ld.param.u32 %r7, [mask];
    and.b32 %r6, %r6, %r7;
    ld.param.u32 %r8, [stride];
    ld.param.u64 %rd1, [to];
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r6, %r8;
    add.s64 %rd3, %rd2, %rd3;
    red.global.add.u32 [%rd3], 1;
END:
    ret;
}
.visible .entry spin(.param .u64 to, .param .u32 turns) {
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    .reg .f32 %f<4>;
    ld.param.u32 %r0, [turns];
    cvt.rn.f32.u32 %f0, %r0;
    mov.f32 %f1, %f0;
AGAIN:
    fma.rn.f32 %f1, %f1, %f0, %f0;
    sub.u32 %r0, %r0, 1;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra AGAIN;
    ld.param.u64 %rd0, [to];
    cvta.to.global.u64 %rd0, %rd0;
    st.global.f32 [%rd0], %f1;
    ret;
}
";

const ROUNDS: usize = 30;
const WARMUP: usize = 3;
/// Calls in a row, where one alone would be lost in the noise.
const MANY: usize = 100;
/// Bytes that keep the device busy while the host runs ahead, so often set to zero: calls take the host longer than the device.
const COVER_BYTES: usize = 256 << 20;
const COVERS: usize = 4;
const COPY_BYTES: [usize; 6] = [4 << 10, 64 << 10, 128 << 10, 256 << 10, 1 << 20, 16 << 20];

/// The kernels and buffers.
pub struct Probe<'d> {
    device: &'d Device,
    empty: CudaFunction,
    add: CudaFunction,
    count: CudaFunction,
    spin: CudaFunction,
    cover: CudaSlice<u8>,
    words: CudaSlice<f32>,
    /// Of `words`: what is captured may not wait for what others did with them.
    words_address: u64,
}

/// Prints one figure per line, in microseconds.
pub fn print(device: Device) -> anyhow::Result<()> {
    println!("{}", device.facts);
    let stream = device.stream.context().new_stream()?;
    let mut probe = Probe::new(&device)?;
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

/// What a card's row says of calls, launches, short copies and atomics, field by field.
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
/// Words of atomics that lie in parts of L2 of their own; bytes from one to the next.
const APART: u32 = 64;
const APART_BYTES: u32 = 512;
/// Which of a warp's lanes count, and where: `count` above.
#[derive(Clone, Copy)]
struct Counted {
    lanes: u32,
    shift: u32,
    mask: u32,
    stride: u32,
}

/// All to one word.
const ONE_WORD: Counted = Counted { lanes: 32, shift: 0, mask: 0, stride: 4 };
/// Turns of an atomic by one lane, of which one is for its sector's coming, in tenths: as the model has them.
const TURNS_OF_A_LANE: f64 = 1.3;
/// The same of 32 lanes that name one word, for each.
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

    /// Launches, nodes of graphs and short copies.
    pub fn launches(&mut self) -> anyhow::Result<Vec<(&'static str, f64)>> {
        let own_us = BLOCK_START_CYCLES / self.clock_hz * 1e6;
        // The host's: many, since the device has some of the first ones before it.
        let host_us = self.launch_us(false, 0, [10, 110])?;
        let (empty_us, long_us) = (self.launch_us(true, 0, QUEUED)?, self.launch_us(true, LONG, QUEUED)?);
        let (node_us, long_node_us) = (self.node_us(0)?, self.node_us(LONG)?);
        // A long kernel takes as long in a graph.
        let gap_us = long_node_us - (long_us - (empty_us - own_us));
        let least_us = if node_us > 1.15 * (gap_us + own_us) { node_us } else { 0.0 };
        let copy_us = (self.copies_us(20)? - self.copies_us(5)?) / 30.0;
        Ok(vec![
            ("launch_host_ns", host_us * 1e3),
            ("launch_device_ns", (empty_us - own_us) * 1e3),
            ("graph_node_ns", gap_us * 1e3),
            ("graph_node_least_ns", least_us * 1e3),
            ("copy_latency_ns", copy_us * 1e3),
        ])
    }

    /// So many copies of 4 KiB in, and as many out.
    #[allow(unsafe_code)]
    fn copies_us(&mut self, count: u32) -> anyhow::Result<f64> {
        let mut host = HostBuffer::<f32>::new(&self.probe.device.context, 1024, HostMemory::Pinned)?;
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

    /// Atomics. `slices`: whether the model knows of L2's slices on such a card; else it has a power of the sectors that atomics wait for.
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
        if slices {
            // One lane of each warp to one word, and a million lanes to words far from each other, of a warp's each to another: what of these
            // does not wait for its word waits for its slice.
            let (one, all) = (f64::from(1 << 15) * TURNS_OF_A_LANE, f64::from(1 << 20) * TURNS_OF_A_LANE);
            let apart = f64::from(APART);
            let of_one = cycles(1 << 12, Counted { lanes: 1, ..ONE_WORD })? / one / (1.0 + one / crowd);
            let of_all = cycles(1 << 12, Counted { mask: APART - 1, stride: APART_BYTES, ..ONE_WORD })?;
            let waited = of_all / all / (1.0 + all / apart / crowd) / of_one;
            found.push(("l2_slices", (1.0 - 1.0 / apart) / (waited - 1.0 / apart)));
        } else {
            let sectors = (resident / 8.0).max(2.0);
            let of_blocks = cycles(1 << 12, Counted { shift: 8, mask: u32::MAX, ..ONE_WORD })?;
            let overlap = (many * (1.0 + many / sectors / crowd) / (rate * of_blocks)).ln() / sectors.ln();
            found.push(("atomic_overlap", overlap.clamp(0.05, 1.0)));
        }
        Ok(found)
    }
}

impl<'d> Probe<'d> {
    /// On a device.
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
    fn resident_blocks(&self) -> anyhow::Result<u32> {
        let blocks = self.add.occupancy_max_active_blocks_per_multiprocessor(256, 0, None)?;
        Ok(blocks * u32::try_from(self.device.limits()?.multiprocessors)?)
    }

    /// Device times of `work` between two events, in microseconds: of an idle device, or after other work.
    fn times(
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

    /// Prints such times per `per`.
    fn timed(
        &mut self,
        what: &str,
        stream: &Arc<CudaStream>,
        covered: bool,
        per: usize,
        work: impl FnMut(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let times: Vec<f64> = self.times(stream, covered, work)?.iter().map(|us| us / per as f64).collect();
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

    /// A kernel of so many turns; 0: the empty one.
    #[allow(unsafe_code)]
    fn launch(&mut self, stream: &Arc<CudaStream>, turns: u32) -> anyhow::Result<()> {
        if turns == 0 {
            return self.launch_empty(stream, grid(1, 32));
        }
        let mut builder = stream.launch_builder(&self.spin);
        builder.arg(&self.words_address).arg(&turns);
        // SAFETY: the signature is (float *to, unsigned turns); it writes one word.
        unsafe { builder.launch(grid(1, 32)) }?;
        Ok(())
    }

    /// Blocks of 256 threads count.
    #[allow(unsafe_code)]
    fn count(&mut self, stream: &Arc<CudaStream>, blocks: u32, counted: Counted) -> anyhow::Result<()> {
        let Counted { lanes, shift, mask, stride } = counted;
        let mut builder = stream.launch_builder(&self.count);
        builder.arg(&self.words_address).arg(&lanes).arg(&shift).arg(&mask).arg(&stride);
        // SAFETY: the signature is (unsigned *to, unsigned lanes, unsigned shift, unsigned mask, unsigned stride); callers stay in `words`, a
        // word for each of a million threads.
        unsafe { builder.launch(grid(blocks, 256)) }?;
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
    fn atomics(&mut self, stream: &Arc<CudaStream>) -> anyhow::Result<()> {
        for shift in [0u32, 2, 4, 5, 8, 10, 15, 20] {
            let what = format!("2^20 additions, 2^{shift} neighbours to one word");
            self.timed(&what, stream, true, 1, |p| p.add(stream, 1 << 12, shift))?;
        }
        Ok(())
    }

    /// Blocks of 256 threads add, `1 << shift` neighbours to one word.
    #[allow(unsafe_code)]
    fn add(&mut self, stream: &Arc<CudaStream>, blocks: u32, shift: u32) -> anyhow::Result<()> {
        let mut builder = stream.launch_builder(&self.add);
        builder.arg(&mut self.words).arg(&shift);
        // SAFETY: the signature is (float *to, unsigned shift); `words` has one for each of a million threads.
        unsafe { builder.launch(grid(blocks, 256)) }?;
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
