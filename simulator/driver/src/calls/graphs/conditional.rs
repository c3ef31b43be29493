//! Graph nodes by kind in one struct (`cuGraphAddNode`), and those that choose what runs.
use super::{graph, memory_nodes, node};
use crate::interface::{Cause, Outcome, forward, out};
use crate::objects::graphs::conditional::{Choice, Condition, Conditional};
use crate::objects::graphs::{Graph, Step};
use crate::objects::memory::allocation::MemoryKind;
use crate::state;
use cuda::layout::{ConditionalNode, NodeParameters, Raw};
use std::ffi::c_uint;
use std::sync::Arc;

/// `CU_GRAPH_COND_ASSIGN_DEFAULT`
const ASSIGN_DEFAULT: c_uint = 1;

/// The handle is the address of the value, which `cudaGraphSetConditional` stores to.
pub unsafe fn cuGraphConditionalHandleCreate(
    handle: *mut u64,
    graph: Raw,
    context: Raw,
    first: c_uint,
    flags: c_uint,
) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(flags & !ASSIGN_DEFAULT != 0, Cause::NoSuchValue("flags", flags.into()));
    driver.graphs.get(graph as usize)?;
    let context = if context.is_null() { driver.current()? } else { context as usize };
    let device = driver.healthy(context)?.device;
    // As a module's variable: the driver's own, there until the context ends.
    let address = driver.allocate(device, context, 4, MemoryKind::Global, 0, 0)?;
    let first = (flags & ASSIGN_DEFAULT != 0).then_some(first);
    driver.graphs.get_mut(graph as usize)?.conditions.push(Condition { address, first });
    unsafe { out("pHandle_out", handle, address) }
}

/// `cuGraphAddNode`, both versions: the kinds that have calls of their own, and conditional nodes.
pub unsafe fn cuGraphAddNode(
    node: *mut Raw,
    graph: Raw,
    dependencies: *const Raw,
    count: usize,
    parameters: *mut NodeParameters,
) -> Outcome {
    let parameters = unsafe { parameters.as_mut() }.ok_or(Cause::Null("nodeParams"))?;
    let rest = (&raw mut parameters.rest).cast::<u8>();
    // SAFETY: each kind's struct stands where the interface puts it: inside the 232 bytes of `rest`, which are aligned as it is.
    unsafe {
        let (first, address) = (|| rest.cast::<Raw>().read(), || rest.cast::<u64>().read());
        let step = match parameters.kind {
            0..=3 => node::step(parameters.kind, rest)?,
            4 => return graph::cuGraphAddChildGraphNode(node, graph, dependencies, count, first()),
            5 => Step::Empty,
            6 => return graph::add_event(node, graph, dependencies, count, first(), false),
            7 => return graph::add_event(node, graph, dependencies, count, first(), true),
            10 => return memory_nodes::cuGraphAddMemAllocNode(node, graph, dependencies, count, rest.cast()),
            11 => return memory_nodes::cuGraphAddMemFreeNode(node, graph, dependencies, count, address()),
            13 => conditional(graph, &mut *rest.cast::<ConditionalNode>())?,
            8 | 9 => return Err(Cause::NotModelled("a graph node of an external semaphore")),
            12 => return Err(Cause::NotModelled("a graph node of memory operations")),
            other => return Err(Cause::NoSuchValue("type", other.into())),
        };
        graph::add(node, graph, dependencies, count, step)
    }
}

/// A conditional node with empty bodies, whose handles the caller gets.
fn conditional(graph: Raw, parameters: &mut ConditionalNode) -> Result<Step, Cause> {
    let choice = Choice::new(parameters.kind, parameters.size)?;
    let mut driver = state::started()?;
    let found = driver.graphs.get(graph as usize)?;
    let context = found.context;
    // A handle belongs to the graph that it was made for, or to that whose body this graph is.
    let is_of = |found: &Graph| found.conditions.iter().any(|condition| condition.address == parameters.handle);
    if !driver.graphs.iter().any(|(of, found)| is_of(found) && driver.is_within(graph as usize, of)) {
        return Err(Cause::NoSuchArgument("condition"));
    }
    let bodies: Arc<[usize]> = (0..parameters.size)
        .map(|_| driver.graphs.insert(Graph { parent: Some(graph as usize), ..Graph::new(context) }))
        .collect();
    parameters.graphs = bodies.as_ptr().cast::<Raw>().cast_mut();
    Ok(Step::Conditional(Conditional { choice, address: parameters.handle, bodies }))
}

forward! {
    cuGraphAddNode_v2(node, graph, dependencies, _, count, parameters) => cuGraphAddNode(node, graph, dependencies, count, parameters);
}
