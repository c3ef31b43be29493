//! Runs a kernel: the door to the executor.
use super::grid::{Finished, work};
pub use super::request::{LaunchProgress, Outcome, Request, Settings, Tell};
use super::steps::Order;
use super::worker::Shared;
use crate::memory::Kind;
use crate::probe::{Launch, Probe};
use std::sync::OnceLock;

/// Runs a launch to its end, or to the first fault in the order of blocks.
pub fn run(request: &Request, probe: Option<Box<dyn Probe>>) -> Outcome {
    run_telling(request, probe, None)
}

/// As [`run`], telling how far it is.
pub fn run_telling(request: &Request, probe: Option<Box<dyn Probe>>, tell: Tell) -> Outcome {
    run_chosen(request, None, probe, tell)
}

/// As [`run_telling`], but only the grid's clusters whose numbers are listed; without clusters, each block is one.
pub fn run_chosen(request: &Request, chosen: Option<&[u64]>, probe: Option<Box<dyn Probe>>, tell: Tell) -> Outcome {
    launch(request, (chosen, None), probe, tell)
}

/// As [`run`], with the warps of one block in an order of their own. The program must be [lowered in steps](crate::lower::Tier::Stepped), and
/// somebody must listen.
pub fn run_in_order(request: &Request, order: &Order, probe: Box<dyn Probe>) -> Outcome {
    launch(request, (None, Some(order)), Some(probe), None)
}

fn launch(
    request: &Request,
    (chosen, order): (Option<&[u64]>, Option<&Order>),
    mut probe: Option<Box<dyn Probe>>,
    tell: Tell,
) -> Outcome {
    let workspace = match request.cooperative {
        true => request.memory.allocate(WORKSPACE_BYTES, Kind::Workspace, "grid barrier").ok(),
        false => None,
    };
    if let Some(probe) = &mut probe {
        let grid_barrier = workspace.map(|address| [address, address + WORKSPACE_BYTES]);
        probe.launch(&Launch { grid_barrier, ..request.launch() });
    }
    let shared = Shared::new(request, chosen, order, tell);
    let finished = run_workers(&shared, probe, workspace.unwrap_or(0));
    if let Some(address) = workspace {
        // It was allocated above; a kernel cannot free it.
        let _ = request.memory.free(address);
    }
    merged(finished)
}

/// Bytes of the barrier of a grid in NVIDIA's cooperative groups: a lock and a counter, and room to spare.
const WORKSPACE_BYTES: u64 = 256;

fn run_workers(shared: &Shared, probe: Option<Box<dyn Probe>>, workspace: u64) -> Vec<Finished> {
    let request = shared.request;
    let function = &request.program.functions[request.function.0 as usize];
    let one = request.cooperative
        || function.order_matters
        || request.settings.schedule_seed != 0
        || shared.order.is_some()
        || probe.as_ref().is_some_and(|probe| probe.one_thread());
    let threads = if request.settings.threads == 0 { cores() } else { request.settings.threads };
    let threads = if one { 1 } else { threads.min(shared.clusters.min(1 << 16) as usize) };
    if threads == 1 {
        return vec![work(shared, probe, workspace, None)];
    }
    std::thread::scope(|scope| {
        let mut others = Vec::new();
        let mut call = |probe: Option<&dyn Probe>| {
            for _ in 1..threads {
                let probe = probe.map(Probe::fork);
                others.push(scope.spawn(move || work(shared, probe, workspace, None)));
            }
        };
        let mut finished = vec![work(shared, probe, workspace, Some(&mut call))];
        for other in others {
            match other.join() {
                Ok(result) => finished.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        finished
    })
}

/// Cores of the host; asked once, since the answer takes longer than a small launch.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

/// Joins what the workers left, in their order.
fn merged(finished: Vec<Finished>) -> Outcome {
    let mut outcome = Outcome::default();
    let mut output = Vec::new();
    let mut first = u64::MAX;
    for worker in finished {
        outcome.warp_instructions += worker.instructions;
        output.extend(worker.output);
        outcome.launched.extend(worker.launched);
        match (&mut outcome.probe, worker.probe) {
            (Some(probe), Some(other)) => probe.join(other),
            (none, other) => *none = other,
        }
        if let Some((place, fault)) = worker.fault
            && place < first
        {
            first = place;
            outcome.fault = Some(fault);
        }
    }
    output.sort_by_key(|&(block, _)| block);
    outcome.launched.sort_by_key(|launch| launch.by_block);
    outcome.printed = output.into_iter().map(|(_, text)| text).collect();
    outcome
}
