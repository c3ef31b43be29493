//! Micro-benchmarks: loops of a few PTX instructions, timed at two lengths, so that what is not the loop cancels.
//!
//! PTX, since the driver compiles it: neither a compiler nor a card's generation is needed.

use anyhow::Context;
use common::device::Device;
use cudarc::driver::sys::{CUevent_flags, CUfunction_attribute_enum as CUfunction_attribute};
use cudarc::driver::{CudaEvent, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;

/// Times a loop is timed on a card, of which the shortest counts; the simulator's clock says the same each time.
const ROUNDS: usize = 5;

/// The kernels beside the loop, of every module.
const KERNELS: &str = include_str!("micro.ptx");

/// A loop: what comes before it, and what is done so many times in each turn.
///
/// There are `%r0` the thread, `%r1` the block, `%r2` threads of a block, `%r3` the thread of the grid, `%r5` `mask`; `%rd0` memory,
/// `%rd1` where the result goes; `%f0` to `%f31`, `%d0` to `%d15` and `%r6` to `%r31` are free, and so are `%rd2` to `%rd31`. What is
/// left in `%r6` is stored.
pub struct Loop {
    pub setup: String,
    pub body: String,
    pub times: u32,
    /// After the loop: what makes of its results `%r6`, so that no compiler leaves the loop out.
    pub sink: String,
}

impl Loop {
    pub fn new(setup: &str, body: &str, times: u32) -> Loop {
        Loop { setup: setup.to_owned(), body: body.to_owned(), times, sink: String::new() }
    }

    /// The same with what becomes of its results.
    pub fn into(self, sink: String) -> Loop {
        Loop { sink, ..self }
    }

    /// True if it needs shared memory: declared in vain, that would be taken from L1.
    fn shares(&self) -> bool {
        self.setup.contains("tile")
    }

    /// As PTX. f16 needs 5.3, which all cards have that have it.
    fn text(&self, target: u32) -> String {
        let body = format!("{}\n", self.body).repeat(self.times as usize);
        let tile = if self.shares() { ".shared .align 16 .b8 tile[8192];" } else { "" };
        let own = include_str!("unit.ptx")
            .replace("{target}", &target.to_string())
            .replace("{tile}", tile)
            .replace("{setup}", &self.setup)
            .replace("{body}", &body)
            .replace("{sink}", &self.sink);
        own + KERNELS
    }
}

/// Blocks, threads of a block, turns of the shorter run.
#[derive(Clone, Copy)]
pub struct Shape {
    pub blocks: u32,
    pub threads: u32,
    pub turns: u32,
}

pub struct Bench {
    pub device: Device,
    pub stream: Arc<CudaStream>,
    pub memory: CudaSlice<u8>,
    result: CudaSlice<u32>,
    target: u32,
}

impl Bench {
    /// With so many bytes to work on.
    pub fn new(device: Device, bytes: usize) -> anyhow::Result<Bench> {
        let stream = device.stream.context().new_stream()?;
        let (memory, result) = (stream.alloc_zeros(bytes)?, stream.alloc_zeros(1 << 20)?);
        let (major, minor) = device.context.compute_capability()?;
        let target = if (major, minor) >= (5, 3) { 53 } else { (major * 10 + minor) as u32 };
        Ok(Bench { device, stream, memory, result, target })
    }

    fn load(&self, code: &Loop, kernel: &str) -> anyhow::Result<CudaFunction> {
        let module = self.device.context.load_module(Ptx::from_src(code.text(self.target)));
        Ok(module.with_context(|| format!("loading the micro-benchmark {}", code.body))?.load_function(kernel)?)
    }

    /// Seconds of a turn.
    pub fn turn_s(&mut self, code: &Loop, shape: Shape, mask: u32) -> anyhow::Result<f64> {
        let run = self.load(code, "run")?;
        if !code.shares() {
            // All of what L1 and shared memory divide goes to L1. Cards on which they are apart ignore it.
            run.set_attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 0)?;
        }
        let mut least = [f64::INFINITY; 2];
        // The first brings code and data in.
        self.launch(&run, shape, 1, mask)?;
        for _ in 0..if self.device.facts.simulated { 1 } else { ROUNDS } {
            for (least, times) in least.iter_mut().zip([1, 2]) {
                *least = least.min(self.launch(&run, shape, times, mask)?);
            }
        }
        Ok((least[1] - least[0]) / f64::from(shape.turns))
    }

    #[allow(unsafe_code)]
    fn launch(&mut self, run: &CudaFunction, shape: Shape, times: u32, mask: u32) -> anyhow::Result<f64> {
        let start = stamp(&self.stream)?;
        let mut builder = self.stream.launch_builder(run);
        let turns = shape.turns * times;
        builder.arg(&mut self.memory).arg(&mut self.result).arg(&turns).arg(&mask);
        // SAFETY: the signature of `run`; loops stay inside `memory`, and `result` has a word for each thread.
        unsafe {
            builder.launch(LaunchConfig {
                grid_dim: (shape.blocks, 1, 1),
                block_dim: (shape.threads, 1, 1),
                shared_mem_bytes: 0,
            })
        }?;
        let end = stamp(&self.stream)?;
        Ok(f64::from(start.elapsed_ms(&end)?) / 1e3)
    }

    /// Seconds of a kernel that reads and writes so many bytes, at an address of mapped memory of the host.
    #[allow(unsafe_code)]
    pub fn touch_s(&mut self, address: u64, bytes: usize) -> anyhow::Result<f64> {
        const THREADS: u32 = 256;
        let touch = self.load(&Loop::new("", "", 1), "touch")?;
        let grid_dim = (u32::try_from(bytes / 16)? / THREADS, 1, 1);
        let mut least = f64::INFINITY;
        for _ in 0..if self.device.facts.simulated { 1 } else { ROUNDS } {
            let start = stamp(&self.stream)?;
            let mut builder = self.stream.launch_builder(&touch);
            builder.arg(&address);
            // SAFETY: the signature of `touch`; the caller's memory has so many bytes.
            unsafe { builder.launch(LaunchConfig { grid_dim, block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 }) }?;
            least = least.min(f64::from(start.elapsed_ms(&stamp(&self.stream)?)?) / 1e3);
        }
        Ok(least)
    }

    /// Seconds of one load of a chain of dependent ones through so many bytes, of which each goes to another line.
    #[allow(unsafe_code)]
    pub fn chase_s(&mut self, bytes: u64, loads: u64) -> anyhow::Result<f64> {
        const LINE: u32 = 128;
        const TIMES: u32 = 64;
        let code = Loop::new("mov.u64 %rd2, %rd0;", "ld.global.u64 %rd2, [%rd2];", TIMES)
            .into("cvt.u32.u64 %r6, %rd2;".to_owned());
        let lines = u32::try_from(bytes / u64::from(LINE))?;
        let step = coprime(lines);
        let chain = self.load(&code, "chain")?;
        let mut builder = self.stream.launch_builder(&chain);
        builder.arg(&mut self.memory).arg(&lines).arg(&LINE).arg(&step);
        // SAFETY: the signature of `chain`; the lines lie in `memory`.
        unsafe { builder.launch(LaunchConfig::for_num_elems(lines)) }?;
        let turns = u32::try_from(loads / u64::from(TIMES))?.max(1);
        Ok(self.turn_s(&code, Shape { blocks: 1, threads: 32, turns }, 0)? / f64::from(TIMES))
    }
}

fn stamp(stream: &CudaStream) -> anyhow::Result<CudaEvent> {
    Ok(stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?)
}

/// A step that comes to all of so many lines: not to the next one, and not to another page each time.
fn coprime(lines: u32) -> u32 {
    const FAR: u32 = 37;
    let divides = |a: u32, mut b: u32| {
        let mut a = a;
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (FAR..).find(|&step| divides(lines, step) == 1).unwrap_or(1)
}
