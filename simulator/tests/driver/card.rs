//! The things that the tests of the driver share: the library, a context, kernels and memory.
#![allow(dead_code, reason = "not every test program uses all")]
use cudarc::driver::sys::{self, CUresult};
use std::ffi::CStr;
use std::sync::{Arc, Once};

pub use cudarc::driver::CudaContext;

/// Kernels of the tests.
pub const KERNELS: &CStr = match CStr::from_bytes_with_nul(concat!(include_str!("card.ptx"), "\0").as_bytes()) {
    Ok(text) => text,
    Err(_) => panic!("a text without NUL"),
};

/// Loads the simulator as `libcuda.so`, once. It lies beside the test.
pub fn simulator() {
    static LOADED: Once = Once::new();
    LOADED.call_once(|| {
        // SAFETY: every test comes here first, so nobody reads the environment meanwhile.
        unsafe { std::env::set_var("LABS_SIM_DEVICES", "2") };
        let beside = std::env::current_exe().unwrap().with_file_name("libsimulator.so");
        let flags = libloading::os::unix::RTLD_NOW | libloading::os::unix::RTLD_GLOBAL;
        // SAFETY: the package's own library; its initialisers do nothing.
        let library = unsafe { libloading::os::unix::Library::open(Some(&beside), flags) }.unwrap();
        std::mem::forget(library);
    });
}

/// A context of its own, current on this thread.
pub fn context() -> Arc<CudaContext> {
    simulator();
    let context = CudaContext::new_non_primary(0, 0).unwrap();
    // SAFETY: the tests order their work themselves.
    unsafe { context.disable_event_tracking() };
    context
}

/// A result as a Rust one.
pub fn ok(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS, "{}", text(result));
}

/// The text of `cuGetErrorString`.
pub fn text(result: CUresult) -> String {
    let mut words = std::ptr::null();
    // SAFETY: a place for a pointer; the text lives for good.
    unsafe {
        let _ = sys::cuGetErrorString(result, &mut words);
        CStr::from_ptr(words).to_string_lossy().into_owned()
    }
}

/// A kernel of [`KERNELS`] in the current context.
pub fn kernel(name: &CStr) -> sys::CUfunction {
    let (mut module, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: text that ends in NUL, places for results.
    unsafe {
        ok(sys::cuModuleLoadData(&mut module, KERNELS.as_ptr().cast()));
        ok(sys::cuModuleGetFunction(&mut function, module, name.as_ptr()));
    }
    function
}

/// Launches `increment` for `n` words.
pub fn increment(function: sys::CUfunction, pointer: u64, n: u32, stream: sys::CUstream) -> CUresult {
    let (mut pointer, mut n) = (pointer, n);
    let mut parameters: [*mut std::ffi::c_void; 2] = [(&raw mut pointer).cast(), (&raw mut n).cast()];
    // SAFETY: the kernel's two parameters.
    unsafe {
        sys::cuLaunchKernel(
            function,
            n.div_ceil(64).max(1),
            1,
            1,
            64,
            1,
            1,
            0,
            stream,
            parameters.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    }
}

/// Page-locked words.
pub fn pinned(words: usize) -> &'static mut [u32] {
    let mut pointer = std::ptr::null_mut();
    // SAFETY: a place for a pointer; the memory lives until its context ends, and the test within it.
    unsafe {
        ok(sys::cuMemHostAlloc(&mut pointer, words * 4, 0));
        std::slice::from_raw_parts_mut(pointer.cast(), words)
    }
}

/// Device words, each `value`.
pub fn device(words: usize, value: u32) -> u64 {
    let mut pointer = 0;
    // SAFETY: a place for a result; the memory was just allocated.
    unsafe {
        ok(sys::cuMemAlloc_v2(&mut pointer, words * 4));
        ok(sys::cuMemsetD32_v2(pointer, value, words));
        ok(sys::cuCtxSynchronize());
    }
    pointer
}
