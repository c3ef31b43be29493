//! Nodes that allocate and free: `cuGraphAddMemAllocNode`, `cuGraphAddMemFreeNode`, and what a device's graphs hold.
use super::graph;
use crate::interface::{Cause, Outcome, out};
use crate::objects::graphs::Step;
use crate::state;
use cuda::layout::{AllocationNode, PoolProperties, Raw};
use std::ffi::{c_int, c_uint, c_void};

/// The address is known at once, the memory is there from the launch on.
pub unsafe fn cuGraphAddMemAllocNode(
    node: *mut Raw,
    graph: Raw,
    dependencies: *const Raw,
    count: usize,
    parameters: *mut AllocationNode,
) -> Outcome {
    let parameters = unsafe { parameters.as_mut() }.ok_or(Cause::Null("nodeParams"))?;
    let PoolProperties { allocation_kind, handle_kinds, location_kind, location_id } = parameters.pool;
    // Pinned memory of a device, which is all that the interface allows here.
    if allocation_kind != 1 || handle_kinds != 0 || location_kind != 1 {
        return Err(Cause::NoSuchValue("poolProps", allocation_kind.into()));
    }
    refuse_if!(parameters.bytes == 0, Cause::OutOfRange("bytesize", 0, "1 and more".into()));
    let address = {
        let mut driver = state::lock();
        if !driver.device(location_id)?.card.has_pools() {
            return Err(Cause::DeviceLacks(driver.device(location_id)?.card.name, "memory pools"));
        }
        let context = driver.graphs.get(graph as usize)?.context;
        driver.allocate_for_graph(location_id as usize, context, parameters.bytes as u64)?
    };
    let added = unsafe { graph::add(node, graph, dependencies, count, Step::Allocate(address)) };
    match &added {
        Ok(()) => parameters.address = address,
        Err(_) => state::lock().forget_graph_memory(&[address]),
    }
    added
}

/// A graph must allocate the memory.
pub unsafe fn cuGraphAddMemFreeNode(
    node: *mut Raw,
    graph: Raw,
    dependencies: *const Raw,
    count: usize,
    address: u64,
) -> Outcome {
    let is_of_graph = state::lock().is_graph_memory(address);
    refuse_if!(!is_of_graph, Cause::NotAnAllocation("dptr", "no node of a graph allocates there".into()));
    unsafe { graph::add(node, graph, dependencies, count, Step::Free(address)) }
}

pub unsafe fn cuGraphMemAllocNodeGetParams(node: Raw, parameters: *mut AllocationNode) -> Outcome {
    let mut driver = state::lock();
    let Step::Allocate(address) = driver.node(node as usize)?.step else {
        return Err(Cause::NoHandle("node of this kind"));
    };
    let found = driver.allocations.get(&address).ok_or(Cause::DestroyedHandle("node"))?;
    let pool =
        PoolProperties { allocation_kind: 1, handle_kinds: 0, location_kind: 1, location_id: found.device as c_int };
    let (access, access_count) = (std::ptr::null(), 0);
    let bytes = found.bytes as usize;
    let answer = AllocationNode { pool, rest: [0; 9], access, access_count, bytes, address };
    unsafe { out("params_out", parameters, answer) }
}

pub unsafe fn cuGraphMemFreeNodeGetParams(node: Raw, address: *mut u64) -> Outcome {
    let mut driver = state::lock();
    let Step::Free(found) = driver.node(node as usize)?.step else { return Err(Cause::NoHandle("node of this kind")) };
    unsafe { out("dptr_out", address, found) }
}

/// Used now (0) and at most (1), reserved now (2) and at most (3). Nothing is held back.
pub unsafe fn cuDeviceGetGraphMemAttribute(device: c_int, attribute: c_uint, value: *mut c_void) -> Outcome {
    let mut driver = state::lock();
    driver.device(device)?;
    let used = driver.graph_bytes(device as usize);
    let high = driver.device(device)?.graph_bytes_high;
    let found = match attribute {
        0 | 2 => used,
        1 | 3 => high,
        other => return Err(Cause::NoSuchValue("attr", other.into())),
    };
    // SAFETY: the caller's pointer, 8 bytes.
    unsafe { out("value", value.cast::<u64>(), found) }
}

/// The marks of the most can be set to 0, which means to what is used now.
pub unsafe fn cuDeviceSetGraphMemAttribute(device: c_int, attribute: c_uint, value: *const c_void) -> Outcome {
    refuse_if!(value.is_null(), Cause::Null("value"));
    // SAFETY: not null; 8 bytes.
    let value = unsafe { value.cast::<u64>().read_unaligned() };
    refuse_if!(!matches!(attribute, 1 | 3) || value != 0, Cause::NoSuchValue("attr", attribute.into()));
    let mut driver = state::lock();
    driver.device(device)?;
    let used = driver.graph_bytes(device as usize);
    driver.device(device)?.graph_bytes_high = used;
    Ok(())
}
