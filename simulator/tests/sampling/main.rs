//! Launches of which some blocks are run for all: what is told of them, and which are refused. A program of its own, because the setting
//! holds for all of a process.
#![allow(unsafe_code)]
#[path = "../driver/card.rs"]
#[macro_use]
mod card;

use card::{bridge, context, device, ok, text};
use cudarc::driver::sys;
use serde_json::{Value, json};
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Kernels of one thread per word, of `p`, and of `q` where they read another.
const KERNELS: &str = concat!(include_str!("kernels.ptx"), "\0");

/// 4096 blocks of 64 threads; the default card holds far fewer at once.
const BLOCKS: u32 = 4096;
const WORDS: usize = BLOCKS as usize * 64;

/// Counters that rest on where accesses were answered, which is an estimate.
const ESTIMATED: [&str; 5] = ["l2_bytes", "memory_bytes", "l1_hit_rate", "l2_hit_rate", "multiprocessor_activity"];

/// Settings through the bridge. One test at a time: they hold for the whole process.
fn configure(settings: &Value) -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    card::simulator();
    assert_eq!(bridge("labs_sim_configure", &settings.to_string()), "");
    guard
}

/// The last launch as the bridge tells of it.
fn launch_told() -> Value {
    let launches: Value = serde_json::from_str(&bridge("labs_sim_take", "launches")).expect("JSON");
    launches.as_array().and_then(|all| all.last()).expect("a launch").clone()
}

fn run(kernel: &CStr, p: u64, q: u64) -> sys::CUresult {
    ok(card::launch(card::function(KERNELS.as_bytes(), kernel), BLOCKS, 64, null_mut(), &[p, q]));
    call!(cuCtxSynchronize())
}

fn words(address: u64) -> Vec<u32> {
    let mut host = vec![0u32; WORDS];
    ok!(cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), address, WORDS * 4));
    host
}

#[test]
fn a_sampled_launch_counts_as_a_whole_one_and_writes_its_blocks_part() {
    let mut counted = Vec::new();
    for waves in [0, 2] {
        let _one = configure(&json!({"profile": "gtx1050", "sample": waves, "sample_seed": 5}));
        let _context = context();
        let (p, q) = (device(WORDS, 0), device(WORDS, 14));
        ok(run(c"triple", p, q));
        let told = launch_told();
        let host = words(p);
        if waves == 0 {
            assert!(told.get("sampled").is_none() && host.iter().all(|&word| word == 42));
        } else {
            let sampled = &told["sampled"];
            let blocks = sampled["blocks"].as_u64().expect("blocks");
            assert_eq!(sampled["of"], BLOCKS);
            assert!(blocks < u64::from(BLOCKS) / 4, "{blocks}");
            let [part] = sampled["written"].as_array().expect("a list").as_slice() else {
                panic!("one allocation: {sampled}")
            };
            assert_eq!((&part["address"], &part["bytes"]), (&p.into(), &(WORDS * 4).into()));
            assert_eq!(part["estimated_bytes"].as_f64(), Some(WORDS as f64 * 4.0));
            let mut mine = vec![false; WORDS];
            for range in part["ranges"].as_array().expect("a list") {
                let [first, bytes] = [0, 1].map(|i| range[i].as_u64().expect("a number") as usize / 4);
                mine[first..first + bytes].fill(true);
            }
            assert_eq!(mine.iter().filter(|&&mine| mine).count() as u64, blocks * 64);
            assert!(host.iter().zip(&mine).all(|(&word, &mine)| word == if mine { 42 } else { 0 }));
        }
        counted.push(told["counters"].as_object().expect("counters").clone());
    }
    for (counter, whole) in &counted[0] {
        let sampled = &counted[1][counter];
        match (whole.as_f64(), sampled.as_f64()) {
            // The clock follows one line of several where all blocks are run; activity is a share of its time.
            (Some(whole), Some(sampled)) if ESTIMATED.contains(&counter.as_str()) => {
                assert!((sampled - whole).abs() <= 0.01 * whole.max(100.0), "{counter}: {sampled}, whole {whole}");
            }
            (Some(_), Some(_))
                if counter.contains("per_s") || counter.contains("throughput") || counter == "eligible_warps" => {}
            _ => assert_eq!(sampled, whole, "{counter}"),
        }
    }
}

/// Runs a kernel that cannot be sampled: it is run whole, and the reason is told.
fn reason(kernel: &CStr, check: impl Fn(&[u32])) -> String {
    let _one = configure(&json!({"profile": "gtx1050", "sample": 2}));
    let _context = context();
    let (p, q) = (device(WORDS, 1), device(WORDS, 14));
    ok(run(kernel, p, q));
    let told = launch_told();
    assert!(told.get("sampled").is_none(), "{told}");
    check(&words(p));
    told["not_sampled"].as_str().expect("a reason").to_owned()
}

#[test]
fn atomics_on_global_memory_are_not_sampled() {
    let reason = reason(c"count", |words| assert_eq!(words[0], 1 + BLOCKS * 64));
    assert_eq!(reason, "`count`: its blocks update memory that they share (PTX line 67)");
}

#[test]
fn blocks_that_only_add_stand_for_all_where_a_part_of_a_sum_will_do() {
    let _one = configure(&json!({"profile": "gtx1050", "sample": 2, "sample_sums": true}));
    let _context = context();
    let (p, q) = (device(WORDS, 1), device(WORDS, 14));
    // More than the threads that are run at least.
    let blocks = 16 * BLOCKS;
    ok(card::launch(card::function(KERNELS.as_bytes(), c"count"), blocks, 64, null_mut(), &[p, q]));
    ok!(cuCtxSynchronize());
    let told = launch_told();
    let sampled = &told["sampled"];
    let ran: u64 = sampled["ran"]
        .as_array()
        .unwrap_or_else(|| panic!("{told}"))
        .iter()
        .map(|range| range[1].as_u64().expect("a number"))
        .sum();
    assert_eq!(sampled["blocks"], ran);
    assert!(ran < u64::from(blocks) / 2, "{ran}");
    // Each of them has added its threads.
    assert_eq!(u64::from(words(p)[0]), 1 + 64 * ran);
}

#[test]
fn reads_of_what_other_blocks_write_are_not_sampled() {
    let reason = reason(c"neighbour", |words| {
        // Which blocks ran first is left open, as on a card: each word has its own 1 and its neighbour's, at least.
        assert!(words[..WORDS - 64].iter().all(|&word| word >= 2) && words[WORDS - 64..].iter().all(|&word| word == 1));
    });
    assert!(
        reason.starts_with(
            "`neighbour`: a block may read what another one writes: parameter 1 (of 2) is read (PTX line "
        ),
        "{reason}"
    );
}

#[test]
fn blocks_that_do_different_amounts_of_work_are_not_sampled() {
    let reason = reason(c"uneven", |words| assert!(words.iter().all(|&word| word == 42)));
    assert!(reason.starts_with("`uneven`: its blocks do different amounts of work"), "{reason}");
}

#[test]
fn what_was_written_in_part_is_not_read_by_the_next_launch() {
    let _one = configure(&json!({"profile": "gtx1050", "sample": 2}));
    let _context = context();
    let (p, q) = (device(WORDS, 0), device(WORDS, 14));
    ok(run(c"triple", p, q));
    // Whole again once it is filled.
    ok!(cuMemsetD32_v2(p, 5, WORDS));
    ok(run(c"triple", q, p));
    let refused = run(c"triple", p, q);
    assert_eq!(refused, sys::CUresult::CUDA_ERROR_NOT_SUPPORTED);
    assert!(
        text(refused).contains("`triple` reads parameter 2 (of 2), of which an earlier launch was sampled"),
        "{}",
        text(refused)
    );
}
