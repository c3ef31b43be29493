//! The time of small kernels, each of which depends on one part of the model. The driver puts the listeners of such a launch together.

use clock::analytic::kernel_time::Estimate;
use clock::compiler::codes::Codes;
use clock::listeners::hand_over::HandOvers;
use clock::occupancy::{Limit, Occupancy};
use driver::Clock;
use driver::listeners::Listeners;
use machine::exec::launch::{Request, Settings, run};
use machine::exec::op::Level;
use machine::lower::{Options, Tier, lower};
use machine::memory::{Kind, Memory};
use std::collections::BTreeMap;
use watch::counters::Counters;

/// The clock's estimate of a kernel with such a body: eight blocks of 1024 threads on an H200, each thread with a place of its own in
/// global memory in `%rd1`, and one of its block in shared memory in `%r1`.
fn estimate_of(body: &str) -> Estimate {
    estimate_in(1024, body)
}

/// The same in blocks of so many threads.
fn estimate_in(threads: u32, body: &str) -> Estimate {
    estimate_for(".version 6.0 .target sm_70", threads, body)
}

fn estimate_for(target: &str, threads: u32, body: &str) -> Estimate {
    let text = include_str!("kernel.ptx").replace("{target}", target).replace("{body}", body);
    let addresses = |_: &str| None;
    let program = lower(
        &ptx::parse(&text).unwrap(),
        &Options { addresses: &addresses, tier: Tier::Probed, level: Level::detect() },
    )
    .unwrap();
    let memory = Memory::new(1 << 30).unwrap();
    let address = memory.allocate(1 << 20, Kind::Device, "words").unwrap();
    let clock = Clock {
        card: clock::cards::find("h200").unwrap(),
        occupancy: Occupancy { blocks_per_multiprocessor: 2, limit: Limit::Warps },
        blocks: 8,
        threads,
        shared_bytes: 4096,
    };
    let parameters = address.to_le_bytes();
    let request = Request {
        settings: Settings { threads: 1, ..Settings::default() },
        resident_blocks: 264,
        ..Request::new(&program, &memory, ([8, 1, 1], [threads, 1, 1]), &parameters)
    };
    let listeners = Listeners {
        counters: Some(Counters::new(4, 32)),
        trace: Some(clock.trace()),
        hand_overs: HandOvers::of(&program.functions),
        traffic: Some(clock.traffic(clock.blocks)),
        ..Listeners::default()
    };
    let outcome = run(&request, listeners.into_probe());
    assert_eq!(outcome.fault, None);
    let Listeners { counters, trace, hand_overs, traffic, .. } = Listeners::back(outcome.probe);
    let totals = counters.map(|counters| counters.totals(&program));
    let found = traffic.map(|traffic| traffic.found());
    let work = clock.work(totals.as_ref(), outcome.warp_instructions, found.as_ref());
    clock.estimate(&work, trace, hand_overs.as_ref(), &Codes::default())
}

/// A loop whose turns add up sixteen words, in a kernel that keeps so many values meanwhile.
fn sums_beside(kept: u32) -> f64 {
    let each = |count: u32, line: &dyn Fn(u32) -> String| (0..count).map(line).collect::<String>();
    let first = each(kept, &|at| format!("ld.global.f32 %k{at}, [%rd1+{}];", 4 * at));
    let loads = each(16, &|at| format!("ld.global.nc.f32 %w{at}, [%rd1+{}];", 4 * at));
    let sums = each(16, &|at| format!("add.f32 %f0, %f0, %w{at};"));
    let last = each(kept, &|at| format!("st.global.f32 [%rd1+{}], %k{at};", 4 * at));
    let body = format!(
        ".reg .f32 %k<32>; .reg .f32 %w<16>; mov.f32 %f0, 0f00000000; mov.u32 %r2, 0; {first}
        turn: {loads} {sums} add.s64 %rd1, %rd1, 16384; add.s32 %r2, %r2, 1; setp.ne.s32 %p0, %r2, %r3; @%p0 bra turn;
        sub.s64 %rd1, %rd1, 131072; {last} st.global.f32 [%rd1], %f0;"
    );
    estimate_in(32, &format!("mov.u32 %r3, 8; {body}")).duration_ns as f64
}

#[test]
fn loads_wait_for_registers_that_a_loop_keeps_its_values_in() {
    // As many values as leave room for all sixteen words, and as many as leave room for eight: of the loop, which is unrolled, one wait for L2
    // more for each sixteen words, of which the first of the next eight hide a part.
    let [few, many] = [2, 16].map(sums_beside);
    let twice = 8.0 * 280.0 / 1.98;
    assert!(many - few > 0.4 * twice, "{few} {many}");
}

/// Each reason's share of what warps wait, in percent, where this stands 64 times in a kernel.
fn waits(body: &str) -> BTreeMap<&'static str, f64> {
    estimate_of(&body.repeat(64)).stalls.shares()
}

/// Panics unless more is waited for this than for anything else.
fn mostly(reason: &str, body: &str) {
    let waits = waits(body);
    let most = waits.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|most| *most.0);
    assert_eq!(most, Some(reason), "{waits:?}");
}

#[test]
fn the_warps_of_a_block_start_one_after_the_other() {
    // Seven cycles of 1.98 GHz for each of 31 more.
    let [one, all] = [32, 1024].map(|threads| estimate_in(threads, "").duration_ns);
    assert!((100..140).contains(&(all - one)), "{one} {all}");
}

#[test]
fn warps_that_all_calculate_wait_for_the_pipe() {
    // Sixteen lanes a scheduler: a warp keeps them busy for two cycles, and eight warps come.
    mostly("math pipe throttle", "fma.rn.f64 %d0, %d1, %d1, %d2; fma.rn.f64 %d3, %d4, %d4, %d5;");
}

#[test]
fn warps_that_all_read_shared_memory_wait_for_its_queue() {
    mostly("MIO throttle", "ld.volatile.shared.u32 %r2, [%r1]; ld.volatile.shared.u32 %r3, [%r1 + 4];");
}

#[test]
fn warps_that_all_read_lines_far_apart_wait_for_the_queue_to_global_memory() {
    mostly("LG throttle", "ld.volatile.global.u32 %r2, [%rd1]; ld.volatile.global.u32 %r3, [%rd1 + 32];");
}

#[test]
fn warps_that_wait_for_nothing_but_their_turn_are_not_selected() {
    mostly("not selected", "add.u32 %r2, %r0, 1; add.f32 %f0, %f1, %f2; add.u32 %r3, %r0, 3; add.f32 %f3, %f4, %f5;");
}

#[test]
fn a_warp_that_needs_what_it_has_just_read_waits_for_the_scoreboards() {
    let one_warp = "mov.u32 %r2, 0; st.shared.u32 [%r1], %r2; setp.gt.u32 %p0, %r0, 31; @%p0 bra OUT;";
    let far = "ld.volatile.global.u32 %r2, [%rd1]; cvt.u64.u32 %rd2, %r2; add.s64 %rd1, %rd1, %rd2;";
    let near = "ld.volatile.shared.u32 %r2, [%r1]; add.u32 %r1, %r1, %r2;";
    for (reason, body) in [("long scoreboard", far), ("short scoreboard", near)] {
        let shares = estimate_of(&format!("{one_warp} {} OUT:", body.repeat(256))).stalls.shares();
        assert!(shares.get(reason).is_some_and(|share| *share > 50.0), "{shares:?}");
    }
}

#[test]
fn of_a_sum_of_64_bits_the_next_one_waits_for_the_lower_half() {
    let chain_of = |sum: &str| {
        let one_warp = "mov.u32 %r2, 0; setp.gt.u32 %p0, %r0, 31; @%p0 bra OUT;";
        estimate_of(&format!("{one_warp} {} OUT: st.global.u64 [%rd1], %rd2;", sum.repeat(2048))).duration_ns as f64
    };
    let (wide, narrow) = (chain_of("add.s64 %rd2, %rd2, %rd1;"), chain_of("add.u32 %r2, %r2, %r1;"));
    assert!(wide > narrow && wide < 1.3 * narrow, "{wide} {narrow}");
}

#[test]
fn a_loop_that_is_not_to_be_unrolled_pays_for_its_branch_in_each_turn() {
    let loop_of = |pragma: &str| {
        let body = format!(
            "mov.u32 %r2, 0;
            AGAIN: {pragma}
            fma.rn.f32 %f0, %f1, %f1, %f0;
            add.u32 %r2, %r2, 1;
            setp.lt.u32 %p0, %r2, 4096;
            @%p0 bra AGAIN;"
        );
        estimate_of(&body).duration_ns as f64
    };
    let (as_it_is, unrolled) = (loop_of(".pragma \"nounroll\";"), loop_of(""));
    assert!(as_it_is > 1.5 * unrolled, "{as_it_is} {unrolled}");
}
/// The time of eight blocks, of which one thread each stores and then waits for what the block before it has stored, then stores again.
fn hand_over_ns(first: &str, last: &str) -> f64 {
    let body = format!(
        "mov.u32 %r2, %ctaid.x;
        mul.wide.u32 %rd2, %r2, 128;
        add.s64 %rd2, %rd0, %rd2;
        setp.ne.u32 %p0, %r0, 0;
        @%p0 bra OUT;
        {first}
        setp.eq.u32 %p0, %r2, 0;
        @%p0 bra GO;
        AGAIN:
        ld.acquire.gpu.global.u32 %r3, [%rd2 + -128];
        sub.u32 %r3, %r3, 1;
        setp.gt.u32 %p0, %r3, 1;
        @%p0 bra AGAIN;
        GO:
        {last}
        OUT:"
    );
    estimate_of(&body).duration_ns as f64
}

#[test]
fn blocks_that_hand_on_what_they_were_given_make_a_chain() {
    let chain = hand_over_ns("", "st.release.gpu.global.u32 [%rd2], 1;");
    let side_by_side = hand_over_ns("st.release.gpu.global.u32 [%rd2], 1;", "");
    let looks_back = hand_over_ns("st.release.gpu.global.u32 [%rd2], 1;", "st.release.gpu.global.u32 [%rd2], 2;");
    // Seven times a fence, and a load that waits for the store after it.
    assert!(chain > side_by_side + 6e3, "{chain} {side_by_side}");
    // A scan that looks back has its block's own sum there first, which waits for nobody.
    assert!(looks_back < side_by_side + 1.5e3, "{looks_back} {side_by_side}");
}

const HOPPER: &str = ".version 8.0 .target sm_90a";

#[test]
fn warps_may_end_with_a_barrier() {
    let [without, with] =
        ["add.u32 %r1, %r1, 1;", "bar.sync 0;"].map(|body| estimate_for(HOPPER, 64, body).duration_ns);
    assert!(with > without && with < without + 100, "{with} {without}");
}

/// Cycles of a block of two warps with an mbarrier.
fn cycles_with_barrier(body: &str) -> f64 {
    let text = format!(
        ".shared .align 8 .b64 bar; mov.u32 %r2, bar; mov.u32 %r3, 0; setp.ne.u32 %p0, %r0, 0;
        @%p0 bra made; mbarrier.init.shared.b64 [%r2], 1; made: bar.sync 0; {body}"
    );
    estimate_for(HOPPER, 64, &text).duration_ns as f64 * 1.98
}

#[test]
fn who_waits_for_a_bulk_copy_waits_for_its_latency() {
    let turns = |count: u32| {
        cycles_with_barrier(&format!(
            "@%p0 bra out;
            turn: mbarrier.arrive.expect_tx.shared.b64 %rd2, [%r2], 1024;
            cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 1024, [%r2];
            and.b32 %r4, %r3, 1;
            again: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], %r4;
            @!%p1 bra again;
            add.s32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, {count}; @%p0 bra turn; out:"
        ))
    };
    let each = (turns(33) - turns(1)) / 32.0;
    // 365 on an H200, with what else its loop does.
    assert!((290.0..410.0).contains(&each), "{each}");
}

#[test]
fn a_warp_waits_for_the_arrival_of_another() {
    let beside = |waits: &str| {
        cycles_with_barrier(&format!(
            "setp.ge.u32 %p0, %r0, 32; @%p0 bra second;
            turn: mul.lo.u32 %r5, %r5, %r3; add.s32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 1000; @%p0 bra turn;
            setp.ne.u32 %p0, %r0, 0; @%p0 bra out; mbarrier.arrive.shared.b64 %rd2, [%r2]; bra out;
            second: {waits}
            next: mul.lo.u32 %r5, %r5, %r3; add.s32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 1000; @%p0 bra next;
            out:"
        ))
    };
    let alone = beside("");
    let waits = beside("again: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0; @!%p1 bra again;");
    assert!(waits > 1.6 * alone, "{alone} {waits}");
}

#[test]
fn an_arrival_that_is_not_followed_any_more_holds_nobody_up_for_ever() {
    let cycles = cycles_with_barrier(
        "setp.ge.u32 %p0, %r0, 32; @%p0 bra second;
        turn: add.s32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 200000; @%p0 bra turn;
        setp.ne.u32 %p0, %r0, 0; @%p0 bra out; mbarrier.arrive.shared.b64 %rd2, [%r2]; bra out;
        second: again: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0; @!%p1 bra again; out:",
    );
    assert!(cycles.is_finite() && cycles > 200_000.0, "{cycles}");
}

#[test]
fn products_of_four_warps_go_on_by_themselves_until_their_group_is_waited_for() {
    let of = |count: usize, each: &str| {
        let sums: Vec<String> = (0..16).map(|at| format!("%g{at}")).collect();
        let product = format!(
            "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {{{}}}, %rd3, %rd3, 1, 1, 1, 0, 0; {each}",
            sums.join(", ")
        );
        let body = format!(
            ".reg .f32 %g<16>; cvt.u64.u32 %rd3, %r1; shr.u64 %rd3, %rd3, 4; or.b64 %rd3, %rd3, 0x1000080000;
            wgmma.fence.sync.aligned; {} wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
            st.global.f32 [%rd1], %g0;",
            product.repeat(count)
        );
        estimate_for(HOPPER, 128, &body).duration_ns as f64 * 1.98
    };
    let together = (of(65, "") - of(1, "")) / 64.0;
    // 3072 bytes of operands, 128 a clock; the product itself takes 16.
    assert!((23.5..30.0).contains(&together), "{together}");
    let waits = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
    let alone = (of(65, waits) - of(1, waits)) / 64.0;
    assert!(alone > 2.0 * together, "{alone} {together}");
}
