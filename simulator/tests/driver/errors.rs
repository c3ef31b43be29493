//! Errors: the documented result, a text that says why, and nothing worse.
use crate::{context, device, increment, kernel, ok, text, words};
use cudarc::driver::sys::CUresult;
use std::ptr::null_mut;

use CUresult::{CUDA_ERROR_INVALID_HANDLE as INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE as INVALID_VALUE};

#[test]
fn a_fault_stays_with_its_context_and_explains_itself() {
    let _healthy = context();
    let other = device(16, 3);
    {
        let _context = context();
        let (f, on_device) = (kernel(c"increment"), device(16, 0));
        ok(increment(f, on_device, 100, null_mut()));
        let result = call!(cuCtxSynchronize());
        assert_eq!(result, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        let words = text(result);
        assert!(words.starts_with("your kernel: `increment`") && words.contains("past the end"), "{words}");
        let mut more = 0;
        assert_eq!(call!(cuMemAlloc_v2(&mut more, 4)), result);
        assert_eq!(increment(f, on_device, 1, null_mut()), result);
    }
    let _again = context();
    assert_eq!(words(other), [3; 16]);
}

#[test]
fn images_that_are_no_ptx_are_refused_with_a_reason() {
    let _context = context();
    let cases: [(&[u8], CUresult, &str); 5] = [
        (b"\x7fELF\x02\x01\x01\0", CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU, "CUBIN"),
        (b"this is not PTX\0", CUresult::CUDA_ERROR_INVALID_PTX, "line 1"),
        (b"\0", CUresult::CUDA_ERROR_INVALID_PTX, "line 1"),
        (
            b".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry f(\0",
            CUresult::CUDA_ERROR_INVALID_PTX,
            "line 4",
        ),
        (b".version 8.0\n\xff\xfe\0", CUresult::CUDA_ERROR_INVALID_PTX, "UTF-8"),
    ];
    for (image, expected, words) in cases {
        let result = call!(cuModuleLoadData(&mut null_mut(), image.as_ptr().cast()));
        assert_eq!(result, expected);
        assert!(text(result).contains(words), "{}", text(result));
    }
    assert_eq!(call!(cuModuleLoadData(null_mut(), crate::KERNELS.as_ptr().cast())), INVALID_VALUE);
    assert_eq!(call!(cuModuleLoadData(&mut null_mut(), std::ptr::null())), INVALID_VALUE);
}

#[test]
fn memory_is_freed_once_and_by_its_start() {
    let _context = context();
    let on_device = device(16, 0);
    let host = [0u8; 64];
    assert_eq!(call!(cuMemFree_v2(on_device + 4)), INVALID_VALUE);
    assert_eq!(call!(cuMemFree_v2(host.as_ptr() as u64)), INVALID_VALUE);
    assert_eq!(call!(cuMemFreeHost(on_device as *mut _)), INVALID_VALUE);
    // No error on an H200 either.
    ok!(cuMemFree_v2(0));
    ok!(cuMemFreeHost(null_mut()));
    ok!(cuMemFree_v2(on_device));
    assert_eq!(call!(cuMemFree_v2(on_device)), INVALID_VALUE);
    assert!(text(INVALID_VALUE).contains("freed before"));
    assert_eq!(call!(cuMemsetD8_v2(on_device, 0, 1)), INVALID_VALUE);
    assert_eq!(call!(cuMemHostUnregister(host.as_ptr() as *mut _)), CUresult::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

#[test]
fn copies_stay_in_bounds() {
    let _context = context();
    let on_device = device(16, 0);
    let mut host = [0u8; 256];
    let wrong = call!(cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), on_device, 65));
    assert_eq!(wrong, INVALID_VALUE);
    assert!(text(wrong).contains("past the end of 64 bytes"), "{}", text(wrong));
    assert_eq!(call!(cuMemcpyHtoD_v2(host.as_ptr() as u64, host.as_ptr().cast(), 4)), INVALID_VALUE);
    assert_eq!(call!(cuMemcpyDtoD_v2(on_device, on_device + 60, 8)), INVALID_VALUE);
    assert_eq!(call!(cuMemcpyHtoD_v2(on_device, std::ptr::null(), 4)), INVALID_VALUE);
    assert_eq!(call!(cuMemsetD32_v2(on_device + 2, 0, 1)), INVALID_VALUE);
    // Nothing is nothing, wherever it lies.
    ok!(cuMemcpyHtoD_v2(on_device, std::ptr::null(), 0));
    ok!(cuMemsetD32_v2(on_device, 0, 0));
}

#[test]
fn launches_stay_within_the_device() {
    let _context = context();
    let f = kernel(c"work");
    let mut n = 1u32;
    let mut parameters = [(&raw mut n).cast::<std::ffi::c_void>()];
    let mut launch = |[gx, gy, gz]: [u32; 3], [x, y, z]: [u32; 3], shared: u32, with: bool| {
        let parameters = if with { parameters.as_mut_ptr() } else { null_mut() };
        call!(cuLaunchKernel(f, gx, gy, gz, x, y, z, shared, null_mut(), parameters, null_mut()))
    };
    assert_eq!(launch([0, 1, 1], [1, 1, 1], 0, true), INVALID_VALUE);
    assert_eq!(launch([1, 65536, 1], [1, 1, 1], 0, true), INVALID_VALUE);
    assert_eq!(launch([1, 1, 1], [1, 1, 65], 0, true), INVALID_VALUE);
    assert_eq!(launch([1, 1, 1], [64, 32, 1], 0, true), INVALID_VALUE);
    assert!(text(INVALID_VALUE).contains("2048 threads"), "{}", text(INVALID_VALUE));
    assert_eq!(launch([1, 1, 1], [32, 1, 1], 50_000, true), INVALID_VALUE);
    assert!(text(INVALID_VALUE).contains("MAX_DYNAMIC_SHARED_SIZE_BYTES"), "{}", text(INVALID_VALUE));
    assert_eq!(launch([1, 1, 1], [32, 1, 1], 0, false), INVALID_VALUE);
    ok(launch([1, 1, 1], [32, 1, 1], 0, true));
    let mut big = 100_000u32;
    let mut with = [(&raw mut big).cast::<std::ffi::c_void>()];
    let result = call!(cuLaunchCooperativeKernel(f, 1 << 20, 1, 1, 64, 1, 1, 0, null_mut(), with.as_mut_ptr()));
    assert_eq!(result, CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

#[test]
fn stale_and_foreign_handles_are_told_apart_from_good_ones() {
    let _context = context();
    let event = made!(cuEventCreate(0));
    let stream = made!(cuStreamCreate(0));
    assert_eq!(call!(cuStreamSynchronize(event.cast())), INVALID_HANDLE);
    assert_eq!(call!(cuEventQuery(stream.cast())), INVALID_HANDLE);
    assert_eq!(call!(cuEventQuery(0x1234 as _)), INVALID_HANDLE);
    ok!(cuEventDestroy_v2(event));
    assert_eq!(call!(cuEventDestroy_v2(event)), INVALID_HANDLE);
    assert!(text(INVALID_HANDLE).contains("was destroyed"));
    ok!(cuStreamDestroy_v2(stream));
    assert_eq!(call!(cuStreamQuery(stream)), INVALID_HANDLE);
}

#[test]
fn what_is_missing_says_so() {
    let _context = context();
    let result = call!(cuGraphKernelNodeCopyAttributes(std::ptr::null_mut(), std::ptr::null_mut()));
    assert_eq!(result, CUresult::CUDA_ERROR_NOT_SUPPORTED);
    assert!(text(result).starts_with("not modelled by the simulator"), "{}", text(result));
}
