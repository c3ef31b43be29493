//! A block that is under way: its warps, its barriers, its shared memory.
use super::barrier::Barriers;
use super::clusters::Member;
use super::schedule::Schedule;
use super::steps_of_block::Steps;
use super::worker::Worker;
use crate::exec::fast_paths::batch::Batch;
use crate::exec::view::{Line, WARP, Window};
use crate::exec::warps::warp::{self, Pause, Runner, Warp};
use crate::exec::warps::warp_run;
use crate::exec::warps::warp_split::State;
use crate::fault::{Fault, Waiting};
use crate::probe::Place;
use crate::program::FunctionId;
use std::hash::{Hash, Hasher};

/// One block of a grid.
#[derive(Default)]
pub(super) struct ThreadBlock {
    pub coordinates: [u32; 3],
    pub index: u64,
    /// The cluster that it belongs to, and its rank there.
    cluster: u64,
    rank: u32,
    /// Phases of its cluster's barrier that it has seen end.
    releases: u64,
    warps: Vec<Warp>,
    /// True for a warp that is worth running: it neither waits nor is done.
    runnable: Vec<bool>,
    /// The order in which warps get their turns, and the next in it.
    order: Vec<usize>,
    cursor: usize,
    /// Where the order of steps is chosen.
    steps: Steps,
    /// Turns of its warps in a row that ended in waiting actively after a store.
    spun: usize,
    /// True while warps may go together.
    together: bool,
    barriers: Barriers,
    shared: Vec<Line>,
    shared_bytes: u32,
    /// Its own clock, see [`Context::clock_zero`](crate::exec::view::context::Context::clock_zero), and how often that was read.
    clock: u64,
    clock_reads: u64,
    /// Stores since it signalled last, see [`Context::signals_late`](crate::exec::view::context::Context::signals_late).
    stores: u64,
}

/// Why a block stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockPause {
    Done,
    /// All warps that can run wait actively: for another block, or for ever.
    Spins,
    /// Nobody can run, and some wait for other blocks of their cluster.
    Waits,
    /// A turn is used up.
    Turn,
    /// The launch stops; the fault is in the context.
    Stopped,
}

/// The turns of a block's warps, from one pause of the block to the next.
struct Turns {
    /// Turns in a row in which no warp got any further.
    idle: usize,
    /// True once nobody can run: a warp-synchronous op then runs with the lanes that are there.
    incomplete: bool,
    /// True if listeners let warps go together.
    listeners_allow: bool,
}

/// Returns whether warps may go together: nobody watches or listens, or the listener takes its events afterwards.
fn listeners_allow_batches(worker: &Worker) -> bool {
    let context = &worker.lanes.context;
    context.footprint.is_none() && (!context.listener.listens() || context.listener.in_hindsight())
}

/// The state with which a warp of the block runs.
fn runner<'r, 'l>(worker: &'r mut Worker<'l>, barriers: &'r mut Barriers, turns: &Turns) -> Runner<'r, 'l> {
    Runner {
        program: worker.program,
        lanes: &mut worker.lanes,
        caches: &mut worker.caches,
        barriers,
        turn_ends: worker.turn_ends,
        patient: worker.schedule.is_shuffled(),
        incomplete: turns.incomplete,
    }
}

/// So often each warp may store and then wait actively, before the block is taken to wait for another one.
const MOST_SPUN: usize = 1024;

/// The value of fresh shared memory: NaN in floats, −1 in integers, so that reading it shows.
const POISON: Line = Line([0xff; 64]);

impl ThreadBlock {
    /// Makes the block ready to run `function` from its beginning.
    pub fn start(
        &mut self,
        worker: &Worker,
        function_id: FunctionId,
        (index, coordinates): (u64, [u32; 3]),
        (cluster, rank): (u64, u32),
    ) {
        let function = &worker.program.functions[function_id.0 as usize];
        let context = &worker.lanes.context;
        let threads = context.launch.block.iter().product::<u32>();
        let warps = threads.div_ceil(WARP as u32);
        self.index = index;
        (self.cluster, self.rank) = (cluster, rank);
        self.releases = context.blocks.clusters.releases;
        self.coordinates = coordinates;
        self.warps.resize_with(warps as usize, Warp::default);
        for (number, warp) in (0..).zip(&mut self.warps) {
            let lanes = (threads - number * WARP as u32).min(WARP as u32);
            let live = u32::MAX >> (WARP as u32 - lanes);
            warp.start(number, live, function_id.0, function, context.launch.facts.stack_bytes);
        }
        self.runnable.clear();
        self.runnable.resize(warps as usize, true);
        worker.schedule.warps(index, warps as usize, &mut self.order);
        self.cursor = 0;
        self.steps.start(warps as usize);
        self.spun = 0;
        self.clock = 0;
        self.clock_reads = 0;
        self.stores = 0;
        self.together = !worker.schedule.is_shuffled();
        self.barriers.start(threads);
        self.shared_bytes = context.launch.shared_bytes;
        self.shared.clear();
        let given = context.launch.facts.shared_bytes_given(context.launch.shared_bytes);
        self.shared.resize((given as usize).div_ceil(size_of::<Line>()), POISON);
        // The system's own part begins as zeros: the barriers of cooperative groups rely on it.
        let reserved_end = (context.launch.reserved_shared.end as usize).div_ceil(size_of::<Line>());
        self.shared.resize(self.shared.len().max(reserved_end), Line([0; 64]));
    }

    /// Keeps the storage for another launch on this host thread, and forgets what it held: what an unwritten register
    /// reads must not depend on the launches before.
    pub fn forget(&mut self) {
        self.warps.iter_mut().for_each(Warp::forget);
    }

    /// The block as a member of its cluster.
    pub fn member(&mut self) -> Member {
        let base = self.shared.as_mut_ptr() as u64;
        Member { block: self.index, base, bytes: self.shared_bytes.into(), left: false }
    }

    pub fn cluster(&self) -> u64 {
        self.cluster
    }

    /// Warp instructions that its turns have run.
    pub fn instructions(&self) -> u64 {
        self.clock
    }

    pub fn warps(&self) -> &[Warp] {
        &self.warps
    }

    /// Gives the next turn to the warp after the one that has used up its own.
    pub fn move_on(&mut self) {
        self.cursor = (self.cursor + 1) % self.order.len();
    }

    /// Adds to a fingerprint what decides all that the block does as long as nobody stores anything.
    pub fn hash_state(&self, to: &mut impl Hasher) {
        self.warps.iter().for_each(|warp| warp.state().hash(to));
        self.barriers.hash(to);
    }

    /// Runs the block until it is done, or waits for something outside, or its turn ends.
    pub fn run(&mut self, worker: &mut Worker) -> BlockPause {
        let context = &mut worker.lanes.context;
        context.clock.zero = context.clock.instructions.wrapping_sub(self.clock);
        context.clock.reads = self.clock_reads;
        context.blocks.signalled_at = worker.lanes.stores.wrapping_sub(self.stores);
        let pause = self.run_warps(worker);
        let context = &worker.lanes.context;
        self.stores = worker.lanes.stores.wrapping_sub(context.blocks.signalled_at);
        self.clock = context.clock.now();
        self.clock_reads = context.clock.reads;
        pause
    }

    fn run_warps(&mut self, worker: &mut Worker) -> BlockPause {
        let lanes = &mut worker.lanes;
        lanes.context.who.block = self.coordinates;
        lanes.context.who.block_index = self.index;
        (lanes.context.blocks.clusters.current, lanes.context.blocks.clusters.rank) = (self.cluster, self.rank);
        lanes.shared = Window { base: self.shared.as_mut_ptr().cast(), bytes: self.shared_bytes.into() };
        let mut turns = Turns { idle: 0, incomplete: false, listeners_allow: listeners_allow_batches(worker) };
        self.release(worker);
        loop {
            if turns.idle == self.warps.len()
                && let Some(pause) = self.nobody_runs(worker, &mut turns)
            {
                return pause;
            }
            let number = self.next_warp(worker);
            if self.steps.wait_for_ever() {
                return self.deadlock(worker);
            }
            let worth_running = self.runnable[number] || turns.incomplete && self.warps[number].live != 0;
            if !worth_running {
                turns.idle += 1;
                continue;
            }
            let batch = match self.together && !turns.incomplete && turns.listeners_allow {
                true => {
                    let at = self.before_cursor();
                    let probed = worker.lanes.context.listener.listens();
                    Batch::of(worker.program, &self.warps, &self.order[at..], probed)
                }
                false => None,
            };
            let pause = match batch {
                Some(batch) => self.run_batch(worker, batch, &mut turns),
                None => self.run_warp(worker, number, &mut turns),
            };
            if let Some(pause) = pause {
                return pause;
            }
        }
    }

    /// No warp has got any further since each had its turn. `None`: those that wait for lanes that cannot come go on without them.
    fn nobody_runs(&mut self, worker: &mut Worker, turns: &mut Turns) -> Option<BlockPause> {
        if self.warps.iter().all(|warp| warp.live == 0) {
            return Some(BlockPause::Done);
        }
        if self.runnable.contains(&true) {
            return Some(BlockPause::Spins);
        }
        if self.warps.iter().any(Warp::waits_for_cluster) {
            return Some(BlockPause::Waits);
        }
        if turns.incomplete {
            return Some(self.deadlock(worker));
        }
        (turns.incomplete, turns.idle) = (true, 0);
        None
    }

    fn deadlock(&mut self, worker: &mut Worker) -> BlockPause {
        let waiting = self.waiting(worker);
        worker.lanes.context.stop(Fault::Deadlock { waiting });
        BlockPause::Stopped
    }

    /// Runs warps together as far as they go. Each goes on alone, beginning with the one whose turn it is.
    fn run_batch(&mut self, worker: &mut Worker, mut batch: Batch, turns: &mut Turns) -> Option<BlockPause> {
        let stores = worker.lanes.stores;
        let pause = batch.run(&mut runner(worker, &mut self.barriers, turns), &mut self.warps);
        turns.listeners_allow = listeners_allow_batches(worker);
        self.cursor = self.before_cursor();
        for &number in batch.members() {
            let warp = &self.warps[number];
            let ready = warp.splits.0.iter().any(|split| split.state == State::Ready);
            self.runnable[number] = warp.live != 0 && ready;
        }
        self.together = pause != Pause::Spins && !(pause == Pause::Turn && worker.lanes.stores == stores);
        match pause {
            Pause::Stopped => return Some(BlockPause::Stopped),
            Pause::Turn => return Some(BlockPause::Turn),
            _ => {}
        }
        self.release(worker);
        turns.idle = 0;
        None
    }

    /// Runs one warp as far as it goes.
    fn run_warp(&mut self, worker: &mut Worker, number: usize, turns: &mut Turns) -> Option<BlockPause> {
        let (before, stores) = (worker.lanes.context.clock.instructions, worker.lanes.stores);
        let pause = warp_run::run(&mut runner(worker, &mut self.barriers, turns), &mut self.warps[number]);
        let ran = worker.lanes.context.clock.instructions != before;
        let stored = worker.lanes.stores != stores;
        let pause = self.in_steps(worker, number, pause, stores);
        self.runnable[number] = !matches!(pause, Pause::Waits | Pause::Done);
        let gets_on = match pause {
            _ if !ran => pause == Pause::Step,
            // Warps that hand work to each other store and then wait actively, each in its turn: they need no other block.
            Pause::Spins => {
                self.spun += usize::from(stored);
                stored && self.spun < MOST_SPUN * self.warps.len()
            }
            Pause::Defers => false,
            _ => {
                self.spun = 0;
                true
            }
        };
        turns.idle += 1;
        if self.release(worker) || gets_on {
            (turns.idle, turns.incomplete) = (0, false);
        }
        match pause {
            Pause::Stopped => Some(BlockPause::Stopped),
            Pause::Turn => {
                if !worker.schedule.is_shuffled() {
                    self.cursor = self.before_cursor();
                }
                Some(BlockPause::Turn)
            }
            _ => None,
        }
    }

    /// The place in the order before the next one's.
    fn before_cursor(&self) -> usize {
        self.cursor.checked_sub(1).unwrap_or(self.order.len() - 1)
    }

    /// The warp whose turn is next.
    fn next_warp(&mut self, worker: &Worker) -> usize {
        if let Some(order) = worker.shared.order.filter(|order| order.block == self.index)
            && let Some(number) = self.steps.next(order, &self.runnable)
        {
            return number;
        }
        let number = self.order[self.cursor];
        self.cursor = if self.cursor + 1 == self.order.len() { 0 } else { self.cursor + 1 };
        number
    }

    /// Where the order of steps is chosen: a warp that stands ahead of a step that it has taken in vain waits actively.
    fn in_steps(&mut self, worker: &mut Worker, number: usize, pause: Pause, stores_before: u64) -> Pause {
        let Some(order) = worker.shared.order.filter(|order| order.block == self.index) else { return pause };
        let changed = worker.lanes.stores != stores_before;
        worker.lanes.spins = 0;
        let in_vain = self.steps.over(order, &self.warps[number], pause == Pause::Step, changed);
        if in_vain { Pause::Spins } else { pause }
    }

    /// Tells whoever listens of what is under way though the block has ended.
    pub fn end(&mut self, worker: &mut Worker) {
        if let Some(probe) = worker.lanes.context.probe() {
            self.warps.iter_mut().for_each(|warp| warp.copies.abandon(probe));
        }
    }

    /// Lets those go on whose barriers are complete.
    fn release(&mut self, worker: &mut Worker) -> bool {
        let mut any = false;
        if self.releases != worker.lanes.context.blocks.clusters.releases {
            self.releases = worker.lanes.context.blocks.clusters.releases;
            for (warp, runnable) in self.warps.iter_mut().zip(&mut self.runnable) {
                let leaves = warp.leave_cluster_barrier(&mut worker.lanes.context);
                *runnable |= leaves;
                worker.progress += u64::from(leaves);
                any |= leaves;
            }
        }
        if self.barriers.released.is_empty() {
            return any;
        }
        self.together = !worker.schedule.is_shuffled();
        for (id, outcome) in std::mem::take(&mut self.barriers.released) {
            worker.progress += 1;
            if let Some(probe) = worker.lanes.context.probe_of_flow() {
                probe.barrier_release(self.index, id);
            }
            for (warp, runnable) in self.warps.iter_mut().zip(&mut self.runnable) {
                warp.release(id, outcome);
                *runnable |= warp.live != 0;
            }
        }
        true
    }

    /// Where the block's lanes wait, and for what.
    pub fn waiting(&self, worker: &mut Worker) -> Vec<(Place, Waiting)> {
        let mut places = Vec::new();
        worker.lanes.context.who.block = self.coordinates;
        worker.lanes.context.who.block_index = self.index;
        worker.lanes.context.blocks.clusters.current = self.cluster;
        for warp in &self.warps {
            worker.lanes.context.who.warp = warp.index;
            let context = &worker.lanes.context;
            for (function, site, lanes, what) in warp::waiting(warp, &self.barriers, worker.program, context) {
                worker.lanes.context.who.function = function;
                places.push((worker.lanes.context.place(site, lanes), what));
            }
        }
        places
    }
}

impl Schedule {
    fn warps(&self, block: u64, count: usize, order: &mut Vec<usize>) {
        order.clear();
        order.extend(0..count);
        self.shuffle(block, order);
    }
}
