//! Stream capture: what is called on a capturing stream becomes a node of a graph instead of work.
use super::user_object;
use crate::interface::{Cause, Outcome, forward, out, out_if_wanted};
use crate::objects::graphs::{Capture, Graph};
use crate::state;
use crate::state::graphs::captures::{MODE, RELAXED};
use cuda::layout::Raw;
use std::collections::{HashMap, HashSet};
use std::ffi::c_uint;
use std::ptr::{null, null_mut};

pub fn cuStreamBeginCapture_v2(stream: Raw, mode: c_uint) -> Outcome {
    begin_on(stream, mode, None)
}

/// `cuStreamBeginCaptureToGraph`: nodes come after `dependencies` of the given graph.
///
/// # Safety
/// `dependencies` holds `count` nodes.
pub unsafe fn begin_to_graph(stream: Raw, graph: Raw, dependencies: *const Raw, count: usize, mode: c_uint) -> Outcome {
    let after = unsafe { super::graph::node_list(dependencies, count)? };
    begin_on(stream, mode, Some((graph as usize, after)))
}

fn begin_on(stream: Raw, mode: c_uint, into: Option<(usize, Vec<usize>)>) -> Outcome {
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    refuse_if!(mode > RELAXED, Cause::NoSuchValue("mode", mode.into()));
    let found = driver.streams.get(handle)?;
    refuse_if!(found.is_legacy, Cause::CaptureImplicit);
    refuse_if!(found.capture.is_some(), Cause::Capturing);
    let context = found.context;
    let (graph, place, is_given) = match into {
        None => (driver.graphs.insert(Graph::new(context)), Vec::new(), false),
        Some((graph, after)) => (graph, driver.node_indices(graph, &after)?, true),
    };
    let capture = Capture {
        graph,
        origin: handle,
        thread: std::thread::current().id(),
        mode,
        spoiled: false,
        is_given,
        streams: HashMap::from([(handle, place)]),
        events: HashMap::new(),
        shown: Default::default(),
    };
    let capture = driver.captures.insert(capture);
    driver.streams.get_mut(handle)?.capture = Some(capture);
    Ok(())
}

pub unsafe fn cuStreamEndCapture(stream: Raw, graph: *mut Raw) -> Outcome {
    unsafe { out_if_wanted(graph, null_mut()) };
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    let capture = driver.streams.get(handle)?.capture.ok_or(Cause::NotCapturing)?;
    let found = driver.captures.get(capture)?;
    // Who gave the graph need not be told which it is.
    refuse_if!(graph.is_null() && !found.is_given, Cause::Null("phGraph"));
    if found.origin != handle {
        driver.spoil(capture);
        return Err(Cause::CaptureUnmatched);
    }
    refuse_if!(found.mode != RELAXED && found.thread != std::thread::current().id(), Cause::CaptureWrongThread);
    let found = driver.captures.remove(capture)?;
    for &joined in found.streams.keys() {
        if let Ok(stream) = driver.streams.get_mut(joined) {
            stream.capture = None;
        }
    }
    let refused = if found.spoiled {
        Some(Cause::CaptureInvalidated)
    } else {
        let ends: HashSet<usize> = found.streams[&handle].iter().copied().collect();
        let leaves: HashSet<usize> = driver.graphs.get(found.graph)?.leaves().collect();
        let mut others = found.streams.values().flatten();
        let unjoined = others.any(|node| leaves.contains(node) && !ends.contains(node));
        (unjoined && !found.is_given).then_some(Cause::CaptureUnjoined)
    };
    if let Some(cause) = refused {
        if !found.is_given {
            let objects = driver.remove_graph(found.graph)?;
            let ended = driver.release_objects(&objects)?;
            user_object::end(driver, &ended);
        }
        return Err(cause);
    }
    unsafe { out_if_wanted(graph, found.graph as Raw) };
    Ok(())
}

/// 0 no, 1 yes, 2 yes but worthless.
pub unsafe fn cuStreamIsCapturing(stream: Raw, status: *mut c_uint) -> Outcome {
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    let value = match driver.streams.get(handle)?.capture {
        None => 0,
        Some(capture) => 1 + u32::from(driver.captures.get(capture)?.spoiled),
    };
    unsafe { out("captureStatus", status, value) }
}

/// Places for the answers of `cuStreamGetCaptureInfo`; each may be null. The arrays live until the next call on the stream.
pub struct CaptureInfo {
    pub id: *mut u64,
    pub graph: *mut Raw,
    pub dependencies: *mut *const Raw,
    pub edges: *mut *const u64,
    pub count: *mut usize,
}

/// `cuStreamGetCaptureInfo`: the graph that grows, and the nodes that the next one comes after.
pub unsafe fn info(stream: Raw, status: *mut c_uint, asked: CaptureInfo) -> Outcome {
    unsafe { cuStreamIsCapturing(stream, status)? };
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    let Some(capture) = driver.streams.get(handle)?.capture else { return Ok(()) };
    let found = driver.captures.get(capture)?;
    if found.spoiled {
        return Ok(());
    }
    let graph = found.graph;
    let place = found.streams.get(&handle).cloned().unwrap_or_default();
    let nodes = &driver.graphs.get(graph)?.nodes;
    let shown: Vec<usize> = place.iter().map(|&index| nodes[index].handle).collect();
    let kept = &mut driver.captures.get_mut(capture)?.shown;
    // All edges are of the default kind, whose data is zero.
    *kept = (shown, vec![0; place.len()]);
    unsafe {
        out_if_wanted(asked.dependencies, kept.0.as_ptr().cast());
        out_if_wanted(asked.edges, kept.1.as_ptr());
        out_if_wanted(asked.id, capture as u64);
        out_if_wanted(asked.graph, graph as Raw);
        out_if_wanted(asked.count, place.len());
    }
    Ok(())
}

/// `cuStreamUpdateCaptureDependencies`: the nodes that the next one comes after are these besides (0), or these alone (1).
///
/// # Safety
/// `dependencies` holds `count` nodes, `edges` is null or as many times 8 bytes.
pub unsafe fn update_dependencies(
    stream: Raw,
    dependencies: *const Raw,
    edges: *const u64,
    count: usize,
    flags: c_uint,
) -> Outcome {
    let (nodes, plain) = unsafe {
        let plain = edges.is_null() || (0..count).all(|i| edges.add(i).read_unaligned() == 0);
        (super::graph::node_list(dependencies, count)?, plain)
    };
    refuse_if!(flags > 1, Cause::NoSuchValue("flags", flags.into()));
    refuse_if!(!plain, Cause::NotModelled("an edge of a graph that is not of the default kind"));
    let mut driver = state::lock();
    let handle = driver.stream_of(stream)?;
    let graph = driver.capture_of(handle)?.graph;
    let nodes = driver.node_indices(graph, &nodes)?;
    let place = driver.capture_of(handle)?.streams.entry(handle).or_default();
    if flags == 1 {
        place.clear();
    }
    place.extend(nodes);
    place.sort_unstable();
    place.dedup();
    Ok(())
}

pub unsafe fn cuThreadExchangeStreamCaptureMode(mode: *mut c_uint) -> Outcome {
    refuse_if!(mode.is_null(), Cause::Null("mode"));
    let new = unsafe { mode.read_unaligned() };
    refuse_if!(new > RELAXED, Cause::NoSuchValue("mode", new.into()));
    unsafe { out("mode", mode, MODE.replace(new)) }
}

cuda::forward_captures!(forward);
