//! Everything the driver knows, behind one lock: devices, contexts, streams, events, modules, pending work.
use super::capture::Capture;
use super::cause::Cause;
use super::engine;
use super::function::{Function, Library};
use super::graph::{Executable, Graph};
use super::handles::{Handles, Raw};
use super::journal::Journal;
use super::memory::Allocation;
use super::module::Module;
use super::pool::Pool;
use super::queue::{Queue, Seq};
use super::records::Records;
use crate::device::Device;
use crate::timeline::Timeline;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock};
use std::thread::ThreadId;

/// The locked state; condition variables give it up while a host function runs.
pub type Guard = MutexGuard<'static, Driver>;

/// The driver of this process.
pub struct Driver {
    /// Set by `cuInit`; the devices exist from then on.
    pub initialised: bool,
    pub settings: engine::Settings,
    pub machines: Vec<Machine>,
    pub contexts: Handles<Context>,
    pub streams: Handles<Stream>,
    pub events: Handles<Event>,
    pub modules: Handles<Module>,
    pub functions: Handles<Function>,
    pub libraries: Handles<Library>,
    pub graphs: Handles<Graph>,
    pub executables: Handles<Executable>,
    pub captures: Handles<Capture>,
    /// Nodes by handle: their graph, and their place in it.
    pub nodes: Handles<(usize, usize)>,
    pub pools: Handles<Pool>,
    /// Live memory of every kind by its first address.
    pub allocations: BTreeMap<u64, Allocation>,
    pub allocations_made: u64,
    pub queue: Queue,
    pub records: Records,
}

/// One simulated card.
pub struct Machine {
    pub card: &'static Device,
    pub timeline: Timeline,
    pub memory: std::sync::Arc<crate::memory::Memory>,
    pub primary: Option<usize>,
    pub primary_references: u32,
    pub primary_flags: u32,
    pub default_pool: usize,
    pub current_pool: usize,
}

/// A context: what belongs to one application on one device.
pub struct Context {
    pub device: usize,
    pub primary: bool,
    pub flags: u32,
    /// A device fault; every later call answers it.
    pub fault: Option<Cause>,
    /// The stream that handles 0 and 1 name.
    pub legacy: usize,
    /// The streams that handle 2 names, one per thread.
    pub per_thread: HashMap<ThreadId, usize>,
    pub limits: HashMap<u32, usize>,
    pub cache_config: u32,
    pub shared_config: u32,
    pub peers: HashSet<usize>,
}

/// A stream.
pub struct Stream {
    pub context: usize,
    pub id: u64,
    pub is_legacy: bool,
    /// Whether it is ordered with the legacy default stream.
    pub blocking: bool,
    pub flags: u32,
    pub priority: i32,
    /// The last pending operation.
    pub tail: Option<Seq>,
    /// When its finished operations ended on the virtual clock.
    pub tail_ns: u64,
    /// The tail that was last polled; see [`super::queue`].
    pub polled: Option<Seq>,
    pub capture: Option<usize>,
}

/// An event.
pub struct Event {
    pub context: usize,
    pub flags: u32,
    pub state: EventState,
    pub polled: Option<Seq>,
}

/// What an event last recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventState {
    Never,
    Pending(Seq),
    Done {
        at_ns: u64,
    },
    /// In this capture, after these nodes.
    Captured(usize),
}

thread_local! {
    /// Contexts pushed on this thread, the current one last. A plain cell beside it keeps `cuCtxGetCurrent` cheap.
    static STACK: std::cell::RefCell<Vec<usize>> = const { std::cell::RefCell::new(Vec::new()) };
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The virtual clock of the host: advances with calls and waits, never with the host's own work.
static HOST_NS: AtomicU64 = AtomicU64::new(0);

/// Wakes those who wait for a host function.
pub static HOST_FUNCTION_DONE: Condvar = Condvar::new();

static DRIVER: OnceLock<Mutex<Driver>> = OnceLock::new();

/// The driver's state, if it is there and nobody holds it.
pub fn try_lock() -> Option<Guard> {
    DRIVER.get()?.try_lock().ok()
}

/// The driver's state, locked.
pub fn lock() -> Guard {
    DRIVER
        .get_or_init(|| Mutex::new(Driver::new()))
        .lock()
        // A panic was reported as a defect by the surface; the maps behind it are still maps.
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The host's virtual time.
pub fn host_ns() -> u64 {
    HOST_NS.load(Ordering::Relaxed)
}

/// A call took this long.
pub fn spend_ns(cost_ns: u64) {
    HOST_NS.fetch_add(cost_ns, Ordering::Relaxed);
}

/// The host waited until this time.
pub fn wait_until_ns(at_ns: u64) {
    HOST_NS.fetch_max(at_ns, Ordering::Relaxed);
}

/// The current context's handle, 0 where there is none.
pub fn current_handle() -> usize {
    CURRENT.get()
}

/// Replaces the top of the thread's stack of contexts; 0 takes it away.
pub fn set_current(handle: usize) {
    STACK.with_borrow_mut(|stack| {
        stack.pop();
        if handle != 0 {
            stack.push(handle);
        }
        CURRENT.set(stack.last().copied().unwrap_or(0));
    });
}

/// Makes a context current on top of the others.
pub fn push_current(handle: usize) {
    STACK.with_borrow_mut(|stack| stack.push(handle));
    CURRENT.set(handle);
}

/// Takes the current context off.
pub fn pop_current() -> Option<usize> {
    STACK.with_borrow_mut(|stack| {
        let popped = stack.pop();
        CURRENT.set(stack.last().copied().unwrap_or(0));
        popped
    })
}

impl Driver {
    fn new() -> Self {
        Driver {
            initialised: false,
            settings: engine::Settings::from_environment(),
            machines: Vec::new(),
            contexts: Handles::new("context", 1),
            streams: Handles::new("stream", 2),
            events: Handles::new("event", 3),
            modules: Handles::new("module", 4),
            functions: Handles::new("function", 5),
            libraries: Handles::new("library", 6),
            graphs: Handles::new("graph", 7),
            executables: Handles::new("executable graph", 8),
            captures: Handles::new("capture", 9),
            nodes: Handles::new("node", 11),
            pools: Handles::new("memory pool", 10),
            allocations: BTreeMap::new(),
            allocations_made: 0,
            queue: Queue::default(),
            records: Records { journal: Journal::from_environment(), ..Records::default() },
        }
    }

    /// Refuses before `cuInit`.
    pub fn started(&self) -> Result<(), Cause> {
        if self.initialised { Ok(()) } else { Err(Cause::NotInitialised) }
    }

    /// A device by its ordinal.
    pub fn machine(&mut self, ordinal: i32) -> Result<&mut Machine, Cause> {
        self.started()?;
        let count = self.machines.len();
        usize::try_from(ordinal).ok().and_then(|at| self.machines.get_mut(at)).ok_or(Cause::NoDevice(ordinal, count))
    }

    /// The current context, or the fault that it ended with.
    pub fn current(&self) -> Result<usize, Cause> {
        self.started()?;
        let handle = current_handle();
        if handle == 0 {
            return Err(Cause::NoContext);
        }
        self.healthy(handle)?;
        Ok(handle)
    }

    /// Answers a context's fault, to each call again.
    pub fn healthy(&self, context: usize) -> Result<&Context, Cause> {
        let context = self.contexts.get(context)?;
        context.fault.clone().map_or(Ok(context), Err)
    }

    /// Ordinal and card of the current context.
    pub fn current_machine(&self) -> Result<(usize, &'static Device), Cause> {
        let ordinal = self.contexts.get(self.current()?)?.device;
        Ok((ordinal, self.machines[ordinal].card))
    }

    /// The stream that a handle names on this thread: 0 and 1 are the legacy default stream, 2 the thread's own.
    pub fn stream_of(&mut self, raw: Raw) -> Result<usize, Cause> {
        match raw as usize {
            0 | 1 => Ok(self.contexts.get(self.current()?)?.legacy),
            2 => {
                let context = self.current()?;
                let thread = std::thread::current().id();
                if let Some(&stream) = self.contexts.get(context)?.per_thread.get(&thread) {
                    return Ok(stream);
                }
                let stream = self.new_stream(context, 0, 0, false);
                self.contexts.get_mut(context)?.per_thread.insert(thread, stream);
                Ok(stream)
            }
            handle => {
                let context = self.streams.get(handle)?.context;
                self.healthy(context)?;
                Ok(handle)
            }
        }
    }

    /// Makes a stream of a context.
    pub fn new_stream(&mut self, context: usize, flags: u32, priority: i32, is_legacy: bool) -> usize {
        static IDS: AtomicU64 = AtomicU64::new(0);
        self.streams.insert(Stream {
            context,
            id: IDS.fetch_add(1, Ordering::Relaxed),
            is_legacy,
            blocking: flags & 1 == 0,
            flags,
            priority,
            tail: None,
            tail_ns: 0,
            polled: None,
            capture: None,
        })
    }

    /// The streams of a context.
    pub fn streams_in(&self, context: usize) -> Vec<usize> {
        self.streams.iter().filter(|(_, stream)| stream.context == context).map(|(handle, _)| handle).collect()
    }

    /// Makes a context on a device.
    pub fn new_context(&mut self, device: usize, flags: u32, primary: bool) -> usize {
        let context = self.contexts.insert(Context {
            device,
            primary,
            flags,
            fault: None,
            legacy: 0,
            per_thread: HashMap::new(),
            limits: HashMap::new(),
            cache_config: 0,
            shared_config: 0,
            peers: HashSet::new(),
        });
        let legacy = self.new_stream(context, 0, 0, true);
        if let Ok(made) = self.contexts.get_mut(context) {
            made.legacy = legacy;
        }
        context
    }
}
