//! Calls with any arguments: every one is answered, none crashes. A program of its own: a number may be the handle of another test's stream.
#![allow(unsafe_code)]
#![allow(clippy::not_unsafe_ptr_arg_deref, reason = "the driver's handles are opaque, and a wrong one is refused")]
#[path = "driver/card.rs"]
mod card;

use card::{context, device, kernel, simulator, text};
use cudarc::driver::sys::{self, CUresult};
use proptest::prelude::*;
use std::ptr::null_mut;

/// Arguments that are wrong in many ways; pointers that the driver would have to follow are right, or null.
#[derive(Clone, Debug)]
struct Call {
    which: u8,
    handle: usize,
    address: u64,
    size: usize,
    number: u32,
}

fn call() -> impl Strategy<Value = Call> {
    let handle = prop_oneof![
        Just(0usize),
        Just(1),
        Just(2),
        Just(3),
        any::<usize>(),
        (0usize..64).prop_map(|n| (0x12 << 40) + n * 16)
    ];
    let address = prop_oneof![Just(0u64), Just(1), any::<u64>(), 0x1000_0000_0000u64..0x1000_0010_0000];
    let size = prop_oneof![Just(0usize), 1usize..64, Just(usize::MAX), Just(1 << 40)];
    let number = prop_oneof![0u32..12, any::<u32>()];
    (any::<u8>(), handle, address, size, number).prop_map(|(which, handle, address, size, number)| Call {
        which,
        handle,
        address,
        size,
        number,
    })
}

/// Makes a call; everything that the driver may write to is real.
fn make(call: &Call, function: sys::CUfunction) -> CUresult {
    let Call { which, handle, address, size, number } = *call;
    let mut place = [0u64; 16];
    let (out, none) = (place.as_mut_ptr(), null_mut());
    // SAFETY: places for results are real; handles and device addresses are looked up, never followed.
    unsafe {
        match which % 30 {
            0 => sys::cuStreamSynchronize(handle as _),
            1 => sys::cuStreamQuery(handle as _),
            2 => sys::cuEventRecord(handle as _, number as usize as _),
            3 => sys::cuEventQuery(handle as _),
            4 => sys::cuEventSynchronize(handle as _),
            5 => sys::cuStreamWaitEvent(handle as _, number as usize as _, 0),
            6 => sys::cuMemFree_v2(address | 1),
            7 => sys::cuMemsetD8_v2(address, 0, size),
            8 => sys::cuMemsetD32Async(address, number, size, handle as _),
            9 => sys::cuMemcpyDtoD_v2(address, address ^ u64::from(number), size),
            10 => sys::cuModuleUnload(handle as _),
            11 => sys::cuModuleGetFunction(out.cast(), handle as _, c"f".as_ptr()),
            12 => sys::cuStreamCreate(out.cast(), number),
            13 => sys::cuEventCreate(out.cast(), number),
            14 => sys::cuEventElapsedTime_v2(out.cast(), handle as _, number as usize as _),
            15 => sys::cuMemAllocAsync(out.cast(), size, handle as _),
            16 => sys::cuMemFreeAsync(address | 1, handle as _),
            17 => sys::cuLaunchKernel(handle as _, number, 1, 1, number, 1, 1, 0, handle as _, none, none),
            18 => sys::cuLaunchKernel(function, number, number, 1, number, 1, 1, number, handle as _, none, none),
            19 => sys::cuGraphLaunch(handle as _, null_mut()),
            20 => sys::cuGraphDestroy(handle as _),
            21 => sys::cuStreamEndCapture(handle as _, out.cast()),
            22 => sys::cuPointerGetAttributes(0, out.cast(), out.cast(), address),
            23 => sys::cuMemHostUnregister(address as _),
            24 => sys::cuMemFreeHost((address | 1) as _),
            25 => sys::cuDeviceGet(out.cast(), number as i32),
            26 => sys::cuCtxSetLimit(std::mem::transmute::<u32, sys::CUlimit>(number % 8), size),
            27 => sys::cuMemGetAddressRange_v2(out, out.add(1).cast(), address),
            28 => sys::cuMemPoolTrimTo(handle as _, size),
            _ => sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(out.cast(), function, number as i32, size),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_calls_are_answered(calls in proptest::collection::vec(call(), 1..40)) {
        simulator();
        let context = context();
        let function = kernel(c"work");
        for call in &calls {
            let result = make(call, function);
            prop_assert_ne!(result, CUresult::CUDA_ERROR_UNKNOWN, "{:?}: {}", call, text(result));
        }
        // The driver still works.
        device(16, 1);
        drop(context);
    }
}
