//! Counts the bank conflicts of a small kernel, and words the race of its two warps, which exchange words of a tile without a barrier.
//! `cargo run -p watch --example transposed_tile`
use machine::exec::context::Facts;
use machine::exec::launch::{Request, Settings, run};
use machine::exec::op::Level;
use machine::lower::{Options, Tier, lower};
use machine::memory::Memory;
use machine::probe::Launch;
use machine::program::FunctionId;
use watch::counters::Counters;
use watch::diagnostics::{Scene, finding, read_source};
use watch::listeners::Listeners;
use watch::sanitizer::Sanitizer;

/// Thread t of 64 writes `tile[t % 32][t / 32]`, a column of 32 words in one bank, and reads the column of the other warp.
const PTX: &str = "
.version 8.0 .target sm_80 .address_size 64
.visible .entry exchange() {
    .shared .align 4 .b8 tile[4096];
    .reg .u32 %r<8>;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    shl.b32 %r2, %r2, 7;
    shr.u32 %r3, %r1, 5;
    mov.u32 %r4, tile;
    add.u32 %r4, %r4, %r2;
    shl.b32 %r5, %r3, 2;
    add.u32 %r5, %r4, %r5;
    st.shared.u32 [%r5], %r1;
    xor.b32 %r3, %r3, 1;
    shl.b32 %r6, %r3, 2;
    add.u32 %r6, %r4, %r6;
    ld.shared.u32 %r7, [%r6];
    ret;
}";

fn main() {
    let module = ptx::parse(PTX).expect("PTX");
    let options = Options { addresses: &|_| None, tier: Tier::Probed, level: Level::detect() };
    let program = lower(&module, &options).expect("instructions of the table");
    let memory = Memory::new(1 << 20).expect("address space");
    let (grid, block, cluster, settings, facts) = ([1; 3], [64, 1, 1], [1; 3], Settings::default(), Facts::default());
    let (function, parameters, dynamic_shared_bytes) = (FunctionId(0), &[][..], 0);
    #[rustfmt::skip]
    let request = Request { program: &program, function, grid, block, cluster, dynamic_shared_bytes, parameters, cooperative: false,
        memory: &memory, settings, resident_blocks: 1, facts };
    let (counters, sanitizer) = (Some(Counters::new(4, 32)), Some(Sanitizer::new()));
    let wanted = Listeners { counters, sanitizer, ..Listeners::default() };
    let heard = Listeners::back(run(&request, wanted.into_probe()).probe);

    let counted = heard.counters.expect("the listener").totals(&program).memory;
    let accesses = counted.shared_load_accesses + counted.shared_store_accesses;
    println!("{} bank conflicts in {accesses} accesses of warps", counted.shared_conflicts);
    let function = &program.functions[0];
    #[rustfmt::skip]
    let launch = Launch { program: &program, function, function_id: 0, grid, block, cluster, dynamic_shared_bytes, parameters,
        shared_bytes: function.shared_bytes_with(0), cooperative: false, grid_barrier: None, in_lock_step: false, memory: &memory };
    let scene = Scene { launch: &launch, sources: &read_source };
    heard.sanitizer.expect("the listener").findings().for_each(|found| println!("{}", finding(found, &scene).message));
}
