//! A capture of the global mode concerns every thread of its process, so its test has a process of its own.
#![allow(unsafe_code)]
#[path = "driver/card.rs"]
mod card;

use card::{context, ok};
use cudarc::driver::sys::{self, CUresult, CUstreamCaptureMode};
use std::ptr::null_mut;

/// The answer to an allocation on another thread while a capture of `mode` goes on there, whose thread has the mode `its`; and the capture's end.
fn allocation_beside(mode: CUstreamCaptureMode, its: CUstreamCaptureMode) -> (CUresult, CUresult) {
    let context = context();
    let (mut stream, mut graph) = (null_mut(), null_mut());
    // SAFETY: places for handles; the stream lives as long as its context.
    unsafe {
        ok(sys::cuStreamCreate(&mut stream, 1));
        ok(sys::cuStreamBeginCapture_v2(stream, mode));
    }
    let allocated = std::thread::scope(|threads| {
        let other = threads.spawn(|| {
            context.bind_to_thread().unwrap();
            let (mut address, mut its) = (0, its);
            // SAFETY: places for a mode and an address.
            unsafe {
                ok(sys::cuThreadExchangeStreamCaptureMode(&mut its));
                sys::cuMemAlloc_v2(&mut address, 64)
            }
        });
        other.join().unwrap()
    });
    // SAFETY: a place for a handle.
    (allocated, unsafe { sys::cuStreamEndCapture(stream, &mut graph) })
}

#[test]
fn threads_keep_clear_of_a_capture_as_its_mode_and_theirs_say() {
    use CUresult::{
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED as INVALIDATED, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED as UNSUPPORTED,
        CUDA_SUCCESS as SUCCESS,
    };
    use CUstreamCaptureMode::{
        CU_STREAM_CAPTURE_MODE_GLOBAL as GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED as RELAXED,
        CU_STREAM_CAPTURE_MODE_THREAD_LOCAL as THREAD_LOCAL,
    };
    assert_eq!(allocation_beside(GLOBAL, GLOBAL), (UNSUPPORTED, INVALIDATED));
    assert_eq!(allocation_beside(GLOBAL, THREAD_LOCAL), (SUCCESS, SUCCESS));
    assert_eq!(allocation_beside(GLOBAL, RELAXED), (SUCCESS, SUCCESS));
    assert_eq!(allocation_beside(THREAD_LOCAL, GLOBAL), (SUCCESS, SUCCESS));
    assert_eq!(allocation_beside(RELAXED, GLOBAL), (SUCCESS, SUCCESS));
}
