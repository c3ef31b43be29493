//! The simulator's counts for the launches of `counted/launches.txt`: as committed, and as theory and hardware have it.
//!
//! `counted/simulated.csv` holds the figures; `LABS_WRITE=1 cargo test -p simulator --test machine counters` makes it
//! anew. docs/simulator/counters.md says how they compare with a GPU.
use crate::exhibit::{Exhibit, ptx_beside};
use crate::launches::{self, Row, root, rows};
use simulator::counters::Counters;
use simulator::counters::samples::Samples;
use simulator::counters::totals::{Line, Totals};
use simulator::exec::launch::{Request, Settings, run};
use simulator::exec::op::Level;
use simulator::lower::{Options, Tier, lower};
use simulator::memory::{Kind, Memory};
use simulator::probe::Probe;
use simulator::program::{FunctionId, Program};
use std::fmt::Write;

fn count(row: &Row, bank_bytes: u32) -> Totals {
    count_ptx(&committed(&row.ptx), row, bank_bytes)
}

/// The text of a committed file.
fn committed(path: &str) -> String {
    kernels::read_ptx(&root().join(path)).expect("its PTX is committed")
}

/// Counts a launch of a kernel in `ptx`, whatever file the row names.
fn count_ptx(ptx: &str, row: &Row, bank_bytes: u32) -> Totals {
    listened(ptx, row, Counters::new(bank_bytes, 32), |counters, program| counters.report(program).totals)
}

/// Launches a kernel with one listener, and makes of it what `told` does.
fn listened<P: Probe + 'static, T>(ptx: &str, row: &Row, probe: P, told: impl FnOnce(P, &Program) -> T) -> T {
    listened_with(ptx, row, Settings::default(), probe, told)
}

fn listened_with<P: Probe + 'static, T>(
    ptx: &str,
    row: &Row,
    settings: Settings,
    probe: P,
    told: impl FnOnce(P, &Program) -> T,
) -> T {
    let module = simulator::ptx::parse(ptx).expect("the PTX parses");
    let options = Options { addresses: &|_| None, tier: Tier::Probed, level: Level::detect() };
    let program = lower(&module, &options).expect("and lowers");
    let function = program.functions.iter().position(|f| f.name == row.kernel).expect("the kernel is in it");
    let memory = Memory::new(1 << 30).expect("address space");
    let mut parameters = vec![0; program.functions[function].parameter_bytes as usize];
    for (slot, argument) in program.functions[function].parameters.iter().zip(&row.arguments) {
        let value = match argument {
            None => memory.allocate(launches::BUFFER_BYTES, Kind::Device, "").expect("room").to_le_bytes().to_vec(),
            Some(number) => number.to_le_bytes().to_vec(),
        };
        parameters[slot.offset as usize..][..slot.bytes as usize].copy_from_slice(&value);
    }
    let request = Request {
        function: FunctionId(function as u32),
        settings,
        resident_blocks: 64,
        ..Request::new(&program, &memory, (row.grid, row.block), &parameters)
    };
    let outcome = run(&request, Some(Box::new(probe)));
    assert_eq!(outcome.fault, None, "{}", row.name);
    let probe = outcome.probe.and_then(|probe| probe.concrete::<P>()).expect("it comes back");
    told(*probe, &program)
}

const COLUMNS: &str = "name,global_load_requests,global_load_sectors,global_store_requests,global_store_sectors,\
shared_load_wavefronts,shared_store_wavefronts,shared_conflicts,atomics,atomic_conflicts";

fn table() -> String {
    let mut csv = format!("{COLUMNS}\n");
    for row in rows() {
        let m = count(&row, 4).memory;
        let _ = writeln!(
            csv,
            "\"{}\",{},{},{},{},{},{},{},{},{}",
            row.name,
            m.global_load_requests,
            m.global_load_sectors,
            m.global_store_requests,
            m.global_store_sectors,
            m.shared_load_wavefronts,
            m.shared_store_wavefronts,
            m.shared_conflicts,
            m.atomics,
            m.atomic_conflicts,
        );
    }
    csv
}

#[test]
fn the_table_is_as_committed() {
    let path = root().join("simulator/tests/counted/simulated.csv");
    if std::env::var_os("LABS_WRITE").is_some() {
        std::fs::write(&path, table()).expect("the folder is there");
    }
    let committed = std::fs::read_to_string(&path).expect("committed");
    for (got, expected) in table().lines().zip(committed.lines()) {
        assert_eq!(got, expected);
    }
    assert_eq!(table().lines().count(), committed.lines().count());
}

fn find(name: &str) -> Row {
    rows().into_iter().find(|row| row.name == name).expect("in the table")
}

/// Measured with Nsight Compute on an H200: the naive product, n = 64, block 32×32, has 16 384 load requests and 40 960
/// sectors. Assignment 4 published 30, 56.25 and 82.5 % load efficiency for block edge 8, 16, 32.
#[test]
fn naive_product_as_measured_and_published() {
    let loads = count(&find("naive product, edge 32"), 4).memory;
    assert_eq!((loads.global_load_requests, loads.global_load_sectors), (16384, 40960));
    for (edge, percent) in [(8, 30.0), (16, 56.25), (32, 82.5)] {
        let loads = count(&find(&format!("naive product, edge {edge}")), 4).memory;
        assert_eq!(loads.global_load_efficiency, Some(percent), "edge {edge}");
    }
}

#[test]
fn flops_of_a_product_are_two_per_step() {
    for name in ["naive product, edge 16", "shared product, edge 32"] {
        assert_eq!(count(&find(name), 4).flops, 2 * 64 * 64 * 64, "{name}");
    }
}

#[test]
fn instructions_by_class_add_up() {
    let totals = count(&find("shared product, edge 16"), 4);
    assert_eq!(totals.instructions_by_class.values().sum::<u64>(), totals.instructions);
    assert!(totals.thread_instructions <= 32 * totals.instructions);
    assert_eq!(totals.barriers, 16 * 8 * 4 * 2, "16 blocks of 8 warps, 4 tiles, 2 barriers");
}

#[test]
fn kepler_has_wider_banks() {
    let wide = count(&find("shared f32 stride 2"), 8).memory;
    let narrow = count(&find("shared f32 stride 2"), 4).memory;
    assert!(wide.shared_load_wavefronts < narrow.shared_load_wavefronts);
}

/// A launch of a kernel whose text the test itself has: blocks and threads along one edge.
fn launch_of(kernel: &str, blocks: u32, threads: u32, arguments: &[Option<i32>]) -> Row {
    let (grid, block, arguments) = ([blocks, 1, 1], [threads, 1, 1], arguments.to_vec());
    Row { name: kernel.into(), ptx: String::new(), kernel: kernel.into(), grid, block, arguments }
}

/// The guarded addition and multiply-add switch 5 and 27 of a warp's lanes off; the flops are those of the others.
#[test]
fn lanes_that_a_predicate_switches_off_do_not_count() {
    let ptx = include_str!("guarded.ptx");
    let row = launch_of("guarded", 2, 32, &[]);
    let totals = count_ptx(ptx, &row, 4);
    assert_eq!(totals.predicated_off, 2 * (5 + 27));
    assert_eq!((totals.instructions, totals.thread_instructions), (2 * 7, 2 * (7 * 32 - 5 - 27)));
    assert_eq!(totals.flops, 2 * 5 * 2);
}

/// Measured with Nsight Compute on an H200: 35.42 % where 256 threads clear 64 words, add to one of them, and read the 64: a warp's additions to one word
/// are one pass for 4 bytes.
#[test]
fn atomics_on_shared_memory_take_passes() {
    let ptx = include_str!("histogram.ptx");
    let row = launch_of("histogram", 1, 256, &[]);
    let memory = count_ptx(ptx, &row, 4).memory;
    assert_eq!((memory.shared_atomic_accesses, memory.shared_atomic_wavefronts, memory.shared_conflicts), (8, 8, 0));
    let efficiency = memory.shared_efficiency.expect("accesses");
    assert!((efficiency - 35.42).abs() < 0.005, "{efficiency}");
}

/// Matrix products reach the clock: multiply-adds of 16-bit elements, 16·8·16 of each warp here.
#[test]
fn matrix_products_reach_the_clock() {
    let ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .b32 %a<4>, %b<2>, %c<4>, %d<4>;\n\
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, \
        {%c0, %c1, %c2, %c3};\nret;\n}\n";
    let row = launch_of("k", 3, 64, &[]);
    assert_eq!(count_ptx(ptx, &row, 4).tensor_fmas, 6 * 2048);
}

/// A warp of one block stores and loads in steps of `stride` elements of `words` words: line 1 global, line 2 shared memory.
fn strided(words: usize, stride: usize, lanes: usize) -> String {
    let (vector, registers) = match words {
        1 => ("", "%f0".to_owned()),
        2 => (".v2", "{%f0, %f1}".to_owned()),
        _ => (".v4", "{%f0, %f1, %f2, %f3}".to_owned()),
    };
    let step = 4 * words * stride;
    format!(
        ".version 8.0\n.target sm_50\n.address_size 64\n.file 1 \"k.cu\"\n.visible .entry k(.param .u64 p) {{
        .reg .pred %p; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<4>;
        .shared .align 16 .b8 tile[{}];
        ld.param.u64 %rd0, [p]; cvta.to.global.u64 %rd1, %rd0;
        mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, {lanes};
        mul.wide.u32 %rd2, %r0, {step}; add.s64 %rd3, %rd1, %rd2;
        mov.u32 %r1, tile; mul.lo.u32 %r2, %r0, {step}; add.u32 %r3, %r1, %r2;
        mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
        .loc 1 1 0
        @%p st.global{vector}.f32 [%rd3], {registers};
        @%p ld.global{vector}.f32 {registers}, [%rd3];
        .loc 1 2 0
        @%p st.shared{vector}.f32 [%r3], {registers};
        @%p ld.shared{vector}.f32 {registers}, [%r3];
        .loc 1 3 0
        ret; }}",
        32 * step.max(16)
    )
}

/// Words of a lane, stride, lanes, width of a bank.
fn patterns() -> Vec<(usize, usize, usize, u32)> {
    let mut all = Vec::new();
    for words in [1, 2, 4] {
        for stride in [0, 1, 2, 3, 16, 32, 33] {
            for lanes in [32, 31, 5] {
                all.extend([4, 8].map(|bank_bytes| (words, stride, lanes, bank_bytes)));
            }
        }
    }
    all
}

/// The page draws an access from its addresses and writes the sample's numbers beside it: they are those of the line's counters.
#[test]
fn a_sample_of_the_only_access_has_the_numbers_of_its_line() {
    let row = launch_of("k", 1, 32, &[None]);
    let sample = |line: &Line, kind: &str| line.accesses.iter().find(|sample| sample.kind == kind).cloned().unwrap();
    for (words, stride, lanes, bank_bytes) in patterns() {
        let ptx = strided(words, stride, lanes);
        let lines =
            listened(&ptx, &row, Counters::new(bank_bytes, 32), |counters, program| counters.report(program).lines);
        let mut sampled = lines.clone();
        listened(&ptx, &row, Samples::new(bank_bytes), |samples, program| samples.add_to(&mut sampled, program));
        let what = format!("{words} words, stride {stride}, {lanes} lanes, banks of {bank_bytes}");
        let [global, shared, ..] = sampled.as_slice() else { panic!("{sampled:?}") };
        assert_eq!((global.line, shared.line), (1, 2));
        let (store, load) = (sample(global, "store"), sample(global, "load"));
        assert_eq!(
            (store.count, load.count),
            (global.memory.global_store_sectors, global.memory.global_load_sectors),
            "{what}"
        );
        let (store, load) = (sample(shared, "store"), sample(shared, "load"));
        let wavefronts = (shared.memory.shared_store_wavefronts, shared.memory.shared_load_wavefronts);
        assert_eq!((store.count, load.count), wavefronts, "{what}");
        assert_eq!((store.count - store.ideal) + (load.count - load.ideal), shared.memory.shared_conflicts, "{what}");
        assert_eq!(load.lanes.iter().flatten().count(), lanes);
        assert_eq!(load.lanes[1], Some((4 * words * stride) as u64), "{what}");
    }
}

/// The line's worst access and its first full one, whatever the order of blocks and of the host's threads.
#[test]
fn samples_do_not_depend_on_the_schedule() {
    let row = find("naive product, edge 16");
    let ptx = committed(&row.ptx);
    let lines = listened(&ptx, &row, Counters::new(4, 32), |counters, program| counters.report(program).lines);
    let sampled = [1, 2].map(|threads| {
        let mut lines = lines.clone();
        let settings = Settings { threads, ..Settings::default() };
        listened_with(&ptx, &row, settings, Samples::new(4), |samples, program| samples.add_to(&mut lines, program));
        // Each run has a memory of its own, whose addresses begin where the process has room for them.
        lines.iter_mut().flat_map(|line| &mut line.accesses).for_each(|sample| sample.base = 0);
        lines
    });
    assert!(sampled[0] == sampled[1], "the samples of one thread and of two differ");
    let samples = || sampled[0].iter().flat_map(|line| &line.accesses);
    assert!(samples().any(|sample| sample.kind == "load" && sample.block == [0; 3] && sample.warp == 0));
}

/// A sector of an array has 16 bytes of two rows, so that a row of 32 texels of 4 bytes lies in 8; lanes outside have none.
#[test]
fn textures_and_surfaces_have_requests_and_sectors() {
    let counted = |name: &str| {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/museum/clean").join(name);
        let exhibit = Exhibit::read(&file.with_extension("cu")).expect("an exhibit");
        let ptx = ptx_beside(&file.with_extension("cu")).expect("its PTX is committed");
        let setup = exhibit.set_up(&ptx, Tier::Probed).expect("it loads");
        let outcome = exhibit.run(&setup, Settings::default(), Some(Box::new(Counters::new(4, 32))));
        let counters = outcome.probe.expect("the probe").concrete::<Counters>().expect("the counters");
        let memory = counters.totals(&setup.program).memory;
        [
            [memory.texture_requests, memory.texture_sectors],
            [memory.surface_load_requests, memory.surface_load_sectors],
            [memory.surface_store_requests, memory.surface_store_sectors],
        ]
        .map(|pair| pair.map(|count| count.unwrap_or(0)))
    };
    // Two rows, one to the left and one down, of which the last is outside.
    assert_eq!(counted("texture_beside_a_surface"), [[4, 24], [0, 0], [2, 16]]);
    assert_eq!(counted("surface_of_own_texels"), [[0, 0], [2, 16], [2, 16]]);
}
