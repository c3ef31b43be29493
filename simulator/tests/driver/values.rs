//! Streams that wait for a value, whoever writes it, and the marks of pools.
use crate::interprocess::properties;
use crate::{context, ok, pinned, stream};
use cudarc::driver::sys::{self, CUresult};
use std::ptr::null_mut;
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
    let at = pinned(4).as_mut_ptr() as u64;
    let stream = stream(1);
    // SAFETY: live memory and a live stream.
    unsafe {
        std::ptr::write_bytes(at as *mut u32, 0, 4);
        ok(sys::cuStreamWaitValue32_v2(stream, at, 5, NOT_BEFORE));
        ok(sys::cuStreamWriteValue32_v2(stream, at + 4, 1, 0));
        for _ in 0..3 {
            assert_eq!(sys::cuStreamQuery(stream), CUresult::CUDA_ERROR_NOT_READY);
        }
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
        // SAFETY: a live stream.
        ok(unsafe { sys::cuStreamSynchronize(stream) });
    });
    assert_eq!(word(at + 4), 1);
}

/// Nobody waits for the stream that writes: a card does its work all the same.
#[test]
fn a_stream_waits_for_a_value_that_another_stream_writes() {
    let _context = context();
    let (waits, writes) = (stream(1), stream(1));
    let mut at = 0;
    // SAFETY: places for results, live memory and live streams.
    unsafe {
        ok(sys::cuMemAlloc_v2(&mut at, 16));
        ok(sys::cuMemsetD32_v2(at, 0, 4));
        ok(sys::cuStreamWaitValue64_v2(waits, at, 1 << 40, EQUAL));
        ok(sys::cuMemsetD32Async(at + 8, 7, 1, waits));
        ok(sys::cuStreamWriteValue64_v2(writes, at, 1 << 40, 0));
        ok(sys::cuStreamSynchronize(waits));
        let mut found = 0u32;
        ok(sys::cuMemcpyDtoH_v2((&raw mut found).cast(), at + 8, 4));
        assert_eq!(found, 7);
    }
}

#[test]
fn a_wait_that_no_card_takes_is_refused() {
    let _context = context();
    let stream = stream(1);
    let mut at = 0;
    // SAFETY: as above.
    unsafe {
        ok(sys::cuMemAlloc_v2(&mut at, 16));
        assert_eq!(sys::cuStreamWaitValue32_v2(stream, at, 1, 9), CUresult::CUDA_ERROR_INVALID_VALUE);
        // An H100 answers so.
        assert_eq!(sys::cuStreamWaitValue32_v2(stream, at, 1, EQUAL | 1 << 30), CUresult::CUDA_ERROR_NOT_SUPPORTED);
        assert_eq!(sys::cuStreamWaitValue32_v2(stream, at + 2, 1, EQUAL), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemFree_v2(at));
        assert_ne!(sys::cuStreamWaitValue32_v2(stream, at, 1, EQUAL), CUresult::CUDA_SUCCESS);
    }
}

/// Memory that came and went between two questions is in the mark all the same.
#[test]
fn a_pool_remembers_the_most_that_it_gave_out() {
    let _context = context();
    let stream = stream(1);
    let mut pool = null_mut();
    let properties = properties(1, 0);
    let ask = |pool, attribute| {
        let mut value = 0u64;
        // SAFETY: a live pool, and room for eight bytes.
        ok(unsafe { sys::cuMemPoolGetAttribute(pool, attribute, (&raw mut value).cast()) });
        value
    };
    use sys::CUmemPool_attribute::{CU_MEMPOOL_ATTR_USED_MEM_CURRENT as NOW, CU_MEMPOOL_ATTR_USED_MEM_HIGH as MOST};
    // SAFETY: places for results, a live stream and live memory.
    unsafe {
        ok(sys::cuMemPoolCreate(&mut pool, &properties));
        let [mut first, mut second] = [0; 2];
        ok(sys::cuMemAllocFromPoolAsync(&mut first, 4096, pool, stream));
        ok(sys::cuMemAllocFromPoolAsync(&mut second, 1024, pool, stream));
        ok(sys::cuMemFreeAsync(first, stream));
        ok(sys::cuStreamSynchronize(stream));
        assert_eq!((ask(pool, NOW), ask(pool, MOST)), (1024, 5120));
        let (mut none, mut some) = (0u64, 7u64);
        let set = sys::cuMemPoolSetAttribute(pool, MOST, (&raw mut some).cast());
        assert_eq!(set, CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemPoolSetAttribute(pool, MOST, (&raw mut none).cast()));
        assert_eq!(ask(pool, MOST), 1024);
        ok(sys::cuMemFreeAsync(second, stream));
        ok(sys::cuStreamSynchronize(stream));
        assert_eq!((ask(pool, NOW), ask(pool, MOST)), (0, 1024));
    }
}
