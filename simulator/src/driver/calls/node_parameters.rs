//! What nodes of graphs were made with, asked for again.
use crate::driver::interface::cause::Cause;
use crate::driver::interface::handles::Raw;
use crate::driver::interface::layout::{FillNode, HostNode, KernelNode};
use crate::driver::interface::pointers::out;
use crate::driver::objects::graph::Step;
use crate::driver::state;
use std::ptr::null_mut;
use std::sync::Arc;

const OTHER_KIND: Cause = Cause::NoHandle("node of this kind");

/// `cuGraphKernelNodeGetParams_v2`: the values of the parameters, and the list of pointers to them, are the node's, until other parameters
/// are set.
///
/// # Safety
/// `parameters` is null or points to the struct.
pub unsafe fn kernel(node: Raw, parameters: *mut KernelNode) -> Result<(), Cause> {
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
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("nodeParams", parameters, answer) }
}

/// `cuGraphMemsetNodeGetParams`
///
/// # Safety
/// `parameters` is null or points to the struct.
pub unsafe fn fill(node: Raw, parameters: *mut FillNode) -> Result<(), Cause> {
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
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("nodeParams", parameters, answer) }
}

/// `cuGraphHostNodeGetParams`
///
/// # Safety
/// `parameters` is null or points to the struct.
pub unsafe fn host(node: Raw, parameters: *mut HostNode) -> Result<(), Cause> {
    let mut driver = state::lock();
    let Step::Host(host) = driver.node(node as usize)?.step else { return Err(OTHER_KIND) };
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("nodeParams", parameters, HostNode { function: Some(host.function), data: host.data as Raw }) }
}

/// `cuGraphEventRecordNodeGetEvent`, `cuGraphEventWaitNodeGetEvent`
///
/// # Safety
/// `event` is null or has room for a handle.
pub unsafe fn event(node: Raw, event: *mut Raw, records: bool) -> Result<(), Cause> {
    let mut driver = state::lock();
    let found = match driver.node(node as usize)?.step {
        Step::Record(event) if records => event,
        Step::Wait(event) if !records => event,
        _ => return Err(OTHER_KIND),
    };
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("event_out", event, found as Raw) }
}

/// The step of a node that records an event or waits for one.
///
/// # Errors
/// A handle that is no event's.
pub fn of_event(event: Raw, records: bool) -> Result<Step, Cause> {
    state::lock().events.get(event as usize)?;
    Ok(if records { Step::Record(event as usize) } else { Step::Wait(event as usize) })
}
