//! The virtual clock: engines overlap as a card's do, and two runs take the same time.
//!
//! One process has one card, and another test's copies would occupy its engines: these tests have a program of their own
//! and take turns.
#![allow(unsafe_code)]
#[path = "driver/card.rs"]
#[macro_use]
mod card;

use card::*;
use cudarc::driver::sys;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A context on a card that no other test uses meanwhile.
fn alone() -> (Arc<CudaContext>, MutexGuard<'static, ()>) {
    static CARD: Mutex<()> = Mutex::new(());
    let turn = CARD.lock().unwrap_or_else(PoisonError::into_inner);
    (context(), turn)
}

fn event(flags: u32) -> sys::CUevent {
    made!(cuEventCreate(flags))
}

/// Milliseconds of the work that `body` puts on streams 0 to `streams`, from a common start to a common end.
fn time(streams: usize, body: impl Fn(&[sys::CUstream])) -> f32 {
    let all: Vec<_> = (0..streams).map(|_| stream(1)).collect();
    let [start, end, join] = [0; 3].map(event);
    ok!(cuEventRecord(start, all[0]));
    for &stream in &all {
        ok!(cuStreamWaitEvent(stream, start, 0));
    }
    body(&all);
    for &stream in &all[1..] {
        ok!(cuEventRecord(join, stream));
        ok!(cuStreamWaitEvent(all[0], join, 0));
    }
    ok!(cuEventRecord(end, all[0]));
    ok!(cuEventSynchronize(end));
    made!(cuEventElapsedTime_v2(start, end))
}

fn work(function: sys::CUfunction, stream: sys::CUstream) {
    ok(launch(function, 1, 32, stream, &[100_000]));
}

/// Blocks of 256 threads, with `n` steps of `doubles`.
fn doubles(function: sys::CUfunction, blocks: u32, n: u32, stream: sys::CUstream) {
    ok(launch(function, blocks, 256, stream, &[n.into()]));
}

const BYTES: usize = 4 << 20;

#[test]
fn pinned_copies_are_faster_and_both_ways_overlap() {
    let _alone = alone();
    let (a, b) = (device(BYTES / 4, 0), device(BYTES / 4, 0));
    let (host, other, pageable) = (pinned(BYTES / 4), pinned(BYTES / 4), vec![0u8; BYTES]);
    let (host, other) = (host.as_mut_ptr(), other.as_mut_ptr());
    let in_pageable = time(1, |s| ok!(cuMemcpyHtoDAsync_v2(a, pageable.as_ptr().cast(), BYTES, s[0])));
    let in_pinned = time(1, |s| ok!(cuMemcpyHtoDAsync_v2(a, host.cast(), BYTES, s[0])));
    let out_pinned = time(1, |s| ok!(cuMemcpyDtoHAsync_v2(other.cast(), b, BYTES, s[0])));
    let both = time(2, |s| {
        ok!(cuMemcpyHtoDAsync_v2(a, host.cast(), BYTES, s[0]));
        ok!(cuMemcpyDtoHAsync_v2(other.cast(), b, BYTES, s[1]));
    });
    let one_stream = time(1, |s| {
        ok!(cuMemcpyHtoDAsync_v2(a, host.cast(), BYTES, s[0]));
        ok!(cuMemcpyDtoHAsync_v2(other.cast(), b, BYTES, s[0]));
    });
    assert!(in_pinned * 1.5 < in_pageable, "{in_pinned} {in_pageable}");
    assert!(both < 0.75 * (in_pinned + out_pinned), "{both} {in_pinned} {out_pinned}");
    assert!(one_stream > 0.95 * (in_pinned + out_pinned), "{one_stream} {in_pinned} {out_pinned}");
}

#[test]
fn mapped_memory_wins_where_data_is_touched_once() {
    let _alone = alone();
    let words = BYTES as u32 / 4;
    let (f, on_device, host) = (kernel(c"increment"), device(BYTES / 4, 0), pinned(BYTES / 4));
    host.fill(1);
    let (first, host) = (&raw const host[0], host.as_mut_ptr());
    let copied = time(1, |s| {
        ok!(cuMemcpyHtoDAsync_v2(on_device, host.cast(), BYTES, s[0]));
        ok(increment(f, on_device, words, s[0]));
        ok!(cuMemcpyDtoHAsync_v2(host.cast(), on_device, BYTES, s[0]));
    });
    let mapped = time(1, |s| ok(increment(f, host as u64, words, s[0])));
    let kernel = time(1, |s| ok(increment(f, on_device, words, s[0])));
    // SAFETY: live memory that no kernel uses any more.
    assert_eq!(unsafe { first.read_volatile() }, 3);
    assert!(mapped < copied && mapped > 5.0 * kernel, "{mapped} {copied} {kernel}");
}

#[test]
fn what_follows_on_another_engine_begins_later() {
    let _alone = alone();
    let card = simulator::cards::find(simulator::cards::DEFAULT).expect("the default card");
    let (f, on_device, host) = (kernel(c"work"), device(BYTES / 4, 0), pinned(BYTES / 4));
    let host = host.as_mut_ptr();
    let copy = |stream| ok!(cuMemcpyHtoDAsync_v2(on_device, host.cast(), BYTES, stream));
    let in_a_row = time(1, |s| {
        (0..2).for_each(|_| copy(s[0]));
        (0..2).for_each(|_| work(f, s[0]));
    });
    let in_turns = time(1, |s| {
        for _ in 0..2 {
            copy(s[0]);
            work(f, s[0]);
        }
    });
    // In turns the other engine has to learn of an end three times, in a row once.
    let more_us = 1e3 * (in_turns - in_a_row);
    let handover_us = card.engine_handover_ns as f32 / 1e3;
    assert!((more_us / 2.0 / handover_us - 1.0).abs() < 0.1, "{more_us} µs, {handover_us} µs a handover");
}

#[test]
fn small_kernels_run_side_by_side_and_after_each_other_in_one_stream() {
    let _alone = alone();
    let f = kernel(c"work");
    let one = time(1, |s| work(f, s[0]));
    let row = time(1, |s| (0..4).for_each(|_| work(f, s[0])));
    let beside = time(4, |s| s.iter().for_each(|&stream| work(f, stream)));
    assert!(row > 3.8 * one, "{row} {one}");
    assert!(beside < 1.5 * one, "{beside} {one}");
}

/// One block on each multiprocessor keeps its fp64 units busy, and has room for others beside it, which must wait for the units.
#[test]
fn kernels_side_by_side_do_not_pass_the_peak_of_a_unit() {
    let _alone = alone();
    let card = simulator::cards::find(simulator::cards::DEFAULT).expect("the default card");
    let (f, blocks, n) = (kernel(c"doubles"), card.multiprocessors, 64);
    let lanes = card.architecture.fp64_lanes_per_multiprocessor * card.multiprocessors;
    let peak_per_ms = 2.0 * f64::from(lanes) * card.clock_hz / 1e3;
    let flops = f64::from(blocks * 256 * n) * 8.0 * 2.0;
    let one = f64::from(time(1, |s| doubles(f, blocks, n, s[0])));
    for streams in [2, 4, 6] {
        let beside = f64::from(time(streams, |s| s.iter().for_each(|&stream| doubles(f, blocks, n, stream))));
        let rate = streams as f64 * flops / beside;
        assert!(rate <= peak_per_ms, "{streams} streams: {} of the peak", rate / peak_per_ms);
        assert!(rate > 0.85 * peak_per_ms && beside < streams as f64 * one, "{beside} {one} {}", rate / peak_per_ms);
    }
}

/// Kernels that fill the card, dealt out to streams in turns; the streams are waited for one after the other.
#[test]
fn what_is_launched_first_ends_first_whatever_is_waited_for_first() {
    let _alone = alone();
    let f = kernel(c"doubles");
    let (streams, ends, start) = ([1; 3].map(stream), [0; 9].map(event), event(0));
    ok!(cuEventRecord(start, streams[0]));
    for (index, &end) in ends.iter().enumerate() {
        doubles(f, 2048, 4, streams[index % 3]);
        ok!(cuEventRecord(end, streams[index % 3]));
    }
    streams.iter().for_each(|&stream| ok!(cuStreamSynchronize(stream)));
    let after = ends.map(|end| -> f32 { made!(cuEventElapsedTime_v2(start, end)) });
    assert!(after.is_sorted(), "{after:?}");
}

/// The work of [`two_runs_take_the_same_time`], in a process of its own: the clock starts at zero there.
#[test]
#[ignore = "run by two_runs_take_the_same_time"]
fn figures() {
    let _alone = alone();
    let (f, on_device, host) = (kernel(c"work"), device(BYTES / 4, 0), pinned(BYTES / 4));
    let host = host.as_mut_ptr();
    let elapsed = time(3, |s| {
        for &stream in s {
            ok!(cuMemcpyHtoDAsync_v2(on_device, host.cast(), BYTES, stream));
            work(f, stream);
            ok!(cuMemcpyDtoHAsync_v2(host.cast(), on_device, BYTES, stream));
        }
    });
    println!("figure: {elapsed:?}");
}

#[test]
fn two_runs_take_the_same_time() {
    let run = || {
        let test = std::env::current_exe().unwrap();
        let arguments = ["--ignored", "--exact", "figures", "--nocapture"];
        let output = std::process::Command::new(test).args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().find(|line| line.starts_with("figure: ")).map(str::to_owned).expect(&text)
    };
    assert_eq!(run(), run());
}
