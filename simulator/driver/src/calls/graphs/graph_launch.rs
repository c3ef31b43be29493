//! Launching graphs.
use crate::executor;
use crate::interface::{Cause, Outcome};
use crate::objects::graphs::{Graph, Node, Seq, Step, Work};
use crate::state::host_time::{self, Call};
use crate::state::{self, Driver, Guard};
use clock::streams::ready::Ready;
use cuda::layout::Raw;

/// The roots come after the stream, the stream goes on after the leaves.
pub fn cuGraphLaunch(executable: Raw, stream: Raw) -> Outcome {
    let mut driver = state::lock();
    let stream = driver.stream_of(stream)?;
    host_time::spend(Call::Launch);
    let found = driver.executables.get(executable as usize)?;
    let (context, nodes) = (found.context, found.nodes.clone());
    if driver.streams.get(stream)?.capture.is_some() {
        refuse_if!(!found.bodies.is_empty(), Cause::ConditionalGraph("launched in a capture"));
        let parent = Some(driver.capture_of(stream)?.graph);
        let child = driver.enter_graph(Graph { nodes, parent, ..Graph::new(context) })?;
        return driver.capture_work(stream, Step::Child(child));
    }
    driver = bring_memory(driver, executable as usize)?;
    let last = driver.executables.get(executable as usize)?.last;
    let (mut before, ready) = driver.stream_order(stream)?;
    before.extend(last);
    let ready = ready.and(Ready::at(host_time::host_ns()));
    let before = begin_conditions(&mut driver, executable as usize, stream, before, ready)?;
    let bodies = driver.executables.get(executable as usize)?.bodies.clone();
    let seqs = driver.enqueue_nodes(stream, nodes, &bodies, &before, ready)?;
    let mut all = seqs;
    all.extend(before);
    let end = driver.enqueue(stream, Work::Join, all, ready, true)?;
    driver.streams.get_mut(stream)?.tail = Some(end);
    driver.executables.get_mut(executable as usize)?.last = Some(end);
    drop(executor::make_room(driver));
    Ok(())
}

/// Gives the conditions their first values, before any node runs. Answers what the roots come after.
fn begin_conditions(
    driver: &mut Driver,
    executable: usize,
    stream: usize,
    before: Vec<Seq>,
    ready: Ready,
) -> Result<Vec<Seq>, Cause> {
    let conditions = driver.executables.get(executable)?.conditions.clone();
    let firsts = conditions.into_iter().filter_map(|condition| Some((condition.address, condition.first?)));
    let mut begun = before.clone();
    for (at, value) in firsts {
        let work = Work::Write { at, value: value.into(), bytes: 4 };
        begun.push(driver.enqueue(stream, work, before.clone(), ready, true)?);
    }
    Ok(begun)
}

/// Brings the memory of an executable graph's nodes back, once what its last launch frees is free.
fn bring_memory(mut driver: Guard, executable: usize) -> Result<Guard, Cause> {
    let found = driver.executables.get(executable)?;
    let (frees_itself, last) = (found.frees_itself, found.last);
    let allocates = |node: &Node| if let Step::Allocate(address) = node.step { Some(address) } else { None };
    let addresses: Vec<u64> = found.nodes.iter().filter_map(allocates).collect();
    for address in addresses {
        if let Some(last) = last.filter(|_| driver.allocations.get(&address).is_some_and(|a| a.being_freed)) {
            driver = executor::finish(driver, &[last]);
        }
        if let Some(freeing) = driver.allocations.get(&address).filter(|a| a.being_freed).map(|a| a.device) {
            driver = executor::wait_for_device(driver, freeing);
        }
        match driver.allocations.get(&address) {
            Some(allocation) if !allocation.is_away() && !frees_itself => {
                let why = "the graph's last launch left it allocated; free it, or instantiate with automatic free";
                return Err(Cause::NotAnAllocation("hGraphExec", why.into()));
            }
            Some(_) => driver.bring_back(address)?,
            None => return Err(Cause::DestroyedHandle("node")),
        }
    }
    Ok(driver)
}
