//! Counts the bank conflicts of a small kernel, and words the race of its two warps, which store to one column of a tile without a barrier.
//! `cargo run -p watch --example transposed_tile`
use machine::exec::{context::Facts, launch::*, op::Level};
use machine::lower::{Options, Tier, lower};
use machine::{memory::Memory, probe::Launch, probe::Probe, program::FunctionId};
use watch::diagnostics::{Scene, finding, read_source};
use watch::{counters::Counters, sanitizer::Sanitizer};

/// Thread t of 64 stores to `tile[t % 32][0]`: a column of 32 words in one bank.
const PTX: &str = ".version 8.0 .target sm_80 .address_size 64
.visible .entry column() { .shared .align 4 .b8 tile[4096]; .reg .u32 %r<4>;
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mov.u32 %r3, tile; mad.lo.u32 %r3, %r2, 128, %r3; st.shared.u32 [%r3], %r1; ret; }";

#[rustfmt::skip]
fn main() {
    let options = Options { addresses: &|_| None, tier: Tier::Probed, level: Level::detect() };
    let program = lower(&ptx::parse(PTX).expect("PTX"), &options).expect("instructions of the table");
    let (memory, function, facts) = (Memory::new(1 << 20).expect("address space"), FunctionId(0), Facts::default());
    let request = Request { program: &program, function, grid: [1; 3], block: [64, 1, 1], cluster: [1; 3], dynamic_shared_bytes: 0,
        parameters: &[], cooperative: false, memory: &memory, settings: Settings::default(), resident_blocks: 1, facts };
    let hear = |probe: Box<dyn Probe>| run(&request, Some(probe)).probe.expect("the listener comes back");
    let counters = hear(Box::new(Counters::new(4, 32))).concrete::<Counters>().expect("the same listener");
    println!("{} bank conflicts", counters.totals(&program).memory.shared_conflicts);
    let launch = Launch { program: &program, function: &program.functions[0], function_id: 0, grid: [1; 3], block: [64, 1, 1], cluster: [1; 3],
        dynamic_shared_bytes: 0, parameters: &[], shared_bytes: 4096, cooperative: false, grid_barrier: None, in_lock_step: false, memory: &memory };
    let scene = Scene { launch: &launch, sources: &read_source };
    let sanitizer = hear(Box::new(Sanitizer::new())).concrete::<Sanitizer>().expect("the same listener");
    sanitizer.findings().for_each(|found| println!("{}", finding(found, &scene).message));
}
