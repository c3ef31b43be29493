//! Times of the rows of a file of kernels on the device of `LABS_DEVICE`, as JSON.
//!
//! A row is launched in graphs of `1` and of `1 + NODES` nodes, one after the other, between two events: the difference is what `NODES`
//! launches take in a graph, with what lies between two nodes, and nothing of the graph's own start.

use crate::rows::{Input, Row};
use anyhow::{Context, bail};
use common::device::Device;
use common::statistics::Statistics;
use cudarc::driver::sys::{CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaFunction, CudaGraph, CudaSlice, LaunchConfig, PushKernelArg};
use serde_json::{Value, json};

/// Words of the buffers.
const A_WORDS: usize = 32 << 20;
const B_WORDS: usize = 16 << 20;
const C_WORDS: usize = 16 << 20;
/// Nodes of the graph beyond its first one.
const NODES: usize = 10;
const ROUNDS: usize = 9;
const WARMUP: usize = 2;

/// Counters of a simulated launch: those that the assignments' profilers printed.
const COUNTERS: [&str; 6] = [
    "global_load_efficiency",
    "global_store_efficiency",
    "requested_load_gbytes_per_s",
    "requested_store_gbytes_per_s",
    "multiprocessor_activity",
    "achieved_occupancy",
];

struct Bench {
    device: Device,
    a: CudaSlice<u32>,
    b: CudaSlice<u32>,
    c: CudaSlice<u32>,
    held: Option<Input>,
}

/// Measures the rows whose name begins with one of `only`, all of them if there is none, and prints what was found.
pub fn print(device: Device, file: &str, only: &[&str]) -> anyhow::Result<()> {
    let (source, rows) = crate::rows::read(file)?;
    let mut bench = Bench::new(device)?;
    let mut found = Vec::new();
    for row in rows.iter().filter(|row| only.is_empty() || only.iter().any(|only| row.name.starts_with(only))) {
        let function = bench.device.kernel(&source, &row.kernel)?;
        let time = bench.measure(row, &function).with_context(|| row.name.clone())?;
        eprintln!("{} {}", row.name, time["us"]);
        found.push(time);
    }
    let facts = &bench.device.facts;
    let report = json!({ "file": file, "device": facts.name, "profile": facts.profile, "rows": found });
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

impl Bench {
    fn new(device: Device) -> anyhow::Result<Bench> {
        let device = device.keeping_modules().on_its_own_stream()?;
        let stream = &device.stream;
        let (a, c) = (stream.alloc_zeros(A_WORDS)?, stream.alloc_zeros(C_WORDS)?);
        let b = stream.clone_htod(&Input::Uniform.words(B_WORDS))?;
        Ok(Bench { a, b, c, held: Some(Input::Zeros), device })
    }

    /// Makes the buffers what a row begins with.
    fn fill(&mut self, input: Input) -> anyhow::Result<()> {
        let stream = &self.device.stream;
        stream.memset_zeros(&mut self.c)?;
        if self.held != Some(input) {
            stream.memset_zeros(&mut self.a)?;
            let words = input.words(A_WORDS);
            if !words.is_empty() {
                stream.memcpy_htod(&words, &mut self.a.slice_mut(..words.len()))?;
            }
            self.held = Some(input);
        }
        Ok(stream.synchronize()?)
    }

    #[allow(unsafe_code)]
    fn launch(&mut self, row: &Row, function: &CudaFunction) -> anyhow::Result<()> {
        let (grid_dim, block_dim) = ((row.blocks, 1, 1), (row.threads, 1, 1));
        let mut builder = self.device.stream.launch_builder(function);
        builder.arg(&self.a).arg(&self.b).arg(&mut self.c).arg(&row.n).arg(&row.m);
        // SAFETY: every kernel of such a file has these parameters; the simulator has found its rows inside the buffers.
        unsafe { builder.launch(LaunchConfig { grid_dim, block_dim, shared_mem_bytes: 0 }) }?;
        Ok(())
    }

    fn graph(&mut self, row: &Row, function: &CudaFunction, nodes: usize) -> anyhow::Result<CudaGraph> {
        self.device.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
        let made = (0..nodes).try_for_each(|_| self.launch(row, function));
        let ended = self.device.stream.end_capture(CUgraphInstantiate_flags(0));
        made?;
        ended?.context("the capture holds nothing")
    }

    fn time_us(&self, graph: &CudaGraph) -> anyhow::Result<f64> {
        let stream = &self.device.stream;
        let stamp = || stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let start = stamp()?;
        graph.launch()?;
        let end = stamp()?;
        end.synchronize()?;
        Ok(f64::from(start.elapsed_ms(&end)?) * 1e3)
    }

    /// The time of a launch in a graph: between the ends of two nodes. The simulator says when each ended.
    fn simulate(&mut self, row: &Row, function: &CudaFunction) -> anyhow::Result<Value> {
        let graph = self.graph(row, function, 2)?;
        self.device.observe()?;
        self.time_us(&graph)?;
        let launches = self.device.observe()?.launches;
        let [.., first, second] = &launches[..] else { bail!("the simulator has not heard of two launches") };
        let us = (second.end_ns - first.end_ns) / 1e3;
        let counters = COUNTERS.map(|key| (key.to_owned(), second.counters.get(key).cloned().unwrap_or(Value::Null)));
        let counters: Value = counters.into_iter().collect::<serde_json::Map<_, _>>().into();
        Ok(json!({ "us": us, "min_us": us, "max_us": us, "bound_by": second.bound_by, "counters": counters }))
    }

    fn time(&mut self, row: &Row, function: &CudaFunction) -> anyhow::Result<Value> {
        let (one, more) = (self.graph(row, function, 1)?, self.graph(row, function, 1 + NODES)?);
        for _ in 0..WARMUP {
            self.time_us(&more)?;
        }
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            times.push((self.time_us(&more)? - self.time_us(&one)?) / NODES as f64);
        }
        let time = Statistics::of(&times).context("no rounds")?;
        Ok(json!({ "us": time.median, "min_us": time.min, "max_us": time.max }))
    }

    fn measure(&mut self, row: &Row, function: &CudaFunction) -> anyhow::Result<Value> {
        self.fill(row.input)?;
        let simulated = self.device.facts.simulated;
        let mut found = if simulated { self.simulate(row, function) } else { self.time(row, function) }?;
        for (key, value) in [("row", json!(row.name)), ("kernel", json!(row.kernel)), ("blocks", json!(row.blocks))] {
            found[key] = value;
        }
        found["threads"] = json!(row.threads);
        Ok(found)
    }
}
