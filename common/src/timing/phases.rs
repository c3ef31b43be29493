//! Time on the device: events on a stream, between which phases lie.
//!
//! All phases, also those of the host (allocation, synchronisation, free), are read from events, so that a run has one clock: the
//! card's on a GPU, the virtual one on the simulator. What the host does between two events of an idle stream lengthens the gap between them.

use crate::command_line::CommonArgs;
use crate::device::{ByDevice, Device};
use crate::recorder::traced;
use cudarc::driver::{CudaEvent, CudaStream, DriverError, sys::CUevent_flags};
use std::sync::Arc;
use std::time::Duration;

/// How often each row runs.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Uncounted.
    pub warmup: usize,
    /// Counted, at least 1.
    pub repeat: usize,
    /// No further round begins after this long, once there are three.
    pub within: Option<Duration>,
}

impl Runs {
    /// One counted run.
    pub const ONCE: Runs = Runs { warmup: 0, repeat: 1, within: None };
}

/// Used where the command line says nothing. A simulated time is the same in every run.
const DEFAULT_RUNS: ByDevice<Runs> =
    ByDevice { simulator: Runs::ONCE, gpu: Runs { warmup: 3, repeat: 10, within: None } };

/// Likewise, where a run is a series of launches, which warm up by themselves.
const DEFAULT_SERIES: ByDevice<Runs> =
    ByDevice { simulator: Runs::ONCE, gpu: Runs { warmup: 0, repeat: 11, within: None } };

impl Runs {
    /// Counted and uncounted ones.
    pub fn total(&self) -> usize {
        self.warmup + self.repeat
    }

    /// The runs that the command line asks for, or the default for the device.
    pub fn of(args: &CommonArgs, device: &Device) -> Self {
        let default = device.choose(if args.series { DEFAULT_SERIES } else { DEFAULT_RUNS });
        Runs {
            warmup: args.warmup.unwrap_or(default.warmup),
            repeat: args.repeat.unwrap_or(default.repeat),
            within: args.within,
        }
    }
}

/// The phases of one run in order: name and milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Phases(pub Vec<(&'static str, f64)>);

impl Phases {
    /// The time of a phase, 0 if the run has none of that name.
    pub fn get(&self, name: &str) -> f64 {
        self.0.iter().filter(|(phase, _)| *phase == name).map(|(_, milliseconds)| milliseconds).sum()
    }

    /// Gives a phase that the run has once this time.
    pub fn set(&mut self, name: &str, milliseconds: f64) {
        self.0.iter_mut().filter(|(phase, _)| *phase == name).for_each(|(_, time)| *time = milliseconds);
    }

    /// The sum of all phases.
    pub fn total(&self) -> f64 {
        self.0.iter().map(|(_, milliseconds)| milliseconds).sum()
    }
}

/// One run of which the kernel alone is timed: all that `launch` puts on the stream.
pub fn time_kernel(stream: &Arc<CudaStream>, launch: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Phases> {
    let mut watch = Stopwatch::start(stream)?;
    launch()?;
    watch.lap("kernel")?;
    Ok(watch.finish()?)
}

/// Marks the boundaries of phases on one stream.
#[derive(Debug)]
pub struct Stopwatch {
    stream: Arc<CudaStream>,
    marks: Vec<(Option<&'static str>, CudaEvent)>,
}

impl Stopwatch {
    /// Starts the first phase now, at the stream's tail.
    pub fn start(stream: &Arc<CudaStream>) -> Result<Self, DriverError> {
        let mut stopwatch = Stopwatch { stream: stream.clone(), marks: Vec::new() };
        stopwatch.mark(None)?;
        Ok(stopwatch)
    }

    /// Ends the running phase, gives it its name, and starts the next.
    pub fn lap(&mut self, phase: &'static str) -> Result<(), DriverError> {
        self.mark(Some(phase))
    }

    /// Ends the running phase without counting it: for what belongs to the check and not to the program.
    pub fn skip(&mut self) -> Result<(), DriverError> {
        self.mark(None)
    }

    /// Waits for the stream and reads the times. Resolution on a GPU is about half a microsecond.
    pub fn finish(self) -> Result<Phases, DriverError> {
        traced(&self.stream, "cuStreamSynchronize", None, || self.stream.synchronize())?;
        let mut phases = Vec::new();
        for pair in self.marks.windows(2) {
            if let (_, start) = &pair[0]
                && let (Some(name), end) = &pair[1]
            {
                phases.push((*name, f64::from(start.elapsed_ms(end)?)));
            }
        }
        Ok(Phases(phases))
    }

    fn mark(&mut self, phase: Option<&'static str>) -> Result<(), DriverError> {
        let event = self.stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        self.marks.push((phase, event));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up() {
        let phases = Phases(vec![("copy_in", 1.5), ("kernel", 2.0), ("copy_in", 0.5)]);
        assert_eq!(phases.get("copy_in"), 2.0);
        assert_eq!(phases.get("copy_out"), 0.0);
        assert_eq!(phases.total(), 4.0);
    }
}
