//! Doing the work that streams hold: the data now, the time on the virtual clock.
//!
//! The thread that waits does what it waits for: it takes an operation under the state's lock, gives the lock back, runs,
//! locks again and enters the outcome. Whoever else needs the same operation meanwhile sees that it is taken, and waits for
//! news. Where a wait needs kernels of several devices, every other device's share goes to that device's worker thread.
//! One kernel runs on a device at a time; copies and fills pass it by. Host functions have threads of their own, as CUDA
//! has it; while one runs, only waits wait for it.
//!
//! Virtual time must not depend on the threads of the host. What one wait does is therefore chosen under the lock, and then
//! done in the order of submission on each device, whatever is completed beside it meanwhile.
mod at_exit;
mod clock;
mod conditional;
mod copies;
mod descendants;
mod first_page;
mod in_time;
mod kernel;
mod panics;
mod progress;
mod sampled;
mod wait;
mod worker;

pub use at_exit::at_exit;
pub use clock::Clock;
pub use in_time::call_in_time;
pub use progress::running;
pub use wait::{wait_for_context, wait_for_device};
pub use watch::listeners::Listeners;

use crate::interface::cause::Cause;
use crate::objects::launch::Launch;
use crate::objects::work::{Chosen, HostFunction, Seq, Work};
use crate::state::launches::LaunchConfiguration;
use crate::state::queue::Operation;
use crate::state::records::Activity;
use crate::state::unordered::{Done, footprint_of};
use crate::state::{self, Driver, Guard};
use ::clock::timeline::copy_engine::Source;
use ::clock::timeline::ready::{Engine, Ready};
use ::clock::timeline::sharing::Wanted;
use ::clock::timeline::{Span, Timeline};
use machine::exec::device_launch::DeviceLaunch;
use machine::memory::{Footprint, Touch};
use std::collections::BTreeSet;
use watch::diagnostics::FREE;

/// Does what `targets` need and answers when all of it is done. Faults stay in their contexts.
pub fn finish(mut driver: Guard, targets: &[Seq]) -> Guard {
    loop {
        let needed = driver.needed(targets);
        if needed.is_empty() {
            return driver;
        }
        let doable = driver.doable(&needed);
        if doable.is_empty() {
            driver = state::wait_for_news(driver);
        } else {
            let horizon = driver.horizon();
            driver = do_all(driver, Chosen { operations: doable, horizon });
        }
    }
}

/// Does what `targets` need as far as that waits for nobody else, and answers whether all of it is done.
pub fn poll(mut driver: Guard, targets: &[Seq]) -> (Guard, bool) {
    loop {
        let needed = driver.needed(targets);
        let mut doable = driver.doable(&needed);
        let busy = |seq: &Seq| driver.is_launch(*seq) && driver.devices[driver.device_of(*seq)].is_running;
        if let Some(at) = doable.iter().position(busy) {
            doable.truncate(at);
        }
        if doable.is_empty() {
            return (driver, needed.is_empty());
        }
        let horizon = driver.horizon();
        driver = do_all(driver, Chosen { operations: doable, horizon });
    }
}

/// Does operations that somebody chose, those of other devices' kernels on these devices' workers.
fn do_all(mut driver: Guard, chosen: Chosen) -> Guard {
    if driver.devices.len() == 1 {
        return do_in_order(driver, &chosen);
    }
    let Chosen { operations: doable, horizon } = chosen;
    let mut devices: Vec<usize> =
        doable.iter().filter(|&&seq| driver.is_launch(seq)).map(|&seq| driver.device_of(seq)).collect();
    devices.dedup();
    let own = devices.first().copied().unwrap_or(0);
    let others: BTreeSet<usize> = devices.into_iter().filter(|&device| device != own).collect();
    // Host functions stay here: who waits for a worker must not wait for them.
    let (given, share): (Vec<Seq>, Vec<Seq>) =
        doable.iter().partition(|&&seq| others.contains(&driver.device_of(seq)) && !driver.calls_host(seq));
    for &device in &others {
        let operations = given.iter().copied().filter(|&seq| driver.device_of(seq) == device).collect();
        worker::give(&mut driver, device, Chosen { operations, horizon });
    }
    driver = do_in_order(driver, &Chosen { operations: share, horizon });
    while given.iter().any(|&seq| driver.operation(seq).is_some()) {
        driver = state::wait_for_news(driver);
    }
    driver
}

/// Does operations one after the other. What another thread has taken is left to it; what comes after that is waited for.
fn do_in_order(mut driver: Guard, share: &Chosen) -> Guard {
    for &seq in &share.operations {
        loop {
            let device = driver.device_of(seq);
            let is_running = driver.devices.get(device).is_some_and(|device| device.is_running);
            let Some(operation) = driver.operation(seq) else { break };
            let Some(work) = &operation.work else { break };
            let must_wait = !operation.is_ready() || matches!(work, Work::Launch(_)) && is_running;
            if must_wait {
                driver = state::wait_for_news(driver);
                continue;
            }
            driver = do_one(driver, seq, share.horizon);
            break;
        }
    }
    driver
}

/// Does an operation that waits for nothing any more.
fn do_one(mut driver: Guard, seq: Seq, horizon: Seq) -> Guard {
    let Some(operation) = driver.operation(seq) else { return driver };
    let Some(work) = operation.work.take() else { return driver };
    let Operation { stream, context, ready, submitted_ns, .. } = *operation;
    let mut job = Job { seq, stream, context, ready, horizon };
    let in_graph = operation.in_graph;
    let from = if in_graph { Source::Graph } else { Source::Stream(stream) };
    if let Work::Host(function) = work {
        call_host_function(seq, function);
        return driver;
    }
    // A context with a fault does nothing more, nor does one that has ended.
    let device = match driver.contexts.get(job.context) {
        Ok(context) if context.fault.is_none() => context.device,
        _ => {
            driver.complete(seq, job.ready, &work);
            return state::tell_news(driver);
        }
    };
    let handover_ns = driver.devices[device].card.engine_handover_ns;
    let start = |engine| ready.on(engine, handover_ns, submitted_ns);
    match &work {
        Work::Join | Work::Record(_) | Work::Host(_) => driver.complete(seq, job.ready, &work),
        Work::Copy(transfer) => {
            let prepared = driver.prepare_copy(transfer).map(Some);
            driver = job.run(driver, work, device, prepared, copies::copy, |timeline, copy, ()| {
                copies::place_copy(timeline, start, from, copy)
            });
            driver.tell_what_the_host_has_read();
        }
        Work::Fill(fill) => {
            let prepared = driver.prepare_fill(fill);
            driver = job.run(driver, work, device, prepared, copies::fill, |timeline, fill, ()| {
                copies::place_fill(timeline, start(Engine::Multiprocessors), from, fill)
            });
        }
        Work::Write { at, value, bytes } => {
            let prepared = driver.prepare_write(*at, *value, *bytes);
            driver = job.run(driver, work, device, prepared, copies::write, |_, _, ()| None);
        }
        Work::Free(address) => {
            // Gone already where its context ended first: a free may stand in a stream of another context.
            job.tell_of_free(&mut driver, *address);
            let freed = if driver.allocations.contains_key(address) { driver.release(*address) } else { Ok(()) };
            job.enter(&mut driver, &work, freed.map(|()| None));
        }
        Work::Conditional { node, bodies } => {
            let chosen;
            (driver, chosen) = job.choose(driver, device, node, bodies);
            job.enter(&mut driver, &work, chosen.map(|()| None));
        }
        Work::Launch(_) => {
            driver = job.launch(driver, work, device, start(Engine::Multiprocessors), in_graph);
        }
    }
    state::tell_news(driver)
}

/// An operation that is being done.
struct Job {
    seq: Seq,
    stream: usize,
    context: usize,
    ready: Ready,
    /// See [`Chosen`].
    horizon: Seq,
}

/// Where an operation was placed on the clock.
pub struct Placed {
    span: Span,
    /// As the trace calls it.
    kind: &'static str,
    engine: Engine,
    bytes: u64,
    /// When all that belongs to it had ended: a kernel's end is that of the kernels that it has launched.
    done_ns: u64,
}

impl Placed {
    fn new(kind: &'static str, engine: Engine, span: Span, bytes: u64) -> Placed {
        Placed { span, kind, engine, bytes, done_ns: span.end_ns }
    }
}

impl Job {
    /// Runs what was prepared under the lock without it, and places the outcome under it.
    fn run<P, R>(
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
    fn launch(&self, mut driver: Guard, work: Work, device: usize, ready_ns: u64, in_graph: bool) -> Guard {
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
    fn run_kernel(
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
        for finding in ran.findings {
            driver.records.finding(finding);
        }
        driver.devices[device].pending.extend(ran.pending);
        let mut ended = ran.ended?;
        if let Some(footprint) = ran.footprint {
            let (name, stream) = (launch.name().to_owned(), driver.stream_id(self.stream));
            let done = Done { name, stream, footprint, program: Some(ended.program()) };
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

    /// Tells of operations that use memory which is about to be freed, and that nothing orders with that: a card gives it out again meanwhile.
    fn tell_of_free(&self, driver: &mut Driver, address: u64) {
        let Some(bytes) = driver.allocations.get(&address).map(|allocation| allocation.bytes) else { return };
        if driver.unordered.has(self.seq) {
            let mut footprint = Footprint::default();
            footprint.add_range(address, bytes, Touch::Written);
            let stream = driver.stream_id(self.stream);
            driver.tell_of_unordered(self.seq, Done { name: FREE.to_owned(), stream, footprint, program: None });
        }
    }

    /// Enters an operation's outcome. A fault ends its context: what is called in it answers the fault from then on.
    fn enter(&self, driver: &mut Driver, work: &Work, outcome: Result<Option<Placed>, Cause>) {
        if driver.unordered.has(self.seq)
            && let Ok(placed) = &outcome
            && let Some(footprint) = footprint_of(work)
        {
            let name = placed.as_ref().map_or("written value", |placed| placed.kind).to_owned();
            let stream = driver.stream_id(self.stream);
            driver.tell_of_unordered(self.seq, Done { name, stream, footprint, program: None });
        }
        if outcome.is_ok() {
            driver.forget_parts(work);
        }
        let ended = match outcome {
            Ok(Some(Placed { span, kind, engine, bytes, done_ns })) => {
                if driver.records.trace {
                    let name = if let Work::Launch(launch) = work { launch.name() } else { kind };
                    let (name, stream) = (name.to_owned(), driver.stream_id(self.stream));
                    driver.records.activity(Activity { kind, name, stream, span, bytes });
                }
                Ready::after(engine, done_ns)
            }
            Ok(None) => self.ready,
            Err(cause) => {
                if let Ok(context) = driver.contexts.get_mut(self.context) {
                    context.fault.get_or_insert(cause);
                }
                self.ready
            }
        };
        driver.complete(self.seq, ended, work);
    }
}

/// Calls a host function on a thread of its own: it may wait for the thread that submitted it.
fn call_host_function(seq: Seq, host: HostFunction) {
    let body = move || {
        // SAFETY: the application gave the function and its argument for exactly one call in stream order.
        unsafe { (host.function)(host.data as *mut std::ffi::c_void) };
        let mut driver = state::lock();
        let ready = driver.operation(seq).map_or(Ready::default(), |operation| operation.ready);
        driver.complete(seq, ready, &Work::Join);
        drop(state::tell_news(driver));
    };
    if let Err(error) = std::thread::Builder::new().name("cuda host function".into()).spawn(body) {
        eprintln!("[simulator] a host function could not be called: {error}");
        std::process::abort();
    }
}
