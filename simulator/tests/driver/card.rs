//! The things that the tests of the driver share: the library, a context, kernels and memory.
#![allow(dead_code, reason = "not every test program uses all")]
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, CString, c_char};
use std::sync::{Arc, Once};

pub use cudarc::driver::CudaContext;

/// Kernels of the tests.
pub const KERNELS: &str = concat!(include_str!("card.ptx"), "\0");

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
    function(KERNELS.as_bytes(), name)
}

/// A kernel of a text that ends in NUL, or of an image that tells its length, in the current context.
pub fn function(image: &[u8], name: &CStr) -> sys::CUfunction {
    // SAFETY: the image, places for results.
    unsafe {
        let module = answer(|to| sys::cuModuleLoadData(to, image.as_ptr().cast()));
        answer(|to| sys::cuModuleGetFunction(to, module, name.as_ptr()))
    }
}

/// The handle or number that a call which succeeds writes to a place.
pub fn answer<T>(call: impl FnOnce(*mut T) -> CUresult) -> T {
    let mut place = std::mem::MaybeUninit::zeroed();
    ok(call(place.as_mut_ptr()));
    // SAFETY: handles and numbers, which the call has written.
    unsafe { place.assume_init() }
}

/// The word at an address of the device.
pub fn word(address: u64) -> u32 {
    // SAFETY: a place for one word.
    unsafe { answer(|to: *mut u32| sys::cuMemcpyDtoH_v2(to.cast(), address, 4)) }
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

pub fn stream(flags: u32) -> sys::CUstream {
    // SAFETY: a place for a result.
    answer(|to| unsafe { sys::cuStreamCreate(to, flags) })
}

/// A function that the simulator exports and cudarc's newest interface does not declare.
pub fn exported<F: Copy>(name: &str) -> F {
    let library = libloading::os::unix::Library::this();
    // SAFETY: each caller names the function's own type.
    unsafe { *library.get::<F>(name.as_bytes()).unwrap() }
}

/// Calls one of the simulator's own functions, which are as their documentation says.
pub fn bridge(name: &str, text: &str) -> String {
    let call: unsafe extern "C" fn(*const c_char) -> *mut c_char = exported(name);
    let text = CString::new(text).unwrap();
    // SAFETY: a text that ends in NUL; the answer is null, or a text that stays.
    unsafe {
        let said = call(text.as_ptr());
        if said.is_null() { String::new() } else { CStr::from_ptr(said).to_string_lossy().into_owned() }
    }
}

/// The messages of the findings of what `run` does, with everything done at its end.
pub fn found(run: impl FnOnce()) -> Vec<String> {
    let _context = context();
    bridge("labs_sim_take", "findings");
    run();
    // SAFETY: no arguments.
    ok(unsafe { sys::cuCtxSynchronize() });
    let findings: serde_json::Value = serde_json::from_str(&bridge("labs_sim_take", "findings")).unwrap();
    let text = |finding: &serde_json::Value| finding["message"].as_str().unwrap_or_default().to_owned();
    findings.as_array().unwrap().iter().map(text).collect()
}

/// One finding, with these words.
pub fn one(findings: &[String], words: &[&str]) {
    assert_eq!(findings.len(), 1, "{words:?}: {findings:#?}");
    words.iter().for_each(|word| assert!(findings[0].contains(word), "{word}: {}", findings[0]));
}
