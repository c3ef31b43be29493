//! Graphs: nodes with an order, made by capture or by hand, launched as a whole.
use super::user_object;
use crate::executor;
use crate::interface::{Cause, Outcome, forward, out};
use crate::objects::graphs::{Bodies, Executable, Graph, Node, Step};
use crate::state::{self, current};
use cuda::layout::Raw;
use std::ffi::c_uint;
use std::sync::Arc;

/// Reads the caller's array of nodes.
///
/// # Safety
/// `nodes` holds `count` handles, or `count` is 0.
pub unsafe fn node_list(nodes: *const Raw, count: usize) -> Result<Vec<usize>, Cause> {
    if count == 0 {
        return Ok(Vec::new());
    }
    refuse_if!(nodes.is_null(), Cause::Null("dependencies"));
    Ok((0..count).map(|i| unsafe { nodes.add(i).read_unaligned() } as usize).collect())
}

pub unsafe fn cuGraphCreate(graph: *mut Raw, flags: c_uint) -> Outcome {
    refuse_if!(flags != 0, Cause::NoSuchValue("flags", flags.into()));
    let mut driver = state::started()?;
    let handle = driver.graphs.insert(Graph::new(current::current_handle()));
    unsafe { out("phGraph", graph, handle as Raw) }
}

pub fn cuGraphDestroy(graph: Raw) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(driver.graphs.get(graph as usize)?.parent.is_some(), Cause::NoSuchArgument("graph that is no node's"));
    let objects = driver.remove_graph(graph as usize)?;
    let ended = driver.release_objects(&objects)?;
    user_object::end(driver, &ended);
    Ok(())
}

pub unsafe fn cuGraphClone(copy: *mut Raw, graph: Raw) -> Outcome {
    let mut driver = state::started()?;
    driver.graphs.get(graph as usize)?.refuse_conditional("cloned")?;
    let objects = driver.graphs.get(graph as usize)?.objects.clone();
    driver.retain_objects(&objects)?;
    let handle = driver.copy_graph(graph as usize, None)?;
    unsafe { out("phGraphClone", copy, handle as Raw) }
}

pub unsafe fn cuGraphNodeFindInClone(found: *mut Raw, original: Raw, clone: Raw) -> Outcome {
    let driver = state::lock();
    let &(_, index) = driver.nodes.get(original as usize)?;
    let node = driver.graphs.get(clone as usize)?.nodes.get(index).ok_or(Cause::NoHandle("node of this clone"))?;
    unsafe { out("phNode", found, node.handle as Raw) }
}

/// Adds a node; all `cuGraphAdd…Node` come here.
pub unsafe fn add(node: *mut Raw, graph: Raw, dependencies: *const Raw, count: usize, step: Step) -> Outcome {
    let after = unsafe { node_list(dependencies, count)? };
    let mut driver = state::started()?;
    let after = driver.node_indices(graph as usize, &after)?;
    let found = driver.graphs.get_mut(graph as usize)?;
    let index = found.add(step, after);
    driver.name_nodes(graph as usize)?;
    let handle = driver.graphs.get(graph as usize)?.nodes[index].handle;
    unsafe { out("phGraphNode", node, handle as Raw) }
}

pub unsafe fn cuGraphAddChildGraphNode(
    node: *mut Raw,
    graph: Raw,
    dependencies: *const Raw,
    count: usize,
    child: Raw,
) -> Outcome {
    // The parent holds what the child holds.
    let child = {
        let mut driver = state::lock();
        driver.graphs.get(graph as usize)?;
        driver.graphs.get(child as usize)?.refuse_conditional("a child of another")?;
        let child = driver.copy_graph(child as usize, Some(graph as usize))?;
        let objects = std::mem::take(&mut driver.graphs.get_mut(child)?.objects);
        driver.retain_objects(&objects)?;
        driver.graphs.get_mut(graph as usize)?.objects.extend(objects);
        child
    };
    unsafe { add(node, graph, dependencies, count, Step::Child(child)) }
}

/// The node's own copy, which the caller may change and not destroy.
pub unsafe fn cuGraphChildGraphNodeGetGraph(node: Raw, graph: *mut Raw) -> Outcome {
    let mut driver = state::lock();
    let Step::Child(child) = driver.node(node as usize)?.step else {
        return Err(Cause::NoSuchArgument("node of a child graph"));
    };
    unsafe { out("phGraph", graph, child as Raw) }
}

/// `cuGraphAddEventRecordNode`, `cuGraphAddEventWaitNode`
pub unsafe fn add_event(
    node: *mut Raw,
    graph: Raw,
    dependencies: *const Raw,
    count: usize,
    event: Raw,
    record: bool,
) -> Outcome {
    let step = of_event(event, record)?;
    // SAFETY: `node` is the caller's, and `dependencies` points to `count` nodes, as `add` asks.
    unsafe { add(node, graph, dependencies, count, step) }
}

/// `cuGraphAddDependencies`, `cuGraphRemoveDependencies`
///
/// # Safety
/// `from` and `to` hold `count` nodes.
pub unsafe fn change_dependencies(graph: Raw, from: *const Raw, to: *const Raw, count: usize, add: bool) -> Outcome {
    let (from, to) = unsafe { (node_list(from, count)?, node_list(to, count)?) };
    let mut driver = state::lock();
    let (from, to) = (driver.node_indices(graph as usize, &from)?, driver.node_indices(graph as usize, &to)?);
    let nodes = &mut driver.graphs.get_mut(graph as usize)?.nodes;
    for (from, to) in from.into_iter().zip(to) {
        refuse_if!(add && from == to, Cause::GraphCycle);
        let after = &mut nodes[to].after;
        match (after.iter().position(|&a| a == from), add) {
            (None, true) => after.push(from),
            (Some(at), false) => drop(after.remove(at)),
            _ => return Err(Cause::OutOfRange("from", from as u64, "edges that are not there yet, or there".into())),
        }
    }
    Ok(())
}

/// Takes its edges with it.
pub fn cuGraphDestroyNode(node: Raw) -> Outcome {
    let mut driver = state::lock();
    let (graph, index) = driver.nodes.remove(node as usize)?;
    driver.shown_parameters.remove(&(node as usize));
    if let Step::Child(child) = driver.graphs.get(graph)?.nodes[index].step {
        driver.remove_graph(child)?;
    }
    let nodes = &mut driver.graphs.get_mut(graph)?.nodes;
    nodes[index].destroyed = true;
    nodes.iter_mut().for_each(|node| node.after.retain(|&earlier| earlier != index));
    Ok(())
}

/// Which nodes of a graph, or around a node, are asked for.
#[derive(Clone, Copy)]
pub enum Which {
    All,
    Roots,
    Dependencies,
    Dependents,
}

/// `cuGraphGetNodes`, `cuGraphGetRootNodes`, `cuGraphNodeGetDependencies`, `cuGraphNodeGetDependentNodes`: with no array, the count.
pub unsafe fn get_nodes(of: Raw, which: Which, nodes: *mut Raw, count: *mut usize) -> Outcome {
    let driver = state::lock();
    let handles = |graph: &Graph, is_asked: &dyn Fn(&Node) -> bool| -> Vec<usize> {
        graph.live().filter(|(_, node)| is_asked(node)).map(|(_, node)| node.handle).collect()
    };
    let found = match which {
        Which::All => handles(driver.graphs.get(of as usize)?, &|_| true),
        Which::Roots => handles(driver.graphs.get(of as usize)?, &|node| node.after.is_empty()),
        Which::Dependencies | Which::Dependents => {
            let &(graph, index) = driver.nodes.get(of as usize)?;
            let graph = driver.graphs.get(graph)?;
            match which {
                Which::Dependents => handles(graph, &|node| node.after.contains(&index)),
                _ => graph.nodes[index].after.iter().map(|&earlier| graph.nodes[earlier].handle).collect(),
            }
        }
    };
    refuse_if!(count.is_null(), Cause::Null("numNodes"));
    // SAFETY: the caller's pointers; the array holds as many as the count says.
    unsafe {
        if !nodes.is_null() {
            let room = count.read_unaligned();
            for i in 0..room {
                nodes.add(i).write_unaligned(found.get(i).map_or(std::ptr::null_mut(), |&handle| handle as Raw));
            }
        }
        count.write_unaligned(found.len());
    }
    Ok(())
}

pub unsafe fn cuGraphGetEdges(graph: Raw, from: *mut Raw, to: *mut Raw, count: *mut usize) -> Outcome {
    let driver = state::lock();
    let graph = driver.graphs.get(graph as usize)?;
    let edges: Vec<(usize, usize)> = graph
        .live()
        .flat_map(|(_, node)| node.after.iter().map(|&earlier| (graph.nodes[earlier].handle, node.handle)))
        .collect();
    refuse_if!(count.is_null(), Cause::Null("numEdges"));
    // SAFETY: the caller's pointers; the arrays hold as many as the count says.
    unsafe {
        if !from.is_null() && !to.is_null() {
            for (i, edge) in edges.iter().take(count.read_unaligned()).enumerate() {
                from.add(i).write_unaligned(edge.0 as Raw);
                to.add(i).write_unaligned(edge.1 as Raw);
            }
        }
        count.write_unaligned(edges.len());
    }
    Ok(())
}

/// Replaces what a node does by something of the same kind.
pub fn set_step(node: Raw, step: Step) -> Outcome {
    let mut driver = state::lock();
    driver.node(node as usize)?.step.replace(step)
}

/// Replaces what a node of an executable graph does; the node is named by its handle in the graph it came from.
pub fn set_executable_step(executable: Raw, node: Raw, step: Step) -> Outcome {
    let mut driver = state::lock();
    driver.nodes.get(node as usize)?;
    let nodes = &mut driver.executables.get_mut(executable as usize)?.nodes;
    let found = nodes.iter_mut().find(|other| other.handle == node as usize);
    found.ok_or(Cause::NoHandle("node of this graph"))?.step.replace(step)
}

/// `cuGraphInstantiate` in all its versions: bits 1, 2, 4 and 8 are defined.
pub unsafe fn cuGraphInstantiateWithFlags(executable: *mut Raw, graph: Raw, flags: u64) -> Outcome {
    // Automatic free (1), upload (2), launch from the device (4), node priorities (8); 1 and 4 exclude each other.
    refuse_if!(flags & !0xf != 0 || flags & 5 == 5, Cause::NoSuchValue("flags", flags as i64));
    refuse_if!(flags & 4 != 0, Cause::NotModelled("a graph that the device launches"));
    let mut driver = state::started()?;
    let found = driver.graphs.get(graph as usize)?;
    let (context, nodes, objects) = (found.context, found.flatten(&driver.graphs)?, found.objects.clone());
    let conditions = found.conditions.clone();
    let mut bodies = Bodies::default();
    driver.bodies_of(&nodes, &mut bodies)?;
    driver.retain_objects(&objects)?;
    let (frees_itself, bodies) = (flags & 1 != 0, Arc::new(bodies));
    let made = Executable { context, nodes, objects, conditions, bodies, flags, frees_itself, last: None };
    let handle = driver.executables.insert(made);
    unsafe { out("phGraphExec", executable, handle as Raw) }
}

/// `cuGraphExecUpdate`: the same shape with other arguments.
pub fn update(executable: Raw, graph: Raw) -> Outcome {
    let mut driver = state::started()?;
    let from = driver.graphs.get(graph as usize)?;
    let (nodes, conditions) = (from.flatten(&driver.graphs)?, from.conditions.clone());
    let mut bodies = Bodies::default();
    driver.bodies_of(&nodes, &mut bodies)?;
    let bodies = Arc::new(bodies);
    let found = driver.executables.get_mut(executable as usize)?;
    let shape =
        |nodes: &[Node]| -> Vec<_> { nodes.iter().map(|node| (node.after.clone(), node.step.kind())).collect() };
    refuse_if!(shape(&nodes) != shape(&found.nodes), Cause::GraphShape);
    (found.nodes, found.bodies, found.conditions) = (nodes, bodies, conditions);
    Ok(())
}

/// Objects of the application that its last launch still uses are kept until then.
pub fn cuGraphExecDestroy(executable: Raw) -> Outcome {
    let mut driver = state::started()?;
    let gone = driver.executables.remove(executable as usize)?;
    if !gone.objects.is_empty() {
        if let Some(last) = gone.last {
            driver = executor::finish(driver, &[last]);
        }
        let ended = driver.release_objects(&gone.objects)?;
        user_object::end(driver, &ended);
    }
    Ok(())
}

/// There is nothing to upload to.
pub fn cuGraphUpload(executable: Raw, stream: Raw) -> Outcome {
    let mut driver = state::lock();
    driver.stream_of(stream)?;
    driver.executables.get(executable as usize).map(|_| ())
}

/// The step of a node that records an event or waits for one.
///
/// # Errors
/// A handle that is no event's.
pub fn of_event(event: Raw, records: bool) -> Result<Step, Cause> {
    state::lock().events.get(event as usize)?;
    Ok(if records { Step::Record(event as usize) } else { Step::Wait(event as usize) })
}

cuda::forward_graphs!(forward);
