//! How fast the executor runs: lane instructions per second on one core, and one launch from start to result.
//!
//! `cargo bench -p simulator --bench engine`. A lane instruction is one PTX instruction of one thread. The kernels are in
//! `engine.cu`; parsing and lowering are not part of the time. `clock` is the counters with all that the virtual clock hears and makes of it.
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use simulator::cards::find;
use simulator::clock::analytic::kernel_time::Estimate;
use simulator::clock::compiler::codes::Codes;
use simulator::counters::Counters;
use simulator::driver::{Clock, Listeners};
use simulator::exec::executable::Executable;
use simulator::exec::launch::{Outcome, Request, Settings, run};
use simulator::exec::op::Level;
use simulator::lower::{Options, Tier, lower};
use simulator::memory::{Kind, Memory};
use simulator::occupancy::{Limit, Occupancy};
use simulator::probe::Probe;
use simulator::program::FunctionId;
use simulator::sanitizer::Sanitizer;

const PTX: &[u8] = include_bytes!("engine.ptx.z");

/// The kernels and the memory that one of them works on.
struct Bench {
    program: Executable,
    memory: Memory,
    parameters: Vec<u8>,
}

/// One benchmark.
#[derive(Clone, Copy)]
struct Case {
    kernel: &'static str,
    /// Threads of a block, and elements that it covers of an n×n matrix.
    block: [u32; 3],
    covers: [u32; 2],
    n: u32,
    /// Matrices that it is given, and what lies in them.
    matrices: u32,
    values: Values,
    /// Shared memory of a block.
    shared_bytes: u32,
}

#[derive(Clone, Copy)]
enum Values {
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
const TILED: Case = Case { kernel: "gemm_tiled", block: [32, 32, 1], covers: [32, 32], shared_bytes: 8192, ..NAIVE };

const CASES: [Case; 8] = [
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
    fn new(case: &Case, tier: Tier) -> Bench {
        let n = case.n;
        let ptx = kernels::unpack(PTX).expect("a whole file");
        let module = simulator::ptx::parse(&ptx).expect("engine.ptx parses");
        let options = Options { addresses: &|_| None, tier, level: Level::detect() };
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

    fn run(&self, case: &Case, threads: usize, probe: Option<Box<dyn Probe>>) -> Outcome {
        let function = self.program.functions.iter().position(|f| f.name == case.kernel).expect("in engine.cu");
        let request = Request {
            function: FunctionId(function as u32),
            settings: Settings { threads, ..Settings::default() },
            resident_blocks: 24,
            ..Request::new(&self.program, &self.memory, (case.grid(), case.block), &self.parameters)
        };
        let outcome = run(&request, probe);
        assert_eq!(outcome.fault, None);
        outcome
    }
}

impl Case {
    /// A kernel that knows one axis gets all blocks on it.
    fn grid(&self) -> [u32; 3] {
        let [x, y] = self.covers.map(|covers| self.n.div_ceil(covers));
        if self.block[1] == 1 { [x * y, 1, 1] } else { [x, y, 1] }
    }
}

/// Makes who listens to a launch, if anyone does.
type Listener = fn() -> Option<Box<dyn Probe>>;

/// The clock with its counters: who listens for it, and afterwards what it makes of what they heard, as the driver does.
fn with_clock(bench: &Bench, case: &Case, codes: &Codes) -> Estimate {
    let card = find("h200").expect("in the table");
    let threads = case.block.iter().product();
    let resident = card.architecture.max_threads_per_multiprocessor / threads;
    let clock = Clock {
        card,
        occupancy: Occupancy { blocks_per_multiprocessor: resident, limit: Limit::Warps },
        blocks: case.grid().iter().map(|&n| u64::from(n)).product(),
        threads,
        shared_bytes: case.shared_bytes,
    };
    let listeners = Listeners {
        counters: Some(Counters::new(4, 32)),
        traffic: Some(clock.traffic(clock.blocks)),
        trace: Some(clock.trace()),
        ..Listeners::default()
    };
    let outcome = bench.run(case, 1, listeners.into_probe());
    let listeners = Listeners::back(outcome.probe);
    let totals = listeners.counters.map(|counters| counters.totals(&bench.program));
    let found = listeners.traffic.map(|traffic| traffic.found());
    let work = clock.work(totals.as_ref(), outcome.warp_instructions, found.as_ref());
    clock.estimate(&work, listeners.trace, listeners.hand_overs.as_ref(), codes)
}

fn one_core(c: &mut Criterion) {
    let mut group = c.benchmark_group("one-core");
    for case in &CASES {
        let tiers: [(&str, Tier, Listener); 3] = [
            ("bare", Tier::Bare, || None),
            ("counters", Tier::Probed, || Some(Box::new(Counters::new(4, 32)))),
            ("sanitizer", Tier::Probed, || Some(Box::new(Sanitizer::default()))),
        ];
        for (name, tier, probe) in tiers {
            let bench = Bench::new(case, tier);
            let lanes = 32 * bench.run(case, 1, probe()).warp_instructions;
            group.throughput(Throughput::Elements(lanes));
            group.bench_function(BenchmarkId::new(case.kernel, name), |b| b.iter(|| bench.run(case, 1, probe())));
            if name == "counters" {
                // Each launch as the first of its program.
                let id = BenchmarkId::new(case.kernel, "clock");
                group.bench_function(id, |b| b.iter(|| with_clock(&bench, case, &Codes::default())));
            }
        }
    }
    group.finish();
}

fn launch_to_result(c: &mut Criterion) {
    let case = Case { n: 512, ..TILED };
    let bench = Bench::new(&case, Tier::Bare);
    let mut group = c.benchmark_group("two-cores");
    group.sample_size(10);
    group.bench_function("gemm_tiled n=512", |b| b.iter(|| bench.run(&case, 2, None)));
    group.finish();
}

criterion_group!(benches, one_core, launch_to_result);
criterion_main!(benches);
