//! Distributes the blocks of a grid over the host's cores.
//!
//! Where the order of blocks can show in the result, one worker runs them in a defined order, and several blocks at a time
//! only when one waits actively for another. Else every core has a worker of its own.
use super::endless;
use super::schedule::LONG_TURN;
use super::thread_block::{BlockPause, ThreadBlock};
use super::worker::{ONE_WORKER, Shared, Worker, in_clusters};
use crate::exec::asynchronous::bulk;
use crate::exec::view::Coordinates;
use crate::exec::warps::device_launch::DeviceLaunch;
use crate::fault::Fault;
use crate::probe::Probe;
use rustc_hash::FxHasher;
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A worker's results.
pub(super) struct Finished {
    pub probe: Option<Box<dyn Probe>>,
    pub instructions: u64,
    pub output: Vec<(u64, String)>,
    /// Kernels that its blocks have launched.
    pub launched: Vec<DeviceLaunch>,
    /// The fault, and the place of its block in the order.
    pub fault: Option<(u64, Fault)>,
}

/// Rounds of all blocks without any progress after which they are watched.
const MOST_ROUNDS: usize = 8;
/// Rounds that they are watched at the most; then they go on for as long as before, and are watched again.
const WATCHED_ROUNDS: usize = 64;
/// Blocks that wait for memory that the host can write are taken to wait for ever after this.
const LONGEST_HOST_WAIT: Duration = Duration::from_secs(30);

/// Storage that a host thread uses again from launch to launch: for a small kernel, making it costs as much as running it.
#[derive(Default)]
struct Storage {
    block: Option<ThreadBlock>,
    coordinates: Coordinates,
}

thread_local! {
    static STORAGE: Cell<Storage> = Cell::new(Storage::default());
}

/// Starts the launch's other workers, with forks of a probe.
pub(super) type StartOthers<'c> = &'c mut dyn FnMut(Option<&dyn Probe>);

/// Runs blocks until there are none left. Whoever can start others does so once the launch turns out to be long.
pub(crate) fn work<'l>(
    shared: &'l Shared<'l>,
    probe: Option<Box<dyn Probe>>,
    workspace: u64,
    mut start: Option<StartOthers>,
) -> Finished {
    let request = shared.request;
    let storage = STORAGE.take();
    let mut worker = Worker::new(shared, probe, workspace, storage.coordinates.of(request.block));
    let mut blocks = Residents {
        blocks: Vec::new(),
        spare: storage.block.into_iter().collect(),
        current: 0,
        most: if request.cooperative { u64::MAX } else { request.resident_blocks.max(1).into() },
        no_progress: NoProgress::default(),
    };
    let fault = loop {
        blocks.start(&mut worker);
        if blocks.blocks.is_empty() {
            break None;
        }
        if worker.lanes.context.clock.instructions >= ONE_WORKER
            && shared.next.load(Ordering::Relaxed) < shared.clusters
            && let Some(start) = start.take()
        {
            start(worker.lanes.context.probe().map(|probe| &*probe));
        }
        if let Some(place) = blocks.turn(&mut worker) {
            break worker.stopped(place);
        }
    };
    worker.pay();
    let context = &mut worker.lanes.context;
    let memory = context.device.memory();
    let launched = std::mem::take(&mut context.device.launches).end(memory);
    let mut block = blocks.spare.pop();
    block.iter_mut().for_each(ThreadBlock::forget);
    STORAGE.set(Storage {
        block,
        coordinates: Coordinates { block: request.block, of_warps: std::mem::take(&mut context.launch.threads) },
    });
    Finished {
        probe: context.replace_probe(None),
        instructions: context.clock.instructions,
        output: std::mem::take(&mut context.device.printed),
        launched,
        fault,
    }
}

/// The blocks that a worker runs in turns.
struct Residents {
    /// Each with its place in the order.
    blocks: Vec<(u64, ThreadBlock)>,
    /// The storage of blocks that have ended.
    spare: Vec<ThreadBlock>,
    /// The one whose turn is next.
    current: usize,
    /// Blocks at the most, unless those of one cluster are more.
    most: u64,
    no_progress: NoProgress,
}

impl Residents {
    /// Starts blocks: of a cooperative launch all, since it needs them; of others another cluster only when those at hand wait.
    fn start(&mut self, worker: &mut Worker) {
        while self.blocks.is_empty()
            || worker.shared.request.cooperative
            || (self.no_progress.round(self.blocks.len()) && (self.blocks.len() as u64) < self.most)
        {
            let Some(place) = worker.shared.take() else { break };
            if self.blocks.is_empty() {
                worker.begin_block(place);
            }
            self.no_progress = NoProgress::default();
            self.current = self.blocks.len();
            start_cluster(worker, place, &mut self.blocks, &mut self.spare);
        }
    }

    /// Runs the next block. Returns the place of one that stops the launch.
    fn turn(&mut self, worker: &mut Worker) -> Option<u64> {
        self.current %= self.blocks.len();
        let (place, block) = &mut self.blocks[self.current];
        let (began, stores) = (worker.lanes.context.clock.instructions, worker.lanes.stores);
        let place = *place;
        match block.run(worker) {
            BlockPause::Done => self.end(worker),
            BlockPause::Turn => return self.after_turn(worker, began, stores).then_some(place),
            BlockPause::Stopped => return Some(place),
            pause @ (BlockPause::Spins | BlockPause::Waits) => {
                self.current += 1;
                if self.no_progress.spins(worker, &self.blocks, pause == BlockPause::Waits) {
                    let waiting = self.blocks.iter().flat_map(|(_, block)| block.waiting(worker)).collect();
                    worker.lanes.context.stop(Fault::Deadlock { waiting });
                    return Some(self.blocks[0].0);
                }
            }
        }
        None
    }

    /// The current block is done.
    fn end(&mut self, worker: &mut Worker) {
        let (_, block) = &mut self.blocks[self.current];
        worker.progress += 1;
        block.end(worker);
        bulk::end_block(&mut worker.lanes, block.index);
        worker.lanes.context.blocks.clusters.end_block(block.cluster(), block.index);
        worker.shared.ended.fetch_add(1, Ordering::Relaxed);
        worker.shared.tell();
        if let Some(probe) = worker.lanes.context.probe() {
            probe.block_end(block.coordinates, block.index);
        }
        self.spare.push(self.blocks.swap_remove(self.current).1);
        self.no_progress = NoProgress::default();
    }

    /// The current block has used up its turn, which began with so many instructions and stores. `true`: a budget is spent, and the launch
    /// stops.
    fn after_turn(&mut self, worker: &mut Worker, began: u64, stores: u64) -> bool {
        let (_, block) = &mut self.blocks[self.current];
        let settings = worker.shared.request.settings;
        let in_the_launch = worker.pay();
        worker.shared.tell();
        if !in_the_launch || block.instructions() >= settings.block_budget {
            let waiting = block.waiting(worker);
            let at = waiting.into_iter().next().map(|(place, _)| place).unwrap_or_default();
            let warp_instructions = if in_the_launch { block.instructions() } else { settings.budget };
            let around = endless::watch(block, worker);
            worker.lanes.context.stop(Fault::Budget { at, warp_instructions, of_block: in_the_launch, around });
            return true;
        }
        // One that stores nothing in a whole turn may wait for another; the first part of this turn may have been another's.
        let shuffled = worker.schedule.is_shuffled();
        let whole = worker.lanes.context.clock.instructions - began >= LONG_TURN || shuffled;
        let idle = whole && worker.lanes.stores == stores;
        if idle && !shuffled {
            block.move_on();
        }
        self.no_progress.spun = if idle { (self.no_progress.spun + 1).min(self.blocks.len()) } else { 0 };
        if idle || shuffled {
            self.current += 1;
        }
        false
    }
}

/// Makes the blocks of a cluster resident: all of them, since they may wait for each other.
fn start_cluster(
    worker: &mut Worker,
    place: u64,
    resident: &mut Vec<(u64, ThreadBlock)>,
    spare: &mut Vec<ThreadBlock>,
) {
    let request = worker.shared.request;
    let cluster = worker.schedule.block(place);
    let cluster = worker.shared.chosen.map_or(cluster, |chosen| chosen[cluster as usize]);
    let first = coordinates(in_clusters(request), cluster);
    let mut members = Vec::new();
    let tracked = request.cluster != [1; 3] || request.program.functions[request.function.0 as usize].meets_cluster;
    for rank in 0..request.cluster.iter().product::<u32>() {
        let within = coordinates(request.cluster, rank.into());
        let at: [u32; 3] = std::array::from_fn(|axis| first[axis] * request.cluster[axis] + within[axis]);
        let [x, y] = [0, 1].map(|axis| u64::from(request.grid[axis]));
        let index = u64::from(at[0]) + x * (u64::from(at[1]) + y * u64::from(at[2]));
        let mut block = spare.pop().unwrap_or_default();
        block.start(worker, request.function, (index, at), (cluster, rank));
        if let Some(probe) = worker.lanes.context.probe() {
            probe.block_start(at, index);
        }
        if tracked {
            members.push(block.member());
        }
        resident.push((place, block));
    }
    if tracked {
        worker.lanes.context.blocks.clusters.begin(cluster, members, request.block.iter().product());
    }
}

/// Coordinates of a block from its number, x first.
fn coordinates(grid: [u32; 3], index: u64) -> [u32; 3] {
    let (x, y) = (u64::from(grid[0]), u64::from(grid[1]));
    [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
}

/// Notices that blocks only wait, and finds out whether they do for ever.
#[derive(Default)]
struct NoProgress {
    /// Stores and progress when it was last seen.
    seen: Option<(u64, u64)>,
    /// Blocks that spun in a row, and those that could not run at all.
    spun: usize,
    waited: usize,
    /// The instruction count when a block waited last.
    ran: u64,
    /// Times that a block spun since there was progress.
    spins: usize,
    /// The fingerprint of all blocks when they began to be watched.
    state: u64,
    /// When it turned out that the host alone can let them go.
    doubted: Option<Instant>,
}

impl NoProgress {
    /// Returns whether every resident block waited in its last turn.
    fn round(&self, resident: usize) -> bool {
        self.spun >= resident
    }

    /// A block waited; `true`: nothing has moved, and nothing will.
    fn spins(&mut self, worker: &mut Worker, resident: &[(u64, ThreadBlock)], waits: bool) -> bool {
        self.spun = (self.spun + 1).min(resident.len());
        let now = worker.lanes.context.clock.instructions;
        let seen = Some((worker.lanes.stores, worker.progress));
        if self.seen != seen {
            *self = NoProgress { seen, spun: self.spun, ran: self.ran, ..NoProgress::default() };
            worker.lanes.context.footprint = None;
        }
        // Blocks that wait run nothing: once all of them do, nobody is left to let them go.
        let idle = waits && std::mem::replace(&mut self.ran, now) == now;
        self.waited = if idle { self.waited + 1 } else { 0 };
        if self.waited > resident.len() {
            return true;
        }
        self.spins += 1;
        let rounds = self.spins / resident.len();
        rounds >= MOST_ROUNDS && self.spins.is_multiple_of(resident.len()) && self.is_for_ever(worker, resident, rounds)
    }

    /// A round of all blocks is over. They wait for ever once they come back to a state that they were in, since nothing else decides what they do; or
    /// where a clock keeps them from that, but has no part in whether they go on.
    fn is_for_ever(&mut self, worker: &mut Worker, resident: &[(u64, ThreadBlock)], rounds: usize) -> bool {
        let begins = rounds.is_power_of_two();
        let fingerprint = |worker: &Worker| {
            let mut hasher = FxHasher::default();
            worker.lanes.spins.hash(&mut hasher);
            resident.iter().for_each(|(_, block)| block.hash_state(&mut hasher));
            hasher.finish()
        };
        if let Some(footprint) = &worker.lanes.context.footprint {
            let ends = begins || rounds == (1 << rounds.ilog2()) + WATCHED_ROUNDS;
            if fingerprint(worker) == self.state || ends && endless::goes_on_for_ever(footprint, worker.program) {
                let memory = worker.shared.request.memory;
                if !footprint.polled.iter().any(|&address| memory.is_host_visible(address)) {
                    return true;
                }
                // The host's thread that is to write may need this core.
                std::thread::yield_now();
                return self.doubted.get_or_insert_with(Instant::now).elapsed() > LONGEST_HOST_WAIT;
            }
            if ends {
                self.doubted = None;
                worker.lanes.context.footprint = None;
            }
        }
        if begins {
            worker.lanes.context.footprint = Some(Box::default());
            self.state = fingerprint(worker);
        }
        false
    }
}
