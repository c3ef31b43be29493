//! The time of one kernel on two cards: `cargo run -p clock --example two_cards`.
//!
//! A copy of 2²⁰ floats is run once for each listener; two cards then say how long they would have taken, by the model that fits on a page and with
//! one multiprocessor played through.
use clock::cards::find;
use clock::constants::{CONSTANTS, SECTOR_BYTES, WARP_LANES};
use clock::occupancy::{Demand, occupancy};
use clock::timeline::codes::Codes;
use clock::timeline::kernel_time::{Launched, Work, estimate};
use clock::timeline::{play::play, trace::Trace, traffic::Traffic};
use machine::exec::context::Facts;
use machine::exec::launch::{Request, Settings, run};
use machine::exec::op::Level;
use machine::lower::{Options, Tier, lower};
use machine::memory::{Kind, Memory};
use machine::{probe::Probe, program::FunctionId};

const PTX: &str = ".version 8.0 .target sm_89 .address_size 64
.visible .entry copy(.param .u64 in, .param .u64 out) {
    .reg .b64 %a, %b, %o; .reg .b32 %i, %j, %k; .reg .f32 %x;
    ld.param.u64 %a, [in]; ld.param.u64 %b, [out];
    mov.u32 %i, %ctaid.x; mov.u32 %j, %ntid.x; mov.u32 %k, %tid.x; mad.lo.u32 %i, %i, %j, %k;
    mul.wide.u32 %o, %i, 4; add.s64 %a, %a, %o; add.s64 %b, %b, %o;
    ld.global.f32 %x, [%a]; st.global.f32 [%b], %x; ret;
}";
const THREADS: u32 = 256;
const BLOCKS: u32 = 4096;

fn main() {
    let module = ptx::parse(PTX).expect("it parses");
    let options = Options { addresses: &|_| None, tier: Tier::Probed, level: Level::detect() };
    let program = lower(&module, &options).expect("it lowers");
    let memory = Memory::new(1 << 30).expect("room for addresses");
    let floats = || memory.allocate(u64::from(4 * THREADS * BLOCKS), Kind::Device, "floats").expect("room");
    let parameters = [floats(), floats()].map(u64::to_le_bytes).concat();
    let hear = |listener: Box<dyn Probe>| {
        let request = Request {
            program: &program,
            function: FunctionId(0),
            grid: [BLOCKS, 1, 1],
            block: [THREADS, 1, 1],
            cluster: [1; 3],
            dynamic_shared_bytes: 0,
            parameters: &parameters,
            cooperative: false,
            memory: &memory,
            settings: Settings::default(),
            resident_blocks: 24,
            facts: Facts::default(),
        };
        let outcome = run(&request, Some(listener));
        (outcome.probe.expect("it was given one").into_any(), outcome.warp_instructions)
    };
    for key in ["rtx4060", "h200"] {
        let card = find(key).expect("a row of the table");
        let demand = Demand { threads_per_block: THREADS, registers_per_thread: 16, shared_bytes_per_block: 0 };
        let occupancy = occupancy(card.architecture, demand);
        let blocks = u64::from(BLOCKS);
        let (traffic, instructions) =
            hear(Box::new(Traffic::new(card, blocks, THREADS, occupancy.blocks_per_multiprocessor, 0)));
        let (trace, _) = hear(Box::new(Trace::new(blocks, THREADS)));
        // A load and a store of each warp, four sectors each.
        let requests = 2 * blocks * u64::from(THREADS / WARP_LANES);
        let l1_sectors = requests * 4 * u64::from(WARP_LANES) / SECTOR_BYTES;
        let mut work = Work {
            blocks,
            threads_per_block: THREADS,
            instructions,
            memory_requests: requests,
            l1_sectors,
            ..Work::default()
        };
        work.answered_by(card, &traffic.downcast::<Traffic>().expect("the listener").found());
        let launched = Launched { card, occupancy, work: &work };
        let page = estimate(launched, None, None);
        let trace = *trace.downcast::<Trace>().expect("the listener");
        let whole = estimate(launched, play(card, occupancy, &work, 0, trace, &Codes::default()), None);
        println!("{key}: {:.1} µs, bound by {}", whole.duration_ns as f64 / 1e3, whole.bound_by);
        println!("  by the model that fits on a page: {:.1} µs", page.duration_ns as f64 / 1e3);
    }
    println!("{} numbers stand behind this beside the cards' rows", CONSTANTS.len());
}
