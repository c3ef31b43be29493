//! The sanitizer behind the driver's interface: what needs more than one operation to be seen. Values that are not defined
//! reach the host, or a later kernel; two streams use one buffer.
#![allow(unsafe_code)]
#[path = "driver/card.rs"]
#[macro_use]
mod card;

use card::{bridge, exported, ok, one, pinned, simulator, stream, words};
use cudarc::driver::sys::{self, CUdeviceptr, CUstream};
use std::ffi::CStr;
use std::ptr::null_mut;

/// `out[i] = in[i] + 1`, `p[i] += 1` and `out[i] = table[16]` of 64 threads a block.
const KERNELS: &str = concat!(include_str!("sanitized/kernels.ptx"), "\0");

/// Words of a buffer.
const WORDS: usize = 256;

struct Card {
    plus: sys::CUfunction,
    count: sys::CUfunction,
    constant: sys::CUfunction,
    /// The constants that `constant` reads one of.
    table: CUdeviceptr,
}

impl Card {
    fn new() -> Card {
        let module = made!(cuModuleLoadData(KERNELS.as_ptr().cast()));
        let function = |name: &CStr| made!(cuModuleGetFunction(module, name.as_ptr()));
        let [plus, count, constant] = [c"plus", c"count", c"constant"].map(function);
        let table = made!(cuModuleGetGlobal_v2(null_mut(), module, c"table".as_ptr()));
        Card { plus, count, constant, table }
    }

    /// `out = in + 1` for so many blocks of 64 words.
    fn plus(&self, out: CUdeviceptr, from: CUdeviceptr, blocks: u32, stream: CUstream) {
        launch(self.plus, out, from, blocks, stream);
    }
}

fn launch(function: sys::CUfunction, out: u64, from: u64, blocks: u32, stream: CUstream) {
    ok(card::launch(function, blocks, 64, stream, &[out, from]));
}

/// Fresh words of the device.
fn fresh() -> CUdeviceptr {
    made!(cuMemAlloc_v2(WORDS * 4))
}

fn to_host_on(stream: CUstream, from: CUdeviceptr, to: &mut [u32]) {
    ok!(cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, WORDS * 4, stream));
}

fn to_host(from: CUdeviceptr) {
    words::<WORDS>(from);
}

/// Lets a stream wait for what is in another.
fn waits_for(stream: CUstream, other: CUstream) {
    let event = made!(cuEventCreate(0));
    ok!(cuEventRecord(event, other));
    ok!(cuStreamWaitEvent(stream, event, 0));
}

fn synchronize(stream: CUstream) {
    ok!(cuStreamSynchronize(stream));
}

/// Fresh words in the order of a stream.
fn fresh_on(stream: CUstream) -> CUdeviceptr {
    made!(cuMemAllocAsync(WORDS * 4, stream))
}

fn free_on(stream: CUstream, pointer: CUdeviceptr) {
    ok!(cuMemFreeAsync(pointer, stream));
}

fn set(pointer: CUdeviceptr, words: usize, stream: CUstream) {
    ok!(cuMemsetD32Async(pointer, 1, words, stream));
}

/// A range that an operation of PyTorch's touches, as `labs_sim_answered` takes it.
#[repr(C)]
struct Touched {
    address: u64,
    bytes: u64,
    is_written: u32,
    is_checked: u32,
}

/// An operation that the host computes, on a stream: what it reads, and what it writes.
fn answered(stream: CUstream, reads: CUdeviceptr, writes: CUdeviceptr) {
    let before: unsafe extern "C" fn(CUstream) -> u32 = exported("labs_sim_before_answer");
    type After = unsafe extern "C" fn(CUstream, *const std::ffi::c_char, *const Touched, u64, u64) -> u32;
    let after: After = exported("labs_sim_answered");
    let range =
        |address, is_written| Touched { address, bytes: WORDS as u64 * 4, is_written, is_checked: 1 - is_written };
    let touched = [range(reads, 0), range(writes, 1)];
    // SAFETY: a live stream, a text that ends in NUL, and as many ranges.
    let codes = unsafe { [before(stream), after(stream, c"add".as_ptr(), touched.as_ptr(), 2, 0)] };
    assert_eq!(codes, [0, 0]);
}

/// The findings of what `run` does, with everything done at its end.
fn found(run: impl FnOnce(&Card)) -> Vec<String> {
    card::found(|| run(&Card::new()))
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
        ok!(cuMemsetD32_v2(to, 0, WORDS));
        to_host(to);
        to_host(from);
    });
    none(&silent, "written since, and read without a kernel");
    none(&found(|card| card.plus(fresh(), fresh(), 4, own)), "nobody reads it");
    let told = found(|card| {
        let (from, middle, copy, to) = (fresh(), fresh(), fresh(), fresh());
        card.plus(middle, from, 4, own);
        ok!(cuMemcpyDtoD_v2(copy, middle, WORDS * 4));
        card.plus(to, copy, 4, own);
        to_host(to);
    });
    one(&told, &["the host reads what `plus` computed from a value that an earlier kernel computed"]);
    let told = found(|card| {
        let (from, to) = (fresh(), pinned(WORDS));
        card.plus(to.as_mut_ptr() as u64, from, 4, own);
    });
    one(&told, &["`plus` stores to the host's memory what it computed from"]);
    one(&found(|_| answered(own, fresh(), fresh())), &["`add` reads", "at byte 0, which nobody has written"]);
    let told = found(|card| {
        let (from, middle) = (fresh(), fresh());
        card.plus(middle, from, 4, own);
        answered(own, middle, fresh());
    });
    one(&told, &["the host reads what `plus` computed from", "which was never written"]);
    let silent = found(|card| {
        let (zeros, sums, more) = (fresh(), fresh(), fresh());
        set(zeros, WORDS, own);
        answered(own, zeros, sums);
        card.plus(more, sums, 4, own);
        answered(own, more, zeros);
        to_host(zeros);
    });
    none(&silent, "an operation's operands that a fill, another one and a kernel have written");
    // Another device's memory.
    for written in [false, true] {
        let told = found(|card| {
            let (from, middle) = (fresh(), fresh());
            card.plus(middle, from, 4, own);
            let first = made!(cuCtxGetCurrent());
            let mut second = made!(cuDevicePrimaryCtxRetain(1));
            ok!(cuCtxPushCurrent_v2(second));
            let there = made!(cuMemAlloc_v2(WORDS * 4));
            ok!(cuMemcpyPeer(there, second, middle, first, WORDS * 4));
            if written {
                ok!(cuMemsetD32_v2(there, 0, WORDS));
            }
            to_host(there);
            ok!(cuMemFree_v2(there));
            ok!(cuCtxPopCurrent_v2(&mut second));
            ok!(cuDevicePrimaryCtxRelease_v2(1));
        });
        match written {
            false => one(&told, &["the host reads what `plus` computed from", "which was never written"]),
            true => none(&told, "written since, on the other device"),
        }
    }
}

/// Each with a name, the words of its one finding, if it has one, and its actions with a card, two streams, and a buffer of zeros.
type Case<'a> = (&'a str, &'a [&'a str], &'a dyn Fn(&Card, CUstream, CUstream, CUdeviceptr));

const ALLOCATION: &[&str] = &["a stream-ordered allocation on stream", "allocates it", "for what comes after it"];
const HOST: &[&str] = &["a stream and the host", "the host gives it back (cuMemFreeHost)", "does not promise"];

#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn two_streams() {
    let constant = |card: &Card, stream| launch(card.constant, fresh(), 0, 1, stream);
    let to_device = |p, from: &[u32], stream| {
        ok!(cuMemcpyHtoDAsync_v2(p, from.as_ptr().cast(), WORDS * 4, stream));
    };
    let register = |memory: &mut [u32]| {
        ok!(cuMemHostRegister_v2(memory.as_mut_ptr().cast(), WORDS * 4, 0));
    };
    let unpin = |memory: &mut [u32]| ok!(cuMemFreeHost(memory.as_mut_ptr().cast()));
    let unregister = |memory: &mut [u32]| ok!(cuMemHostUnregister(memory.as_mut_ptr().cast()));
    let free = |pointer| ok!(cuMemFree_v2(pointer));
    let cases: &[Case] = &[
        (
            "two kernels",
            &[
                "two streams use",
                "the kernel `plus` on stream",
                "writes it",
                "nothing orders them",
                "cuStreamWaitEvent",
            ],
            &|card, a, b, p| {
                card.plus(p, p, 4, a);
                card.plus(p, p, 4, b);
            },
        ),
        ("a kernel and a fill", &["a memset on stream", "the kernel `plus`"], &|card, a, b, p| {
            card.plus(p, p, 4, a);
            set(p, WORDS, b);
        }),
        ("a copy", &["a memcpy HtoD on stream", "writes it", "the kernel `plus`", "reads it"], &|card, a, b, p| {
            to_device(p, pinned(WORDS), a);
            card.plus(fresh(), p, 4, b);
        }),
        ("the default stream", &["two streams use"], &|card, a, _, p| {
            card.plus(p, p, 4, a);
            card.plus(p, p, 4, null_mut());
        }),
        (
            "a kernel, then an operation of PyTorch's",
            &["the kernel `plus` on stream", "writes it", "a PyTorch operation `add` on stream", "reads it"],
            &|card, a, b, p| {
                card.plus(p, p, 4, a);
                answered(b, p, fresh());
            },
        ),
        // The second operation does not wait for the first, which another stream may meet.
        (
            "operations of PyTorch's, then a kernel",
            &["a PyTorch operation `add` on stream", "writes it", "the kernel `plus` on stream", "reads it"],
            &|card, a, b, p| {
                answered(a, card.table, p);
                answered(a, card.table, fresh());
                card.plus(fresh(), p, 4, b);
            },
        ),
        ("operations of PyTorch's in order", &[], &|card, a, b, p| {
            let (q, r) = (fresh(), fresh());
            card.plus(q, p, 4, a);
            answered(a, q, r);
            waits_for(b, a);
            card.plus(p, r, 4, b);
            answered(b, p, q);
        }),
        // The host's memory while a kernel writes it, as far as the host uses it through the driver.
        (
            "mapped memory",
            &["a memcpy HtoD on stream", "reads it", "the kernel `plus`", "writes it"],
            &|card, a, b, p| {
                let mapped = pinned(WORDS);
                card.plus(mapped.as_mut_ptr() as u64, p, 4, a);
                to_device(fresh(), mapped, b);
            },
        ),
        // Memory that a stream frees, and a card hands out again, while another stream reads it.
        (
            "a free",
            &["the kernel `plus`", "reads it", "a free on stream", "frees it", "nothing orders"],
            &|card, a, b, p| {
                card.plus(fresh(), p, 4, a);
                free_on(b, p);
            },
        ),
        ("constants filled", &["`table`", "the kernel `constant`", "reads it", "a memset"], &|card, a, b, _| {
            constant(card, a);
            set(card.table, 64, b);
        }),
        ("constants copied to", &["`table`", "at byte 64", "a memcpy HtoD"], &|card, a, b, _| {
            to_device(card.table, pinned(WORDS), b);
            constant(card, a);
        }),
        ("an allocation, two uses, and a free", ALLOCATION, &|card, a, b, _| {
            let p = fresh_on(a);
            card.plus(p, card.table, 1, b);
            set(p, 16, b);
            free_on(b, p);
        }),
        ("a use in order, and a free", &["a memset on stream", "a free on stream"], &|_, a, b, _| {
            let p = fresh_on(a);
            set(p, 16, a);
            free_on(b, p);
        }),
        ("a pool's memory", &["a memset on stream", "the host gives it back (cuMemFree)"], &|_, a, _, _| {
            let p = fresh_on(a);
            set(p, 16, a);
            free(p);
        }),
        ("page-locked memory", HOST, &|_, a, _, p| {
            let memory = pinned(WORDS);
            to_host_on(a, p, memory);
            unpin(memory);
        }),
        ("registered memory", &["(cuMemHostUnregister)", "the kernel `plus`"], &|card, _, b, p| {
            let mut memory = [0; WORDS];
            register(&mut memory);
            card.plus(memory.as_mut_ptr() as u64, p, 4, b);
            unregister(&mut memory);
        }),
        ("an event", &[], &|card, a, b, p| {
            let q = fresh_on(a);
            card.plus(p, p, 4, a);
            card.plus(q, p, 4, a);
            constant(card, a);
            waits_for(b, a);
            card.plus(p, p, 4, b);
            set(q, WORDS, b);
            set(card.table, 64, b);
            free_on(b, q);
        }),
        ("other memory that is freed, allocated, or constant", &[], &|card, a, b, p| {
            let (q, memory) = (fresh_on(a), pinned(WORDS));
            card.plus(fresh(), p, 4, a);
            constant(card, a);
            free_on(b, fresh());
            set(card.table, 16, b);
            set(q, WORDS, a);
            unpin(memory);
        }),
        ("one stream", &[], &|card, a, _, p| {
            let q = fresh_on(a);
            card.plus(p, p, 4, a);
            card.plus(q, p, 4, a);
            free_on(a, q);
        }),
        ("the legacy default stream", &[], &|card, _, _, p| {
            let q = fresh_on(null_mut());
            card.plus(p, p, 4, stream(0));
            card.plus(p, p, 4, null_mut());
            card.plus(q, p, 4, stream(0));
            free_on(null_mut(), q);
        }),
        ("the host", &[], &|card, a, b, p| {
            let (q, freed, page_locked, mut registered) = (fresh_on(a), fresh_on(a), pinned(WORDS), [0; WORDS]);
            register(&mut registered);
            card.plus(p, p, 4, a);
            set(freed, WORDS, a);
            to_host_on(a, p, page_locked);
            to_host_on(a, p, &mut registered);
            synchronize(a);
            card.plus(q, p, 4, b);
            free(freed);
            unpin(page_locked);
            unregister(&mut registered);
        }),
        ("disjoint halves", &[], &|card, a, b, p| {
            let half = p + WORDS as u64 * 2;
            card.plus(p, p, 2, a);
            card.plus(half, half, 2, b);
        }),
        ("both only read", &[], &|card, a, b, p| {
            card.plus(fresh(), p, 4, a);
            card.plus(fresh(), p, 4, b);
            constant(card, a);
            to_host_on(b, card.table, pinned(WORDS));
        }),
        ("both count with atomics", &[], &|card, a, b, p| {
            launch(card.count, p, p, 4, a);
            launch(card.count, p, p, 4, b);
        }),
        ("an event that a third stream hands on", &[], &|card, a, b, p| {
            let c = stream(1);
            card.plus(p, p, 4, a);
            waits_for(c, a);
            waits_for(b, c);
            card.plus(p, p, 4, b);
        }),
    ];
    for (name, words, run) in cases {
        let told = found(|card| {
            let p = fresh();
            set(p, WORDS, null_mut());
            synchronize(null_mut());
            run(card, stream(1), stream(1), p);
        });
        if words.is_empty() { none(&told, name) } else { one(&told, words) }
    }
}
