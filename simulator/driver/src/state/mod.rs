//! Everything the driver knows, behind one lock: devices, contexts, streams, events, modules, pending work.
//!
//! The lock is held for microseconds: what takes longer, a kernel, a copy, the loading of a module, runs without it.
use crate::interface::{Cause, Handles, Outcome};
use crate::objects::context::Context;
use crate::objects::event::Event;
use crate::objects::graphs::{Capture, Chosen, Executable, Graph, Seq, UserObject};
use crate::objects::images::linking::Linking;
use crate::objects::memory::allocation::Allocation;
use crate::objects::memory::array::{Array, MipmappedArray, TextureObject};
use crate::objects::memory::interprocess::Opened;
use crate::objects::memory::pool::Pool;
use crate::objects::memory::virtual_memory::{Physical, Reserved};
use crate::objects::modules::function::{Function, Library};
use crate::objects::modules::module::Module;
use crate::objects::stream::Stream;
use crate::state::forecast::Expected;
use crate::state::logs::journal::Journal;
use crate::state::logs::records::Records;
use crate::state::queue::Queue;
use crate::state::settings::Settings;
use crate::state::unordered::{Done, Unordered};
use cuda::layout::Raw;
pub mod contexts;
pub mod current;
pub mod forecast;
pub mod forked;
pub mod graphs;
pub mod host_time;
pub mod logs;
pub mod memory;
pub mod modules;
pub mod queue;
pub mod settings;
pub mod unordered;
pub mod variables;

use clock::cards::Device;
use clock::streams::timeline::Timeline;
use machine::memory::{Footprint, Memory, Touch};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use watch::diagnostics::Diagnosis;

/// The locked state; [`wait_for_news`] gives the lock up meanwhile.
pub type Guard = MutexGuard<'static, Driver>;

/// The driver of this process.
pub struct Driver {
    /// Set by `cuInit`; the devices exist from then on.
    pub initialised: bool,
    pub settings: Settings,
    pub devices: Vec<Gpu>,
    pub contexts: Handles<Context>,
    pub streams: Handles<Stream>,
    pub events: Handles<Event>,
    pub modules: Handles<Module>,
    pub functions: Handles<Function>,
    pub libraries: Handles<Library>,
    pub links: Handles<Linking>,
    pub graphs: Handles<Graph>,
    pub executables: Handles<Executable>,
    pub captures: Handles<Capture>,
    pub user_objects: Handles<UserObject>,
    /// Nodes by handle: their graph, and their place in it.
    pub nodes: Handles<(usize, usize)>,
    /// Addresses of kernel nodes' parameters, by node, for programs that asked.
    pub shown_parameters: FxHashMap<usize, Box<[usize]>>,
    pub pools: Handles<Pool>,
    /// Pools of the host and of managed memory, the default one and the current one, by kind of memory and place.
    pub pools_of_places: BTreeMap<(u32, u32, i32), (usize, usize)>,
    /// Live memory of every kind by its first address.
    pub allocations: BTreeMap<u64, Allocation>,
    pub allocations_made: u64,
    /// Memory without an address, and the ranges of addresses that show it, by their beginning.
    pub physical: Handles<Physical>,
    pub reserved: BTreeMap<u64, Reserved>,
    pub arrays: Handles<Array>,
    pub mipmapped_arrays: Handles<MipmappedArray>,
    /// By the addresses of their bytes.
    pub textures: BTreeMap<u64, TextureObject>,
    /// Other processes' memory by its address here.
    pub opened: BTreeMap<u64, Opened>,
    pub queue: Queue,
    pub records: Records,
    /// Kept under the sanitizer.
    pub unordered: Unordered,
    /// Threads in [`wait_for_news`].
    waiting: u32,
}

/// One simulated card.
pub struct Gpu {
    pub card: &'static Device,
    pub timeline: Timeline,
    /// Times of its launches so far, by kernel and shape.
    pub expected: Expected,
    pub memory: Arc<Memory>,
    /// Findings that are told once the host reads undefined values that kernels have stored, by the number that the memory has for them.
    pub pending: FxHashMap<u32, Diagnosis>,
    pub primary: Option<usize>,
    pub primary_references: u32,
    pub primary_flags: u32,
    pub default_pool: usize,
    pub current_pool: usize,
    /// The most bytes that graphs' memory had.
    pub graph_bytes_high: u64,
    /// Allocations, by address and serial number, of which a sampled launch has written its blocks' part only.
    pub partial: Vec<(u64, u64)>,
    /// True if a kernel runs on it: one at a time.
    pub is_running: bool,
    /// Its thread, once one was needed: it takes operations to do in their order.
    pub worker: Option<Sender<Chosen>>,
}

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
        // A panic was reported as a defect by the surface; the maps under the lock are still maps.
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The state, for calls that need `cuInit` and no context.
pub fn started() -> Result<Guard, Cause> {
    let driver = lock();
    driver.started()?;
    Ok(driver)
}

/// Wakes those who wait for others.
static NEWS: Condvar = Condvar::new();

/// Waits until something was completed, without the lock.
pub fn wait_for_news(mut driver: Guard) -> Guard {
    driver.waiting += 1;
    driver = NEWS.wait(driver).unwrap_or_else(|poisoned| poisoned.into_inner());
    driver.waiting -= 1;
    driver
}

/// Something was completed: wakes those who wait for that.
pub fn tell_news(driver: Guard) -> Guard {
    if driver.waiting > 0 {
        NEWS.notify_all();
    }
    driver
}

impl Driver {
    fn new() -> Self {
        Driver {
            initialised: false,
            settings: Settings::from_environment(),
            devices: Vec::new(),
            contexts: Handles::new("context", 1),
            streams: Handles::new("stream", 2),
            events: Handles::new("event", 3),
            modules: Handles::new("module", 4),
            functions: Handles::new("function", 5),
            libraries: Handles::new("library", 6),
            links: Handles::new("link", 12),
            graphs: Handles::new("graph", 7),
            executables: Handles::new("executable graph", 8),
            captures: Handles::new("capture", 9),
            user_objects: Handles::new("user object", 13),
            nodes: Handles::new("node", 11),
            shown_parameters: FxHashMap::default(),
            pools: Handles::new("memory pool", 10),
            pools_of_places: BTreeMap::new(),
            allocations: BTreeMap::new(),
            allocations_made: 0,
            physical: Handles::new("memory without an address", 14),
            reserved: BTreeMap::new(),
            arrays: Handles::new("array", 15),
            mipmapped_arrays: Handles::new("mipmapped array", 18),
            textures: BTreeMap::new(),
            opened: BTreeMap::new(),
            queue: Queue::default(),
            records: Records::new(Journal::from_environment()),
            unordered: Unordered::default(),
            waiting: 0,
        }
    }

    /// Has the records keep what the settings ask for.
    pub fn apply_settings(&mut self) {
        self.records.trace = self.settings.traces();
        self.records.tells = self.settings.tells_findings();
        // The journal counts every launch.
        self.records.each_launch = self.settings.keeps_each_launch() || self.records.journal.is_some();
        logs::records::trace_calls(self.records.trace);
    }

    /// Tells what is wrong with an operation that was done and others that nothing orders with it.
    pub fn tell_of_unordered(&mut self, seq: Seq, done: Done) {
        let devices = &self.devices;
        let find = |address| devices.iter().find_map(|device| device.memory.find(address));
        for (finding, kernels) in self.unordered.done(seq, done, find) {
            self.records.finding(finding);
            kernels.into_iter().for_each(|kernel| self.records.overlapped(kernel));
        }
    }

    /// Tells of operations that use an allocation which is about to be freed, and that nothing orders with that: a card gives it out again
    /// meanwhile. `stream` is `None` where the host frees it.
    pub fn tell_of_free(&mut self, seq: Seq, name: &str, stream: Option<u64>, address: u64) {
        let Some(bytes) = self.allocations.get(&address).map(|allocation| allocation.bytes) else { return };
        if self.unordered.has(seq) {
            let mut footprint = Footprint::default();
            footprint.add_range(address, bytes, Touch::Written);
            let done = Done { name: name.to_owned(), stream, touched: footprint.into(), program: None };
            self.tell_of_unordered(seq, done);
        }
    }

    /// Tells of undefined values that a copy has brought to the host.
    pub fn tell_what_the_host_has_read(&mut self) {
        if self.devices.iter().all(|device| device.pending.is_empty()) {
            return;
        }
        // A copy may have brought a value here that another device's kernel has stored.
        let read: Vec<u32> = self.devices.iter().flat_map(|device| device.memory.take_exposed()).collect();
        for stored in read {
            let Some(finding) = self.devices.iter_mut().find_map(|device| device.pending.remove(&stored)) else {
                continue;
            };
            // A line that the compiler made several stores of is told once.
            for device in &mut self.devices {
                device.pending.retain(|_, other| other.message != finding.message);
            }
            self.records.finding(finding);
        }
    }

    /// Refuses before `cuInit`.
    pub fn started(&self) -> Outcome {
        if self.initialised { Ok(()) } else { Err(Cause::NotInitialised) }
    }

    pub fn device(&mut self, ordinal: i32) -> Result<&mut Gpu, Cause> {
        self.started()?;
        let count = self.devices.len();
        usize::try_from(ordinal).ok().and_then(|at| self.devices.get_mut(at)).ok_or(Cause::NoDevice(ordinal, count))
    }

    /// The current context, or the fault that it ended with.
    pub fn current(&self) -> Result<usize, Cause> {
        self.started()?;
        let handle = current::current_handle();
        refuse_if!(handle == 0, Cause::NoContext);
        self.healthy(handle)?;
        Ok(handle)
    }

    /// Answers a context's fault, to each call again.
    pub fn healthy(&self, context: usize) -> Result<&Context, Cause> {
        let context = self.contexts.get(context)?;
        context.fault.clone().map_or(Ok(context), Err)
    }

    /// Ordinal and card of the current context.
    pub fn current_device(&self) -> Result<(usize, &'static Device), Cause> {
        let ordinal = self.contexts.get(self.current()?)?.device;
        Ok((ordinal, self.devices[ordinal].card))
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
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        let blocking = flags & 1 == 0;
        self.streams.insert(Stream { context, id, is_legacy, blocking, flags, priority, ..Stream::default() })
    }

    pub fn streams_in(&self, context: usize) -> Vec<usize> {
        self.streams.iter().filter(|(_, stream)| stream.context == context).map(|(handle, _)| handle).collect()
    }

    /// Makes a context on a device.
    pub fn new_context(&mut self, device: usize, flags: u32, primary: bool) -> usize {
        let context = self.contexts.insert(Context { device, primary, flags, users: 1, ..Context::default() });
        let legacy = self.new_stream(context, 0, 0, true);
        if let Ok(made) = self.contexts.get_mut(context) {
            made.legacy = legacy;
        }
        context
    }
}
