//! Runs a kernel: the door to the executor.
use super::context::Facts;
use super::device_launch::DeviceLaunch;
use super::executable::Executable;
use super::grid::{Finished, Shared, work};
use crate::fault::Fault;
use crate::memory::{Kind, Memory};
use crate::probe::{Launch, Probe};
use crate::program::FunctionId;
use std::sync::OnceLock;

/// One launch, checked already against the device's limits.
pub struct Request<'l> {
    pub program: &'l Executable,
    /// An entry of the program.
    pub function: FunctionId,
    /// Blocks, and threads of a block; no zeros.
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Blocks of a cluster; the grid is a multiple of it on each axis.
    pub cluster: [u32; 3],
    pub dynamic_shared_bytes: u32,
    /// Laid out as [`Function::parameters`](crate::program::Function) says.
    pub parameters: &'l [u8],
    /// All blocks at once, with a barrier for the grid.
    pub cooperative: bool,
    pub memory: &'l Memory,
    pub settings: Settings,
    /// Blocks that the device holds at a time.
    pub resident_blocks: u32,
    pub facts: Facts,
}

/// How to run, whatever is run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Warp instructions that a launch may run.
    pub budget: u64,
    /// Warp instructions that one block may run: an endless loop is in one block, and ends long before the launch's budget.
    pub block_budget: u64,
    /// 0 is the natural order of blocks and warps; every other seed gives another one.
    pub schedule_seed: u64,
    /// Host threads; 0: one for each core.
    pub threads: usize,
    /// Bytes that `malloc` in kernels may take.
    pub heap_bytes: u64,
}

impl Default for Settings {
    /// A budget of 10¹² warp instructions (hours) for a launch and of 2·10⁹ (about ten seconds) for each of its blocks: an
    /// endless loop is in one block, and a launch may be large without being endless; the natural order, all cores, CUDA's default heap of
    /// 8 MiB.
    fn default() -> Self {
        Settings {
            budget: 1_000_000_000_000,
            block_budget: 2_000_000_000,
            schedule_seed: 0,
            threads: 0,
            heap_bytes: 8 << 20,
        }
    }
}

impl Settings {
    /// With a budget of the same time for launches that the sanitizer watches, which takes about four times as long.
    pub fn sanitized(self) -> Settings {
        Settings { block_budget: self.block_budget / 4, ..self }
    }

    /// With one budget for the launch, whichever of its blocks spend it.
    pub fn with_budget(self, budget: u64) -> Settings {
        Settings { budget, block_budget: budget, ..self }
    }
}

/// What a launch leaves, finished or stopped.
#[derive(Default)]
pub struct Outcome {
    pub warp_instructions: u64,
    /// The request's listener with all workers' results.
    pub probe: Option<Box<dyn Probe>>,
    /// What the kernel printed, by block.
    pub printed: String,
    /// Kernels that it has launched, by block.
    pub launched: Vec<DeviceLaunch>,
    /// What stopped it; `None`: it ran to its end.
    pub fault: Option<Fault>,
}

/// How far a launch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchProgress {
    /// Blocks of the grid, and how many of them have ended.
    pub blocks: u64,
    pub ended: u64,
    /// Warp instructions so far.
    pub instructions: u64,
}

/// Is told now and then how far a launch is, by any of its workers.
pub type Tell<'l> = Option<&'l (dyn Fn(LaunchProgress) + Sync)>;

/// Runs a launch to its end, or to the first fault in the order of blocks.
pub fn run(request: &Request, probe: Option<Box<dyn Probe>>) -> Outcome {
    run_telling(request, probe, None)
}

/// As [`run`], telling how far it is.
pub fn run_telling(request: &Request, probe: Option<Box<dyn Probe>>, tell: Tell) -> Outcome {
    run_chosen(request, None, probe, tell)
}

/// As [`run_telling`], of the grid's clusters only those whose numbers are listed; a cluster is a block where there are no clusters.
pub fn run_chosen(request: &Request, chosen: Option<&[u64]>, mut probe: Option<Box<dyn Probe>>, tell: Tell) -> Outcome {
    let function = &request.program.functions[request.function.0 as usize];
    let workspace = match request.cooperative {
        true => request.memory.allocate(WORKSPACE_BYTES, Kind::Workspace, "grid barrier").ok(),
        false => None,
    };
    if let Some(probe) = &mut probe {
        probe.launch(&Launch {
            program: request.program,
            function,
            function_id: request.function.0,
            grid: request.grid,
            block: request.block,
            cluster: request.cluster,
            shared_bytes: function.shared_bytes_with(request.dynamic_shared_bytes),
            dynamic_shared_bytes: request.dynamic_shared_bytes,
            cooperative: request.cooperative,
            grid_barrier: workspace.map(|address| [address, address + WORKSPACE_BYTES]),
            parameters: request.parameters,
            memory: request.memory,
        });
    }
    let shared = Shared::new(request, chosen, tell);
    let finished = run_workers(&shared, probe, workspace.unwrap_or(0));
    if let Some(address) = workspace {
        // It was allocated above; a kernel cannot free it.
        let _ = request.memory.free(address);
    }
    merged(finished)
}

/// What NVIDIA's cooperative groups need for the barrier of a grid: a lock and a counter, and room to spare.
const WORKSPACE_BYTES: u64 = 256;

fn run_workers(shared: &Shared, probe: Option<Box<dyn Probe>>, workspace: u64) -> Vec<Finished> {
    let request = shared.request;
    let function = &request.program.functions[request.function.0 as usize];
    let one = request.cooperative
        || function.order_matters
        || request.settings.schedule_seed != 0
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
