//! Stream capture: what is called on a capturing stream becomes a node of a graph instead of work.
use super::cause::Cause;
use super::copy::{Fill, Transfer};
use super::graph::Graph;
use super::handles::Raw;
use super::launch::Launch;
use super::lookup::out;
use super::queue::HostFunction;
use super::state::{self, Driver, EventState};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::c_uint;
use std::thread::ThreadId;

/// What a node of a graph does.
#[derive(Clone)]
pub enum Step {
    Empty,
    Copy(Transfer),
    Fill(Fill),
    Launch(Box<Launch>),
    Host(HostFunction),
    /// Memory that was taken when the graph was made, and lives until it is freed.
    Allocate,
    Free(u64),
    Record(usize),
    Wait(usize),
    Child(Box<Graph>),
}

/// A capture that is going on.
pub struct Capture {
    graph: Graph,
    origin: usize,
    thread: ThreadId,
    mode: u32,
    spoiled: bool,
    /// Whether nodes are added to a graph that the application has already.
    into: Option<usize>,
    /// The nodes that the next one on a stream comes behind.
    streams: HashMap<usize, Vec<usize>>,
    events: HashMap<usize, Vec<usize>>,
}

const GLOBAL: u32 = 0;
const RELAXED: u32 = 2;

thread_local! {
    /// See `cuThreadExchangeStreamCaptureMode`.
    static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

impl Driver {
    /// Adds a node behind what the stream has.
    pub fn capture_work(&mut self, stream: usize, step: Step) -> Result<(), Cause> {
        let capture = self.capture_of(stream)?;
        let after = capture.streams.get(&stream).cloned().unwrap_or_default();
        let node = capture.graph.add(step, after);
        capture.streams.insert(stream, vec![node]);
        Ok(())
    }

    /// An allocation becomes a node; its memory is there already, so that its address is known.
    pub fn capture_allocation(&mut self, stream: usize) -> Result<(), Cause> {
        self.capture_work(stream, Step::Allocate)
    }

    /// An event marks the stream's place in the graph.
    pub fn capture_record(&mut self, stream: usize, event: usize) -> Result<(), Cause> {
        let handle = self.streams.get(stream)?.capture.ok_or(Cause::NotCapturing)?;
        let capture = self.capture_of(stream)?;
        let place = capture.streams.get(&stream).cloned().unwrap_or_default();
        capture.events.insert(event, place);
        self.events.get_mut(event)?.state = EventState::Captured(handle);
        Ok(())
    }

    /// A wait for a captured event draws the stream into the capture.
    pub fn capture_wait(&mut self, stream: usize, event: usize, capture: usize) -> Result<(), Cause> {
        if self.captures.get(capture).is_err() {
            return Err(Cause::CapturedEvent);
        }
        match self.streams.get(stream)?.capture {
            Some(own) if own != capture => {
                self.spoil(own);
                self.spoil(capture);
                return Err(Cause::CaptureMerge);
            }
            Some(_) => {}
            None if self.streams.get(stream)?.is_legacy => {
                self.spoil(capture);
                return Err(Cause::CaptureImplicit);
            }
            None => self.streams.get_mut(stream)?.capture = Some(capture),
        }
        let found = self.capture_of(stream)?;
        let place = found.events.get(&event).cloned().unwrap_or_default();
        let after = found.streams.entry(stream).or_default();
        after.extend(place);
        after.sort_unstable();
        after.dedup();
        Ok(())
    }

    fn capture_of(&mut self, stream: usize) -> Result<&mut Capture, Cause> {
        let handle = self.streams.get(stream)?.capture.ok_or(Cause::NotCapturing)?;
        let capture = self.captures.get_mut(handle)?;
        if capture.spoiled { Err(Cause::CaptureInvalidated) } else { Ok(capture) }
    }

    /// Makes a capture worthless: its end will say so.
    pub fn spoil(&mut self, capture: usize) {
        if let Ok(capture) = self.captures.get_mut(capture) {
            capture.spoiled = true;
        }
    }

    /// A call that a capturing stream does not take.
    pub fn spoil_capture(&mut self, stream: usize, call: &'static str) -> Result<(), Cause> {
        if let Some(capture) = self.streams.get(stream)?.capture {
            self.spoil(capture);
        }
        Err(Cause::NotWhileCapturing(call))
    }

    /// Refuses a call that could wait for captured work, as the modes of the captures and of this thread have it.
    pub fn refuse_in_capture(&mut self, call: &'static str) -> Result<(), Cause> {
        let mode = MODE.get();
        if mode == RELAXED {
            return Ok(());
        }
        let thread = std::thread::current().id();
        let hinders = |capture: &Capture| match capture.mode {
            RELAXED => false,
            GLOBAL if mode == GLOBAL => true,
            _ => capture.thread == thread,
        };
        let Some(handle) = self.captures.iter().find(|(_, capture)| hinders(capture)).map(|(handle, _)| handle) else {
            return Ok(());
        };
        self.spoil(handle);
        Err(Cause::NotWhileCapturing(call))
    }
}

/// `cuStreamBeginCapture`
pub fn begin(stream: Raw, mode: c_uint) -> Result<(), Cause> {
    begin_on(stream, mode, None)
}

/// `cuStreamBeginCaptureToGraph`: nodes come behind `dependencies` of the given graph.
///
/// # Safety
/// `dependencies` holds `count` nodes.
pub unsafe fn begin_to_graph(
    stream: Raw,
    graph: Raw,
    dependencies: *const Raw,
    count: usize,
    mode: c_uint,
) -> Result<(), Cause> {
    // SAFETY: the caller's promise.
    let after = unsafe { super::graph::node_list(dependencies, count)? };
    begin_on(stream, mode, Some((graph as usize, after)))
}

fn begin_on(stream: Raw, mode: c_uint, into: Option<(usize, Vec<usize>)>) -> Result<(), Cause> {
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    if mode > RELAXED {
        return Err(Cause::NoSuchValue("mode", mode.into()));
    }
    let found = driver.streams.get(handle)?;
    if found.is_legacy {
        return Err(Cause::CaptureImplicit);
    }
    if found.capture.is_some() {
        return Err(Cause::Capturing);
    }
    let context = found.context;
    let (graph, place, into) = match into {
        None => (Graph::new(context), Vec::new(), None),
        Some((graph, after)) => {
            let after = driver.node_indices(graph, &after)?;
            (driver.graphs.get(graph)?.clone(), after, Some(graph))
        }
    };
    let capture = Capture {
        graph,
        origin: handle,
        thread: std::thread::current().id(),
        mode,
        spoiled: false,
        into,
        streams: HashMap::from([(handle, place)]),
        events: HashMap::new(),
    };
    let capture = driver.captures.insert(capture);
    driver.streams.get_mut(handle)?.capture = Some(capture);
    Ok(())
}

/// `cuStreamEndCapture`
pub unsafe fn end(stream: Raw, graph: *mut Raw) -> Result<(), Cause> {
    if graph.is_null() {
        return Err(Cause::Null("phGraph"));
    }
    // SAFETY: not null; the caller's pointer.
    unsafe { out("phGraph", graph, std::ptr::null_mut())? };
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    let capture = driver.streams.get(handle)?.capture.ok_or(Cause::NotCapturing)?;
    let found = driver.captures.get(capture)?;
    if found.origin != handle {
        driver.spoil(capture);
        return Err(Cause::CaptureUnmatched);
    }
    if found.mode != RELAXED && found.thread != std::thread::current().id() {
        return Err(Cause::CaptureWrongThread);
    }
    let found = driver.captures.remove(capture)?;
    for &joined in found.streams.keys() {
        if let Ok(stream) = driver.streams.get_mut(joined) {
            stream.capture = None;
        }
    }
    if found.spoiled {
        return Err(Cause::CaptureInvalidated);
    }
    let ends: HashSet<usize> = found.streams[&handle].iter().copied().collect();
    if found.into.is_none() && found.graph.leaves().any(|leaf| !ends.contains(&leaf)) {
        return Err(Cause::CaptureUnjoined);
    }
    let made = match found.into {
        Some(into) => {
            *driver.graphs.get_mut(into)? = found.graph;
            into
        }
        None => driver.graphs.insert(found.graph),
    };
    driver.name_nodes(made)?;
    // SAFETY: not null; the caller's pointer.
    unsafe { out("phGraph", graph, made as Raw) }
}

/// `cuStreamIsCapturing`: 0 no, 1 yes, 2 yes but worthless.
pub unsafe fn is_capturing(stream: Raw, status: *mut c_uint) -> Result<(), Cause> {
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    let value = match driver.streams.get(handle)?.capture {
        None => 0,
        Some(capture) => 1 + u32::from(driver.captures.get(capture)?.spoiled),
    };
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("captureStatus", status, value) }
}

/// `cuStreamGetCaptureInfo`: of a capture that is going on, graph and dependencies are not shown.
pub unsafe fn info(
    stream: Raw,
    status: *mut c_uint,
    id: *mut u64,
    graph: *mut Raw,
    dependencies: Raw,
    count: *mut usize,
) -> Result<(), Cause> {
    // SAFETY: the caller's promise goes on.
    unsafe { is_capturing(stream, status)? };
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    let capture = driver.streams.get(handle)?.capture;
    if capture.is_some() && !(graph.is_null() && dependencies.is_null() && count.is_null()) {
        return Err(Cause::NotModelled("the graph of a capture that is going on"));
    }
    if id.is_null() {
        return Ok(());
    }
    // SAFETY: not null; the caller's pointer.
    unsafe { out("id", id, capture.unwrap_or(0) as u64) }
}

/// `cuThreadExchangeStreamCaptureMode`
pub unsafe fn exchange_mode(mode: *mut c_uint) -> Result<(), Cause> {
    if mode.is_null() {
        return Err(Cause::Null("mode"));
    }
    // SAFETY: not null; the caller's pointer.
    let new = unsafe { mode.read_unaligned() };
    if new > RELAXED {
        return Err(Cause::NoSuchValue("mode", new.into()));
    }
    // SAFETY: as above.
    unsafe { out("mode", mode, MODE.replace(new)) }
}
