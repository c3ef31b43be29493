//! Streams that wait for a value, whoever writes it, and the marks of pools.
use crate::interprocess::properties;
use crate::{context, pinned, stream};
use cudarc::driver::sys::{self, CUresult};
use std::time::Duration;

const NOT_BEFORE: u32 = sys::CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_GEQ as u32;
const EQUAL: u32 = sys::CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_EQ as u32;

fn word(at: u64) -> u32 {
    // SAFETY: live page-locked memory.
    unsafe { (at as *const u32).read_volatile() }
}

#[test]
fn a_stream_waits_for_a_value_that_the_host_writes() {
    let context = context();
    let memory = pinned(4);
    memory.fill(0);
    let at = memory.as_mut_ptr() as u64;
    let stream = stream(1);
    ok!(cuStreamWaitValue32_v2(stream, at, 5, NOT_BEFORE));
    ok!(cuStreamWriteValue32_v2(stream, at + 4, 1, 0));
    for _ in 0..3 {
        assert_eq!(call!(cuStreamQuery(stream)), CUresult::CUDA_ERROR_NOT_READY);
    }
    assert_eq!(word(at + 4), 0, "the stream went past a value that is not there");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            context.bind_to_thread().unwrap();
            std::thread::sleep(Duration::from_millis(50));
            assert_eq!(word(at + 4), 0);
            // SAFETY: live memory.
            unsafe { (at as *mut u32).write_volatile(6) };
        });
        ok!(cuStreamSynchronize(stream));
    });
    assert_eq!(word(at + 4), 1);
}

/// Nobody waits for the stream that writes: a card does its work all the same.
#[test]
fn a_stream_waits_for_a_value_that_another_stream_writes() {
    let _context = context();
    let (waits, writes) = (stream(1), stream(1));
    let at = made!(cuMemAlloc_v2(16));
    ok!(cuMemsetD32_v2(at, 0, 4));
    ok!(cuStreamWaitValue64_v2(waits, at, 1 << 40, EQUAL));
    ok!(cuMemsetD32Async(at + 8, 7, 1, waits));
    ok!(cuStreamWriteValue64_v2(writes, at, 1 << 40, 0));
    ok!(cuStreamSynchronize(waits));
    assert_eq!(crate::word(at + 8), 7);
}

#[test]
fn a_wait_that_no_card_takes_is_refused() {
    let _context = context();
    let stream = stream(1);
    let at = made!(cuMemAlloc_v2(16));
    assert_eq!(call!(cuStreamWaitValue32_v2(stream, at, 1, 9)), CUresult::CUDA_ERROR_INVALID_VALUE);
    // An H100 answers so.
    assert_eq!(call!(cuStreamWaitValue32_v2(stream, at, 1, EQUAL | 1 << 30)), CUresult::CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(call!(cuStreamWaitValue32_v2(stream, at + 2, 1, EQUAL)), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok!(cuMemFree_v2(at));
    assert_ne!(call!(cuStreamWaitValue32_v2(stream, at, 1, EQUAL)), CUresult::CUDA_SUCCESS);
}

/// Memory that came and went between two questions is in the mark all the same.
#[test]
fn a_pool_remembers_the_most_that_it_gave_out() {
    let _context = context();
    let stream = stream(1);
    let pool = made!(cuMemPoolCreate(&properties(1, 0)));
    let ask = |pool, attribute| {
        let mut value = 0u64;
        ok!(cuMemPoolGetAttribute(pool, attribute, (&raw mut value).cast()));
        value
    };
    use sys::CUmemPool_attribute::{CU_MEMPOOL_ATTR_USED_MEM_CURRENT as NOW, CU_MEMPOOL_ATTR_USED_MEM_HIGH as MOST};
    let first = made!(cuMemAllocFromPoolAsync(4096, pool, stream));
    let second = made!(cuMemAllocFromPoolAsync(1024, pool, stream));
    ok!(cuMemFreeAsync(first, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!((ask(pool, NOW), ask(pool, MOST)), (1024, 5120));
    let (mut none, mut some) = (0u64, 7u64);
    let set = call!(cuMemPoolSetAttribute(pool, MOST, (&raw mut some).cast()));
    assert_eq!(set, CUresult::CUDA_ERROR_INVALID_VALUE);
    ok!(cuMemPoolSetAttribute(pool, MOST, (&raw mut none).cast()));
    assert_eq!(ask(pool, MOST), 1024);
    ok!(cuMemFreeAsync(second, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!((ask(pool, NOW), ask(pool, MOST)), (0, 1024));
}
