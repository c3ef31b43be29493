//! Parameters of graph nodes, asked for again.
use super::{graph, memory_nodes};
use crate::interface::{Cause, Outcome, forward, out};
use crate::objects::graphs::Step;
use crate::objects::memory::array::Array;
use crate::state::{self, Driver};
use cuda::layout::{ConditionalNode, Copy3d, Copy3dSide, FillNode, HostNode, KernelNode, NodeParameters, Raw};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;

const OTHER_KIND: Cause = Cause::NoHandle("node of this kind");

/// The values of the parameters, and the list of pointers to them, are the node's, until other parameters
/// are set.
pub unsafe fn cuGraphKernelNodeGetParams_v2(node: Raw, parameters: *mut KernelNode) -> Outcome {
    let mut driver = state::lock();
    let Step::Launch(launch) = &driver.node(node as usize)?.step else { return Err(OTHER_KIND) };
    let slots = launch.loaded.facts(launch.index, |f| f.parameters.clone())?;
    let values = launch.parameters.as_ptr() as usize;
    let pointers: Box<[usize]> = slots.iter().map(|slot| values + slot.offset as usize).collect();
    let mut answer = KernelNode {
        function: null_mut(),
        grid: launch.grid,
        block: launch.block,
        shared_bytes: launch.dynamic_shared_bytes,
        parameters: null_mut(),
        extra: null_mut(),
        kernel: null_mut(),
        context: null_mut(),
    };
    let (loaded, index) = (launch.loaded.clone(), launch.index);
    let function = driver.functions.iter().find(|(_, f)| Arc::ptr_eq(&f.loaded, &loaded) && f.index == index);
    answer.function = function.map(|(handle, _)| handle).ok_or(Cause::DestroyedHandle("node"))? as Raw;
    if !pointers.is_empty() {
        // As long as nothing else was set, who asked before keeps the list that it got.
        let kept = driver.shown_parameters.entry(node as usize).or_default();
        if *kept != pointers {
            *kept = pointers;
        }
        answer.parameters = kept.as_mut_ptr().cast();
    }
    unsafe { out("nodeParams", parameters, answer) }
}

/// A side that lies in an array is told by the array.
pub unsafe fn cuGraphMemcpyNodeGetParams(node: Raw, parameters: *mut Copy3d) -> Outcome {
    let mut driver = state::lock();
    let Step::Copy(t) = driver.node(node as usize)?.step else { return Err(OTHER_KIND) };
    let answer = Copy3d {
        from: side(&driver, t.from, (t.from_pitch, t.from_slice), t.sides.from_device),
        to: side(&driver, t.to, (t.to_pitch, t.to_slice), t.sides.to_device),
        width_bytes: t.width,
        height: t.height,
        depth: t.depth,
    };
    unsafe { out("nodeParams", parameters, answer) }
}

fn side(driver: &Driver, at: u64, (pitch, slice): (usize, usize), is_device: Option<bool>) -> Copy3dSide {
    let plain = Copy3dSide {
        x_bytes: 0,
        y: 0,
        z: 0,
        level: 0,
        kind: match is_device {
            Some(true) => 2,
            Some(false) => 1,
            None => 4,
        },
        host: null(),
        device: 0,
        array: null(),
        context: null(),
        pitch,
        height: slice.checked_div(pitch).unwrap_or(0),
    };
    let holds = |array: &Array| at.wrapping_sub(array.place.address) < array.place.bytes();
    match driver.arrays.iter().find(|(_, array)| is_device == Some(true) && holds(array)) {
        Some((handle, array)) => {
            let place = array.place;
            let (z, within) = ((at - place.address) / place.slice, (at - place.address) % place.slice);
            let (y, x_bytes) = ((within / place.pitch) as usize, (within % place.pitch) as usize);
            let array = handle as *const c_void;
            Copy3dSide { x_bytes, y, z: z as usize, kind: 3, array, pitch: 0, height: 0, ..plain }
        }
        None if is_device == Some(false) => Copy3dSide { host: at as *const c_void, ..plain },
        None => Copy3dSide { device: at, ..plain },
    }
}

pub unsafe fn cuGraphNodeGetParams(node: Raw, parameters: *mut NodeParameters) -> Outcome {
    let mut kind = 0;
    // SAFETY: a place for a number; the caller's pointer; each kind's struct stands inside of `rest`, which is aligned as they are.
    unsafe {
        graph::cuGraphNodeGetType(node, &mut kind)?;
        let parameters = parameters.as_mut().ok_or(Cause::Null("nodeParams"))?;
        *parameters = NodeParameters { kind, reserved: [0; 3], rest: [0; 29], last: 0 };
        let rest = (&raw mut parameters.rest).cast::<u8>();
        match kind {
            0 => cuGraphKernelNodeGetParams_v2(node, rest.cast()),
            1 => cuGraphMemcpyNodeGetParams(node, rest.add(NodeParameters::BEFORE_COPY).cast()),
            2 => cuGraphMemsetNodeGetParams(node, rest.cast()),
            3 => cuGraphHostNodeGetParams(node, rest.cast()),
            4 => graph::cuGraphChildGraphNodeGetGraph(node, rest.cast()),
            6 => event(node, rest.cast(), false),
            7 => event(node, rest.cast(), true),
            10 => memory_nodes::cuGraphMemAllocNodeGetParams(node, rest.cast()),
            11 => memory_nodes::cuGraphMemFreeNodeGetParams(node, rest.cast()),
            13 => condition(node, rest.cast()),
            // An empty node has none, and there are no others.
            _ => Ok(()),
        }
    }
}

unsafe fn condition(node: Raw, parameters: *mut ConditionalNode) -> Outcome {
    let mut driver = state::lock();
    let Step::Conditional(found) = &driver.node(node as usize)?.step else { return Err(OTHER_KIND) };
    let answer = ConditionalNode {
        handle: found.address,
        kind: found.choice as u32,
        size: found.bodies.len() as u32,
        graphs: found.bodies.as_ptr().cast::<Raw>().cast_mut(),
        context: null_mut(),
    };
    unsafe { out("nodeParams", parameters, answer) }
}

pub unsafe fn cuGraphMemsetNodeGetParams(node: Raw, parameters: *mut FillNode) -> Outcome {
    let mut driver = state::lock();
    let Step::Fill(fill) = driver.node(node as usize)?.step else { return Err(OTHER_KIND) };
    let answer = FillNode {
        dst: fill.at,
        pitch: fill.pitch,
        value: fill.value,
        element_bytes: fill.element as u32,
        width: fill.count,
        height: fill.height,
    };
    unsafe { out("nodeParams", parameters, answer) }
}

pub unsafe fn cuGraphHostNodeGetParams(node: Raw, parameters: *mut HostNode) -> Outcome {
    let mut driver = state::lock();
    let Step::Host(host) = driver.node(node as usize)?.step else { return Err(OTHER_KIND) };
    unsafe { out("nodeParams", parameters, HostNode { function: Some(host.function), data: host.data as Raw }) }
}

/// `cuGraphEventRecordNodeGetEvent`, `cuGraphEventWaitNodeGetEvent`
///
/// # Safety
/// `event` is null or has room for a handle.
pub unsafe fn event(node: Raw, event: *mut Raw, records: bool) -> Outcome {
    let mut driver = state::lock();
    let found = match driver.node(node as usize)?.step {
        Step::Record(event) if records => event,
        Step::Wait(event) if !records => event,
        _ => return Err(OTHER_KIND),
    };
    unsafe { out("event_out", event, found as Raw) }
}

forward! {
    cuGraphEventRecordNodeGetEvent(node, event) => self::event(node, event, true);
    cuGraphEventWaitNodeGetEvent(node, event) => self::event(node, event, false);
}
