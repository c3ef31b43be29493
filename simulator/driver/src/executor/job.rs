//! An operation that is being done: what runs of it, where it is placed on the clock, and how its outcome is entered.
use super::{kernel, panics};
use crate::interface::Cause;
use crate::objects::graphs::{Answered, Seq, Work};
use crate::objects::modules::launch::Launch;
use crate::state::logs::certificate::is_of_library;
use crate::state::logs::journal::{self, Activity};
use crate::state::logs::launches::LaunchConfiguration;
use crate::state::logs::refusals;
use crate::state::unordered::{Done, footprint_of};
use crate::state::{self, Driver, Guard};
use clock::streams::ready::{Engine, Ready};
use clock::streams::sharing::Wanted;
use clock::streams::span::Span;
use clock::streams::timeline::Timeline;
use machine::exec::device_launch::DeviceLaunch;

/// An operation that is being done.
pub struct Job {
    pub seq: Seq,
    pub stream: usize,
    pub context: usize,
    pub ready: Ready,
    /// See [`Chosen`].
    pub horizon: Seq,
}

/// Where an operation was placed on the clock.
pub struct Placed {
    pub span: Span,
    /// As the trace calls it.
    pub kind: &'static str,
    pub engine: Engine,
    pub bytes: u64,
    /// When all that belongs to it had ended: a kernel's end is that of the kernels that it has launched.
    pub done_ns: u64,
}

impl Placed {
    pub fn new(kind: &'static str, engine: Engine, span: Span, bytes: u64) -> Placed {
        Placed { span, kind, engine, bytes, done_ns: span.end_ns }
    }
}

impl Job {
    /// Runs what was prepared under the lock without it, and places the outcome under it.
    pub fn run<P, R>(
        &self,
        mut driver: Guard,
        work: Work,
        device: usize,
        prepared: Result<Option<P>, Cause>,
        run: impl FnOnce(&P) -> Result<R, Cause>,
        place: impl FnOnce(&mut Timeline, &P, R) -> Option<Placed>,
    ) -> Guard {
        let prepared = match prepared {
            Ok(Some(prepared)) => prepared,
            nothing => {
                self.enter(&mut driver, &work, nothing.map(|_| None));
                return driver;
            }
        };
        drop(driver);
        let ran = panics::caught(|| "a copy".to_owned(), || run(&prepared));
        let mut driver = state::lock();
        let timeline = &mut driver.devices[device].timeline;
        let outcome = ran.map(|ran| place(timeline, &prepared, ran));
        self.enter(&mut driver, &work, outcome);
        driver
    }

    /// As [`Self::run`], with the device to itself.
    pub fn launch(&self, mut driver: Guard, work: Work, device: usize, ready_ns: u64, in_graph: bool) -> Guard {
        let Work::Launch(launch) = &work else { return driver };
        driver.devices[device].is_running = true;
        let outcome;
        (driver, outcome) = self.run_kernel(driver, device, launch, ready_ns, in_graph);
        let outcome = match outcome {
            Ok((placed, launched)) if !launched.is_empty() => {
                let done;
                (driver, done) = self.descendants(driver, device, launch, placed.span, launched);
                done.map(|done_ns| Some(Placed { done_ns, ..placed }))
            }
            other => other.map(|(placed, _)| Some(placed)),
        };
        driver.devices[device].is_running = false;
        self.enter(&mut driver, &work, outcome);
        driver
    }

    /// Runs a kernel that may begin at a time. Answers where it was placed, and what it has launched.
    pub fn run_kernel(
        &self,
        mut driver: Guard,
        device: usize,
        launch: &Launch,
        ready_ns: u64,
        in_graph: bool,
    ) -> (Guard, Result<(Placed, Vec<DeviceLaunch>), Cause>) {
        let start = kernel::Start::new(&mut driver, device, self.seq);
        drop(driver);
        let ran = panics::caught(|| format!("the kernel `{}`", launch.name()), || kernel::run(&start, launch));
        let mut driver = state::lock();
        let outcome = ran.and_then(|ran| self.place_kernel(&mut driver, device, launch, ran, ready_ns, in_graph));
        (driver, outcome)
    }

    fn place_kernel(
        &self,
        driver: &mut Driver,
        device: usize,
        launch: &Launch,
        ran: kernel::Ran,
        ready_ns: u64,
        in_graph: bool,
    ) -> Result<(Placed, Vec<DeviceLaunch>), Cause> {
        if let Some(of) = ran.certified {
            refusals::note_kernel(&of);
            driver.records.certificate.add(of);
        }
        for finding in ran.findings {
            driver.records.finding(finding);
        }
        if let Some(searched) = &ran.searched {
            journal::searched(searched);
        }
        driver.devices[device].pending.extend(ran.pending);
        let mut ended = ran.ended?;
        if let Some(touched) = ran.touched {
            let (name, stream) = (launch.name().to_owned(), Some(driver.stream_id(self.stream)));
            let done = Done { name, stream, touched, program: Some(ended.program()) };
            driver.tell_of_unordered(self.seq, done);
        }
        let card = driver.devices[device].card;
        let own = Wanted {
            ready_ns,
            after: Vec::new(),
            delay_ns: card.launch_gap_ns(in_graph, ended.estimate.duration_ns),
            duration_ns: ended.estimate.duration_ns,
            demand: ended.estimate.demand,
        };
        let memory = driver.devices[device].memory.clone();
        if driver.settings.sanitize {
            driver.records.given(&launch.parameters, &memory);
        }
        let parts = ended.written_in_part().filter_map(|address| memory.find(address));
        driver.devices[device].partial.extend(parts.map(|allocation| (allocation.address, allocation.serial)));
        driver.devices[device].expected.learn(launch.name(), LaunchConfiguration::new(launch, card), &ended.estimate);
        let (wanted, index) = driver.beside(device, self.seq, own, self.horizon);
        let span = driver.devices[device].timeline.kernel(&wanted, index);
        let stream = driver.stream_id(self.stream);
        let launched = std::mem::take(&mut ended.launched);
        ended.record(&mut driver.records, launch, card, stream, span);
        Ok((Placed::new("kernel", Engine::Multiprocessors, span, 0), launched))
    }

    /// Enters an operation's outcome. A fault ends its context: what is called in it answers the fault from then on.
    pub fn enter(&self, driver: &mut Driver, work: &Work, outcome: Result<Option<Placed>, Cause>) {
        if driver.unordered.has(self.seq)
            && let Ok(placed) = &outcome
            && let Some(footprint) = footprint_of(work)
        {
            let name = match work {
                Work::Answered(Answered { name, .. }) if is_of_library(name) => format!("host operation `{name}`"),
                Work::Answered(answered) => format!("PyTorch operation `{}`", answered.name),
                _ => placed.as_ref().map_or("written value", |placed| placed.kind).to_owned(),
            };
            let stream = Some(driver.stream_id(self.stream));
            driver.tell_of_unordered(self.seq, Done { name, stream, touched: footprint.into(), program: None });
        }
        if outcome.is_ok() {
            driver.forget_parts(work);
        }
        let ended = match outcome {
            Ok(Some(Placed { span, kind, engine, bytes, done_ns })) => {
                if driver.records.trace {
                    let name = match work {
                        Work::Launch(launch) => launch.name(),
                        Work::Answered(answered) => &answered.name,
                        _ => kind,
                    };
                    let (name, stream) = (name.to_owned(), driver.stream_id(self.stream));
                    driver.records.activity(Activity { kind, name, stream, span, bytes });
                }
                Ready::after(engine, done_ns)
            }
            Ok(None) => self.ready,
            Err(cause) => {
                if let Ok(context) = driver.contexts.get_mut(self.context) {
                    context.fault.get_or_insert_with(|| {
                        refusals::note_failed(&cause);
                        cause
                    });
                }
                self.ready
            }
        };
        driver.complete(self.seq, ended, work);
    }
}
