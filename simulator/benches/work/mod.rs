//! The kernels that the engine is measured with, and the memory that they work on.
#![allow(dead_code, reason = "the test of the machine does not ask for a block's shared memory")]
use simulator::exec::executable::Executable;
use simulator::exec::launch::{Outcome, Request, Settings, run};
use simulator::exec::op::Level;
use simulator::lower::{Options, Tier, lower};
use simulator::memory::{Kind, Memory};
use simulator::probe::Probe;
use simulator::program::FunctionId;

const PTX: &[u8] = include_bytes!("../engine.ptx.z");

/// The kernels and the memory that one of them works on.
pub struct Bench {
    pub program: Executable,
    pub memory: Memory,
    pub parameters: Vec<u8>,
}

/// One benchmark.
#[derive(Clone, Copy)]
pub struct Case {
    pub kernel: &'static str,
    /// Threads of a block, and elements that it covers of an n×n matrix.
    pub block: [u32; 3],
    pub covers: [u32; 2],
    pub n: u32,
    /// Matrices that it is given, and what lies in them.
    pub matrices: u32,
    pub values: Values,
    /// Shared memory of a block.
    pub shared_bytes: u32,
}

#[derive(Clone, Copy)]
pub enum Values {
    /// Small numbers in f32.
    Floats,
    /// Places in the matrix, each once, in no order.
    Places,
}

/// As most of them are.
const USUAL: Case = Case {
    kernel: "",
    block: [256, 1, 1],
    covers: [256, 1],
    n: 512,
    matrices: 2,
    values: Values::Floats,
    shared_bytes: 0,
};

const NAIVE: Case = Case { kernel: "gemm_naive", block: [32, 8, 1], covers: [32, 8], n: 128, matrices: 3, ..USUAL };
pub const TILED: Case =
    Case { kernel: "gemm_tiled", block: [32, 32, 1], covers: [32, 32], shared_bytes: 8192, ..NAIVE };

pub const CASES: [Case; 8] = [
    NAIVE,
    TILED,
    Case { kernel: "transpose_padded", block: [32, 8, 1], covers: [32, 32], shared_bytes: 4224, ..USUAL },
    Case { kernel: "gemm_registers", block: [16, 16, 1], covers: [64, 64], shared_bytes: 8448, ..NAIVE },
    Case { kernel: "gather", matrices: 3, values: Values::Places, ..USUAL },
    // A thread takes eight numbers, so a block covers four rows of the matrix.
    Case { kernel: "histogram", covers: [512, 4], values: Values::Places, shared_bytes: 1024, ..USUAL },
    Case { kernel: "warp_sums", covers: [512, 4], ..USUAL },
    Case { kernel: "divergent", covers: [128, 2], n: 128, values: Values::Places, ..USUAL },
];

impl Bench {
    pub fn new(case: &Case, tier: Tier, level: Level) -> Bench {
        let n = case.n;
        let ptx = kernels::unpack(PTX).expect("a whole file");
        let module = simulator::ptx::parse(&ptx).expect("engine.ptx parses");
        let options = Options { addresses: &|_| None, tier, level };
        let program = lower(&module, &options).expect("engine.ptx lowers");
        let memory = Memory::new(1 << 30).expect("address space");
        let mut parameters = Vec::new();
        for matrix in 0..case.matrices {
            let bytes = 4 * u64::from(n) * u64::from(n);
            let address = memory.allocate(bytes, Kind::Device, "matrix").expect("room");
            let value = |i: u32| match case.values {
                Values::Floats => (((i * 7 + matrix) % 13) as f32).to_bits(),
                Values::Places => i * 7919 % (n * n),
            };
            let values: Vec<u8> = (0..n * n).flat_map(|i| value(i).to_le_bytes()).collect();
            memory.write(address, &values).expect("just allocated");
            parameters.extend_from_slice(&address.to_le_bytes());
        }
        parameters.extend_from_slice(&n.to_le_bytes());
        Bench { program, memory, parameters }
    }

    pub fn run(&self, case: &Case, threads: usize, probe: Option<Box<dyn Probe>>) -> Outcome {
        let function = self.program.functions.iter().position(|f| f.name == case.kernel).expect("in engine.cu");
        let request = Request {
            function: FunctionId(function as u32),
            settings: Settings { threads, ..Settings::default() },
            resident_blocks: 24,
            ..Request::new(&self.program, &self.memory, (case.grid(), case.block), &self.parameters)
        };
        let outcome = run(&request, probe);
        assert_eq!(outcome.fault, None, "{}", case.kernel);
        outcome
    }
}

impl Case {
    /// A kernel that knows one axis gets all blocks on it.
    pub fn grid(&self) -> [u32; 3] {
        if self.block[1] == 1 {
            return [(self.n * self.n).div_ceil(self.covers[0] * self.covers[1]), 1, 1];
        }
        let [x, y] = self.covers.map(|covers| self.n.div_ceil(covers));
        [x, y, 1]
    }
}
