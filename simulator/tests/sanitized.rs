//! The sanitizer behind the driver's interface: what needs more than one operation to be seen. Values that are not defined
//! reach the host, or a later kernel; two streams use one buffer.
#![allow(unsafe_code)]
#[path = "driver/card.rs"]
mod card;

use card::{context, ok, pinned, simulator};
use cudarc::driver::sys::{self, CUdeviceptr, CUstream};
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;

/// `out[i] = in[i] + 1` and `p[i] += 1` of 64 threads a block.
const KERNELS: &CStr = c"
.version 8.0
.target sm_50
.address_size 64
.visible .entry plus(.param .u64 out, .param .u64 in)
{
    .reg .b32 %r<6>; .reg .b64 %d<6>;
    ld.param.u64 %d1, [out];
    ld.param.u64 %d2, [in];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.s32 %r2, %r2, %r3, %r4;
    mul.wide.u32 %d3, %r2, 4;
    add.s64 %d4, %d1, %d3;
    add.s64 %d5, %d2, %d3;
    ld.global.u32 %r5, [%d5];
    add.u32 %r5, %r5, 1;
    st.global.u32 [%d4], %r5;
    ret;
}
.visible .entry count(.param .u64 out, .param .u64 in)
{
    .reg .b32 %r<2>; .reg .b64 %d<2>;
    ld.param.u64 %d1, [out];
    red.global.add.u32 [%d1], 1;
    ret;
}
";

/// Words of a buffer.
const WORDS: usize = 256;

struct Card {
    plus: sys::CUfunction,
    count: sys::CUfunction,
}

impl Card {
    fn new() -> Card {
        let mut module = null_mut();
        let function = |module, name: &CStr| {
            let mut function = null_mut();
            // SAFETY: a live module, a place for a result.
            ok(unsafe { sys::cuModuleGetFunction(&mut function, module, name.as_ptr()) });
            function
        };
        // SAFETY: text that ends in NUL, a place for a result.
        ok(unsafe { sys::cuModuleLoadData(&mut module, KERNELS.as_ptr().cast()) });
        Card { plus: function(module, c"plus"), count: function(module, c"count") }
    }

    /// `out = in + 1` for so many blocks of 64 words.
    fn plus(&self, out: CUdeviceptr, from: CUdeviceptr, blocks: u32, stream: CUstream) {
        launch(self.plus, out, from, blocks, stream);
    }
}

fn launch(function: sys::CUfunction, mut out: u64, mut from: u64, blocks: u32, stream: CUstream) {
    let mut parameters: [*mut c_void; 2] = [(&raw mut out).cast(), (&raw mut from).cast()];
    // SAFETY: the kernel's two parameters.
    ok(unsafe {
        sys::cuLaunchKernel(function, blocks, 1, 1, 64, 1, 1, 0, stream, parameters.as_mut_ptr(), null_mut())
    });
}

/// Fresh words of the device.
fn fresh() -> CUdeviceptr {
    let mut pointer = 0;
    // SAFETY: a place for a result.
    ok(unsafe { sys::cuMemAlloc_v2(&mut pointer, WORDS * 4) });
    pointer
}

fn to_host(from: CUdeviceptr) {
    let mut host = [0u32; WORDS];
    // SAFETY: both have that size.
    ok(unsafe { sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), from, WORDS * 4) });
}

fn stream(flags: u32) -> CUstream {
    let mut stream = null_mut();
    // SAFETY: a place for a result.
    ok(unsafe { sys::cuStreamCreate(&mut stream, flags) });
    stream
}

/// Calls one of the simulator's own functions.
fn bridge(function: &str, text: &str) -> String {
    type Call = unsafe extern "C" fn(*const c_char) -> *mut c_char;
    let text = CString::new(text).unwrap();
    // SAFETY: the functions are as their documentation says; the library is loaded for good.
    unsafe {
        let this = libloading::os::unix::Library::this();
        let call = this.get::<Call>(function.as_bytes()).unwrap();
        let said = call(text.as_ptr());
        if said.is_null() { String::new() } else { CStr::from_ptr(said).to_string_lossy().into_owned() }
    }
}

/// The findings of what `run` does, with everything done at its end.
fn found(run: impl FnOnce(&Card)) -> Vec<String> {
    let _context = context();
    bridge("labs_sim_take", "findings");
    run(&Card::new());
    // SAFETY: no arguments.
    ok(unsafe { sys::cuCtxSynchronize() });
    let findings: serde_json::Value = serde_json::from_str(&bridge("labs_sim_take", "findings")).unwrap();
    let text = |finding: &serde_json::Value| finding["message"].as_str().unwrap_or_default().to_owned();
    findings.as_array().unwrap().iter().map(text).collect()
}

/// One finding, with these words.
fn one(findings: &[String], words: &[&str]) {
    assert_eq!(findings.len(), 1, "{words:?}: {findings:#?}");
    words.iter().for_each(|word| assert!(findings[0].contains(word), "{word}: {}", findings[0]));
}

fn none(findings: &[String], why: &str) {
    assert!(findings.is_empty(), "{why}: {findings:#?}");
}

/// One test: findings and settings are those of the process.
#[test]
fn what_needs_several_operations_is_found() {
    simulator();
    assert_eq!(bridge("labs_sim_configure", r#"{"sanitize": true}"#), "");
    undefined_values();
    two_streams();
}

fn undefined_values() {
    let own = null_mut();
    let told = found(|card| {
        let (from, to) = (fresh(), fresh());
        card.plus(to, from, 4, own);
        to_host(to);
    });
    one(&told, &["the host reads what `plus` computed from", "which was never written"]);
    let silent = found(|card| {
        let (from, to) = (fresh(), fresh());
        card.plus(to, from, 4, own);
        // SAFETY: live memory of that size.
        ok(unsafe { sys::cuMemsetD32_v2(to, 0, WORDS) });
        to_host(to);
        to_host(from);
    });
    none(&silent, "written since, and read without a kernel");
    none(&found(|card| card.plus(fresh(), fresh(), 4, own)), "nobody reads it");
    let told = found(|card| {
        let (from, middle, copy, to) = (fresh(), fresh(), fresh(), fresh());
        card.plus(middle, from, 4, own);
        // SAFETY: live memory of that size.
        ok(unsafe { sys::cuMemcpyDtoD_v2(copy, middle, WORDS * 4) });
        card.plus(to, copy, 4, own);
        to_host(to);
    });
    one(&told, &["the host reads what `plus` computed from a value that an earlier kernel computed"]);
    let told = found(|card| {
        let (from, to) = (fresh(), pinned(WORDS));
        card.plus(to.as_mut_ptr() as u64, from, 4, own);
    });
    one(&told, &["`plus` stores to the host's memory what it computed from"]);
    // Another device's memory.
    for written in [false, true] {
        let told = found(|card| {
            let (from, middle) = (fresh(), fresh());
            card.plus(middle, from, 4, own);
            let (mut first, mut second, mut there) = (null_mut(), null_mut(), 0);
            // SAFETY: places for results; live memory of that size, each in its context.
            unsafe {
                ok(sys::cuCtxGetCurrent(&mut first));
                ok(sys::cuDevicePrimaryCtxRetain(&mut second, 1));
                ok(sys::cuCtxPushCurrent_v2(second));
                ok(sys::cuMemAlloc_v2(&mut there, WORDS * 4));
                ok(sys::cuMemcpyPeer(there, second, middle, first, WORDS * 4));
                if written {
                    ok(sys::cuMemsetD32_v2(there, 0, WORDS));
                }
                to_host(there);
                ok(sys::cuMemFree_v2(there));
                ok(sys::cuCtxPopCurrent_v2(&mut second));
                ok(sys::cuDevicePrimaryCtxRelease_v2(1));
            }
        });
        match written {
            false => one(&told, &["the host reads what `plus` computed from", "which was never written"]),
            true => none(&told, "written since, on the other device"),
        }
    }
}

/// The actions of a program with a card and one of its buffers.
type Sequence<'a> = &'a dyn Fn(&Card, CUdeviceptr);

fn two_streams() {
    let zeros = || {
        let buffer = fresh();
        // SAFETY: live memory of that size.
        unsafe {
            ok(sys::cuMemsetD32_v2(buffer, 0, WORDS));
            ok(sys::cuCtxSynchronize());
        }
        buffer
    };
    let told = found(|card| {
        let (a, b, p) = (stream(1), stream(1), zeros());
        card.plus(p, p, 4, a);
        card.plus(p, p, 4, b);
    });
    one(
        &told,
        &["two streams use", "the kernel `plus` on stream", "writes it", "nothing orders them", "cuStreamWaitEvent"],
    );
    let told = found(|card| {
        let (a, b, p) = (stream(1), stream(1), zeros());
        card.plus(p, p, 4, a);
        // SAFETY: live memory of that size.
        ok(unsafe { sys::cuMemsetD32Async(p, 1, WORDS, b) });
    });
    one(&told, &["a memset on stream", "the kernel `plus`"]);
    let told = found(|card| {
        let (a, b, p, host) = (stream(1), stream(1), zeros(), pinned(WORDS));
        // SAFETY: live memory of that size.
        ok(unsafe { sys::cuMemcpyHtoDAsync_v2(p, host.as_mut_ptr().cast(), WORDS * 4, a) });
        card.plus(fresh(), p, 4, b);
    });
    one(&told, &["a memcpy HtoD on stream", "writes it", "the kernel `plus`", "reads it"]);
    let told = found(|card| {
        let (a, p) = (stream(1), zeros());
        card.plus(p, p, 4, a);
        card.plus(p, p, 4, null_mut());
    });
    one(&told, &["two streams use"]);
    // The host's memory while a kernel writes it, as far as the host uses it through the driver.
    let told = found(|card| {
        let (a, b, p, mapped) = (stream(1), stream(1), zeros(), pinned(WORDS));
        card.plus(mapped.as_mut_ptr() as u64, p, 4, a);
        // SAFETY: live memory of that size.
        ok(unsafe { sys::cuMemcpyHtoDAsync_v2(fresh(), mapped.as_mut_ptr().cast(), WORDS * 4, b) });
    });
    one(&told, &["a memcpy HtoD on stream", "reads it", "the kernel `plus`", "writes it"]);
    // Memory that a stream frees, and a card hands out again, while another stream reads it.
    let told = found(|card| {
        let (a, b, p) = (stream(1), stream(1), zeros());
        card.plus(fresh(), p, 4, a);
        // SAFETY: live memory, and a live handle.
        ok(unsafe { sys::cuMemFreeAsync(p, b) });
    });
    one(&told, &["the kernel `plus` on stream", "reads it", "a free on stream", "frees it", "nothing orders them"]);
    let told = found(|_| {
        let (a, b, p, host, mut again) = (stream(1), stream(1), zeros(), pinned(WORDS), 0);
        // SAFETY: live memory of that size, live handles, a place for a result.
        unsafe {
            ok(sys::cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), p, WORDS * 4, a));
            ok(sys::cuMemFreeAsync(p, b));
            ok(sys::cuMemAllocAsync(&mut again, WORDS * 4, b));
            ok(sys::cuMemcpyHtoDAsync_v2(again, pinned(WORDS).as_mut_ptr().cast(), WORDS * 4, b));
        }
    });
    one(&told, &["a memcpy DtoH on stream", "reads it", "a free on stream", "frees it"]);

    let event = || {
        let mut event = null_mut();
        // SAFETY: a place for a result.
        ok(unsafe { sys::cuEventCreate(&mut event, 0) });
        event
    };
    let ordered: [(&str, Sequence); 10] = [
        ("an event", &|card, p| {
            let (a, b, e) = (stream(1), stream(1), event());
            card.plus(p, p, 4, a);
            // SAFETY: live handles.
            unsafe {
                ok(sys::cuEventRecord(e, a));
                ok(sys::cuStreamWaitEvent(b, e, 0));
            }
            card.plus(p, p, 4, b);
        }),
        ("an event before memory is freed", &|card, p| {
            let (a, b, e) = (stream(1), stream(1), event());
            card.plus(fresh(), p, 4, a);
            // SAFETY: live handles, and live memory.
            unsafe {
                ok(sys::cuEventRecord(e, a));
                ok(sys::cuStreamWaitEvent(b, e, 0));
                ok(sys::cuMemFreeAsync(p, b));
            }
        }),
        ("other memory that is freed", &|card, p| {
            let (a, b) = (stream(1), stream(1));
            card.plus(fresh(), p, 4, a);
            // SAFETY: live memory, and a live handle.
            ok(unsafe { sys::cuMemFreeAsync(fresh(), b) });
        }),
        ("one stream", &|card, p| {
            let a = stream(1);
            card.plus(p, p, 4, a);
            card.plus(p, p, 4, a);
        }),
        ("the legacy default stream", &|card, p| {
            card.plus(p, p, 4, stream(0));
            card.plus(p, p, 4, null_mut());
        }),
        ("the host", &|card, p| {
            let (a, b) = (stream(1), stream(1));
            card.plus(p, p, 4, a);
            // SAFETY: a live handle.
            ok(unsafe { sys::cuStreamSynchronize(a) });
            card.plus(p, p, 4, b);
        }),
        ("disjoint halves", &|card, p| {
            let (a, b, half) = (stream(1), stream(1), p + WORDS as u64 * 2);
            card.plus(p, p, 2, a);
            card.plus(half, half, 2, b);
        }),
        ("both only read", &|card, p| {
            let (a, b) = (stream(1), stream(1));
            card.plus(fresh(), p, 4, a);
            card.plus(fresh(), p, 4, b);
        }),
        ("both count with atomics", &|card, p| {
            let (a, b) = (stream(1), stream(1));
            launch(card.count, p, p, 4, a);
            launch(card.count, p, p, 4, b);
        }),
        ("an event that a third stream hands on", &|card, p| {
            let (a, b, c, e, f) = (stream(1), stream(1), stream(1), event(), event());
            card.plus(p, p, 4, a);
            // SAFETY: live handles.
            unsafe {
                ok(sys::cuEventRecord(e, a));
                ok(sys::cuStreamWaitEvent(c, e, 0));
                ok(sys::cuEventRecord(f, c));
                ok(sys::cuStreamWaitEvent(b, f, 0));
            }
            card.plus(p, p, 4, b);
        }),
    ];
    for (what, run) in ordered {
        none(&found(|card| run(card, zeros())), what);
    }
}
