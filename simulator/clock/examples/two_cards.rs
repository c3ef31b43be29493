//! The time of one kernel on two cards: `cargo run -p clock --example two_cards`.
//!
//! Each card's listener hears a copy of 2²⁰ floats; the clock then says how long the card would take, and why.
use clock::analytic::kernel_time::estimate;
use clock::analytic::terms::Launched;
use clock::analytic::work::Work;
use clock::cards::find;
use clock::compiler::codes::Codes;
use clock::constants::{CONSTANTS, SECTOR_BYTES, WARP_LANES};
use clock::listeners::trace::Trace;
use clock::listeners::traffic::Traffic;
use clock::multiprocessor::play::{Without, play};
use clock::occupancy::{Demand, occupancy};
use machine::exec::launch::{Request, Settings, run};
use machine::exec::{context::Facts, op::Level};
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
    let (grid, block, cluster, settings) = ([BLOCKS, 1, 1], [THREADS, 1, 1], [1; 3], Settings::default());
    let (function, facts, dynamic_shared_bytes, cooperative) = (FunctionId(0), Facts::default(), 0, false);
    let (program, parameters, memory, resident_blocks) = (&program, &parameters, &memory, 24);
    #[rustfmt::skip]
    let request = Request { program, function, grid, block, cluster, dynamic_shared_bytes, parameters, cooperative, memory, settings, resident_blocks, facts };
    let hear = |listener: Box<dyn Probe>| run(&request, Some(listener));
    for key in ["rtx4060", "h200"] {
        let card = find(key).expect("a row of the table");
        let demand = Demand { threads_per_block: THREADS, registers_per_thread: 16, shared_bytes_per_block: 0 };
        let occupancy = occupancy(card.architecture, demand);
        let blocks = u64::from(BLOCKS);
        let heard = hear(Box::new(Traffic::new(card, blocks, THREADS, occupancy.blocks_per_multiprocessor, 0)));
        let traffic = heard.probe.and_then(|probe| probe.concrete::<Traffic>()).expect("it was given");
        let trace = hear(Box::new(Trace::new(blocks, THREADS))).probe;
        let trace = trace.and_then(|probe| probe.concrete::<Trace>()).expect("it was given");
        let mut work =
            Work { blocks, threads_per_block: THREADS, instructions: heard.warp_instructions, ..Work::default() };
        // A load and a store of each warp, a word of each lane.
        work.memory_requests = 2 * blocks * u64::from(THREADS / WARP_LANES);
        work.l1_sectors = work.memory_requests * 4 * u64::from(WARP_LANES) / SECTOR_BYTES;
        work.answered_by(card, &traffic.found());
        let played = play(card, occupancy, &work, 0, *trace, (&Codes::default(), &Without::default()));
        let time = estimate(Launched { card, occupancy, work: &work }, played, None);
        println!("{key}: {:.1} µs, bound by {}", time.duration_ns as f64 / 1e3, time.bound_by);
    }
    println!("from the cards' rows and {} constants", CONSTANTS.len());
}
