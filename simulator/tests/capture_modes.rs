//! A capture of the global mode concerns every thread of its process, so its test has a process of its own.
#![allow(unsafe_code)]
#[path = "driver/card.rs"]
#[macro_use]
mod card;

use card::context;
use cudarc::driver::sys::{CUresult, CUstreamCaptureMode};
use std::ptr::null_mut;

/// The answer to an allocation on another thread while a capture of `mode` goes on there, whose thread has the mode `its`; and the capture's end.
fn allocation_beside(mode: CUstreamCaptureMode, its: CUstreamCaptureMode) -> (CUresult, CUresult) {
    let context = context();
    let mut graph = null_mut();
    let stream = made!(cuStreamCreate(1));
    ok!(cuStreamBeginCapture_v2(stream, mode));
    let allocated = std::thread::scope(|threads| {
        let other = threads.spawn(|| {
            context.bind_to_thread().unwrap();
            let (mut address, mut its) = (0, its);
            ok!(cuThreadExchangeStreamCaptureMode(&mut its));
            call!(cuMemAlloc_v2(&mut address, 64))
        });
        other.join().unwrap()
    });
    (allocated, call!(cuStreamEndCapture(stream, &mut graph)))
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
