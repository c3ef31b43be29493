//! Work that was submitted and not done yet.
//!
//! Streams promise an order, and nothing about when. So nothing is done until something needs it: a wait, a copy from or
//! to pageable memory, a free. What is then done is the awaited operation and all it depends on, in the order of
//! submission, and nothing else: a program that forgot a synchronisation reads old data every time, not sometimes.
//!
//! A query answers "not ready" the first time it meets pending work and does that work at the second: polling loops end,
//! and a single look is not taken for a wait.
use crate::interface::Cause;
use crate::objects::event::{DISABLE_TIMING, EventState, STAMP_NS};
use crate::objects::graphs::{Seq, Work};
use crate::objects::stream::Stream;
use crate::state::unordered::{Allocating, MOST_BESIDE};
use crate::state::{Driver, host_time};
use clock::cards::Device;
use clock::streams::ready::{Engine, Ready};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

pub struct Operation {
    pub stream: usize,
    pub context: usize,
    /// The work to be done; `None` while somebody does it.
    pub work: Option<Work>,
    /// True if it is a node of a graph: launched by the device, without the host's share.
    pub in_graph: bool,
    /// Pending operations that must be done before.
    waits_for: Vec<Seq>,
    dependants: Vec<Seq>,
    /// Under the sanitizer: true if it comes after all that were pending before it.
    after_all: bool,
    /// When all it waited for had ended, and the host had submitted it.
    pub ready: Ready,
    /// When the host had.
    pub submitted_ns: u64,
}

impl Operation {
    /// Pending operations that must be done before.
    pub fn waits_for(&self) -> &[Seq] {
        &self.waits_for
    }

    /// When an engine of a card may begin with it.
    pub fn ready_on(&self, engine: Engine, card: &Device) -> u64 {
        self.ready.on(engine, card.engine_handover_ns, self.submitted_ns)
    }

    /// True if it uses memory, or makes or frees some.
    fn uses_memory(&self) -> bool {
        use Work::{Allocate, Answered, Copy, Fill, Free, Launch, Write};
        self.work.as_ref().is_none_or(|work| {
            matches!(work, Copy(_) | Fill(_) | Write { .. } | Launch(_) | Free(_) | Allocate { .. } | Answered(_))
        })
    }

    /// True if all that it waited for is done.
    pub fn is_ready(&self) -> bool {
        self.waits_for.is_empty()
    }
}

/// All pending operations.
#[derive(Default)]
pub struct Queue {
    next: Seq,
    pending: BTreeMap<Seq, Operation>,
    /// The number of pending operations by their stream, and of the nodes of graphs.
    lanes: FxHashMap<Option<usize>, usize>,
    /// The next time that [`Driver::oldest_of_many`] looks.
    looks_again: Seq,
}

/// Where twice as many operations are pending, all but so many are done. A card's queue takes a thousand launches, and the next one waits.
pub const MANY: usize = 1 << 14;

/// Launches that one may overlap at a time, each with the next.
const MOST_OVERLAPPED: usize = 8;

impl Driver {
    /// Puts work on a stream, after what is there and after `also`, and answers its number if it is pending. What
    /// changes nothing but the clock, and waits for nothing, is done at once.
    pub fn submit(&mut self, stream: usize, work: Work, also: &[Seq]) -> Result<Option<Seq>, Cause> {
        let (tails, ready) = self.stream_order(stream)?;
        let seq = self.enqueue(
            stream,
            work,
            tails.iter().chain(also).copied().collect(),
            ready.and(Ready::at(host_time::host_ns())),
            false,
        )?;
        self.streams.get_mut(stream)?.tail = Some(seq);
        let Some(operation) = self.queue.pending.get_mut(&seq) else { return Ok(None) };
        if operation.is_ready() && matches!(operation.work, Some(Work::Join | Work::Record(_))) {
            let (work, ready) = (operation.work.take(), operation.ready);
            self.complete(seq, ready, &work.unwrap_or(Work::Join));
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
        ready: Ready,
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
        let submitted_ns = host_time::host_ns();
        let operation = Operation {
            stream,
            context,
            work: Some(work),
            in_graph,
            waits_for,
            dependants: Vec::new(),
            after_all: false,
            ready,
            submitted_ns,
        };
        self.queue.pending.insert(seq, operation);
        *self.queue.lanes.entry((!in_graph).then_some(stream)).or_default() += 1;
        if self.settings.sanitize {
            self.note_beside(seq);
        }
        Ok(seq)
    }

    /// Notes the latest that are pending and do not come before an operation that was just submitted. Nothing is looked at before one that
    /// comes after all.
    fn note_beside(&mut self, seq: Seq) {
        let (mut before, mut beside) = (BTreeSet::from([seq]), Vec::new());
        for (other, operation) in self.queue.pending.range(..=seq).rev() {
            if before.remove(other) {
                before.extend(&operation.waits_for);
                if operation.after_all {
                    break;
                }
            } else if operation.uses_memory() && beside.len() < MOST_BESIDE {
                beside.push(*other);
            }
        }
        beside.reverse();
        let Some(operation) = self.queue.pending.get_mut(&seq) else { return };
        operation.after_all = beside.is_empty();
        if let Some(Work::Allocate { at, bytes }) = operation.work {
            let stream = operation.stream;
            let stream = self.stream_id(stream);
            self.unordered.allocates(seq, Allocating { at, bytes, stream });
        } else if operation.uses_memory() {
            self.unordered.submitted(seq, beside, self.overlapped(seq));
        }
    }

    /// Under the sanitizer: a number for what the host does to memory now, beside all work that it has not waited for.
    pub fn note_beside_host(&mut self) -> Seq {
        let seq = self.queue.next;
        self.queue.next += 1;
        if self.settings.sanitize {
            let is_work = |operation: &Operation| {
                operation.uses_memory() && !matches!(operation.work, Some(Work::Allocate { .. }))
            };
            let beside = self.queue.pending.iter().filter(|(_, operation)| is_work(operation));
            self.unordered.submitted(seq, beside.map(|(&other, _)| other).collect(), Vec::new());
        }
        seq
    }

    /// The pending launches that a launch may overlap, the nearest first: that which alone it comes after, if it is launched so, and of that
    /// likewise.
    fn overlapped(&self, seq: Seq) -> Vec<Seq> {
        let launch = |seq: Seq| {
            let operation = self.queue.pending.get(&seq)?;
            let Some(Work::Launch(launch)) = &operation.work else { return None };
            Some((launch, &operation.waits_for[..]))
        };
        let before = |seq: &Seq| match launch(*seq)? {
            (own, &[earlier]) if own.overlaps => launch(earlier).map(|_| earlier),
            _ => None,
        };
        std::iter::successors(before(&seq), before).take(MOST_OVERLAPPED).collect()
    }

    /// Operations that new work on a stream comes after: pending ones, and the end of finished ones. The legacy default stream
    /// comes after all blocking streams of its context, and they after it.
    pub fn stream_order(&self, stream: usize) -> Result<(Vec<Seq>, Ready), Cause> {
        let own = self.streams.get(stream)?;
        let mut tails: Vec<Seq> = own.tail.into_iter().collect();
        let mut ready = own.ended;
        let mut after_tail = |other: &Stream| {
            tails.extend(other.tail);
            ready = ready.and(other.ended);
        };
        if own.is_legacy {
            let blocking = |other: &&Stream| other.context == own.context && other.blocking;
            self.streams.iter().map(|(_, other)| other).filter(blocking).for_each(&mut after_tail);
        } else if own.blocking {
            after_tail(self.streams.get(self.contexts.get(own.context)?.legacy)?);
        }
        Ok((tails, ready))
    }

    /// The number of the next operation.
    pub fn horizon(&self) -> Seq {
        self.queue.next
    }

    /// Pending operations that were submitted before the one of that number, in their order.
    pub fn pending_before(&self, horizon: Seq) -> impl Iterator<Item = (&Seq, &Operation)> {
        self.queue.pending.range(..horizon)
    }

    /// True if all that is pending, a certain operation among it, is in the order of that stream.
    pub fn is_in_order(&self, seq: Seq) -> bool {
        let own = self.queue.pending.get(&seq).map(|operation| Some(operation.stream));
        self.queue.lanes.len() == 1 && own.is_some_and(|own| self.queue.lanes.contains_key(&own))
    }

    /// The oldest operations, now and then, where many are pending: memory does not grow with every launch that nobody waits for.
    pub fn oldest_of_many(&mut self) -> Vec<Seq> {
        let Queue { next, pending, looks_again, .. } = &mut self.queue;
        if *next < *looks_again || pending.len() < 2 * MANY {
            return Vec::new();
        }
        *looks_again = *next + MANY as Seq;
        pending.keys().take(pending.len() - MANY).copied().collect()
    }

    /// Pending operations on a device.
    pub fn pending_on(&self, device: usize) -> Vec<Seq> {
        let on =
            |operation: &Operation| self.contexts.get(operation.context).is_ok_and(|context| context.device == device);
        self.queue.pending.iter().filter(|(_, operation)| on(operation)).map(|(&seq, _)| seq).collect()
    }

    /// Pending operations in a context.
    pub fn pending_in(&self, context: usize) -> Vec<Seq> {
        self.queue.pending.iter().filter(|(_, operation)| operation.context == context).map(|(&seq, _)| seq).collect()
    }

    /// An operation that is not done yet.
    pub fn operation(&mut self, seq: Seq) -> Option<&mut Operation> {
        self.queue.pending.get_mut(&seq)
    }

    /// Pending launches that neither a host function nor a wait for a value comes before.
    pub fn pending_launches(&self) -> Vec<Seq> {
        let waits = |seq: &Seq| self.needed(&[*seq]).iter().any(|&seq| self.waits_for_others(seq));
        let launches = self.queue.pending.keys().filter(|&&seq| self.is_launch(seq));
        launches.filter(|seq| !waits(seq)).copied().collect()
    }

    /// The operations that `targets` need, themselves included, in the order of submission.
    pub fn needed(&self, targets: &[Seq]) -> BTreeSet<Seq> {
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

    /// Among operations that are needed, in the order of submission, those that can be done now, one after the other: none of
    /// them is being done, and none comes after one that is, or after a function of the host or a wait for a value.
    pub fn doable(&self, needed: &BTreeSet<Seq>) -> Vec<Seq> {
        let mut blocked = BTreeSet::new();
        let mut doable = Vec::with_capacity(needed.len());
        for &seq in needed {
            let Some(operation) = self.queue.pending.get(&seq) else { continue };
            let waits = operation.waits_for.iter().any(|earlier| blocked.contains(earlier));
            if waits || operation.work.is_none() {
                blocked.insert(seq);
                continue;
            }
            if operation.work.as_ref().is_some_and(Work::waits_for_others) {
                blocked.insert(seq);
            }
            doable.push(seq);
        }
        doable
    }

    /// True if an operation that nobody has taken yet is a launch.
    pub fn is_launch(&self, seq: Seq) -> bool {
        self.queue.pending.get(&seq).is_some_and(|operation| matches!(operation.work, Some(Work::Launch(_))))
    }

    /// True if an operation that nobody has taken yet was computed by the host.
    pub fn is_answer(&self, seq: Seq) -> bool {
        self.queue.pending.get(&seq).is_some_and(|operation| matches!(operation.work, Some(Work::Answered(_))))
    }

    /// True if an operation that nobody has taken yet is a function of the host, or a wait for a value.
    pub fn waits_for_others(&self, seq: Seq) -> bool {
        self.queue
            .pending
            .get(&seq)
            .is_some_and(|operation| operation.work.as_ref().is_some_and(Work::waits_for_others))
    }

    /// All pending operations that can be done now.
    pub fn all_doable(&self) -> Vec<Seq> {
        self.doable(&self.queue.pending.keys().copied().collect())
    }

    /// The number by which the application knows a stream; 0 where it was destroyed.
    pub fn stream_id(&self, stream: usize) -> u64 {
        self.streams.get(stream).map_or(0, |stream| stream.id)
    }

    /// The device that an operation runs on.
    pub fn device_of(&self, seq: Seq) -> usize {
        let operation = self.queue.pending.get(&seq);
        let context = operation.and_then(|operation| self.contexts.get(operation.context).ok());
        context.map_or(0, |context| context.device)
    }

    /// Operations after an event on its stream wait until the time is taken.
    pub fn stamp_ns(&self, work: &Work) -> u64 {
        let Work::Record(event) = work else { return 0 };
        let timed = self.events.get(*event).is_ok_and(|event| event.flags & DISABLE_TIMING == 0);
        if timed { STAMP_NS } else { 0 }
    }

    /// Nothing is placed before the host's time from now on, nor before the first of the pending operations was submitted; a graph's are as old as
    /// the graph's launch.
    fn forget_the_past(&mut self, device: usize) {
        if self.queue.lanes.contains_key(&None) {
            return;
        }
        let first = self.queue.pending.first_key_value().map(|(_, operation)| operation.submitted_ns);
        if let Some(gpu) = self.devices.get_mut(device) {
            gpu.timeline.forget(first.unwrap_or_else(host_time::host_ns));
        }
    }

    /// Takes a finished operation out and tells those that waited for it.
    pub fn complete(&mut self, seq: Seq, ended: Ready, work: &Work) {
        let device = self.device_of(seq);
        let Some(operation) = self.queue.pending.remove(&seq) else { return };
        let lane = (!operation.in_graph).then_some(operation.stream);
        if let Some(others) = self.queue.lanes.remove(&lane).filter(|pending| *pending > 1) {
            self.queue.lanes.insert(lane, others - 1);
        }
        self.forget_the_past(device);
        self.unordered.ended(seq);
        let at_ns = ended.at_ns;
        let ended = ended.later(self.stamp_ns(work));
        for later in operation.dependants {
            if let Some(waiting) = self.queue.pending.get_mut(&later) {
                waiting.waits_for.retain(|&earlier| earlier != seq);
                waiting.ready = waiting.ready.and(ended);
            }
        }
        if let Ok(stream) = self.streams.get_mut(operation.stream) {
            stream.ended = stream.ended.and(ended);
            if stream.tail == Some(seq) {
                stream.tail = None;
            }
        }
        if let Work::Record(event) = work
            && let Ok(event) = self.events.get_mut(*event)
            && event.state == EventState::Pending(seq)
        {
            event.state = EventState::Done { at_ns };
        }
    }
}
