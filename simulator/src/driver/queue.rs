//! Work that was submitted and not done yet.
//!
//! Streams promise an order, and nothing about when. So nothing is done until something needs it: a wait, a copy from or
//! to pageable memory, a free. What is then done is the awaited operation and all it depends on, in the order of
//! submission, and nothing else: a program that forgot a synchronisation reads old data every time, not sometimes.
//!
//! A query answers "not ready" the first time it meets pending work and does that work at the second: polling loops end,
//! and a single look is not taken for a wait. Host functions run on a thread of their own, as CUDA has it; while one runs,
//! only waits wait for it.
use super::cause::Cause;
use super::copy::{Fill, Transfer};
use super::event::{DISABLE_TIMING, STAMP_NS};
use super::launch::Launch;
use super::state::{self, Driver, EventState, Guard};
use std::collections::{BTreeMap, BTreeSet};

/// Order of submission, over all streams and devices. What an operation waits for has a lower number.
pub type Seq = u64;

/// What is to be done.
pub enum Work {
    Copy(Transfer),
    Fill(Fill),
    Launch(Box<Launch>),
    /// Notes the virtual time in the event, unless the event was recorded anew since.
    Record(usize),
    /// Only order: a wait for an event, the end of a graph.
    Join,
    Host(HostFunction),
    Free(u64),
    /// Writes a value of 4 or 8 bytes.
    Write {
        at: u64,
        value: u64,
        bytes: u8,
    },
}

/// A function of the application to be called in stream order.
#[derive(Clone, Copy)]
pub struct HostFunction {
    pub function: unsafe extern "C" fn(*mut std::ffi::c_void),
    /// The application's own pointer, as a number.
    pub data: usize,
}

/// One operation.
pub struct Operation {
    pub stream: usize,
    pub context: usize,
    pub work: Work,
    /// Whether it is a node of a graph: launched by the device, without the host's share.
    pub in_graph: bool,
    /// Pending operations that must be done before.
    waits_for: Vec<Seq>,
    dependants: Vec<Seq>,
    /// When all it waited for had ended, and the host had submitted it.
    pub ready_ns: u64,
    running: bool,
}

/// All pending operations.
#[derive(Default)]
pub struct Queue {
    next: Seq,
    pending: BTreeMap<Seq, Operation>,
}

/// How long a caller stays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Until it is done.
    Wait,
    /// Leaves when a host function is running.
    Poll,
}

impl Driver {
    /// Puts work on a stream, behind what is there and behind `also`, and answers its number if it is pending. What
    /// changes nothing but the clock, and waits for nothing, is done at once.
    pub fn submit(&mut self, stream: usize, work: Work, also: &[Seq]) -> Result<Option<Seq>, Cause> {
        let (tails, ready_ns) = self.stream_order(stream)?;
        let seq = self.enqueue(
            stream,
            work,
            tails.iter().chain(also).copied().collect(),
            ready_ns.max(state::host_ns()),
            false,
        )?;
        self.streams.get_mut(stream)?.tail = Some(seq);
        let operation = &self.queue.pending[&seq];
        if operation.waits_for.is_empty() && matches!(operation.work, Work::Join | Work::Record(_)) {
            self.finish_next(seq)?;
            return Ok(None);
        }
        Ok(Some(seq))
    }

    /// Adds an operation with explicit dependencies; those that are done are forgotten.
    pub fn enqueue(
        &mut self,
        stream: usize,
        work: Work,
        mut waits_for: Vec<Seq>,
        ready_ns: u64,
        in_graph: bool,
    ) -> Result<Seq, Cause> {
        let context = self.streams.get(stream)?.context;
        let seq = self.queue.next;
        self.queue.next += 1;
        waits_for.sort_unstable();
        waits_for.dedup();
        waits_for.retain(|earlier| self.queue.pending.contains_key(earlier));
        for earlier in &waits_for {
            if let Some(operation) = self.queue.pending.get_mut(earlier) {
                operation.dependants.push(seq);
            }
        }
        if let Work::Record(event) = work {
            self.events.get_mut(event)?.state = EventState::Pending(seq);
        }
        let operation =
            Operation { stream, context, work, in_graph, waits_for, dependants: Vec::new(), ready_ns, running: false };
        self.queue.pending.insert(seq, operation);
        Ok(seq)
    }

    /// What new work on a stream comes behind: pending operations, and the end of finished ones. The legacy default stream
    /// comes behind all blocking streams of its context, and they behind it.
    pub fn stream_order(&self, stream: usize) -> Result<(Vec<Seq>, u64), Cause> {
        let own = self.streams.get(stream)?;
        let mut tails: Vec<Seq> = own.tail.into_iter().collect();
        let mut ready_ns = own.tail_ns;
        let mut behind = |other: &state::Stream| {
            tails.extend(other.tail);
            ready_ns = ready_ns.max(other.tail_ns);
        };
        if own.is_legacy {
            let blocking = |other: &&state::Stream| other.context == own.context && other.blocking;
            self.streams.iter().map(|(_, other)| other).filter(blocking).for_each(&mut behind);
        } else if own.blocking {
            behind(self.streams.get(self.contexts.get(own.context)?.legacy)?);
        }
        Ok((tails, ready_ns))
    }

    /// What is pending on a device, or anywhere.
    pub fn pending_on(&self, device: Option<usize>) -> Vec<Seq> {
        let on = |operation: &Operation| match device {
            None => true,
            Some(device) => self.contexts.get(operation.context).is_ok_and(|context| context.device == device),
        };
        self.queue.pending.iter().filter(|(_, operation)| on(operation)).map(|(&seq, _)| seq).collect()
    }

    /// What is pending in a context.
    pub fn pending_in(&self, context: usize) -> Vec<Seq> {
        self.queue.pending.iter().filter(|(_, operation)| operation.context == context).map(|(&seq, _)| seq).collect()
    }

    /// Pending launches that no host function comes before.
    pub fn pending_launches(&self) -> Vec<Seq> {
        let work = |seq: &Seq| self.queue.pending.get(seq).map(|operation| &operation.work);
        let calls_host = |seq: &Seq| self.needed(&[*seq]).iter().any(|seq| matches!(work(seq), Some(Work::Host(_))));
        let launches = self.queue.pending.keys().filter(|seq| matches!(work(seq), Some(Work::Launch(_))));
        launches.filter(|seq| !calls_host(seq)).copied().collect()
    }

    /// The operations that `targets` need, themselves included, in the order of submission.
    fn needed(&self, targets: &[Seq]) -> BTreeSet<Seq> {
        let mut needed = BTreeSet::new();
        let mut open: Vec<Seq> = targets.to_vec();
        while let Some(seq) = open.pop() {
            if let Some(operation) = self.queue.pending.get(&seq)
                && needed.insert(seq)
            {
                open.extend(&operation.waits_for);
            }
        }
        needed
    }

    /// Does an operation that waits for nothing any more.
    fn finish_next(&mut self, seq: Seq) -> Result<(), Cause> {
        let Some(operation) = self.queue.pending.get_mut(&seq) else { return Ok(()) };
        // Stays in the map while it is done, so that whoever looks sees it pending.
        let work = std::mem::replace(&mut operation.work, Work::Join);
        let (stream, context, ready_ns, in_graph) =
            (operation.stream, operation.context, operation.ready_ns, operation.in_graph);
        let (end_ns, work) = self.execute(stream, context, work, ready_ns, in_graph);
        self.complete(seq, end_ns, work);
        Ok(())
    }

    /// What comes behind an event on its stream waits until the time is taken.
    fn stamp_ns(&self, work: &Work) -> u64 {
        let Work::Record(event) = work else { return 0 };
        let timed = self.events.get(*event).is_ok_and(|event| event.flags & DISABLE_TIMING == 0);
        if timed { STAMP_NS } else { 0 }
    }

    /// Takes a finished operation out and tells those that waited for it.
    pub fn complete(&mut self, seq: Seq, end_ns: u64, work: Work) {
        let Some(operation) = self.queue.pending.remove(&seq) else { return };
        let at_ns = end_ns;
        let end_ns = at_ns + self.stamp_ns(&work);
        for later in operation.dependants {
            if let Some(waiting) = self.queue.pending.get_mut(&later) {
                waiting.waits_for.retain(|&earlier| earlier != seq);
                waiting.ready_ns = waiting.ready_ns.max(end_ns);
            }
        }
        if let Ok(stream) = self.streams.get_mut(operation.stream) {
            stream.tail_ns = stream.tail_ns.max(end_ns);
            if stream.tail == Some(seq) {
                stream.tail = None;
            }
        }
        if let Work::Record(event) = work
            && let Ok(event) = self.events.get_mut(event)
            && event.state == EventState::Pending(seq)
        {
            event.state = EventState::Done { at_ns };
        }
    }
}

/// Does what `targets` need. Answers whether all of it is done; with [`Patience::Wait`] it is. Faults stay in the context.
pub fn demand(mut driver: Guard, targets: &[Seq], patience: Patience) -> (Guard, bool) {
    loop {
        let needed = driver.needed(targets);
        if needed.is_empty() {
            return (driver, true);
        }
        let mut running = false;
        for seq in needed {
            let Some(operation) = driver.queue.pending.get_mut(&seq) else { continue };
            if operation.running {
                running = true;
            } else if operation.waits_for.is_empty() {
                if let Work::Host(function) = operation.work {
                    operation.running = true;
                    running = true;
                    call_host_function(seq, function);
                } else if let Err(cause) = driver.finish_next(seq) {
                    // Only a stream destroyed under its work can do this; the work is dropped with it.
                    let _ = cause;
                    driver.complete(seq, 0, Work::Join);
                }
            }
        }
        if running {
            if patience == Patience::Poll {
                return (driver, false);
            }
            driver = state::HOST_FUNCTION_DONE.wait(driver).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

/// Calls a host function on a thread of its own: it may wait for the thread that submitted it.
fn call_host_function(seq: Seq, host: HostFunction) {
    let body = move || {
        // SAFETY: the application gave the function and its argument for exactly one call in stream order.
        unsafe { (host.function)(host.data as *mut std::ffi::c_void) };
        let mut driver = state::lock();
        let ready_ns = driver.queue.pending.get(&seq).map_or(0, |operation| operation.ready_ns);
        driver.complete(seq, ready_ns, Work::Join);
        state::HOST_FUNCTION_DONE.notify_all();
    };
    if let Err(error) = std::thread::Builder::new().name("cuda host function".into()).spawn(body) {
        eprintln!("[simulator] a host function could not be called: {error}");
        std::process::abort();
    }
}
