//! The surroundings of a running warp, which ops need less often than registers and memory: the launch, the clock, the device, listeners.
use super::lane::{self, Lane32, WARP};
use crate::exec::accesses::before::Before;
use crate::exec::asynchronous::copies::Copies;
use crate::exec::asynchronous::phase::Waited;
use crate::exec::asynchronous::transfers::Queue;
use crate::exec::fast_paths::passages::{Part, Passages};
use crate::exec::scheduling::clusters::Clusters;
use crate::exec::scheduling::footprint::Footprint;
use crate::exec::undefined::state::Twins;
use crate::exec::warps::device_launch::DeviceLaunches;
use crate::fault::Fault;
use crate::memory::{Memory, View};
use crate::probe::{Defined, Following, Place, Probe, UndefinedByte, WarpLoad, Who};
use std::collections::HashMap;
use std::sync::Arc;

/// Facts of the launch and of the device that special registers show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    pub multiprocessors: u32,
    pub warps_per_multiprocessor: u32,
    /// Shared memory that the system keeps for itself in every block: 1 KiB from compute capability 8.0 on.
    pub reserved_shared_bytes: u32,
    /// Shared memory is given out in multiples of this: what `%total_smem_size` counts. 0: in bytes.
    pub shared_unit_bytes: u32,
    /// Local memory that a thread has for `alloca`: `CU_LIMIT_STACK_SIZE`.
    pub stack_bytes: u32,
    /// Clock of the multiprocessors: how `%globaltimer` follows from the cycles counted.
    pub clock_khz: u32,
    /// Counts launches of a context: `%gridid`.
    pub grid_id: u64,
    /// The lanes of a warp have no program counters of their own, before compute capability 7.0: those that a `bar.warp.sync`
    /// names must come to the same one.
    pub in_lock_step: bool,
}

impl Facts {
    /// Bytes of shared memory that a block has which asks for `bytes`.
    pub fn shared_bytes_given(&self, bytes: u32) -> u32 {
        bytes.checked_next_multiple_of(self.shared_unit_bytes.max(1)).unwrap_or(bytes)
    }
}

/// The surroundings of the warp that a worker runs, in parts: an op names the one that it needs.
#[derive(Default)]
pub struct Context<'l> {
    pub who: Who,
    /// Lanes of the warp that have not exited.
    pub live: u32,
    pub launch: LaunchConstants<'l>,
    pub clock: Clock,
    pub(crate) blocks: BlockState,
    pub(crate) device: Device<'l>,
    pub(crate) listener: Listener,
    /// Global memory as it was, where the launch may load it through the read-only cache.
    pub(crate) before: Option<Box<Before<'l>>>,
    /// The blocks that warps run, while they are watched.
    pub(crate) footprint: Option<Box<Footprint>>,
    /// Set by the op that stops the launch.
    pub fault: Option<Box<Fault>>,
}

/// The constants of a launch, the same for all of its warps.
#[derive(Default)]
pub struct LaunchConstants<'l> {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub facts: Facts,
    pub parameters: &'l [u8],
    /// Static and dynamic, with what lies between them.
    pub shared_bytes: u32,
    /// Offsets of the system's own part of shared memory; empty where the kernel does not ask for it.
    pub reserved_shared: std::ops::Range<u32>,
    pub dynamic_shared_bytes: u32,
    /// Address of the grid barrier of a cooperative launch: `%envreg1` and `%envreg2`.
    pub workspace: u64,
    /// Coordinates of the threads of each warp of a block.
    pub threads: Vec<[Lane32<u32>; 3]>,
    /// A warp that is about to signal, and has stored nothing yet that the signal could stand for, lets others run first: what
    /// they read then is not ordered by the chance that the signal came before them.
    pub signals_late: bool,
}

/// Counts instructions: of the worker, and of the block that runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Warp instructions of this worker so far.
    pub instructions: u64,
    /// How many of them other blocks ran: clocks count a block's own, so that they read the same whichever worker runs it.
    pub zero: u64,
    /// How often the clock was read: no two readings are the same.
    pub reads: u64,
}

impl Clock {
    /// Warp instructions of the block so far: its clock.
    pub fn now(&self) -> u64 {
        self.instructions.wrapping_sub(self.zero)
    }
}

/// The state of the blocks that a worker runs, besides their warps.
#[derive(Default)]
pub(crate) struct BlockState {
    pub clusters: Clusters,
    /// Transfers of the asynchronous proxy that are under way, of all blocks of the worker.
    pub transfers: Queue,
    /// The asynchronous copies of the warp that runs.
    pub copies: Copies,
    /// By block and warp: what they last asked an `mbarrier` for in vain.
    pub waited: HashMap<(u64, u32), Waited>,
    /// Stores of the worker when the block signalled last, less those of other blocks since.
    pub signalled_at: u64,
}

/// The device as kernels use it: its memory, and what they leave there for the host.
#[derive(Default)]
pub(crate) struct Device<'l> {
    pub view: Option<View<'l>>,
    /// Bytes that `malloc` in kernels may take.
    pub heap_bytes: u64,
    /// Kernels that blocks of this worker have launched.
    pub launches: DeviceLaunches,
    /// Text that kernels printed, with the block that did.
    pub printed: Vec<(u64, String)>,
}

impl<'l> Device<'l> {
    pub fn memory(&self) -> Option<&'l Memory> {
        self.view.as_ref().map(View::memory)
    }
}

/// Loads that wait at the most.
const MOST_WAITING: usize = 32;

/// The launch's listener, and the state that the executor keeps for listeners that follow undefined values.
pub(crate) struct Listener {
    probe: Option<Box<dyn Probe>>,
    /// Full warps' loads of the running basic block, of which the probe has yet to hear: before any other event.
    waiting: [WarpLoad; MOST_WAITING],
    count: usize,
    /// Passages of warps that go together.
    pub passages: Passages,
    /// For a listener that follows undefined values: the memory that has none, until an event that may change memory. A load from anywhere else is told of at once,
    /// because the listener says then and there what it brings.
    defined: Defined,
    /// Flags that a listener who follows undefined values shares with the executor.
    pub following: Arc<Following>,
    /// True if there is such a listener.
    pub follows: bool,
    /// The undefined bytes that the op at hand has read.
    pub undefined: Vec<UndefinedByte>,
    /// The warp with other values of undefined bits, if it has read some.
    pub twins: Option<Box<Twins>>,
}

impl Default for Listener {
    fn default() -> Self {
        Listener::new(None)
    }
}

impl Listener {
    /// For a worker's probe.
    pub fn new(probe: Option<Box<dyn Probe>>) -> Listener {
        let following = probe.as_ref().and_then(|probe| probe.following());
        Listener {
            probe,
            waiting: Default::default(),
            count: 0,
            passages: Passages::default(),
            defined: Defined::NONE,
            follows: following.is_some(),
            following: following.unwrap_or_default(),
            undefined: Vec::new(),
            twins: None,
        }
    }

    /// Returns whether anybody listens.
    #[inline(always)]
    pub fn listens(&self) -> bool {
        self.probe.is_some()
    }

    /// Returns whether warps may go together, since whoever listens may hear of it afterwards.
    pub fn in_hindsight(&self) -> bool {
        !self.passages.in_vain && self.probe.as_ref().is_some_and(|probe| probe.in_hindsight())
    }

    /// Ends the passage that is recorded. Returns each warp's part.
    pub fn end_passage(&mut self) -> impl Iterator<Item = Part> + use<> {
        self.passages.end(self.probe.as_deref_mut())
    }

    /// Tells of a warp's part of a passage.
    pub fn tell_part(&mut self, part: Part) {
        if let Some(probe) = &mut self.probe {
            self.passages.tell(part, &mut **probe);
        }
    }

    /// The one that hears of an event now.
    #[inline(always)]
    fn hears(&mut self) -> Option<&mut dyn Probe> {
        match self.passages.recorded() {
            Some(passage) => Some(passage),
            None => self.probe.as_deref_mut().map(|probe| probe as &mut dyn Probe),
        }
    }
}

impl Context<'_> {
    /// The probe, which has heard of all that happened so far.
    #[inline(always)]
    pub(crate) fn probe(&mut self) -> Option<&mut dyn Probe> {
        self.tell_waiting();
        self.listener.defined = Defined::NONE;
        self.listener.hears()
    }

    /// Likewise for an event that leaves memory as it is.
    #[inline(always)]
    pub(crate) fn probe_of_flow(&mut self) -> Option<&mut dyn Probe> {
        self.tell_waiting();
        self.listener.hears()
    }

    #[inline(always)]
    fn tell_waiting(&mut self) {
        if self.listener.count != 0 {
            self.tell_loads();
        }
    }

    /// Puts another probe, or none, in the place of the one that is there.
    pub(crate) fn replace_probe(&mut self, other: Option<Box<dyn Probe>>) -> Option<Box<dyn Probe>> {
        self.probe();
        std::mem::replace(&mut self.listener.probe, other)
    }

    /// A full warp loads: the probe hears of it before it hears of anything else. Returns whether it has heard by now.
    #[inline(always)]
    pub(crate) fn note_load(&mut self, load: WarpLoad) -> bool {
        let listener = &mut self.listener;
        if let Some(passage) = listener.passages.recorded() {
            passage.warp_loads(&self.who, &[load]);
            return false;
        }
        listener.waiting[listener.count % MOST_WAITING] = load;
        listener.count += 1;
        let bytes = (load.address, load.last());
        let known = !listener.follows || listener.defined.holds(load.elements.space, bytes, self.who.block_index);
        let full = listener.count >= MOST_WAITING || !known;
        if full {
            self.tell_loads();
        }
        if !known {
            self.ask_for_defined();
        }
        full
    }

    #[inline(never)]
    fn tell_loads(&mut self) {
        let listener = &mut self.listener;
        let count = std::mem::take(&mut listener.count);
        if let Some(probe) = &mut listener.probe {
            probe.warp_loads(&self.who, &listener.waiting[..count.min(MOST_WAITING)]);
        }
    }

    #[inline(never)]
    fn ask_for_defined(&mut self) {
        if let Some(probe) = &mut self.listener.probe {
            // Written where it is read: a copy in larger pieces would wait for the writes.
            probe.defined(&mut self.listener.defined);
        }
    }

    /// The place of a site, with the lanes concerned.
    pub fn place(&self, site: u32, lanes: u32) -> Place {
        let lane = if lanes == 0 { 0 } else { lanes.trailing_zeros() };
        let thread = self
            .launch
            .threads
            .get(self.who.warp as usize)
            .map_or([0; 3], |threads| lane::array(|axis| threads[axis][lane as usize]));
        Place { function: self.who.function, site, block: self.who.block, thread, warp: self.who.warp, lane, lanes }
    }

    /// Records what stops the launch, unless something did before.
    pub fn stop(&mut self, fault: Fault) {
        self.tell_waiting();
        self.fault.get_or_insert_with(|| Box::new(fault));
    }
}

/// The coordinates of a block's threads.
#[derive(Default)]
pub(crate) struct Coordinates {
    pub block: [u32; 3],
    /// By warp: threads are numbered x first, lanes after the last thread have its successors'.
    pub of_warps: Vec<[Lane32<u32>; 3]>,
}

impl Coordinates {
    /// The coordinates of a block of this shape, computed unless it is the shape of the last one.
    pub fn of(self, block: [u32; 3]) -> Vec<[Lane32<u32>; 3]> {
        if self.block == block { self.of_warps } else { thread_coordinates(block) }
    }
}

fn thread_coordinates(block: [u32; 3]) -> Vec<[Lane32<u32>; 3]> {
    let warps = block.iter().product::<u32>().div_ceil(WARP as u32);
    (0..warps)
        .map(|warp| {
            let number = |lane: usize| warp * WARP as u32 + lane as u32;
            [
                lane::array(|lane| number(lane) % block[0]),
                lane::array(|lane| number(lane) / block[0] % block[1]),
                lane::array(|lane| number(lane) / block[0] / block[1]),
            ]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Range;
    use crate::probe::WarpElements;
    use ptx::isa::Space;
    use std::sync::Mutex;

    /// Follows undefined values, of which there are none in one range and anywhere after it.
    #[derive(Default)]
    struct Follower(Arc<Mutex<Vec<usize>>>);

    impl Probe for Follower {
        fn fork(&self) -> Box<dyn Probe> {
            Box::new(Follower::default())
        }
        fn following(&self) -> Option<Arc<Following>> {
            Some(Arc::default())
        }
        fn defined(&self, memory: &mut Defined) {
            memory.global[0] = Range { start: 0, end: 4096 };
        }
        fn warp_loads(&mut self, _: &Who, loads: &[WarpLoad]) {
            self.0.lock().unwrap().push(loads.len());
        }
    }

    #[test]
    fn loads_wait_while_their_memory_is_known_to_be_defined_and_others_are_told_at_once() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let listener = Listener::new(Some(Box::new(Follower(told.clone()))));
        let mut context = Context { listener, ..Context::default() };
        let load = |address| WarpLoad {
            address,
            site: 0,
            elements: WarpElements { space: Space::Global, bytes: 4, dense: true },
        };
        assert!(context.note_load(load(0)), "nothing is known yet");
        assert!(!context.note_load(load(128)) && !context.note_load(load(256)));
        assert!(context.note_load(load(8192)), "what this one brings is asked for at once");
        assert!(!context.note_load(load(0)));
        context.probe_of_flow();
        assert!(!context.note_load(load(0)), "a branch leaves memory as it is");
        context.probe();
        assert!(context.note_load(load(0)), "a store may have changed it");
        assert_eq!(*told.lock().unwrap(), [1, 3, 1, 1, 1]);
    }
}
