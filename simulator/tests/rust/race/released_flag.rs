//! One block hands a value to the other: the flag is stored with release and read with acquire.
// launch: grid 2 block 32
// arg: int data[32] = zeros
// arg: int flag[1] = zeros
// arg: int out[32] = zeros
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
use core::arch::nvptx::{_block_idx_x, _syncthreads, _thread_idx_x};
use core::sync::atomic::{AtomicU32, Ordering};
include!("../panic.rs");

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn hand_over(data: *mut u32, flag: &AtomicU32, out: *mut u32) {
    let x = unsafe { _thread_idx_x() } as usize;
    if unsafe { _block_idx_x() } == 0 {
        unsafe { *data.add(x) = 7 * x as u32 };
        unsafe { _syncthreads() };
        if x == 0 {
            flag.store(1, Ordering::Release);
        }
    } else {
        while flag.load(Ordering::Acquire) == 0 {}
        unsafe { *out.add(x) = *data.add(x) };
    }
}
