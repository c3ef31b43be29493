//! A module of the fixtures, loaded on a device of its own: what tests of the executor launch.
use simulator::exec::context::Facts;
use simulator::exec::executable::Executable;
use simulator::exec::launch::{Outcome, Request, Settings, run};
use simulator::exec::op::Level;
use simulator::lower::{Options, Tier, image, lower};
use simulator::memory::{Kind, Memory};
use simulator::program::FunctionId;
use simulator::ptx;
use std::collections::HashMap;
use std::path::Path;

/// A loaded module.
pub struct Module {
    pub program: Executable,
    pub memory: Memory,
}

/// How a kernel is started.
#[derive(Clone, Copy)]
pub struct Start {
    pub grid: u32,
    pub block: [u32; 3],
    pub shared: u32,
    pub cooperative: bool,
    pub settings: Settings,
}

impl Start {
    /// So many blocks of so many threads, with a budget that no test needs.
    pub fn new(grid: u32, block: u32) -> Start {
        let settings = Settings { budget: 20_000_000, ..Settings::default() };
        Start { grid, block: [block, 1, 1], shared: 0, cooperative: false, settings }
    }
}

impl Module {
    /// Loads `tests/fixtures/NAME.sm_ARCHITECTURE.ptx.z`.
    pub fn load(name: &str, architecture: &str) -> Module {
        let path = format!("tests/fixtures/{name}.sm_{architecture}.ptx.z");
        Self::of_text(&kernels::read_ptx(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap())
    }

    /// Loads a PTX text.
    pub fn of_text(text: &str) -> Module {
        let tree = ptx::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let memory = Memory::new(1 << 30).unwrap();
        let mut addresses = HashMap::new();
        for variable in image::variables(&tree) {
            let address = memory.allocate(variable.bytes().unwrap(), Kind::Global, variable.name).unwrap();
            addresses.insert(variable.name, address);
        }
        let resolve = |name: &str| addresses.get(name).copied().or_else(|| image::function_address(&tree, name));
        for variable in image::variables(&tree) {
            memory.write(addresses[variable.name], &image::image(variable, &resolve).unwrap()).unwrap();
        }
        let options = Options { addresses: &resolve, tier: Tier::Bare, level: Level::detect() };
        let program = lower(&tree, &options).unwrap_or_else(|refused| panic!("{refused:#?}"));
        Module { program, memory }
    }

    /// An array on the device.
    pub fn array<T: Plain>(&self, values: &[T]) -> u64 {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes()).collect();
        let address = self.memory.allocate(bytes.len() as u64, Kind::Device, "array").unwrap();
        self.memory.write(address, &bytes).unwrap();
        address
    }

    /// The contents of an array on the device.
    pub fn read<T: Plain>(&self, address: u64, count: usize) -> Vec<T> {
        let size = T::default().bytes().len();
        let mut bytes = vec![0; count * size];
        self.memory.read(address, &mut bytes).unwrap();
        bytes.chunks(size).map(T::from_bytes).collect()
    }

    /// Runs a kernel to its end.
    pub fn run(&self, name: &str, start: Start, arguments: &[Vec<u8>]) {
        assert_eq!(self.start(name, start, arguments).fault, None, "{name}");
    }

    /// Runs a kernel, to its end or to a fault.
    pub fn start(&self, name: &str, start: Start, arguments: &[Vec<u8>]) -> Outcome {
        let index = self.program.functions.iter().position(|function| function.name == name).unwrap();
        let function = &self.program.functions[index];
        let mut parameters = vec![0; function.parameter_bytes as usize];
        assert_eq!(arguments.len(), function.parameters.len());
        for (slot, argument) in function.parameters.iter().zip(arguments) {
            assert_eq!(argument.len(), slot.bytes as usize, "{}", slot.name);
            parameters[slot.offset as usize..][..argument.len()].copy_from_slice(argument);
        }
        let request = Request {
            function: FunctionId(index as u32),
            dynamic_shared_bytes: start.shared,
            cooperative: start.cooperative,
            settings: start.settings,
            facts: Facts {
                multiprocessors: 1,
                warps_per_multiprocessor: 64,
                reserved_shared_bytes: 1024,
                shared_unit_bytes: 128,
                stack_bytes: 1024,
                clock_khz: 1_000_000,
                grid_id: 1,
                in_lock_step: false,
            },
            ..Request::new(&self.program, &self.memory, ([start.grid, 1, 1], start.block), &parameters)
        };
        run(&request, None)
    }
}

/// Values that memory holds.
pub trait Plain: Default {
    fn bytes(&self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! plain {
    ($($t:ty)*) => { $(
        impl Plain for $t {
            fn bytes(&self) -> Vec<u8> { self.to_le_bytes().to_vec() }
            fn from_bytes(bytes: &[u8]) -> Self { <$t>::from_le_bytes(bytes.try_into().unwrap()) }
        }
    )* };
}
plain!(u8 i16 u16 i32 u32 i64 u64 f32 f64);
