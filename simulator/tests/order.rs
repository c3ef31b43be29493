//! Work runs as late as it may: what was not waited for has not happened, every time.
//!
//! Freeing memory and ending a context wait for all of the device, other contexts' work included: these tests have a program of their own
//! and take turns.
#![allow(unsafe_code)]
#[path = "driver/card.rs"]
mod card;

use card::{CudaContext, KERNELS, answer, context, device, increment, kernel, ok, pinned, stream};
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
    // SAFETY: a place for a result.
    answer(|to| unsafe { sys::cuEventCreate(to, 0) })
}

#[test]
fn a_pinned_copy_that_nobody_waits_for_has_not_happened() {
    let _turn = turn();
    let (s, host) = (stream(1), pinned(64));
    for round in 1..20 {
        let on_device = device(64, round);
        host.fill(0);
        // SAFETY: live memory of that size.
        unsafe {
            ok(sys::cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), on_device, 256, s));
            assert!(host.iter().all(|&word| word == 0), "round {round}");
            ok(sys::cuStreamSynchronize(s));
        }
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
        // SAFETY: live handles and memory.
        unsafe {
            ok(increment(f, on_device, 64, a));
            ok(sys::cuEventRecord(e, a));
            if wait {
                ok(sys::cuStreamWaitEvent(b, e, 0));
            }
            ok(sys::cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), on_device, 256, b));
            ok(sys::cuStreamSynchronize(b));
        }
        assert!(host.iter().all(|&word| word == if wait { 6 } else { 5 }), "{wait}");
    }
}

#[test]
fn a_pageable_copy_waits_for_its_own_stream() {
    let _turn = turn();
    let (s, f, on_device) = (stream(1), kernel(c"increment"), device(64, 1));
    let mut host = [0u32; 64];
    ok(increment(f, on_device, 64, s));
    // SAFETY: live memory of that size.
    ok(unsafe { sys::cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), on_device, 256, s) });
    assert_eq!(host, [2; 64]);
}

#[test]
fn the_legacy_default_stream_orders_blocking_streams_and_no_others() {
    let _turn = turn();
    let f = kernel(c"increment");
    for (flags, seen) in [(0, 2), (1, 1)] {
        let (s, on_device) = (stream(flags), device(64, 1));
        let mut host = [0u32; 64];
        ok(increment(f, on_device, 64, s));
        // SAFETY: live memory of that size.
        ok(unsafe { sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), on_device, 256) });
        assert_eq!(host, [seen; 64]);
    }
}

#[test]
fn polling_ends() {
    let _turn = turn();
    let (s, e, f, on_device) = (stream(1), event(), kernel(c"increment"), device(64, 1));
    ok(increment(f, on_device, 64, s));
    // SAFETY: live handles.
    unsafe {
        ok(sys::cuEventRecord(e, s));
        assert_eq!(sys::cuEventQuery(e), CUresult::CUDA_ERROR_NOT_READY);
        assert_eq!(sys::cuStreamQuery(s), CUresult::CUDA_ERROR_NOT_READY);
        ok(sys::cuEventQuery(e));
        ok(sys::cuStreamQuery(s));
        // Never recorded: passed already.
        ok(sys::cuStreamWaitEvent(s, event(), 0));
        ok(sys::cuEventSynchronize(event()));
    }
}

#[test]
fn a_graph_replays_what_was_captured() {
    let _turn = turn();
    let (s, f, on_device) = (stream(1), kernel(c"increment"), device(64, 0));
    let (mut graph, mut executable) = (null_mut(), null_mut());
    let host = pinned(64);
    // SAFETY: live handles and memory.
    unsafe {
        ok(sys::cuStreamBeginCapture_v2(s, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        for _ in 0..3 {
            ok(increment(f, on_device, 64, s));
        }
        ok(sys::cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), on_device, 256, s));
        ok(sys::cuStreamEndCapture(s, &mut graph));
        let mut count = 0;
        ok(sys::cuGraphGetNodes(graph, null_mut(), &mut count));
        assert_eq!(count, 4);
        ok(sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0));
        for round in 1..4 {
            ok(sys::cuGraphLaunch(executable, s));
            ok(sys::cuStreamSynchronize(s));
            assert_eq!(host[63], 3 * round);
        }
        ok(sys::cuGraphExecDestroy(executable));
        ok(sys::cuGraphDestroy(graph));
    }
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
                // SAFETY: live memory of that size.
                ok(unsafe { sys::cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), on_device, 1024, s) });
                assert_eq!(host, [50; 256]);
            });
        }
    });
}

#[test]
fn variables_of_a_module_have_their_first_values() {
    let _turn = turn();
    let (mut module, mut address, mut bytes, mut value) = (null_mut(), 0, 0, 0u32);
    // SAFETY: places for results.
    unsafe {
        ok(sys::cuModuleLoadData(&mut module, KERNELS.as_ptr().cast()));
        ok(sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, module, c"counter".as_ptr()));
        ok(sys::cuMemcpyDtoH_v2((&raw mut value).cast(), address, bytes));
    }
    assert_eq!((value, bytes), (41, 4));
}
