//! Stream capture: what is called on a capturing stream becomes a node of a graph instead of work.
use crate::driver::interface::cause::Cause;
use crate::driver::interface::handles::Raw;
use crate::driver::interface::pointers::out;
use crate::driver::objects::capture::Capture;
use crate::driver::objects::graph::Graph;
use crate::driver::state;
use crate::driver::state::captures::{MODE, RELAXED};
use std::collections::{HashMap, HashSet};
use std::ffi::c_uint;

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
    let after = unsafe { crate::driver::calls::graph::node_list(dependencies, count)? };
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
    // SAFETY: both pointers are the caller's, as `is_capturing` asks.
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
