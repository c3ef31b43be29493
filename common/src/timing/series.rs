//! Many launches back to back: what a kernel takes when its launch costs nothing.
//!
//! A launch by itself is timed with what the host does around it, some 5 µs on a GPU, which is all of a small kernel's time and half of
//! cuBLAS' at n = 1024. Here a run is a series between two events, in the fastest of three ways: as a stream of launches; as a stream that is
//! [held](crate::gate) until all of them are in its queue, so that a slow host makes no gaps; as a graph that is launched again and again, from
//! which the driver copies large matrices more slowly. Where only the first way is left and the host's calls take as long as the series, the
//! time is the host's, and the row says so.

use crate::benchmark::{Benchmark, Outcome};
use crate::check::Check;
use crate::device::{ByDevice, Device};
use crate::gate::{self, Gate};
use crate::result::Row;
use crate::result::figures::{self, Figure};
use crate::timing::{Phases, time_kernel};
use cudarc::driver::CudaGraph;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use std::cell::RefCell;
use std::time::Instant;

/// A benchmark whose run is a series. The time of a run is that of one of its launches.
pub struct Series<'a, D> {
    single: &'a dyn Benchmark<D>,
    pace: RefCell<Option<Pace>>,
}

/// How a series is launched.
struct Pace {
    /// Launches of a series.
    launches: u32,
    way: Way,
    /// True if the host's calls took as long as the series, which says nothing of the device then.
    host_bound: bool,
    /// The time that one launch takes by itself, where it is not counted: with it goes what the host does.
    uncounted_ms: Option<f64>,
}

/// The fastest way to launch a series.
const LAUNCHED_BY: Figure<String> = Figure::new("launched_by");
const SERIES_LAUNCHES: Figure<u32> = Figure::new("series_launches");

/// How the launches of a series follow each other.
enum Way {
    /// Each is issued to a stream that may be idle.
    Stream,
    /// All are issued to a stream that is held until then.
    HeldStream,
    /// A graph of some of them, again and again.
    Graph(Graph),
}

impl Way {
    /// As reports have it.
    const fn name(&self) -> &'static str {
        match self {
            Way::Stream => "stream",
            Way::HeldStream => "held stream",
            Way::Graph(_) => "graph",
        }
    }
}

/// The time of one launch of a series, and what the host did meanwhile.
struct Timed {
    each_ms: f64,
    /// The share of the series' time in which the host issued it.
    host_share: f64,
    /// True if a held stream was held until all launches were in its queue; true of the other ways.
    held: bool,
}

struct Graph {
    graph: CudaGraph,
    launches: u32,
}

/// A series on a GPU takes about this long, so that the events around it do not count.
const SERIES_MS: f64 = 30.0;
/// Launches of a series at most. The simulator's clock has no noise: there two launches are counted, after one that is not.
const MOST_LAUNCHES: ByDevice<f64> = ByDevice { simulator: 3.0, gpu: 400.0 };
/// True if the clock has no noise, so that one launch's time can be taken off that of several.
const EXACT: ByDevice<bool> = ByDevice { simulator: true, gpu: false };
/// Launches of a graph: as many as it takes to hide the launch of the graph itself.
const IN_GRAPH: u32 = 64;
/// Launches that a stream is held for: fewer than its queue has room for, each of which may be two kernels.
const MOST_HELD: u32 = 256;
/// From this share of a series' time on, in which the host issued it, the time is the host's.
const HOST_BOUND: f64 = 0.9;
/// A launch that takes longer than this leaves no gap that a graph could close.
const LONG_MS: f64 = 0.5;

impl<'a, D> Series<'a, D> {
    /// A series of a benchmark's launches.
    pub fn of(single: &'a dyn Benchmark<D>) -> Self {
        Series { single, pace: RefCell::default() }
    }

    /// The time of one launch of a series.
    fn time(&self, device: &Device, data: &mut D, pace: &Pace) -> anyhow::Result<Timed> {
        let graph = match &pace.way {
            Way::Graph(graph) => Some(graph),
            Way::Stream | Way::HeldStream => None,
        };
        let rounds = graph.map_or(pace.launches, |graph| pace.launches.div_ceil(graph.launches));
        let gate =
            matches!(pace.way, Way::HeldStream).then(|| Gate::close(&device.stream, gate::LONGEST)).transpose()?;
        let (mut held, mut host_ms) = (true, 0.0);
        let phases = time_kernel(&device.stream, || {
            let begun = Instant::now();
            for _ in 0..rounds {
                match graph {
                    Some(graph) => graph.graph.launch()?,
                    None => self.single.launch(device, data)?,
                }
            }
            host_ms = begun.elapsed().as_secs_f64() * 1e3;
            held = gate.as_ref().is_none_or(Gate::open);
            Ok(())
        })?;
        let whole_ms = phases.get("kernel");
        let launches = rounds * graph.map_or(1, |graph| graph.launches);
        let host_share = if whole_ms > 0.0 { host_ms / whole_ms } else { 0.0 };
        let Some(alone_ms) = pace.uncounted_ms else {
            return Ok(Timed { each_ms: whole_ms / f64::from(launches), host_share, held });
        };
        let each_ms = (whole_ms - alone_ms) / f64::from(launches - 1);
        // A graph as long as a GPU has it would have this of its own launch on each of the kernel's.
        let of_graph_ms = if graph.is_some() { (alone_ms - each_ms).max(0.0) / f64::from(IN_GRAPH) } else { 0.0 };
        Ok(Timed { each_ms: each_ms + of_graph_ms, host_share, held })
    }

    /// As many launches as fill a series, and the fastest way to make them.
    fn choose_pace(&self, device: &Device, data: &mut D) -> anyhow::Result<Pace> {
        let most = device.choose(MOST_LAUNCHES);
        let exact = device.choose(EXACT);
        if !exact {
            // A library's first call loads its kernel, which may take longer than a whole series: an estimate of it would be of that.
            self.launch(device, data)?;
            device.stream.synchronize()?;
        }
        let mut pace = Pace { launches: 1, way: Way::Stream, host_bound: false, uncounted_ms: None };
        let mut each_ms = self.time(device, data, &pace)?.each_ms;
        if exact {
            return if each_ms < LONG_MS { self.exact_pace(device, data, most as u32) } else { Ok(pace) };
        }
        for part in [0.02, 0.1] {
            // The first launches are slow: where they are short, the estimate is made anew from part of a series.
            if each_ms < part * SERIES_MS {
                pace.launches = (part * SERIES_MS / each_ms).clamp(1.0, most) as u32;
                each_ms = self.time(device, data, &pace)?.each_ms;
            }
        }
        pace.launches = (SERIES_MS / each_ms).clamp(1.0, most) as u32;
        if pace.launches > 1 && each_ms < LONG_MS { self.fastest_way(device, data, pace) } else { Ok(pace) }
    }

    /// The fastest way for a series of launches that are short beside a host's call.
    fn fastest_way(&self, device: &Device, data: &mut D, by_stream: Pace) -> anyhow::Result<Pace> {
        let most = f64::from(by_stream.launches);
        let timed = self.time(device, data, &by_stream)?;
        let mut fastest = (Pace { host_bound: timed.host_share > HOST_BOUND, ..by_stream }, timed.each_ms);
        let held = Pace {
            launches: (most as u32).min(MOST_HELD),
            way: Way::HeldStream,
            host_bound: false,
            uncounted_ms: None,
        };
        let by_graph = self.capture(device, data, (most as u32).min(IN_GRAPH))?.map(Way::Graph);
        let by_graph = by_graph.map(|way| Pace { launches: most as u32, way, host_bound: false, uncounted_ms: None });
        for pace in [Some(held), by_graph].into_iter().flatten() {
            // The first time is not counted: a graph is uploaded in it.
            self.time(device, data, &pace)?;
            let timed = self.time(device, data, &pace)?;
            if timed.held && timed.each_ms < fastest.1 {
                // A series takes as long whichever way it goes: that of a slow host was a short one.
                let launches = match pace.way {
                    Way::HeldStream => ((SERIES_MS / timed.each_ms) as u32).clamp(pace.launches, MOST_HELD),
                    _ => (SERIES_MS / timed.each_ms).clamp(most, device.choose(MOST_LAUNCHES)) as u32,
                };
                fastest = (Pace { launches, ..pace }, timed.each_ms);
            }
        }
        Ok(fastest.0)
    }

    /// Where the clock is exact: a graph of so many launches, which the simulator's clock has the faster one, else the stream; and what one takes.
    fn exact_pace(&self, device: &Device, data: &mut D, launches: u32) -> anyhow::Result<Pace> {
        let by = |graph: Option<Graph>| graph.map_or(Way::Stream, Way::Graph);
        let graph = self.capture(device, data, launches)?;
        let single = if graph.is_some() { self.capture(device, data, 1)? } else { None };
        // As a run has it: after a launch that nobody counts.
        self.launch(device, data)?;
        let alone = Pace { launches: 1, way: by(single), host_bound: false, uncounted_ms: None };
        let alone_ms = self.time(device, data, &alone)?.each_ms;
        Ok(Pace { launches, way: by(graph), host_bound: false, uncounted_ms: Some(alone_ms) })
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
        Ok(Phases(vec![("kernel", self.time(device, data, pace)?.each_ms)]))
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
            row.set(&LAUNCHED_BY, pace.way.name());
            if pace.host_bound {
                row.set(&figures::HOST_BOUND, true);
            }
            row.set(&SERIES_LAUNCHES, pace.launches);
        }
        Ok(row)
    }
}
