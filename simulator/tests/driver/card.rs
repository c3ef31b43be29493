//! The things that the tests of the driver share: the library, a context, kernels and memory.
#![allow(dead_code, unused_macros, reason = "not every test program uses all")]
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, CString, c_char};
use std::sync::{Arc, Once};

pub use cudarc::driver::CudaContext;

/// Calls a function of the driver.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the tests give places of the size that the function writes, and live memory; of handles, addresses and numbers the driver
        // takes any, and refuses those that are wrong.
        #[allow(unused_unsafe, reason = "a call may stand beside what is unsafe by itself")]
        let result = unsafe { cudarc::driver::sys::$function($($argument),*) };
        result
    }};
}

/// Calls a function of the driver, which succeeds.
macro_rules! ok {
    ($($call:tt)*) => { $crate::card::ok(call!($($call)*)) };
}

/// A handle or a number that a function of the driver makes: it succeeds, and writes it to its first argument.
macro_rules! made {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::card::answer(|to| call!($function(to, $($argument),*)))
    };
}

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
        let _ = call!(cuGetErrorString(result, &mut words));
        CStr::from_ptr(words).to_string_lossy().into_owned()
    }
}

/// A kernel of [`KERNELS`] in the current context.
pub fn kernel(name: &CStr) -> sys::CUfunction {
    function(KERNELS.as_bytes(), name)
}

/// A kernel of a text that ends in NUL, or of an image that tells its length, in the current context.
pub fn function(image: &[u8], name: &CStr) -> sys::CUfunction {
    let module = made!(cuModuleLoadData(image.as_ptr().cast()));
    made!(cuModuleGetFunction(module, name.as_ptr()))
}

/// The handle or number that a call which succeeds writes to a place.
pub fn answer<T>(call: impl FnOnce(*mut T) -> CUresult) -> T {
    let mut place = std::mem::MaybeUninit::zeroed();
    ok(call(place.as_mut_ptr()));
    // SAFETY: handles and numbers, which the call has written.
    unsafe { place.assume_init() }
}

/// A struct of the interface, before anything stands in it.
pub fn zeroed<T: Copy>() -> T {
    answer(|_| CUresult::CUDA_SUCCESS)
}

/// The words at an address of the device.
pub fn words<const N: usize>(address: u64) -> [u32; N] {
    answer(|to: *mut [u32; N]| call!(cuMemcpyDtoH_v2(to.cast(), address, 4 * N)))
}

/// The word at an address of the device.
pub fn word(address: u64) -> u32 {
    words::<1>(address)[0]
}

/// Launches a kernel whose parameters have 8 bytes, or the lower 4 of them.
pub fn launch(
    function: sys::CUfunction,
    blocks: u32,
    threads: u32,
    stream: sys::CUstream,
    parameters: &[u64],
) -> CUresult {
    let mut parameters: Vec<_> = parameters.iter().map(|value| std::ptr::from_ref(value).cast_mut().cast()).collect();
    let parameters = parameters.as_mut_ptr();
    call!(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, std::ptr::null_mut()))
}

/// Launches `increment` for `n` words.
pub fn increment(function: sys::CUfunction, pointer: u64, n: u32, stream: sys::CUstream) -> CUresult {
    launch(function, n.div_ceil(64).max(1), 64, stream, &[pointer, n.into()])
}

/// Page-locked words.
pub fn pinned(words: usize) -> &'static mut [u32] {
    let mut pointer = std::ptr::null_mut();
    // SAFETY: a place for a pointer; the memory lives until its context ends, and the test within it.
    unsafe {
        ok!(cuMemHostAlloc(&mut pointer, words * 4, 0));
        std::slice::from_raw_parts_mut(pointer.cast(), words)
    }
}

pub fn device(words: usize, value: u32) -> u64 {
    let pointer = made!(cuMemAlloc_v2(words * 4));
    ok!(cuMemsetD32_v2(pointer, value, words));
    ok!(cuCtxSynchronize());
    pointer
}

pub fn stream(flags: u32) -> sys::CUstream {
    made!(cuStreamCreate(flags))
}

/// A function that the simulator exports and cudarc's newest interface does not declare.
pub fn exported<F: Copy>(name: &str) -> F {
    let library = libloading::os::unix::Library::this();
    // SAFETY: each caller names the function's own type.
    unsafe { *library.get::<F>(name.as_bytes()).unwrap() }
}

/// A function of a version of CUDA by the name that programs look up.
pub fn looked_up<F: Copy>(name: &CStr, version: i32) -> F {
    let mut found = std::ptr::null_mut();
    ok!(cuGetProcAddress_v2(name.as_ptr(), &mut found, version, 0, std::ptr::null_mut()));
    assert!(!found.is_null(), "{name:?}");
    // SAFETY: each caller names the function's own type.
    unsafe { std::mem::transmute_copy(&found) }
}

/// Begins a capture that concerns this thread alone.
pub fn begin_capture(stream: sys::CUstream) {
    ok!(cuStreamBeginCapture_v2(stream, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

/// The executable form of the graph that a stream's capture ends with.
pub fn end_capture(stream: sys::CUstream) -> sys::CUgraphExec {
    let mut graph = std::ptr::null_mut();
    ok!(cuStreamEndCapture(stream, &mut graph));
    made!(cuGraphInstantiateWithFlags(graph, 0))
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
    ok!(cuCtxSynchronize());
    let findings: serde_json::Value = serde_json::from_str(&bridge("labs_sim_take", "findings")).unwrap();
    let text = |finding: &serde_json::Value| finding["message"].as_str().unwrap_or_default().to_owned();
    findings.as_array().unwrap().iter().map(text).collect()
}

/// One finding, with these words.
pub fn one(findings: &[String], words: &[&str]) {
    assert_eq!(findings.len(), 1, "{words:?}: {findings:#?}");
    words.iter().for_each(|word| assert!(findings[0].contains(word), "{word}: {}", findings[0]));
}
