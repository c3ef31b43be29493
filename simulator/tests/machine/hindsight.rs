//! Whoever hears afterwards of warps that go together hears what is heard where each goes alone, in the same order.
//!
//! The kernels are those that the engine is measured with.
use simulator::exec::executable::Executable;
use simulator::exec::launch::{Request, Settings, run};
use simulator::exec::op::Level;
use simulator::lower::{Options, Tier, lower};
use simulator::memory::{Kind, Memory};
use simulator::probe::{Access, Addresses, Arrival, Passage, Probe, WarpLoad, Who, lanes};
use simulator::program::FunctionId;

const PTX: &[u8] = include_bytes!("../../benches/engine.ptx.z");
/// A side of the matrices.
const N: u32 = 64;
/// Kernel, threads of a block, elements that it covers, matrices.
const KERNELS: [(&str, [u32; 3], [u32; 2], u32); 8] = [
    ("gemm_naive", [32, 8, 1], [32, 8], 3),
    ("gemm_tiled", [32, 32, 1], [32, 32], 3),
    ("transpose_padded", [32, 8, 1], [32, 32], 2),
    ("gemm_registers", [16, 16, 1], [64, 64], 3),
    ("gather", [256, 1, 1], [64, 4], 3),
    ("histogram", [256, 1, 1], [64, 32], 2),
    ("warp_sums", [256, 1, 1], [64, 32], 2),
    ("divergent", [256, 1, 1], [64, 4], 2),
];

/// Writes down what it hears.
#[derive(Default)]
struct Recorded {
    afterwards: bool,
    /// Where the first matrix lies: another test's memory in this process may have taken the place it had before.
    first: u64,
    events: Vec<String>,
    passages: usize,
}

impl Recorded {
    fn note(&mut self, who: Who, what: String) {
        self.events.push(format!("block {} warp {}: {what}", who.block_index, who.warp));
    }
}

impl Probe for Recorded {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Recorded { afterwards: self.afterwards, first: self.first, ..Recorded::default() })
    }
    fn in_hindsight(&self) -> bool {
        self.afterwards
    }
    fn passage(&mut self, _: &Passage) {
        self.passages += 1;
    }
    fn run(&mut self, who: Who, block: u32, mask: u32, live: u32) {
        self.note(who, format!("runs {block} {mask:x} {live:x}"));
    }
    fn guarded(&mut self, who: Who, site: u32, active: u32, mask: u32) {
        self.note(who, format!("guards {site} {active:x} {mask:x}"));
    }
    fn branch(&mut self, who: Who, site: u32, active: u32, taken: u32) {
        self.note(who, format!("branches at {site} {active:x} {taken:x}"));
    }
    fn access(&mut self, access: &Access) {
        let relative = |address: u64| address.checked_sub(self.first).unwrap_or(address);
        let addresses: Vec<u64> = lanes(access.mask).map(|lane| relative(access.address(lane))).collect();
        let scattered = matches!(access.addresses, Addresses::Each(_));
        let Access { who, site, kind, space, mask, bytes, order, .. } = *access;
        self.note(who, format!("{kind:?} {site} {space:?} {mask:x} {bytes} {order:?} {scattered} {addresses:?}"));
    }
    fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
        loads.iter().for_each(|load| self.access(&load.access(who)));
    }
    fn barrier_arrive(&mut self, arrival: &Arrival) {
        self.note(arrival.who, format!("arrives at {}", arrival.site));
    }
    fn barrier_release(&mut self, block: u64, id: u32) {
        self.events.push(format!("block {block}: barrier {id} lets go"));
    }
    fn block_end(&mut self, _: [u32; 3], block: u64) {
        self.events.push(format!("block {block} ends"));
    }
}

fn recorded(program: &Executable, kernel: usize, afterwards: bool) -> Recorded {
    let (name, block, covers, matrices) = KERNELS[kernel];
    let memory = Memory::new(1 << 26).expect("address space");
    let mut parameters: Vec<u8> = Vec::new();
    for matrix in 0..matrices {
        let address = memory.allocate(4 * u64::from(N * N), Kind::Device, "matrix").expect("room");
        let values: Vec<u8> =
            (0..N * N).flat_map(|i| (i * 7919 % (N * N) + matrix).min(N * N - 1).to_le_bytes()).collect();
        memory.write(address, &values).expect("just allocated");
        parameters.extend_from_slice(&address.to_le_bytes());
    }
    let first = u64::from_le_bytes(parameters[..8].try_into().expect("eight bytes"));
    parameters.extend_from_slice(&N.to_le_bytes());
    let function = program.functions.iter().position(|function| function.name == name).expect("in engine.cu");
    let [x, y] = covers.map(|covers| N.div_ceil(covers));
    let grid = if block[1] == 1 { [x * y, 1, 1] } else { [x, y, 1] };
    let request = Request {
        function: FunctionId(function as u32),
        settings: Settings { threads: 1, ..Settings::default() },
        resident_blocks: 24,
        ..Request::new(program, &memory, (grid, block), &parameters)
    };
    let outcome = run(&request, Some(Box::new(Recorded { afterwards, first, ..Recorded::default() })));
    assert_eq!(outcome.fault, None, "{name}");
    *outcome.probe.expect("it listened").concrete::<Recorded>().expect("the same")
}

#[test]
fn what_is_recorded_afterwards_is_what_is_recorded_at_once() {
    let ptx = kernels::unpack(PTX).expect("a whole file");
    let module = simulator::ptx::parse(&ptx).expect("engine.ptx parses");
    for level in [Level::Base, Level::Avx2, Level::Avx512].into_iter().filter(|level| *level <= Level::of_host()) {
        let options = Options { addresses: &|_| None, tier: Tier::Probed, level };
        let program = lower(&module, &options).expect("engine.ptx lowers");
        for (number, (name, ..)) in KERNELS.iter().enumerate() {
            let (at_once, afterwards) = (recorded(&program, number, false), recorded(&program, number, true));
            assert_eq!(at_once.passages, 0);
            // Where lanes exchange values, warps go alone.
            assert_eq!(afterwards.passages > 0, *name != "warp_sums", "{name}: {} passages", afterwards.passages);
            assert!(at_once.events.len() > 100, "{name}");
            let differs = at_once.events.iter().zip(&afterwards.events).position(|(one, other)| one != other);
            let differs = differs.map(|at| (at, &at_once.events[at], &afterwards.events[at]));
            assert_eq!(differs, None, "{name} with {level:?}");
            assert_eq!(at_once.events.len(), afterwards.events.len(), "{name}");
        }
    }
}
