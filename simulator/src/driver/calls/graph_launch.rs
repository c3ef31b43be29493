//! Launching graphs.
use crate::driver::executor;
use crate::driver::interface::cause::Cause;
use crate::driver::interface::handles::Raw;
use crate::driver::objects::event::EventState;
use crate::driver::objects::graph::{Graph, Node, Step};
use crate::driver::objects::work::{Seq, Work};
use crate::driver::state;
use crate::driver::state::{Guard, clock};

/// `cuGraphLaunch`: the roots come after the stream, the stream goes on after the leaves.
pub fn launch(executable: Raw, stream: Raw) -> Result<(), Cause> {
    let mut driver = state::lock();
    let stream = driver.stream_of(stream)?;
    let device = driver.contexts.get(driver.streams.get(stream)?.context)?.device;
    clock::spend_ns(driver.devices[device].card.launch_host_ns);
    let found = driver.executables.get(executable as usize)?;
    let (context, nodes) = (found.context, found.nodes.clone());
    if driver.streams.get(stream)?.capture.is_some() {
        let child = Graph { context, nodes, objects: Vec::new() };
        return driver.capture_work(stream, Step::Child(Box::new(child)));
    }
    driver = bring_memory(driver, executable as usize)?;
    let last = driver.executables.get(executable as usize)?.last;
    let (mut before, ready_ns) = driver.stream_order(stream)?;
    before.extend(last);
    let ready_ns = ready_ns.max(clock::host_ns());
    let mut seqs: Vec<Seq> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut after: Vec<Seq> = node.after.iter().map(|&earlier| seqs[earlier]).collect();
        if after.is_empty() {
            after.clone_from(&before);
        }
        let work = match node.step {
            Step::Empty | Step::Allocate(_) | Step::Child(_) => Work::Join,
            Step::Copy(transfer) => Work::Copy(transfer),
            Step::Fill(fill) => Work::Fill(fill),
            Step::Launch(launch) => Work::Launch(launch),
            Step::Host(function) => Work::Host(function),
            Step::Free(address) => {
                if let Some(allocation) = driver.allocations.get_mut(&address) {
                    allocation.being_freed = true;
                }
                Work::Free(address)
            }
            Step::Record(event) => Work::Record(event),
            Step::Wait(event) => {
                if let EventState::Pending(seq) = driver.events.get(event)?.state {
                    after.push(seq);
                }
                Work::Join
            }
        };
        seqs.push(driver.enqueue(stream, work, after, ready_ns, true)?);
    }
    let mut all = seqs;
    all.extend(before);
    let end = driver.enqueue(stream, Work::Join, all, ready_ns, true)?;
    driver.streams.get_mut(stream)?.tail = Some(end);
    driver.executables.get_mut(executable as usize)?.last = Some(end);
    Ok(())
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
