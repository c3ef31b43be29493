//! A launch as data: the request, the settings, the outcome.
use super::executable::Executable;
use crate::exec::view::Facts;
use crate::exec::warps::device_launch::DeviceLaunch;
use crate::fault::Fault;
use crate::memory::Memory;
use crate::probe::{Launch, Probe};
use crate::program::FunctionId;

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

impl<'l> Request<'l> {
    /// A launch of the program's first function: blocks of a grid and threads of a block, without clusters and dynamic shared memory, on a
    /// device that holds 16 blocks.
    pub fn new(
        program: &'l Executable,
        memory: &'l Memory,
        (grid, block): ([u32; 3], [u32; 3]),
        parameters: &'l [u8],
    ) -> Request<'l> {
        Request {
            program,
            function: FunctionId(0),
            grid,
            block,
            cluster: [1; 3],
            dynamic_shared_bytes: 0,
            parameters,
            cooperative: false,
            memory,
            settings: Settings::default(),
            resident_blocks: 16,
            facts: Facts { stack_bytes: 1024, ..Facts::default() },
        }
    }

    /// The launch as listeners are told of it, without the barrier of a grid.
    pub fn launch(&self) -> Launch<'l> {
        let function = &self.program.functions[self.function.0 as usize];
        Launch {
            program: self.program,
            function,
            function_id: self.function.0,
            grid: self.grid,
            block: self.block,
            cluster: self.cluster,
            shared_bytes: function.shared_bytes_with(self.dynamic_shared_bytes),
            dynamic_shared_bytes: self.dynamic_shared_bytes,
            cooperative: self.cooperative,
            grid_barrier: None,
            in_lock_step: self.facts.in_lock_step,
            parameters: self.parameters,
            memory: self.memory,
        }
    }
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

/// The outcome of a launch, finished or stopped.
#[derive(Default)]
pub struct Outcome {
    pub warp_instructions: u64,
    /// The request's listener with all workers' results.
    pub probe: Option<Box<dyn Probe>>,
    /// Text that the kernel printed, by block.
    pub printed: String,
    /// Kernels that it has launched, by block.
    pub launched: Vec<DeviceLaunch>,
    /// The fault that stopped it; `None`: it ran to its end.
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

impl LaunchProgress {
    /// The same, and then a `part` of its blocks so far.
    pub fn and(self, part: LaunchProgress) -> LaunchProgress {
        let (ended, instructions) = (self.ended + part.ended, self.instructions + part.instructions);
        LaunchProgress { blocks: self.blocks, ended, instructions }
    }
}

/// Is told now and then how far a launch is, by any of its workers.
pub type Tell<'l> = Option<&'l (dyn Fn(LaunchProgress) + Sync)>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_launch_is_told_as_its_next_blocks() {
        let so_far = LaunchProgress { blocks: 48, ended: 8, instructions: 1000 };
        let part = LaunchProgress { blocks: 8, ended: 3, instructions: 70 };
        assert_eq!(so_far.and(part), LaunchProgress { blocks: 48, ended: 11, instructions: 1070 });
    }
}
