//! One host thread's part of a launch, and what all of them share.
use super::clusters::Clusters;
use super::executable::Executable;
use super::request::{LaunchProgress, Request, Tell};
use super::schedule::Schedule;
use super::steps::Order;
use crate::exec::accesses::before::{Before, Saved};
use crate::exec::textures::texture_object::{OBJECT_BYTES, Texture};
use crate::exec::view::{BlockState, Context, Device, Lane32, Lanes, LaunchConstants, Listener};
use crate::fault::Fault;
use crate::memory::Range;
use crate::probe::Probe;
use crate::program::Pointers;
use std::sync::atomic::{AtomicU64, Ordering};

/// State that the workers of one launch share.
pub(crate) struct Shared<'l> {
    pub request: &'l Request<'l>,
    /// Clusters of blocks that are to run: as many as there are blocks where each is its own.
    pub clusters: u64,
    /// Their numbers, where only some of the grid's are to run.
    pub chosen: Option<&'l [u64]>,
    /// The next block in the schedule's order.
    pub next: AtomicU64,
    /// Warp instructions that the launch may still run.
    budget: AtomicU64,
    /// Blocks that have ended.
    pub ended: AtomicU64,
    tell: Tell<'l>,
    /// The order of one block's warps, where one is chosen.
    pub order: Option<&'l Order>,
    /// Global memory before the launch wrote there, where that can show.
    before: Option<Saved>,
    /// The place in the order of the first block that faulted: later blocks do not matter any more.
    faulted: AtomicU64,
}

/// Warp instructions that one worker runs before others are started: starting a thread takes as long as running so many.
pub(super) const ONE_WORKER: u64 = 20_000;

/// One host thread's part of a launch.
pub(super) struct Worker<'l> {
    pub program: &'l Executable,
    pub lanes: Lanes<'l>,
    pub caches: Vec<Vec<Range>>,
    pub schedule: Schedule,
    /// Instruction count at which the current turn ends.
    pub turn_ends: u64,
    /// Barriers released and blocks finished: signs of progress besides stores.
    pub progress: u64,
    pub shared: &'l Shared<'l>,
    turns: u64,
    /// Instructions already taken from the budget.
    paid: u64,
}

impl<'l> Shared<'l> {
    pub fn new(
        request: &'l Request<'l>,
        chosen: Option<&'l [u64]>,
        order: Option<&'l Order>,
        tell: Tell<'l>,
    ) -> Shared<'l> {
        let all = in_clusters(request).iter().map(|&n| u64::from(n)).product();
        Shared {
            request,
            clusters: chosen.map_or(all, |chosen| chosen.len() as u64),
            chosen,
            order,
            next: AtomicU64::new(0),
            budget: AtomicU64::new(request.settings.budget),
            ended: AtomicU64::new(0),
            tell,
            before: before(request),
            faulted: AtomicU64::new(u64::MAX),
        }
    }

    /// Tells how far the launch is.
    pub fn tell(&self) {
        if let Some(tell) = self.tell {
            tell(LaunchProgress {
                blocks: self.clusters * self.request.cluster.iter().map(|&n| u64::from(n)).product::<u64>(),
                ended: self.ended.load(Ordering::Relaxed),
                instructions: self.request.settings.budget - self.budget.load(Ordering::Relaxed),
            });
        }
    }

    /// Takes the next cluster: its place in the order.
    pub fn take(&self) -> Option<u64> {
        let place = self.next.fetch_add(1, Ordering::Relaxed);
        (place < self.clusters && place < self.faulted.load(Ordering::Relaxed)).then_some(place)
    }
}

impl<'l> Worker<'l> {
    #[allow(unsafe_code)]
    pub fn new(
        shared: &'l Shared<'l>,
        probe: Option<Box<dyn Probe>>,
        workspace: u64,
        threads: Vec<[Lane32<u32>; 3]>,
    ) -> Worker<'l> {
        let request = shared.request;
        let function = &request.program.functions[request.function.0 as usize];
        // SAFETY: the view points nowhere and is not used before `enter` points it at a warp's registers.
        let mut lanes = unsafe { Lanes::new(std::ptr::null_mut(), 0) };
        lanes.context = Context {
            launch: LaunchConstants {
                grid: request.grid,
                block: request.block,
                facts: request.facts,
                parameters: request.parameters,
                shared_bytes: function.shared_bytes_with(request.dynamic_shared_bytes),
                reserved_shared: reserved_shared(request),
                dynamic_shared_bytes: request.dynamic_shared_bytes,
                workspace,
                threads,
                signals_late: request.settings.schedule_seed == 0
                    && shared.order.is_none()
                    && probe.as_ref().is_some_and(|probe| probe.one_thread()),
            },
            blocks: BlockState {
                clusters: Clusters::new(request.cluster, function.explicit_cluster || request.cluster != [1; 3]),
                ..BlockState::default()
            },
            device: Device {
                view: Some(request.memory.view()),
                heap_bytes: request.settings.heap_bytes,
                ..Device::default()
            },
            listener: Listener::new(probe),
            before: shared.before.as_ref().map(|saved| Box::new(Before::new(saved))),
            ..Context::default()
        };
        let schedule = Schedule::new(request.settings.schedule_seed, shared.clusters);
        let mut worker = Worker {
            program: request.program,
            lanes,
            caches: vec![Vec::new(); request.program.functions.len()],
            schedule,
            turn_ends: 0,
            progress: 0,
            shared,
            turns: 0,
            paid: 0,
        };
        worker.pay();
        worker
    }

    /// Takes what was run from the launch's budget and begins a new turn. `false`: the budget is spent.
    pub fn pay(&mut self) -> bool {
        let now = self.lanes.context.clock.instructions;
        let due = now - std::mem::replace(&mut self.paid, now);
        self.turns += 1;
        let take = |left: u64| Some(left.saturating_sub(due));
        let left = self.shared.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).unwrap_or(0);
        let left = left.saturating_sub(due);
        self.turn_ends = now + self.schedule.turn(self.turns).min(left.max(1));
        left > 0
    }

    /// Begins a turn with the block at a place of the order, so that where turns end in it does not depend on which blocks this worker ran before,
    /// nor on how many workers there are. The first block's ends early: others can then be started.
    pub fn begin_block(&mut self, place: u64) {
        if !self.schedule.is_shuffled() {
            self.lanes.spins = 0;
            self.pay();
            if place == 0 {
                self.turn_ends = self.turn_ends.min(self.lanes.context.clock.instructions + ONE_WORKER);
            }
        }
    }

    /// Takes the fault out of the context, and tells the other workers.
    pub fn stopped(&mut self, place: u64) -> Option<(u64, Fault)> {
        let fault = *self.lanes.context.fault.take()?;
        self.shared.faulted.fetch_min(place, Ordering::Relaxed);
        Some((place, fault))
    }
}

/// Keeps global memory as it is before a launch; `None` where that loads nothing through the read-only cache, and fetches no texel, from an
/// allocation that it may write to.
fn before(request: &Request) -> Option<Saved> {
    let function = &request.program.functions[request.function.0 as usize];
    let (read, written, fetched) = (&function.read_only, &function.written, &function.fetched);
    if read.is_empty() && fetched.is_empty() || written.is_empty() {
        return None;
    }
    let addresses = |pointers: &Pointers| -> Vec<u64> {
        let parameters = pointers.parameters.iter().filter_map(|&offset| {
            let bytes = request.parameters.get(offset as usize..)?.first_chunk()?;
            Some(u64::from_le_bytes(*bytes))
        });
        parameters.chain(pointers.variables.iter().copied()).collect()
    };
    let texels = |handle: u64| {
        let mut object = [0; OBJECT_BYTES];
        request.memory.read(handle, &mut object).ok()?;
        Some(Texture::decode(&object)?.span().0)
    };
    let allocation = |address: u64| Some(request.memory.find(address)?.address);
    let written_to: Vec<u64> = addresses(written).into_iter().filter_map(allocation).collect();
    let fetched_from = addresses(fetched).into_iter().filter_map(texels);
    let mut read_from = addresses(read).into_iter().chain(fetched_from).filter_map(allocation);
    let both = read_from.any(|allocation| written_to.contains(&allocation));
    (read.others || written.others || fetched.others || both).then(Saved::default)
}

/// Clusters of a launch on each axis.
pub(super) fn in_clusters(request: &Request) -> [u32; 3] {
    std::array::from_fn(|axis| request.grid[axis] / request.cluster[axis].max(1))
}

/// Where the system's own shared memory lies in the blocks of a launch. A card has it in front of the kernel's; here it
/// lies after, so that indices below 0 and small offsets stay outside of it, and as far again after the kernel's last
/// byte, so that indices a little too large do too.
fn reserved_shared(request: &Request) -> std::ops::Range<u32> {
    let function = &request.program.functions[request.function.0 as usize];
    let bytes = request.facts.reserved_shared_bytes;
    let used = function.shared_bytes_with(request.dynamic_shared_bytes);
    match (function.reads_reserved_shared && bytes != 0).then(|| used.checked_next_multiple_of(bytes)).flatten() {
        Some(end) => end + bytes..end + 2 * bytes,
        None => 0..0,
    }
}
