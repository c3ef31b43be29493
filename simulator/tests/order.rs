//! Work runs as late as it may: what was not waited for has not happened, every time.
//!
//! Freeing memory and ending a context wait for all of the device, other contexts' work included: these tests have a program of their own
//! and take turns.
#![allow(unsafe_code)]
#[path = "driver/card.rs"]
#[macro_use]
mod card;

use card::{CudaContext, KERNELS, begin_capture, context, device, increment, kernel, ok, pinned, stream, word, words};
use cudarc::driver::sys::{self, CUresult};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A context, and the turn of a test; fields end in their order.
struct Turn {
    _context: Arc<CudaContext>,
    _alone: MutexGuard<'static, ()>,
}

fn turn() -> Turn {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    Turn { _context: context(), _alone: alone }
}

fn event() -> sys::CUevent {
    made!(cuEventCreate(0))
}

#[test]
fn a_pinned_copy_that_nobody_waits_for_has_not_happened() {
    let _turn = turn();
    let (s, host) = (stream(1), pinned(64));
    for round in 1..20 {
        let on_device = device(64, round);
        host.fill(0);
        ok!(cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), on_device, 256, s));
        assert!(host.iter().all(|&word| word == 0), "round {round}");
        ok!(cuStreamSynchronize(s));
        assert!(host.iter().all(|&word| word == round), "round {round}");
    }
}

#[test]
fn another_stream_sees_old_data_unless_it_waits_for_an_event() {
    let _turn = turn();
    let (a, b, e, f) = (stream(1), stream(1), event(), kernel(c"increment"));
    let host = pinned(64);
    for wait in [false, true] {
        let on_device = device(64, 5);
        ok(increment(f, on_device, 64, a));
        ok!(cuEventRecord(e, a));
        if wait {
            ok!(cuStreamWaitEvent(b, e, 0));
        }
        ok!(cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), on_device, 256, b));
        ok!(cuStreamSynchronize(b));
        assert!(host.iter().all(|&word| word == if wait { 6 } else { 5 }), "{wait}");
    }
}

#[test]
fn a_pageable_copy_waits_for_its_own_stream() {
    let _turn = turn();
    let (s, f, on_device) = (stream(1), kernel(c"increment"), device(64, 1));
    let mut host = [0u32; 64];
    ok(increment(f, on_device, 64, s));
    ok!(cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), on_device, 256, s));
    assert_eq!(host, [2; 64]);
}

#[test]
fn the_legacy_default_stream_orders_blocking_streams_and_no_others() {
    let _turn = turn();
    let f = kernel(c"increment");
    for (flags, seen) in [(0, 2), (1, 1)] {
        let (s, on_device) = (stream(flags), device(64, 1));
        ok(increment(f, on_device, 64, s));
        assert_eq!(words(on_device), [seen; 64]);
    }
}

#[test]
fn polling_ends() {
    let _turn = turn();
    let (s, e, f, on_device) = (stream(1), event(), kernel(c"increment"), device(64, 1));
    ok(increment(f, on_device, 64, s));
    ok!(cuEventRecord(e, s));
    assert_eq!(call!(cuEventQuery(e)), CUresult::CUDA_ERROR_NOT_READY);
    assert_eq!(call!(cuStreamQuery(s)), CUresult::CUDA_ERROR_NOT_READY);
    ok!(cuEventQuery(e));
    ok!(cuStreamQuery(s));
    // Never recorded: passed already.
    ok!(cuStreamWaitEvent(s, event(), 0));
    ok!(cuEventSynchronize(event()));
}

#[test]
fn a_graph_replays_what_was_captured() {
    let _turn = turn();
    let (s, f, on_device) = (stream(1), kernel(c"increment"), device(64, 0));
    let mut graph = null_mut();
    let host = pinned(64);
    begin_capture(s);
    for _ in 0..3 {
        ok(increment(f, on_device, 64, s));
    }
    ok!(cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), on_device, 256, s));
    ok!(cuStreamEndCapture(s, &mut graph));
    let mut count = 0;
    ok!(cuGraphGetNodes(graph, null_mut(), &mut count));
    assert_eq!(count, 4);
    let executable = made!(cuGraphInstantiateWithFlags(graph, 0));
    for round in 1..4 {
        ok!(cuGraphLaunch(executable, s));
        ok!(cuStreamSynchronize(s));
        assert_eq!(host[63], 3 * round);
    }
    ok!(cuGraphExecDestroy(executable));
    ok!(cuGraphDestroy(graph));
}

#[test]
fn threads_call_at_once() {
    let _turn = turn();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let _context = context();
                let (s, f, on_device) = (stream(1), kernel(c"increment"), device(256, 0));
                for _ in 0..50 {
                    ok(increment(f, on_device, 256, s));
                }
                let mut host = [0u32; 256];
                ok!(cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), on_device, 1024, s));
                assert_eq!(host, [50; 256]);
            });
        }
    });
}

#[test]
fn variables_of_a_module_have_their_first_values() {
    let _turn = turn();
    let mut bytes = 0;
    let module = made!(cuModuleLoadData(KERNELS.as_ptr().cast()));
    let address = made!(cuModuleGetGlobal_v2(&mut bytes, module, c"counter".as_ptr()));
    assert_eq!((word(address), bytes), (41, 4));
}
