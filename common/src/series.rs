//! Many launches back to back: what a kernel takes when its launch costs nothing.
//!
//! A launch by itself is timed with what the host does around it, some 5 µs on a GPU, which is all of a small kernel's time and half of
//! cuBLAS' at n = 1024. Here a run is a series between two events, as a stream of launches or as a graph that is launched again and
//! again, whichever is faster: a graph leaves no gaps, but the driver copies large matrices more slowly from one.

use crate::benchmark::{Benchmark, Outcome};
use crate::check::Check;
use crate::device::{ByDevice, Device};
use crate::result::Row;
use crate::timing::{Phases, time_kernel};
use cudarc::driver::CudaGraph;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use std::cell::RefCell;

/// A benchmark whose run is a series. The time of a run is that of one of its launches.
pub struct Series<'a, D> {
    single: &'a dyn Benchmark<D>,
    pace: RefCell<Option<Pace>>,
}

/// How a series is launched.
struct Pace {
    /// Launches of a series.
    launches: u32,
    /// A graph of some of them, where it is faster.
    graph: Option<Graph>,
    /// What one launch takes by itself, where it is not counted: with it goes what the host does.
    uncounted_ms: Option<f64>,
}

struct Graph {
    graph: CudaGraph,
    launches: u32,
}

/// A series on a GPU takes about this long, so that the events around it do not count.
const SERIES_MS: f64 = 30.0;
/// Launches of a series at most. The simulator's clock has no noise: there two launches are counted, behind one that is not.
const MOST_LAUNCHES: ByDevice<f64> = ByDevice { simulator: 3.0, gpu: 400.0 };
/// Whether the clock has no noise, so that one launch's time can be taken off that of several.
const EXACT: ByDevice<bool> = ByDevice { simulator: true, gpu: false };
/// Launches of a graph: as many as it takes to hide the launch of the graph itself.
const IN_GRAPH: u32 = 64;
/// A launch that takes longer than this leaves no gap that a graph could close.
const LONG_MS: f64 = 0.5;

impl<'a, D> Series<'a, D> {
    /// Of a benchmark's launches.
    pub fn of(single: &'a dyn Benchmark<D>) -> Self {
        Series { single, pace: RefCell::default() }
    }

    /// The time of one launch of a series, in milliseconds.
    fn time(&self, device: &Device, data: &mut D, pace: &Pace) -> anyhow::Result<f64> {
        let rounds = pace.graph.as_ref().map_or(pace.launches, |graph| pace.launches.div_ceil(graph.launches));
        let phases = time_kernel(&device.stream, || {
            for _ in 0..rounds {
                match &pace.graph {
                    Some(graph) => graph.graph.launch()?,
                    None => self.single.launch(device, data)?,
                }
            }
            Ok(())
        })?;
        let launches = rounds * pace.graph.as_ref().map_or(1, |graph| graph.launches);
        let Some(alone_ms) = pace.uncounted_ms else { return Ok(phases.get("kernel") / f64::from(launches)) };
        let each_ms = (phases.get("kernel") - alone_ms) / f64::from(launches - 1);
        // A graph as long as a GPU has it would have this of its own launch on each of the kernel's.
        let of_graph_ms = if pace.graph.is_some() { (alone_ms - each_ms).max(0.0) / f64::from(IN_GRAPH) } else { 0.0 };
        Ok(each_ms + of_graph_ms)
    }

    /// As many launches as fill a series, and the faster way to make them.
    fn choose_pace(&self, device: &Device, data: &mut D) -> anyhow::Result<Pace> {
        let most = device.choose(MOST_LAUNCHES);
        let mut pace = Pace { launches: 1, graph: None, uncounted_ms: None };
        let mut each_ms = self.time(device, data, &pace)?;
        if device.choose(EXACT) {
            return if each_ms < LONG_MS { self.exact_pace(device, data, most as u32) } else { Ok(pace) };
        }
        for part in [0.02, 0.1] {
            // The first launches are slow: where they are short, the estimate is made anew from part of a series.
            if each_ms < part * SERIES_MS {
                pace.launches = (part * SERIES_MS / each_ms).clamp(1.0, most) as u32;
                each_ms = self.time(device, data, &pace)?;
            }
        }
        pace.launches = (SERIES_MS / each_ms).clamp(1.0, most) as u32;
        if pace.launches > 1 && each_ms < LONG_MS {
            let stream_ms = self.time(device, data, &pace)?;
            if let Some(graph) = self.capture(device, data, pace.launches.min(IN_GRAPH))? {
                let in_graph = Pace { graph: Some(graph), ..pace };
                self.time(device, data, &in_graph)?;
                if self.time(device, data, &in_graph)? < stream_ms {
                    return Ok(in_graph);
                }
            }
        }
        Ok(pace)
    }

    /// Where the clock is exact: a graph of so many launches, which the simulator's clock has the faster one, else the stream; and what one takes.
    fn exact_pace(&self, device: &Device, data: &mut D, launches: u32) -> anyhow::Result<Pace> {
        let graph = self.capture(device, data, launches)?;
        let single = if graph.is_some() { self.capture(device, data, 1)? } else { None };
        // As a run has it: behind a launch that nobody counts.
        self.launch(device, data)?;
        let alone_ms = self.time(device, data, &Pace { launches: 1, graph: single, uncounted_ms: None })?;
        Ok(Pace { launches, graph, uncounted_ms: Some(alone_ms) })
    }

    /// A graph of so many launches; `None` where the stream, or what is launched, cannot be captured.
    fn capture(&self, device: &Device, data: &mut D, launches: u32) -> anyhow::Result<Option<Graph>> {
        let stream = &device.stream;
        if stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).is_err() {
            return Ok(None);
        }
        let made = (0..launches).try_for_each(|_| self.single.launch(device, data));
        // The capture ends whether or not the launches could be captured.
        let ended = stream.end_capture(CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
        Ok(made.ok().and(ended.ok().flatten()).map(|graph| Graph { graph, launches }))
    }
}

impl<D> Benchmark<D> for Series<'_, D> {
    fn label(&self) -> String {
        format!("{}, in series", self.single.label())
    }

    fn prepare(&self, device: &Device, data: &mut D) -> anyhow::Result<()> {
        self.single.prepare(device, data)
    }

    fn launch(&self, device: &Device, data: &mut D) -> anyhow::Result<()> {
        self.single.launch(device, data)
    }

    fn run(&self, device: &Device, data: &mut D) -> anyhow::Result<Phases> {
        let mut known = self.pace.borrow_mut();
        self.prepare(device, data)?;
        if known.is_none() {
            *known = Some(self.choose_pace(device, data)?);
        }
        let pace = known.as_ref().expect("just chosen");
        if pace.launches > 1 {
            // Uncounted: what `prepare` wrote is still on its way to memory.
            self.launch(device, data)?;
        }
        Ok(Phases(vec![("kernel", self.time(device, data, pace)?)]))
    }

    fn check(&self, device: &Device, data: &mut D) -> anyhow::Result<Check> {
        // One launch from a clean slate: a series may add up what it computes.
        self.prepare(device, data)?;
        self.launch(device, data)?;
        self.single.collect(device, data)?;
        self.single.check(device, data)
    }

    fn row(&self, outcome: Outcome, data: &D) -> anyhow::Result<Row> {
        let mut row = self.single.row(outcome, data)?;
        if let Some(pace) = &*self.pace.borrow() {
            let way = if pace.graph.is_some() { "graph" } else { "stream" };
            row.figures.insert("launched_by".into(), way.into());
            row.figures.insert("series_launches".into(), pace.launches.into());
        }
        Ok(row)
    }
}
