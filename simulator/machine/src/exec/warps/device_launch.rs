//! Kernels that a kernel launches.
//!
//! A thread asks for room for the parameters, stores them there, and launches. The launch is noted, with a copy of the parameters: the
//! driver runs it once the grid has ended, in the order of the blocks that launched. CUDA promises no more: that a child runs
//! beside its parent cannot be relied on.
use crate::memory::{FUNCTION_WINDOW, Kind, Memory};
use crate::program::{Function, FunctionId};
use std::collections::HashMap;

/// Results of the runtime, by their numbers.
const SUCCESS: u32 = 0;
const INVALID_VALUE: u32 = 1;
const INVALID_CONFIGURATION: u32 = 9;
const INVALID_DEVICE_FUNCTION: u32 = 98;
const LAUNCH_OUT_OF_RESOURCES: u32 = 701;

/// The most blocks and threads on each axis, and threads of a block.
const MOST_BLOCKS: [u32; 3] = [i32::MAX as u32, 65535, 65535];
const MOST_THREADS: [u32; 3] = [1024, 1024, 64];
const MOST_THREADS_OF_A_BLOCK: u32 = 1024;
/// Bytes of parameters that a kernel may have.
const MOST_PARAMETER_BYTES: u64 = 32764;

/// A kernel that a block has launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLaunch {
    /// The number of the block that did.
    pub by_block: u64,
    /// Launches that the same thread had made before.
    pub before: u32,
    pub kernel: DeviceKernel,
    /// As the block has it: a named stream (3 and 4: after the grid and all it launched; beside all) or one that it made.
    pub stream: u64,
    /// Laid out as the kernel declares them.
    pub parameters: Vec<u8>,
}

/// A kernel to be launched, and its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceKernel {
    pub function: FunctionId,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
}

/// The launches of a worker's blocks.
#[derive(Default)]
pub(crate) struct DeviceLaunches {
    /// Rooms for parameters by address, with their bytes and what is to be launched, where the thread has said so.
    rooms: HashMap<u64, (usize, Option<DeviceKernel>)>,
    pub launched: Vec<DeviceLaunch>,
    made: HashMap<Thread, u32>,
    /// The last error of threads, by block, warp and lane.
    errors: HashMap<Thread, u32>,
}

impl DeviceKernel {
    /// By the address of its function. Refuses what no card takes.
    pub fn new(
        functions: &[Function],
        address: u64,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared_bytes: u32,
    ) -> Result<DeviceKernel, u32> {
        let index = address.wrapping_sub(FUNCTION_WINDOW);
        let function = usize::try_from(index).ok().and_then(|index| functions.get(index));
        let function = function.filter(|function| function.is_entry).ok_or(INVALID_DEVICE_FUNCTION)?;
        let inside = |extents: [u32; 3], most: [u32; 3]| {
            extents.iter().zip(most).all(|(&extent, most)| (1..=most).contains(&extent))
        };
        let most = function.max_threads.map_or(MOST_THREADS_OF_A_BLOCK, |extents| extents.iter().product());
        let threads: u32 = if inside(block, MOST_THREADS) { block.iter().product() } else { 0 };
        if !inside(grid, MOST_BLOCKS) || !(1..=most.min(MOST_THREADS_OF_A_BLOCK)).contains(&threads) {
            return Err(INVALID_CONFIGURATION);
        }
        Ok(DeviceKernel { function: FunctionId(index as u32), grid, block, dynamic_shared_bytes })
    }
}

/// A thread of a worker's blocks: block, warp, lane.
pub(super) type Thread = (u64, u32, usize);

impl DeviceLaunches {
    /// Makes room for so many bytes of parameters of a kernel; 0 where there is none, with the reason as the thread's last error.
    pub fn room(
        &mut self,
        memory: Option<&Memory>,
        thread: Thread,
        bytes: u64,
        of: Result<Option<DeviceKernel>, u32>,
    ) -> u64 {
        let found = of.and_then(|kernel| {
            refuse_if!(bytes > MOST_PARAMETER_BYTES, INVALID_VALUE);
            let memory = memory.ok_or(LAUNCH_OUT_OF_RESOURCES)?;
            let address = memory.allocate(bytes.max(1), Kind::Workspace, "parameters of a launch");
            let address = address.map_err(|_| LAUNCH_OUT_OF_RESOURCES)?;
            self.rooms.insert(address, (bytes as usize, kernel));
            Ok(address)
        });
        found.unwrap_or_else(|error| {
            self.errors.insert(thread, error);
            0
        })
    }

    /// Launches with the parameters at `address`. Without `kernel`, that for which the room was made.
    pub fn launch(
        &mut self,
        memory: Option<&Memory>,
        thread: Thread,
        address: u64,
        kernel: Result<Option<DeviceKernel>, u32>,
        parameter_bytes: impl Fn(FunctionId) -> u32,
        stream: u64,
    ) -> u32 {
        let launched = kernel.and_then(|kernel| {
            let (bytes, of_room) = self.rooms.remove(&address).ok_or(INVALID_VALUE)?;
            let kernel = kernel.or(of_room).ok_or(INVALID_VALUE)?;
            let mut parameters = vec![0; bytes];
            let memory = memory.ok_or(LAUNCH_OUT_OF_RESOURCES)?;
            memory.read(address, &mut parameters).map_err(|_| INVALID_VALUE)?;
            memory.free(address).map_err(|_| INVALID_VALUE)?;
            parameters.resize(parameter_bytes(kernel.function) as usize, 0);
            let (by_block, ..) = thread;
            let made = self.made.entry(thread).or_default();
            self.launched.push(DeviceLaunch { by_block, before: *made, kernel, stream, parameters });
            *made += 1;
            Ok(())
        });
        match launched {
            Ok(()) => SUCCESS,
            Err(error) => {
                self.errors.insert(thread, error);
                error
            }
        }
    }

    /// The thread's last error, which is then forgotten if `taken`.
    pub fn last_error(&mut self, thread: Thread, taken: bool) -> u32 {
        let error = if taken { self.errors.remove(&thread) } else { self.errors.get(&thread).copied() };
        error.unwrap_or(SUCCESS)
    }

    /// Ends them: gives back rooms that nothing was launched with, and hands out the launches.
    pub fn end(self, memory: Option<&Memory>) -> Vec<DeviceLaunch> {
        for address in self.rooms.into_keys() {
            // It was allocated above, and is taken out of the list once it is freed.
            let _ = memory.map(|memory| memory.free(address));
        }
        self.launched
    }
}
