//! The edges of memory: what lies beside what a kernel owns, and what a card does there.
use crate::module::{Module, Plain, Start};
use simulator::exec::launch::Settings;
use simulator::fault::{AccessKind, Fault};
use simulator::ptx::tree::Space;

/// A module with one entry `k(in, out)`: the pointers are in `%in` and `%out`, and every lane's number in `%i`.
fn kernel(variables: &str, body: &str) -> Module {
    Module::of_text(&include_str!("memory.ptx").replace("{variables}", variables).replace("{body}", body))
}

fn run(module: &Module, input: u64, output: u64, start: Start) -> Option<Fault> {
    module.start("k", start, &[input.bytes(), output.bytes()]).fault
}

/// Seven elements read by two wide loads, as NVRTC does: the second one reaches 4 bytes over the end.
#[test]
fn a_wide_load_may_reach_over_the_end() {
    let module = kernel(
        "",
        "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%in];
         ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%in+16];
         add.u32 %r6, %r6, %r4;
         st.global.u32 [%out], %r6;",
    );
    let (input, output) = (module.array(&[1u32, 2, 3, 4, 5, 6, 7]), module.array(&[0u32]));
    assert_eq!(run(&module, input, output, Start::new(1, 1)), None);
    assert_eq!(module.read::<u32>(output, 1), [12]);
}

/// Lanes take 800 bytes and 8 more each, of 1,024 on an H200: it is error 700 there.
#[test]
fn more_than_is_left_of_the_stack_stops() {
    let module = kernel(
        "",
        "mad.lo.u32 %r0, %i, 8, 800; cvt.u64.u32 %in, %r0; alloca.u64 %out, 16; alloca.u64 %in, %in; st.local.u32 [%in], %i;",
    );
    let fault = run(&module, 0, 0, Start::new(1, 32));
    let Some(Fault::StackFull { at, bytes: 1016, left: 1008 }) = fault else { panic!("{fault:?}") };
    assert_eq!((at.lane, at.lanes), (27, 0x1f << 27));
}

#[test]
fn a_load_that_begins_behind_the_end_and_a_store_across_it_stop() {
    let load = kernel("", "ld.global.v2.u32 {%r0, %r1}, [%in+8]; st.global.u32 [%out], %r0;");
    let store = kernel("", "st.global.v2.u32 [%in], {%i, %i};");
    for (module, wanted) in [(load, AccessKind::Load), (store, AccessKind::Store)] {
        let (input, output) = (module.array(&[1u32]), module.array(&[0u32]));
        match run(&module, input, output, Start::new(1, 1)) {
            Some(Fault::OutOfBounds { kind, space: Space::Global, .. }) => assert_eq!(kind, wanted),
            other => panic!("{wanted:?}: {other:?}"),
        }
    }
}

/// Loads of a block that share an address register look at its addresses once, as long as nothing writes the register: neither an
/// instruction between them nor the load itself.
#[test]
fn an_address_register_that_changes_is_looked_at_again() {
    let module = kernel(
        "",
        "mul.wide.u32 %d0, %i, 8;
         add.u64 %d1, %in, %d0;
         ld.global.u64 %d2, [%d1];
         ld.global.u64 %d3, [%d1+256];
         sub.u32 %r0, 31, %i;
         mul.wide.u32 %d1, %r0, 8;
         add.u64 %d1, %in, %d1;
         ld.global.u64 %d4, [%d1];
         ld.global.u64 %d1, [%d1+256];
         ld.global.u64 %d1, [%d1];
         add.u64 %d0, %out, %d0;
         st.global.u64 [%d0], %d2;
         st.global.u64 [%d0+256], %d3;
         st.global.u64 [%d0+512], %d4;
         st.global.u64 [%d0+768], %d1;",
    );
    let input = module.array(&[0u64; 64]);
    // Numbers, and after them addresses of the numbers, from the last one to the first.
    let values: Vec<u64> = (0..32).map(|i| 100 + i * i).collect();
    let addresses: Vec<u64> = (0..32).rev().map(|i| input + 8 * i).collect();
    let bytes: Vec<u8> = values.iter().chain(&addresses).flat_map(|value| value.to_le_bytes()).collect();
    module.memory.write(input, &bytes).unwrap();
    let output = module.array(&[0u64; 128]);
    assert_eq!(run(&module, input, output, Start::new(1, 32)), None);
    let reversed: Vec<u64> = values.iter().rev().copied().collect();
    let wanted = [&values[..], &addresses[..], &reversed[..], &values[..]].concat();
    assert_eq!(module.read::<u64>(output, 128), wanted);
}

/// An access keeps its pattern for a later one even where another register's pattern has lain in the same place between them.
#[test]
fn a_pattern_is_kept_where_no_other_lies_until_it_is_taken() {
    let module = kernel(
        "",
        "mul.wide.u32 %d0, %i, 16;
         add.u64 %d1, %in, %d0;
         mul.wide.u32 %d0, %i, 8;
         add.u64 %d0, %out, %d0;
         ld.global.u64 %d2, [%d1];
         st.global.u64 [%d0], %d2;
         ld.global.u64 %d3, [%d1+8];
         add.u64 %d1, %d3, %d2;
         st.global.u64 [%d0+256], %d3;
         st.global.u64 [%d0+512], %d1;",
    );
    let values: Vec<u64> = (0..64).map(|i| 100 + i * i).collect();
    let input = module.array(&values);
    let output = module.array(&[0u64; 96]);
    // The second block's accesses know where their memory is, and go by the pattern alone.
    assert_eq!(run(&module, input, output, Start::new(2, 32)), None);
    let every_second = |from: usize| values.iter().skip(from).step_by(2).copied().collect::<Vec<_>>();
    let (even, odd) = (every_second(0), every_second(1));
    let sums = even.iter().zip(&odd).map(|(a, b)| a + b).collect::<Vec<_>>();
    assert_eq!(module.read::<u64>(output, 96), [even, odd, sums].concat());
}

/// Cards give a block shared memory in units of 128 bytes, of 256 before compute capability 8.0, and Dr.Jit's sums read what lies behind two words of their own.
#[test]
fn a_load_behind_the_end_of_shared_memory_stays_in_the_unit_that_the_block_has() {
    let outcome = |words: u32, access: &str| {
        let module = kernel("", &format!(".shared .align 16 .b32 own[{words}];\n{access}\nst.global.u32 [%out], %r0;"));
        let output = module.array(&[0u32]);
        run(&module, 0, output, Start::new(1, 1))
    };
    for inside in [
        "ld.shared.u32 %r0, [own+8];",
        "ld.shared.u32 %r0, [own+124];",
        "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [own+112];",
    ] {
        assert_eq!(outcome(2, inside), None, "{inside}");
    }
    let behind = "ld.shared.u32 %r0, [own+128];";
    assert_eq!(outcome(33, behind), None, "it is the kernel's");
    for (words, access) in [
        (2, behind),
        (32, behind),
        (33, "ld.shared.u32 %r0, [own+256];"),
        (2, "ld.shared.u32 %r0, [own+4096];"),
        (2, "st.shared.u32 [own+8], %i;"),
        (2, "atom.shared.add.u32 %r0, [own+8], 1;"),
    ] {
        let fault = outcome(words, access);
        assert!(
            matches!(fault, Some(Fault::OutOfBounds { space: Space::Shared, .. })),
            "{words} words, {access}: {fault:?}"
        );
    }
}

/// Error 716 on a card, whether the access crosses the end, or lies far outside, or not.
#[test]
fn a_misaligned_access_is_one_wherever_it_lies() {
    for offset in [1, 2, 3, 4097, 1 << 30 | 1] {
        for body in ["ld.global.u32 %r0, [%d0];", "st.global.u32 [%d0], %i;", "red.global.add.u32 [%d0], 1;"] {
            let module = kernel("", &format!("add.u64 %d0, %in, {offset}; {body}"));
            let (input, output) = (module.array(&[1u32]), module.array(&[0u32]));
            let fault = run(&module, input, output, Start::new(1, 1));
            assert!(matches!(fault, Some(Fault::Misaligned { .. })), "{body} at {offset}: {fault:?}");
        }
    }
}

/// One static byte and 512 dynamic ones: these begin at 16 and are all there.
#[test]
fn dynamic_shared_memory_has_its_full_size_behind_the_static_part() {
    let module = kernel(
        ".extern .shared .align 4 .b8 dynamic[];",
        ".shared .align 1 .b8 flag;
         st.shared.u8 [flag], %b;
         mov.u32 %r0, dynamic;
         mad.lo.u32 %r1, %i, 4, %r0;
         st.shared.u32 [%r1], %i;
         ld.shared.u32 %r2, [%r1];
         mov.u32 %r3, %dynamic_smem_size;
         mov.u32 %r4, %total_smem_size;
         st.global.v4.u32 [%out], {%r0, %r2, %r3, %r4};",
    );
    let output = module.array(&[0u32; 4]);
    let start = |threads| Start { shared: 512, ..Start::new(1, threads) };
    assert_eq!(run(&module, 0, output, start(128)), None);
    assert_eq!(module.read::<u32>(output, 4), [16, 127, 512, 640]);
    assert!(matches!(run(&module, 0, output, start(129)), Some(Fault::OutOfBounds { space: Space::Shared, .. })));
}

/// The system's own part is where the registers say, 1 KiB of it, zero at first, and far from the kernel's.
#[test]
fn reserved_shared_memory_lies_apart() {
    let module = kernel(
        "",
        ".shared .align 4 .b32 own[8];
         mov.u32 %r0, %reserved_smem_offset_begin;
         mov.u32 %r1, %reserved_smem_offset_end;
         mov.u32 %r2, %reserved_smem_offset_cap;
         mov.u32 %r3, %reserved_smem_offset_1;
         ld.shared.u32 %r4, [%r3];
         add.u32 %r5, %r1, -4;
         st.shared.u32 [%r5], %i;
         st.global.v4.u32 [%out], {%r0, %r1, %r2, %r4};
         mov.u32 %r6, own;
         ld.param.u64 %d0, [in];
         cvt.u32.u64 %r7, %d0;
         add.u32 %r6, %r6, %r7;
         st.shared.u32 [%r6], %i;",
    );
    let output = module.array(&[0u32; 4]);
    assert_eq!(run(&module, 28, output, Start::new(1, 1)), None);
    let [begin, end, size, first] = module.read::<u32>(output, 4)[..] else { panic!("four words") };
    assert!(begin >= 32 && end - begin == 1024 && size == 1024 && first == 0, "{begin} {end} {size} {first}");
    for offset in [32u64, 1000, u64::from(end), 0xffff_fffc] {
        assert!(run(&module, offset, output, Start::new(1, 1)).is_some(), "{offset}");
    }
}

/// NVIDIA's own code on top of it; the exhibit beside it must stay without a finding.
#[test]
fn groups_of_two_warps_leave_the_kernels_shared_memory_alone() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/museum/clean/tiles_of_two_warps.ptx.z");
    let module = Module::of_text(&kernels::read_ptx(&path).unwrap());
    let (sums, kept) = (module.array(&[0i32; 256]), module.array(&[0i32; 256]));
    let start = Start { shared: 512, ..Start::new(2, 128) };
    module.run("sums_of_64", start, &[sums.bytes(), kept.bytes()]);
    let expected: Vec<i32> = (0..256).map(|i| if i % 128 < 64 { 63 * 32 } else { (64 + 127) * 32 }).collect();
    assert_eq!(module.read::<i32>(sums, 256), expected);
    assert_eq!(module.read::<i32>(kept, 256), (0..256).map(|i| 1000 + 2 * (i % 128)).collect::<Vec<_>>());
}

/// Its writes are progress to whoever looks for a deadlock, so only a budget ends it.
#[test]
fn an_endless_loop_that_writes_ends() {
    let module = kernel("", "LOOP: st.volatile.global.u32 [%out], %i; add.u32 %i, %i, 1; bra LOOP;");
    let output = module.array(&[0u32]);
    let defaults = Settings::default();
    assert!(defaults.block_budget <= defaults.budget / 50, "a block may take a minute, not hours");
    let settings = Settings { block_budget: 5_000_000, ..defaults };
    let fault = run(&module, 0, output, Start { settings, ..Start::new(4, 64) });
    match fault {
        Some(Fault::Budget { warp_instructions, of_block: true, .. }) => assert!(warp_instructions < 8_000_000),
        other => panic!("{other:?}"),
    }
}
