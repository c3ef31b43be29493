//! Threads that wait for each other, in every order that a schedule may have; and what must end in a fault.
//!
//! The kernels are in `fixtures/together.cu`.
use crate::module::{Module, Plain, Start};
use simulator::fault::{AccessKind, Fault, Waiting};

/// Runs a kernel in the natural order and in some others; each time `check` looks at fresh results.
fn in_many_orders(kernel: &str, start: Start, arrays: &[&[i32]], values: &[i32], check: impl Fn(&Module, &[u64])) {
    let module = Module::load("together", "80");
    for seed in 0..12 {
        let addresses: Vec<u64> = arrays.iter().map(|array| module.array(array)).collect();
        let mut start = start;
        start.settings.schedule_seed = seed;
        let arguments: Vec<_> = addresses.iter().map(Plain::bytes).chain(values.iter().map(Plain::bytes)).collect();
        let outcome = module.start(kernel, start, &arguments);
        assert_eq!(outcome.fault, None, "{kernel}, seed {seed}");
        check(&module, &addresses);
    }
}

#[test]
fn every_thread_gets_the_lock() {
    in_many_orders("spin_lock", Start::new(3, 70), &[&[0], &[0]], &[], |module, at| {
        assert_eq!(module.read::<i32>(at[0], 1), [0]);
        assert_eq!(module.read::<i32>(at[1], 1), [210]);
    });
}

#[test]
fn lanes_wait_for_a_lane_of_their_warp() {
    in_many_orders("wait_for_lane_0", Start::new(1, 64), &[&[0], &[0; 64]], &[], |module, at| {
        assert_eq!(module.read::<i32>(at[1], 64), [42; 64]);
    });
}

#[test]
fn a_block_waits_for_a_later_block() {
    in_many_orders("wait_for_last_block", Start::new(8, 32), &[&[0], &[0; 8]], &[], |module, at| {
        assert_eq!(module.read::<i32>(at[1], 8), [7, 1, 1, 1, 1, 1, 1, 1]);
    });
}

#[test]
fn the_last_block_sees_what_all_did() {
    let input: Vec<i32> = (0..7 * 96).collect();
    in_many_orders("last_block_sums", Start::new(7, 96), &[&input, &[0; 7], &[0], &[0]], &[], |module, at| {
        assert_eq!(module.read::<i32>(at[2], 1), [0], "the ticket counter wraps around");
        assert_eq!(module.read::<i32>(at[3], 1), [(0..7 * 96).sum::<i32>()]);
    });
}

#[test]
fn a_grid_goes_in_steps() {
    let start = Start { cooperative: true, ..Start::new(5, 40) };
    let input: Vec<i32> = (0..200).map(|i| i * i % 1000).collect();
    in_many_orders("grid_steps", start, &[&input, &[0; 200]], &[6], |module, at| {
        let want: Vec<i32> = (0..200).map(|i| input[(i + 6) % 200] + 6).collect();
        assert_eq!(module.read::<i32>(at[0], 200), want);
    });
}

#[test]
fn a_grid_barrier_needs_a_cooperative_launch() {
    let module = Module::load("together", "80");
    let (a, b) = (module.array(&[0; 64]), module.array(&[0; 64]));
    let outcome = module.start("grid_steps", Start::new(2, 32), &[a.bytes(), b.bytes(), 1i32.bytes()]);
    assert!(matches!(outcome.fault, Some(Fault::Trap { .. })), "{:?}", outcome.fault);
}

#[test]
fn groups_of_lanes() {
    in_many_orders("groups", Start::new(1, 64), &[&[0; 64]], &[], |module, at| {
        let want: Vec<i32> = (0..64)
            .map(|t| {
                let first = t / 16 * 16;
                let sum: i32 = (first..first + 16).sum();
                sum * 10_000 + if t % 2 == 1 { 1600 + t % 32 / 2 } else { 0 }
            })
            .collect();
        assert_eq!(module.read::<i32>(at[0], 64), want);
    });
}

#[test]
fn named_barriers_with_counts() {
    in_many_orders("producers", Start::new(2, 128), &[&[0; 64]], &[], |module, at| {
        let want: Vec<i32> = (0..64).map(|t| 600 + 4 * (63 - t)).collect();
        assert_eq!(module.read::<i32>(at[0], 64), want);
    });
}

#[test]
fn barriers_that_reduce() {
    let input: Vec<i32> = (0..50).map(|t| t % 7 + 1).collect();
    in_many_orders("reductions", Start::new(1, 50), &[&input, &[0; 50]], &[], |module, at| {
        let count = input.iter().filter(|&&x| x > 3).count() as i32;
        assert_eq!(module.read::<i32>(at[1], 50), [count * 100 + 10; 50]);
    });
}

#[test]
fn the_exited_do_not_hold_a_barrier_up() {
    in_many_orders("some_leave", Start::new(1, 100), &[&[0; 100]], &[], |module, at| {
        let want: Vec<i32> = (0..100).map(|t| i32::from(t % 3 != 0)).collect();
        assert_eq!(module.read::<i32>(at[0], 100), want);
    });
}

#[test]
fn lanes_meet_from_both_sides_of_a_branch() {
    in_many_orders("warp_barriers", Start::new(1, 32), &[&[0; 32]], &[], |module, at| {
        let want: Vec<i32> = (0..32).map(|t| (t + 16) % 32).collect();
        assert_eq!(module.read::<i32>(at[0], 32), want);
    });
}

#[test]
fn atomics_of_every_kind() {
    let module = Module::load("together", "80");
    let i = module.array(&[0i32, 100, -100, 0, 5, -1, 0, 0]);
    let u = module.array(&[0u32, 100, 0, 0, 5, !0, 0, 0, 7, 3]);
    let l = module.array(&[0u64, u64::MAX, 0, 0, 5, !0, 0, 0]);
    let (f, d, old) = (module.array(&[1f32]), module.array(&[1f64]), module.array(&[0u32; 80]));
    module.run("atomics", Start::new(2, 40), &[i, u, l, f, d, old].map(|at| at.bytes()));
    let signed: Vec<i32> = (0..80).map(|t| t - 20).collect();
    let fold = |start: i64, f: fn(i64, i64) -> i64| signed.iter().fold(start, |a, &b| f(a, b.into())) as i32;
    let got = module.read::<i32>(i, 8);
    let want =
        [fold(0, |a, b| a + b), -20, 59, 59, -20, fold(-1, |a, b| a & b), fold(0, |a, b| a | b), fold(0, |a, b| a ^ b)];
    assert_eq!(got, want);
    let unsigned: Vec<u32> = (0..80).map(|t| t + 3).collect();
    let got = module.read::<u32>(u, 10);
    assert_eq!(got[0], unsigned.iter().sum::<u32>());
    // The first thread finds the 5 that the exchange waits for; later ones may find another.
    assert_eq!(got[1..5], [3, 82, 82, 3]);
    assert_eq!(
        got[5..8],
        [
            unsigned.iter().fold(!0, |a, b| a & b),
            unsigned.iter().fold(0, |a, b| a | b),
            unsigned.iter().fold(0, |a, b| a ^ b)
        ]
    );
    // Counts 7 8 9 0 1 … 9 0 …: old values in the order of the threads.
    let mut counter = 7;
    for old in module.read::<u32>(old, 80) {
        assert_eq!(old, counter);
        counter = if counter >= 9 { 0 } else { counter + 1 };
    }
    assert_eq!(got[8], counter);
    assert_eq!(got[9], (0..80).fold(3, |x: u32, _| if x == 0 || x > 6 { 6 } else { x - 1 }));
    let long = module.read::<u64>(l, 3);
    assert_eq!(long, [(0..80u64).map(|t| t << 33 | 1).sum(), 1, 79 << 33 | 1]);
    assert_eq!(module.read::<f32>(f, 1), [1.0 + 0.5 * 79.0 * 40.0]);
    assert_eq!(module.read::<f64>(d, 1), [1.0 + 0.25 * 79.0 * 40.0]);
}

#[test]
fn histograms_in_shared_memory() {
    let input: Vec<u8> = (0..1000u32).map(|i| (i * i % 23) as u8).collect();
    let module = Module::load("together", "80");
    let (at, out) = (module.array(&input), module.array(&[0u32; 16]));
    module.run("shared_histogram", Start::new(3, 128), &[at.bytes(), out.bytes(), 1000i32.bytes()]);
    let mut want = [0u32; 16];
    input.iter().for_each(|byte| want[usize::from(byte & 15)] += 3);
    assert_eq!(module.read::<u32>(out, 16), want);
}

#[test]
fn copies_arrive_when_waited_for_and_not_before() {
    let module = Module::load("together", "80");
    let input: Vec<f32> = (0..5 * 256).map(|i| i as f32).collect();
    let (at, out) = (module.array(&input), module.array(&vec![0f32; 5 * 256]));
    module.run("copies_ahead", Start::new(1, 64), &[at.bytes(), out.bytes(), 5i32.bytes()]);
    let want: Vec<f32> = (0..5 * 256)
        .map(|i| {
            let (tile, thread, part) = (i / 256, i % 256 / 4, i % 4);
            input[tile * 256 + (63 - thread) * 4 + part] + if part == 0 { 1.0 } else { 0.0 }
        })
        .collect();
    assert_eq!(module.read::<f32>(out, 5 * 256), want);

    let numbers: Vec<i32> = (0..32).collect();
    let (at, out) = (module.array(&numbers), module.array(&[0i32; 64]));
    module.run("copy_without_wait", Start::new(1, 32), &[at.bytes(), out.bytes()]);
    let got = module.read::<i32>(out, 64);
    assert_eq!(got[..32], [-5; 32]);
    assert_eq!(got[32..], numbers);
}

#[test]
fn printing_is_in_the_order_of_blocks() {
    let module = Module::load("together", "80");
    let mut start = Start::new(2, 40);
    for seed in 0..4 {
        start.settings.schedule_seed = seed;
        let outcome = module.start("prints", start, &[1.25f32.bytes()]);
        let want = "0 of block 0:  1.25 text 1099511627776\n1 of block 0:  2.25 text 1099511627776\n\
            0 of block 1:  1.25 text 1099511627776\n1 of block 1:  2.25 text 1099511627776\n";
        assert_eq!(outcome.printed, want);
    }
}

#[test]
fn memory_from_the_kernel_itself() {
    let module = Module::load("together", "80");
    let out = module.array(&[0i32; 64]);
    let run = |n: i32| {
        module.run("allocates", Start::new(1, 64), &[out.bytes(), n.bytes()]);
        module.read::<i32>(out, 64)
    };
    assert_eq!(run(10), (0..64).map(|t| t * 45).collect::<Vec<_>>());
    assert_eq!(run(3 << 20), [-1; 64], "more than the heap");
    assert_eq!(module.memory.live().iter().filter(|a| a.name == "malloc").count(), 0);
}

#[test]
fn special_registers() {
    let module = Module::load("together", "80");
    let (out, clocks) = (module.array(&[0u32; 4 * 60]), module.array(&[0i64; 60]));
    let start = Start { block: [5, 4, 3], ..Start::new(1, 1) };
    module.run("special", start, &[out.bytes(), clocks.bytes()]);
    for (t, row) in (0u32..).zip(module.read::<u32>(out, 240).chunks(4)) {
        let lane = t % 32;
        assert_eq!(row, [lane, t / 32, (1 << lane) - 1, !0 << lane]);
    }
    assert!(module.read::<i64>(clocks, 60).iter().all(|&cycles| cycles > 0));
}

fn fault_of(kernel: &str, start: Start, arguments: &[Vec<u8>]) -> Fault {
    let module = Module::load("together", "80");
    let first = module.array(&[0i32; 64]).bytes();
    module.start(kernel, start, &[&[first], arguments].concat()).fault.expect("a fault")
}

#[test]
fn endless_kernels_end() {
    let mut start = Start::new(2, 64);
    start.settings.budget = 1_000_000;
    let fault = fault_of("endless_registers", start, &[]);
    assert!(matches!(fault, Fault::Budget { warp_instructions: 1_000_000, .. }), "{fault:?}");
    let fault = fault_of("endless", Start::new(2, 64), &[]);
    let Fault::Deadlock { waiting } = fault else { panic!("{fault:?}") };
    assert_eq!(waiting.len(), 4, "two warps of two blocks");
    assert!(waiting.iter().all(|(_, what)| *what == Waiting::Spin));
}

#[test]
fn a_barrier_that_nobody_completes() {
    let fault = fault_of("waits_for_nobody", Start::new(1, 64), &[]);
    let Fault::Deadlock { waiting } = fault else { panic!("{fault:?}") };
    assert_eq!(waiting[0].1, Waiting::Barrier { id: 1, arrived: 32, expected: 64 });
    assert_eq!((waiting[0].0.warp, waiting[0].0.lanes), (0, !0));
}

#[test]
fn wrong_accesses_name_their_lanes() {
    let fault = fault_of("out_of_bounds", Start::new(1, 64), &[20i32.bytes()]);
    let Fault::OutOfBounds { at, bytes: 4, kind: AccessKind::Store, .. } = fault else { panic!("{fault:?}") };
    assert_eq!((at.warp, at.lane, at.thread, at.lanes), (1, 12, [44, 0, 0], !0 << 12));
    let fault = fault_of("misaligned", Start::new(1, 32), &[]);
    let Fault::Misaligned { at, .. } = fault else { panic!("{fault:?}") };
    assert_eq!(at.lanes, 0xeeee_eeee);
    let fault = fault_of("traps", Start::new(1, 32), &[]);
    let Fault::Trap { at, .. } = fault else { panic!("{fault:?}") };
    assert_eq!(at.lanes, 1 << 3);
    let fault = fault_of("bottomless", Start::new(1, 32), &[]);
    assert!(matches!(fault, Fault::StackOverflow { .. }), "{fault:?}");
}

#[test]
fn assertions_say_what_failed() {
    let module = Module::load("together", "80");
    let outcome = module.start("asserts", Start::new(1, 64), &[40i32.bytes()]);
    let Some(Fault::Assert { at, expression, line, .. }) = outcome.fault else { panic!("{:?}", outcome.fault) };
    assert_eq!((expression.as_str(), at.thread), ("threadIdx.x < limit", [40, 0, 0]));
    let source = include_str!("../fixtures/together.cu").lines().nth(line as usize - 1).unwrap();
    assert!(source.contains("assert(threadIdx.x < limit)"), "{source}");
}
